#include "core/mid/lower/resolve_view.h"

#include <bit>

#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {

using mir::InstId;
using mir::Module;
using mir::Op;

absl::StatusOr<bool> ResolveView(Module& module, uint32_t view_mask, PassContext& context) {
  if (std::popcount(view_mask) > 1) return false;
  const uint32_t view = view_mask == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(view_mask));
  mir::Builder b(module);
  mir::Replacements replace(module);
  bool changed = false;
  mir::RewriteInsts(b, module.body, [&](InstId id) {
    const mir::Inst& inst = module.inst(id);
    if (inst.op != Op::kLoadInput || module.inputs[inst.imm0].builtin != mir::BuiltIn::kViewIndex ||
        !context.Rewrite()) {
      return true;
    }
    replace.Replace(module.result(id), b.Int(view));
    changed = true;
    return false;
  });
  replace.Apply(module);
  return changed;
}

}  // namespace kiln::mid
