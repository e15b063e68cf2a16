// Removes dead code: instructions without side effects whose definitions are all unused, and unused
// results of atomic operations.
//
// Marks backwards from instructions with effects. Block parameters without uses stay (the mid-end
// removed them before selection). Cost: linear.
#include <algorithm>
#include <vector>

#include "core/intel/lir/machine.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"
#include "core/intel/optimise/def_use.h"
#include "core/intel/optimise/passes.h"

namespace kiln::intel {

namespace {

// Drops the unused result of an atomic operation, so that the message does not request it.
bool DropResult(lir::Function& f, lir::InstId id, const DefUse& info, PassContext& context) {
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
  const absl::Span<const lir::OpInfo> ops = IntelOps();
  DefUse info = FindDefUse(f);
  std::vector<bool> dead(f.insts.size());
  std::vector<lir::InstId> work;
  const auto is_dead = [&](lir::InstId id) {
    const uint32_t flags = ops[f.inst(id).op].flags;
    if (flags & (lir::kOpSideEffect | lir::kOpTerminator | lir::kOpBarrier)) return false;
    for (const lir::Operand& d : f.defs(id)) {
      if (IsValue(d) && info.uses[d.id] != 0) return false;
    }
    return true;
  };
  const auto visit = [&](lir::InstId id) {
    if (dead[id.index] || !is_dead(id) || !context.Rewrite()) return;
    dead[id.index] = true;
    work.push_back(id);
  };
  bool changed = false;
  for (const lir::Block& block : f.blocks) {
    for (lir::InstId id : block.insts) visit(id);
  }
  while (!work.empty()) {
    changed = true;
    const lir::InstId id = work.back();
    work.pop_back();
    for (const lir::Operand& o : f.uses(id)) {
      if (!IsValue(o)) continue;
      if (--info.uses[o.id] == 0 && info.def[o.id].valid()) visit(info.def[o.id]);
    }
  }
  for (lir::Block& block : f.blocks) {
    for (lir::InstId id : block.insts) changed |= DropResult(f, id, info, context);
    block.insts.erase(std::remove_if(block.insts.begin(), block.insts.end(),
                                     [&](lir::InstId id) { return dead[id.index]; }),
                      block.insts.end());
  }
  return changed;
}

}  // namespace kiln::intel
