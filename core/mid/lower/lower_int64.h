// Lowers 64-bit integers to pairs of 32-bit ones.
//
// Problem: the hardware computes with 32 bits (Features::int64).
// Invariants: verified MIR in and out; no value of 64 bits remains in use, memory and carried
// values included.
// Algorithm: one walk in program order; each 64-bit value is represented by its halves, parameters
// and results of loops and ifs become two. Sums carry, products are made of four 32-bit ones,
// shifts select between the cases below 32 and from 32 on. Division is by 32 bits if both high
// halves are 0, else by a loop of 64 iterations of shift and subtract (restoring division; Knuth,
// The Art of Computer Programming 2, 4.3.1, in base 2). Conversion to float keeps the top 32 bits
// and one more that is set if anything was cut off ("sticky"), which rounds like the exact number.
// Linear. Reductions and scans between lanes: scan_int64.h.
#ifndef KILN_CORE_MID_LOWER_LOWER_INT64_H_
#define KILN_CORE_MID_LOWER_LOWER_INT64_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed.
absl::StatusOr<bool> LowerInt64(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_LOWER_INT64_H_
