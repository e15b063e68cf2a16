// Turns private arrays that hold only constants into tables of the module's constant data.
//
// Problem: tables written as local arrays (sample patterns, weights) are stored to scratch by every
// invocation before one entry is read.
// Invariants: verified MIR in and out. An array becomes a table if every store has a constant
// offset and constant values, no element is stored with two values, and at every load all elements
// that are ever stored have been stored. Elements never stored are undefined and become 0; so are
// loads outside of the array. Small arrays became selects before (promote_private_arrays.h).
// Algorithm: one walk collects the elements; a second one follows the tree, with the elements
// stored so far, and checks the loads; a third one rewrites. Linear.
#ifndef KILN_CORE_MID_ARRAYS_TABULATE_ARRAYS_H_
#define KILN_CORE_MID_ARRAYS_TABULATE_ARRAYS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed. One rewrite for each array.
absl::StatusOr<bool> TabulateArrays(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ARRAYS_TABULATE_ARRAYS_H_
