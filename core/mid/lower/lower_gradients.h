// Samples with derivatives that the sampler does not take become samples of a level.
//
// Problem: a sampler may take no derivatives of a cube's direction, or with derivatives no least
// level beside a reference, or beside texel offsets and a sampler that may be in memory (of an
// array without length, or of more than a table holds): Features::gradients. Invariants: verified
// MIR in and out; no sample has derivatives beside what the target does not take with them.
// Algorithm: the level by Vulkan's formulae
// ("Scale Factor Operation", "Cube Map Derivative Transformation") from the size of level 0, not
// anisotropic; linear.
// Limits: the level is rounded in single precision, the hardware's to 8 fractional bits. A
// sampler's own bias is added behind the least level, not before it: the shader does not know it.
// Sources, for a target that takes none of these (sample_d of a cube is not there, sample_d_c has
// no parameter for a least level, and with one sample_d is as long as the sampler takes, 11
// registers, so that there is no room for the header that tells offsets): Mesa lowers all alike
// (lower_txd_cube_map, lower_txd_shadow_clamp, lower_txd_offset_clamp,
// lower_txd_clamp_bindless_sampler, lower_txd_clamp_if_sampler_index_not_lt_16 of its options for
// all generations of this back end); PRM volume "3D Sampler", parameters of sample_d_c, message
// length.
#ifndef KILN_CORE_MID_LOWER_LOWER_GRADIENTS_H_
#define KILN_CORE_MID_LOWER_LOWER_GRADIENTS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed.
absl::StatusOr<bool> LowerGradients(mir::Module& module, const Features& features,
                                    PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_LOWER_GRADIENTS_H_
