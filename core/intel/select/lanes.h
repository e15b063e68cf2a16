// Selection of operations between the lanes of a thread, and of the lane that represents all.
// Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_LANES_H_
#define KILN_CORE_INTEL_SELECT_LANES_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/intel/select/bools.h"
#include "core/intel/select/launch.h"
#include "core/intel/select/room.h"

namespace kiln::intel {

class Lanes : public Room {
 public:
  Lanes(Emission& e, Bools& bools, Launch& launch)
      : Room(e),
        bools_(bools),
        launch_(launch),
        active_lanes_(e.scopes()),
        first_lane_(e.scopes()) {}

  absl::Status VisitSubgroup(mir::InstId id);
  Operand FirstLane();
  std::optional<Operand> Guard(const lir::InstFields& fields, bool chosen);
  Operand Broadcast(const Operand& value, const Operand& lane);

 private:
  void ReadLanes(mir::InstId id);
  void Scan(mir::InstId id);
  Operand Ballot(Operand stored_bool, CondMod test);
  Operand ActiveLanes();
  Operand Element(const Operand& o);
  Operand PartOfElement(const Operand& element, const Operand& like) const;
  Operand LaneOffset(Where where, Operand index, int bytes);
  Operand ReadPattern(uint16_t op, const Operand& value, uint32_t aux);
  Operand Shuffle(const Operand& value, const Operand& index);
  std::optional<uint32_t> XorOfLanes(mir::ValueId index) const;
  bool IsOnePerThread(const Operand& o) const;

  Bools& bools_;
  Launch& launch_;
  BlockCache<std::optional<Operand>> active_lanes_, first_lane_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_LANES_H_
