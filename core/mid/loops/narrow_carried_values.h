// Carries 16-bit values through ifs and loops as what they are.
//
// Problem: elements of private arrays of 16-bit types are kept as dwords. Once the array is values,
// its loops carry dwords of which the upper halves are zero and nobody reads them: twice the
// registers where a target has halves, and a conversion for each value and iteration. Invariants:
// verified MIR in and out. Algorithm: results of ifs, loops and selects and parameters of loops
// that pass values on to each other are one group (union-find). A group is narrowed if all that
// enters it from outside are values extended from 16 bits or constants of 16 bits, and all that
// leaves it is truncated to 16 bits. Linear, but for the inverse Ackermann function.
#ifndef KILN_CORE_MID_LOOPS_NARROW_CARRIED_VALUES_H_
#define KILN_CORE_MID_LOOPS_NARROW_CARRIED_VALUES_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed. One rewrite for each group.
absl::StatusOr<bool> NarrowCarriedValues(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOOPS_NARROW_CARRIED_VALUES_H_
