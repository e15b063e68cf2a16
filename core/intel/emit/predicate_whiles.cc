#include <vector>

#include "core/intel/emit/edit_program.h"
#include "core/intel/emit/passes.h"

namespace kiln::intel {

using isa::Instruction;
using isa::Opcode;
using isa::PredCtrl;
using isa::Program;

int PredicateWhiles(Program& p, MayRewrite may_rewrite, void* context) {
  std::vector<bool> dead(p.insts.size());
  int rewrites = 0;
  for (int32_t at = 0; at + 1 < p.Next(); ++at) {
    const Instruction& jump = p.insts[at];
    Instruction& loop = p.insts[at + 1];
    if (jump.op != Opcode::kBreak || jump.pred == PredCtrl::kNone || loop.op != Opcode::kWhile ||
        loop.pred != PredCtrl::kNone || !may_rewrite(context)) {
      continue;
    }
    TakePredicate(loop, jump, true);
    dead[at] = true;
    ++rewrites;
  }
  if (rewrites != 0) RemoveMarked(p, dead);
  return rewrites;
}

}  // namespace kiln::intel
