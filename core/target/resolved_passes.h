// Passes that back ends with several program widths share: they give a module the subgroup size of
// the width at hand, and simplify what that made constant.
#ifndef KILN_CORE_TARGET_RESOLVED_PASSES_H_
#define KILN_CORE_TARGET_RESOLVED_PASSES_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mid/lower/resolve_subgroup_size.h"
#include "core/mid/values/merge_equal_values.h"
#include "core/mid/values/remove_dead_code.h"
#include "core/mid/values/simplify.h"
#include "core/mir/mir.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"

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

// The first rows of a back end's table.
template <class Work>
inline constexpr std::array kResolvedPasses = {
    Pass<Work>{"resolve_subgroup_size", ResolveSubgroupSizeOf<Work>, false, 0,
               "replaces values that depend on the subgroup size by those of this width"},
    Pass<Work>{"simplify_resolved", IfResolved<Work, mid::Simplify>, true, 0,
               "folds what the subgroup size made constant"},
    Pass<Work>{"merge_equal_resolved", IfResolved<Work, mid::MergeEqualValues>, true, 0,
               "merges values that the subgroup size made equal"},
    Pass<Work>{"remove_dead_resolved", IfResolved<Work, mid::RemoveDeadCode>, true, 0,
               "removes values that the subgroup size made dead"},
};

inline constexpr std::array kResolvedOrder = {
    PassOrder{"resolve_subgroup_size", "select", "operations on lane masks have no selection"},
    PassOrder{"resolve_subgroup_size", "simplify_resolved", "sizes become constants"},
    PassOrder{"simplify_resolved", "merge_equal_resolved", "folding makes values equal"},
    PassOrder{"merge_equal_resolved", "remove_dead_resolved", "merging leaves values without uses"},
    PassOrder{"remove_dead_resolved", "select", "works on MIR"},
};

// Prints and verifies the module while it is all that there is of the program: only if it is this
// width's own, since the driver has shown the other.
inline std::string PrintResolved(const ModuleAtWidth& w) {
  return w.is_resolved() ? mir::Print(w.resolved) : "";
}
inline absl::Status VerifyResolved(const ModuleAtWidth& w) {
  return w.is_resolved() ? mir::Verify(w.resolved) : absl::OkStatus();
}

}  // namespace kiln

#endif  // KILN_CORE_TARGET_RESOLVED_PASSES_H_
