// Lowers atomics on doubles that the target lacks to loops of compare-exchanges on 64-bit integers,
// which lower_int64 makes atomics on pairs of dwords.
//
// Problem: targets have some of addition, minimum and maximum of doubles in memory
// (Features::float_atomics).
// Invariants, algorithm: those of lower_float_atomics.h, with a double for the dword.
#ifndef KILN_CORE_MID_LOWER_LOWER_DOUBLE_ATOMICS_H_
#define KILN_CORE_MID_LOWER_LOWER_DOUBLE_ATOMICS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed.
absl::StatusOr<bool> LowerDoubleAtomics(mir::Module& module, const Features& features,
                                        PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_LOWER_DOUBLE_ATOMICS_H_
