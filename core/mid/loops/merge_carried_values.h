// Removes values carried by ifs and loops that are known without being carried.
//
// Problem: promotion of arrays, unrolling and folding leave results of ifs that are the same on
// both sides, loop parameters that every iteration passes on unchanged, and pairs that are always
// equal. Each costs a copy on every edge and a register.
// Invariants: verified MIR in and out. Afterwards:
//   * no result of an if is the same value, defined outside, on all sides that yield;
//   * every loop parameter is changed by some continue;
//   * no loop result is the same value from outside of the loop at every break;
//   * no two parameters of a loop, results of an if or of a loop are carried by the same values.
// Algorithm: one walk. Parameters are examined before the body, so that their replacements are used
// in it, results after it. The values that jumps carry for one parameter or result form its column,
// which begins with the initial value for parameters. The column determines the replacement, and
// equal columns are found by hashing. Linear. Pairs of parameters that are equal only inductively
// (two counters in step) are not found.
#ifndef KILN_CORE_MID_LOOPS_MERGE_CARRIED_VALUES_H_
#define KILN_CORE_MID_LOOPS_MERGE_CARRIED_VALUES_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed. One rewrite for each value.
absl::StatusOr<bool> MergeCarriedValues(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOOPS_MERGE_CARRIED_VALUES_H_
