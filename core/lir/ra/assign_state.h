// State shared by the parts of assignment, by lifetime: the inputs (AssignInput), the registers of
// each value (Places, for the whole function), and the current position of the walk (Here).
//
// The parts: assign_live (units live or parked at the current position), assign_written (units
// written while lanes waited), assign_kept (values and homes that later positions in the block rely
// on), assign_search (finds a free range), assign_promises (early registers of values that lanes
// wait with), assign_collects, assign_compaction and assign_edges (moves), and assign_result (the
// output). assign.cc walks the blocks and calls them.
#ifndef KILN_CORE_LIR_RA_ASSIGN_STATE_H_
#define KILN_CORE_LIR_RA_ASSIGN_STATE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/lir/machine.h"
#include "core/lir/ra/assign.h"
#include "core/lir/ra/holes.h"
#include "core/lir/ra/lane_sets.h"
#include "core/lir/ra/parallel_moves.h"
#include "core/lir/ra/value_info.h"

namespace kiln::lir::ra {

// The inputs of assignment; constant for the whole function.
struct AssignInput {
  AssignInput(const Machine& machine, const Function& function, const Liveness& liveness,
              const std::vector<ValueInfo>& infos, Order o);

  const ValueInfo& info(ValueId v) const { return values[v.index]; }
  const ValueInfo& info(const Operand& o) const { return values[o.id]; }
  bool IsTerminator(InstId i) const { return t.ops[f.inst(i).op].flags & kOpTerminator; }

  // Appends the moves of n units of v, cut into ranges that one copy can move: a component, or
  // aligned powers of two of uniform units.
  void AddMoves(ValueId v, uint32_t to, uint32_t from, uint32_t n, bool no_mask,
                std::vector<Move>* moves) const;

  const Machine& t;
  const Function& f;
  const Liveness& live;
  const std::vector<ValueInfo>& values;
  const Order order;
  std::vector<std::vector<BlockId>> preds;  // per block, logical
};

// First units of values, for the whole function; kNowhere where there is none (yet).
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
  uint32_t UnitOf(const Operand& o) const { return now[o.id] + o.comp * in.info(o).per_comp; }

  const AssignInput& in;
  std::vector<uint32_t> home;     // per value, at block boundaries
  std::vector<uint32_t> now;      // per value, at the current position of the walk
  std::vector<uint32_t> hint;     // per collect definition or parameter, the preferred one
  std::vector<uint32_t> promise;  // per value not assigned yet, the one promised to it
};

// The current position of the walk.
struct Here {
  BlockId block;
  uint32_t position = 0;
  std::vector<std::pair<ValueId, uint32_t>> placed;  // those of its definitions that are assigned
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_ASSIGN_STATE_H_
