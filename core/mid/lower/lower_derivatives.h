// Lowers derivatives and implicit levels of detail to differences between lanes of a quad, for
// targets (or stages of them) that have no instruction for them.
//
// Problem: ddx, ddy and sample_implicit take differences within four consecutive lanes, 0 1 over 2
// 3.
// Invariants: verified MIR in and out; no such op is left. The op's active lanes take part, so the
// new instructions replace it in the same region.
// Algorithm: a swap with the lane to the side or below, and the difference of the pair's lane with
// the higher number minus the other one; halfs are computed in single precision and rounded once.
// Coarse derivatives are fine ones, which SPIR-V and Vulkan allow ("Derivative Operations"). A
// sample gets the derivatives of its coordinates; a bias scales them by its power of two. Linear.
// Limits: image_lod stays: it needs an instruction that returns the level.
#ifndef KILN_CORE_MID_LOWER_LOWER_DERIVATIVES_H_
#define KILN_CORE_MID_LOWER_LOWER_DERIVATIVES_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed.
absl::StatusOr<bool> LowerDerivatives(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_LOWER_DERIVATIVES_H_
