// Makes room where nothing fits: moves values in the way, for all lanes, up to the next exit in the
// block or its end, and moves them home there. Lifetime of the list of moved values
// (LiveNow::moved): until then.
//
// Values that overlap in different lanes move together (a cluster), as raw units of a file without
// masked writes; pools without such a file are not compacted. The number of compactions is bounded.
//
// Where writes are always masked, so are these moves: a value moves for the lanes that execute,
// each value alone (these lanes share nothing), and the registers of parked lanes stay as they are.
#ifndef KILN_CORE_LIR_RA_ASSIGN_COMPACTION_H_
#define KILN_CORE_LIR_RA_ASSIGN_COMPACTION_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/lir/ra/assign_kept.h"
#include "core/lir/ra/assign_live.h"
#include "core/lir/ra/assign_result.h"
#include "core/lir/ra/assign_state.h"
#include "core/lir/ra/assign_written.h"
#include "core/lir/ra/unit_set.h"

namespace kiln::lir::ra {

class Compaction {
 public:
  Compaction(const AssignInput& in, Places& at, const Here& here, LiveNow& live,
             WrittenSets& written, StayingValues& stays, AssignResult& result);

  // Moves other values out of the way of `v` before the current instruction; false if that is not
  // possible. Values needed after the end of the block or its next exit return home there, so only
  // a value that does not stay so long may take their homes. For a collect, parts whose last use it
  // is need not be moved away: they are sources of its moves.
  bool Compact(ValueId v, InstId collect);
  // Moves back home the values that are still needed; false if the moves have no room.
  bool RestoreMoved();

 private:
  // Values that overlap (in different lanes) move together, with all their live components.
  struct Cluster {
    uint32_t lo = kNowhere, hi = 0;
    uint32_t alignment = 1;  // of the distance it moves
    bool stays = false;
    bool tail = false;  // has a value that must be in the tail: it does not move
    absl::InlinedVector<ValueId, 2> members;
    absl::InlinedVector<uint32_t, 4> slots;
    uint32_t to = kNowhere;
  };

  // Slots in the pool that can move, live or held by parked lanes, in order of their units.
  std::vector<uint32_t> PresentSlots(uint8_t pool);
  std::vector<Cluster> Clusters(uint8_t pool);
  bool EndsAt(const Cluster& c, InstId i) const;
  // Finds new registers for all clusters that overlap the window, largest first.
  bool MoveAway(const ValueInfo& want, uint32_t window, const UnitSet& used,
                std::vector<Cluster>* clusters);
  // Returns how many units the cluster's values begin before their live part; those units may
  // belong to other values. The values must still begin within the pool.
  uint32_t Lead(const Cluster& c) const;
  void MoveCluster(uint8_t pool, const Cluster& c);
  // Appends the moves of the live components; units of dead ones may belong to other values by now.
  // A single value moves by components; values that share lanes move as raw units.
  void AddClusterMoves(uint8_t pool, const Cluster& c, uint32_t to, std::vector<Move>* moves);

  const AssignInput& in_;
  Places& at_;
  const Here& here_;
  LiveNow& live_;
  WrittenSets& written_;
  StayingValues& stays_;
  AssignResult& result_;
  std::vector<UnitSet> held_;               // per pool, units of held live-ins
  std::vector<ValueId> raw_value_;          // per pool, any value of a file of uniform units
  std::vector<uint32_t> leader_, cluster_;  // scratch of Clusters, per value
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ASSIGN_COMPACTION_H_
