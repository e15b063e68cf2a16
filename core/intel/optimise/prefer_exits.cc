// Preferred exits: the lanes that a discard jump ends need nothing more, and a thread without lanes
// is over, so that what the jump waits for is worth more than what it may make useless.
//
// In and out: SSA, before the order is chosen. Marks the jumps and moves nothing: what the mark
// does says lir/schedule/list_scheduler.h, for the orders before and after allocation. An
// optimisation of its own so that it can be left out, measured and bisected, a jump at a time.
// Linear.
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/passes.h"

namespace kiln::intel {

absl::StatusOr<bool> PreferExits(lir::Function& f, PassContext& context) {
  bool changed = false;
  for (const lir::Block& block : f.blocks) {
    for (lir::InstId id : block.insts) {
      lir::Inst& inst = f.inst(id);
      if (inst.op != kDiscardJump || (inst.flags & lir::kPreferredExit) != 0) continue;
      if (!context.Rewrite()) return changed;
      inst.flags |= lir::kPreferredExit;
      changed = true;
    }
  }
  return changed;
}

}  // namespace kiln::intel
