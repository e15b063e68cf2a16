// Lowers explicit-gradient samples the sampler cannot execute to explicit-LOD samples.
//
// Problem: a sampler may not support derivatives of a cube's direction, or derivatives and a min
// LOD together with a reference, or together with texel offsets or with a sampler that may be in
// memory (of an array without length, or of more than a table holds): Features::gradients.
// Invariants: verified MIR in and out; no sample has derivatives together with operands with which
// the target does not support them.
// Algorithm: the level by Vulkan's formulae ("Scale Factor Operation", "Cube Map Derivative
// Transformation") from the size of level 0, not anisotropic; linear.
// Limits: the level is rounded in single precision, the hardware's to 8 fractional bits. A
// sampler's own bias is added after the min LOD, not before it: the shader does not know it.
// Sources, for a target that supports none of these (there is no sample_d of a cube; sample_d_c has
// no parameter for a min LOD; and with one, sample_d has the maximal length of a message, 11
// registers, so that there is no room for the header that holds offsets): Mesa lowers all alike
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

// Returns true if anything changed.
absl::StatusOr<bool> LowerGradients(mir::Module& module, const Features& features,
                                    PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_LOWER_GRADIENTS_H_
