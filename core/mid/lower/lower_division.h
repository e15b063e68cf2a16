// Lowers integer division by constants to multiplication, `smod` to `srem` and a correction, and
// division of 8 and 16 bits to 32 bits.
//
// Problem: the hardware divides integers at a few lanes a cycle; by a constant, the high half of a
// multiplication gives the same quotient.
// Invariants: verified MIR in and out; only `udiv`, `sdiv`, `urem` and `srem` of 32 bits remain,
// and divisions of 64 bits (see lower_int64).
// Algorithm: for unsigned n and constant d not a power of two, n / d is (n * M) >> (32 + s), with
// one correction step if M needs 33 bits; likewise for signed. The multiplier is found by exact
// 128-bit arithmetic. Linear.
// Source: T. Granlund, P. Montgomery, "Division by Invariant Integers using Multiplication", 1994;
// H. Warren, "Hacker's Delight", chapter 10.
#ifndef KILN_CORE_MID_LOWER_LOWER_DIVISION_H_
#define KILN_CORE_MID_LOWER_LOWER_DIVISION_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed.
absl::StatusOr<bool> LowerDivision(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_LOWER_DIVISION_H_
