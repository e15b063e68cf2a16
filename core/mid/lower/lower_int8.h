// Lowers arithmetic on 8-bit integers to 32 bits.
//
// Problem: targets load, store and convert bytes but do not compute with them.
// Invariants: verified MIR in and out. Afterwards only loads, truncations, subgroup reads, ifs and
// loops give values of 8 bits, and only stores, conversions, jumps and subgroup reads take them.
// Algorithm: each operation on bytes extends its sources to 32 bits, by sign if it depends on
// signs, and truncates its result. Shift counts wrap at 8. Reductions and scans between lanes are
// done in 16 bits, exclusive ones of signed minima and maxima in the upper 8 of them, where the
// identity of words is that of bytes. Linear. Extensions of truncations are simplified afterwards.
#ifndef KILN_CORE_MID_LOWER_LOWER_INT8_H_
#define KILN_CORE_MID_LOWER_LOWER_INT8_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed.
absl::StatusOr<bool> LowerInt8(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_LOWER_INT8_H_
