// Replaces the view's index by a constant if the pipeline draws one view.
//
// Problem: shaders for several views are compiled for one, too; a table of matrices indexed by the
// view is then one matrix, at a known offset.
// Invariants: verified MIR in and out; folding follows.
// Source: Vulkan specification, "ViewIndex" (0 without multiview, else the index of the view).
// Linear.
#ifndef KILN_CORE_MID_LOWER_RESOLVE_VIEW_H_
#define KILN_CORE_MID_LOWER_RESOLVE_VIEW_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// view_mask: the views of the pipeline, a bit each; 0 without multiview. Returns true if anything
// changed; masks of several views change nothing.
absl::StatusOr<bool> ResolveView(mir::Module& module, uint32_t view_mask, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_RESOLVE_VIEW_H_
