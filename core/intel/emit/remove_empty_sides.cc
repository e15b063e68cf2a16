#include <vector>

#include "core/intel/emit/edit_program.h"
#include "core/intel/emit/passes.h"

namespace kiln::intel {

using isa::Program;

int RemoveEmptySides(Program& p, MayRewrite may_rewrite, void* context) {
  std::vector<bool> dead(p.insts.size());
  int rewrites = 0;
  for (int32_t at = 0; at < p.Next(); ++at) {
    if (!IsIf(p, at)) continue;
    const int32_t end = p.targets[at].uip, then_end = ThenEnd(p, at);
    const bool no_then = then_end == at + 1;
    if (then_end == end || (!no_then && then_end + 1 != end) || !may_rewrite(context)) continue;
    if (no_then) p.insts[at].pred_inverse = !p.insts[at].pred_inverse;
    p.targets[at].jip = end;
    dead[then_end] = true;
    ++rewrites;
  }
  if (rewrites != 0) RemoveMarked(p, dead);
  return rewrites;
}

}  // namespace kiln::intel
