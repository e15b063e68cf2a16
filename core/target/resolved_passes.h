// Passes that back ends with several program widths share: they give a module the subgroup size of
// the width at hand, and simplify what that made constant.
#ifndef KILN_CORE_TARGET_RESOLVED_PASSES_H_
#define KILN_CORE_TARGET_RESOLVED_PASSES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mid/lower/resolve_subgroup_size.h"
#include "core/mir/mir.h"

namespace kiln {

// A module on its way through a back end, at one width.
struct ModuleAtWidth {
  const mir::Module* module = nullptr;
  mir::Module resolved;  // the module at this subgroup size, if it depends on that
  bool is_resolved() const { return module == &resolved; }
};

// Copies the module only if its code depends on the width; most modules are the same at all widths.
// `Work` is a ModuleAtWidth and has a function width().
template <class Work>
absl::StatusOr<bool> ResolveSubgroupSizeOf(Work& w, PassContext&) {
  if (!mid::DependsOnSubgroupSize(*w.module)) return false;
  w.resolved = *w.module;
  mid::ResolveSubgroupSize(w.resolved, static_cast<uint32_t>(w.width()));
  w.module = &w.resolved;
  return true;
}

// Runs a pass that simplifies code whose subgroup size has become known.
template <class Work, absl::StatusOr<bool> (*pass)(mir::Module&, PassContext&)>
absl::StatusOr<bool> IfResolved(Work& w, PassContext& context) {
  if (!w.is_resolved()) return false;
  return pass(w.resolved, context);
}

}  // namespace kiln

#endif  // KILN_CORE_TARGET_RESOLVED_PASSES_H_
