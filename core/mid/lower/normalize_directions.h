// Directions into cubes get their largest part at 1 or -1.
//
// Problem: a sampler may not divide a cube's direction by its largest part; it takes the other two
// for places on the face as they are (Features::divides_directions). Invariants: verified MIR in
// and out; every sample and gather of a cube has a direction whose largest part is 1, as nearly as
// a reciprocal and a product make it; the array index stays. Algorithm: the reciprocal of the
// largest magnitude times each part; equal directions are found by merging behind it; linear.
// Levels by derivatives are made of the direction as it was (lower_gradients goes first). Limits: a
// largest part beyond 2^126 or below 2^-126 has no reciprocal: such a direction is lost, as it is
// in Mesa. Source: Mesa does the same for one family of targets (nir_normalize_cubemap_coords in
// brw_preprocess_nir).
#ifndef KILN_CORE_MID_LOWER_NORMALIZE_DIRECTIONS_H_
#define KILN_CORE_MID_LOWER_NORMALIZE_DIRECTIONS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed.
absl::StatusOr<bool> NormalizeDirections(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_NORMALIZE_DIRECTIONS_H_
