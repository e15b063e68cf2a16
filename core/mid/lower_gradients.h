// Samples with derivatives that the sampler does not take become samples of a level.
//
// Problem: Gen12's sample_d takes no derivatives of a cube's direction, and sample_d_c has no
// parameter for a least level. Invariants: verified MIR in and out; no sample has derivatives and is
// of a cube, or has both a reference and a least level. Algorithm: the level by Vulkan's formulae
// ("Scale Factor Operation", "Cube Map Derivative Transformation") from the size of level 0, not
// anisotropic; linear.
// Limits: the level is rounded in single precision, the hardware's to 8 fractional bits. A sampler's
// own bias is added behind the least level, not before it: the shader does not know it.
// Sources: Mesa lowers both alike (lower_txd_cube_map, lower_txd_shadow_clamp of its options for all
// generations of this back end); PRM volume "3D Sampler", parameters of sample_d_c.
#ifndef KILN_CORE_MID_LOWER_GRADIENTS_H_
#define KILN_CORE_MID_LOWER_GRADIENTS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed.
absl::StatusOr<bool> LowerGradients(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_GRADIENTS_H_
