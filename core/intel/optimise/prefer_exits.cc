// Marks exits as preferred. The lanes that a discard jump ends need no further work, and a thread
// without lanes is over, so the jump's operands are worth more than work that the jump may make
// useless.
//
// In and out: SSA, before the order is chosen. Marks the jumps and moves nothing:
// lir/schedule/list_scheduler.h says how the mark affects the orders before and after allocation. A
// pass of its own, so that it can be left out, measured and bisected, one jump at a time. Cost:
// linear.
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
