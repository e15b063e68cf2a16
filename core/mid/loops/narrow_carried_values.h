// Carries 16-bit values through ifs and loops in 16 bits.
//
// Problem: elements of private arrays of 16-bit types are kept as dwords. Once the array is values,
// its loops carry dwords whose upper halves are zero and unused: twice the registers where a target
// has halves, and a conversion for each value and iteration.
// Invariants: verified MIR in and out.
// Algorithm: results of ifs, loops and selects and parameters of loops that pass values on to each
// other form a group (union-find). A group is narrowed if all values that enter it are extended
// from 16 bits or constants of 16 bits, and all uses outside of it are truncations to 16 bits.
// Linear, except for the inverse Ackermann function.
#ifndef KILN_CORE_MID_LOOPS_NARROW_CARRIED_VALUES_H_
#define KILN_CORE_MID_LOOPS_NARROW_CARRIED_VALUES_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed. One rewrite for each group.
absl::StatusOr<bool> NarrowCarriedValues(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOOPS_NARROW_CARRIED_VALUES_H_
