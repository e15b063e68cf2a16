// Removes values carried by ifs and loops that are known without being carried.
//
// Problem: promotion of arrays, unrolling and folding leave results of ifs that are the same on
// both sides, loop parameters that every iteration passes on as they are, and pairs that always
// agree. Each costs a copy on every edge and a register. Invariants: verified MIR in and out.
// Afterwards:
//   * a result of an if is not one value on all sides that yield and see it from outside;
//   * a loop parameter has some continue that changes it;
//   * a loop result is not one value from outside of the loop at every break;
//   * no two parameters of a loop, results of an if or of a loop are carried by the same values.
// Algorithm: one walk. Parameters are judged before the body, so that what they become is seen in
// it, results after it. What a jump carries for all of them is a row; the column of one carrier,
// with the first value in front for parameters, says what it is, and equal columns are found by
// hashing. Linear. Pairs of parameters that are equal only if they are (two counters in step) are
// left.
#ifndef KILN_CORE_MID_LOOPS_MERGE_CARRIED_VALUES_H_
#define KILN_CORE_MID_LOOPS_MERGE_CARRIED_VALUES_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed. One rewrite for each value.
absl::StatusOr<bool> MergeCarriedValues(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOOPS_MERGE_CARRIED_VALUES_H_
