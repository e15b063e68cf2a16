// Merges constants by which a value is multiplied one after the other.
//
// Problem: `(a * 4) * log2(e)` is one product, `a * (4 * log2(e))`; shaders write such chains, and
// functions that are expanded into others (exp into exp2, degrees) add to them.
// Invariants: verified MIR in and out. Merges only if reordering is allowed: neither product has
// the flag kNoReassociation (mir.h). Mesa 25.0.7 does it to all products that are not exact
// (nir_opt_algebraic.py), also if the inner one has other uses.
// Algorithm: a product with a constant whose other source is such a product too, with no other use,
// takes the inner value and the product of the constants; the inner product is dropped. In program
// order, so that a chain becomes one product. An inner product with other uses stays: the outer one
// would need a constant of its own and save nothing. Constants whose product is no normal number
// are not merged. Linear.
#ifndef KILN_CORE_MID_VALUES_MERGE_FACTORS_H_
#define KILN_CORE_MID_VALUES_MERGE_FACTORS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed. One rewrite for each product that is dropped.
absl::StatusOr<bool> MergeFactors(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_VALUES_MERGE_FACTORS_H_
