// Removes dead code: instructions that lir::RemoveDead finds, and unused results of atomic
// operations. Linear.
#include "core/intel/lir/machine.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/passes.h"
#include "core/lir/def_use.h"
#include "core/lir/remove_dead.h"

namespace kiln::intel {

namespace {

// Drops the unused result of an atomic operation, so that the message does not request it.
bool DropResult(lir::Function& f, lir::InstId id, const lir::DefUse& info, PassContext& context) {
  lir::Inst& in = f.inst(id);
  if (in.op != kMsgAtomic || in.num_defs != 1 || info.uses[f.defs(id)[0].id] != 0) return false;
  LirMessage message = MessageOf(f, in);
  if (!message.fields.returns || !context.Rewrite()) return false;
  ++in.first_operand;  // the definition
  in.num_defs = 0;
  message.fields.returns = false;
  in.aux = AddMessage(f, message);
  return true;
}

}  // namespace

absl::StatusOr<bool> RemoveDeadInstructions(lir::Function& f, PassContext& context) {
  lir::DefUse info = lir::FindDefUse(f);
  bool changed = lir::RemoveDead(IntelOps(), f, info, [&] { return context.Rewrite(); });
  for (const lir::Block& block : f.blocks) {
    for (lir::InstId id : block.insts) changed |= DropResult(f, id, info, context);
  }
  return changed;
}

}  // namespace kiln::intel
