// Scales cube directions so that the largest component is 1 or -1.
//
// Problem: a sampler may not divide a cube's direction by its largest component; it takes the other
// two as coordinates on the face (Features::divides_directions).
// Invariants: verified MIR in and out; every sample and gather of a cube has a direction whose
// largest component is 1 or -1, to the accuracy of a reciprocal and a product; the array index
// stays.
// Algorithm: the reciprocal of the largest magnitude times each component; later merging finds
// equal directions; linear. Levels from derivatives use the original direction (lower_gradients
// runs before).
// Limits: a largest component beyond 2^126 or below 2^-126 has no reciprocal: such a direction is
// lost, as it is in Mesa.
// Source: Mesa does the same for one family of targets (nir_normalize_cubemap_coords in
// brw_preprocess_nir).
#ifndef KILN_CORE_MID_LOWER_NORMALIZE_DIRECTIONS_H_
#define KILN_CORE_MID_LOWER_NORMALIZE_DIRECTIONS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed.
absl::StatusOr<bool> NormalizeDirections(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_NORMALIZE_DIRECTIONS_H_
