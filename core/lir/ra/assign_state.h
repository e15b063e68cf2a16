// What the rooms of assignment share, by lifetime: what is known before it begins (AssignInput),
// what a value's place is (Places, for the whole function), and where the walk stands (Here).
//
// The rooms: assign_live (who is live or parked at this place), assign_written (what was written
// while lanes waited), assign_kept (values and homes that later places in the block count on),
// assign_search (a free range), assign_promises (places of what lanes wait with), assign_collects,
// assign_compaction and assign_edges (moves), and assign_result (what is written down). assign.cc
// walks and calls them.
#ifndef KILN_CORE_LIR_RA_ASSIGN_STATE_H_
#define KILN_CORE_LIR_RA_ASSIGN_STATE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/lir/ra/assign.h"
#include "core/lir/ra/holes.h"
#include "core/lir/ra/lane_sets.h"
#include "core/lir/ra/operands.h"
#include "core/lir/ra/parallel_moves.h"
#include "core/lir/ra/value_info.h"
#include "core/lir/target.h"

namespace kiln::lir::ra {

// Of the whole function; nothing of it changes.
struct AssignInput {
  AssignInput(const Target& target, const Function& function, const Liveness& liveness,
              const std::vector<ValueInfo>& infos, Order o);

  const ValueInfo& info(ValueId v) const { return values[v.index]; }
  const ValueInfo& info(const Operand& o) const { return values[o.id]; }
  bool IsTerminator(InstId i) const { return t.ops[f.inst(i).op].flags & kOpTerminator; }

  // Appends the moves of n units of v, cut into what one copy can do: a component, or aligned
  // powers of two of uniform units.
  void AddMoves(ValueId v, uint32_t to, uint32_t from, uint32_t n, bool no_mask,
                std::vector<Move>* moves) const;

  const Target& t;
  const Function& f;
  const Liveness& live;
  const std::vector<ValueInfo>& values;
  const Order order;
  std::vector<std::vector<BlockId>> preds;  // per block, logical
};

// Of the whole function; kNowhere where there is none (yet).
struct Places {
  explicit Places(const AssignInput& input)
      : in(input),
        home(input.f.values.size(), kNowhere),
        now(input.f.values.size(), kNowhere),
        hint(input.f.values.size(), kNowhere),
        promise(input.f.values.size(), kNowhere) {}

  uint32_t SlotUnit(uint32_t slot) const {
    const ValueId v = in.live.slot_value(slot);
    return now[v.index] + in.live.slot_comp(slot) * in.info(v).per_comp;
  }
  LaneLayout LayoutOf(ValueId v, uint32_t reg) const {
    return LayoutAt(in.f.value(v), in.info(v), reg);
  }
  uint32_t PlaceOf(const Operand& o) const { return now[o.id] + o.comp * in.info(o).per_comp; }

  const AssignInput& in;
  std::vector<uint32_t> home;     // per value, where it is at block boundaries
  std::vector<uint32_t> now;      // per value, where it is at this place of the walk
  std::vector<uint32_t> hint;     // per collect definition or parameter, where it would like to be
  std::vector<uint32_t> promise;  // per value that has no place yet, where it is to be
};

// Of the instruction at hand.
struct Here {
  BlockId block;
  uint32_t position = 0;
  std::vector<std::pair<ValueId, uint32_t>> placed;  // its definitions, as far as they have a place
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ASSIGN_STATE_H_
