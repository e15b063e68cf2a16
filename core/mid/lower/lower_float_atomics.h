// Lowers float atomics that the target lacks to loops of compare-exchanges on dwords; those on
// doubles: lower_double_atomics.h.
//
// Problem: targets have some of addition, minimum and maximum, of dwords in memory, on images, of
// 16 bits and of doubles (Features::float_atomics).
// Invariants: verified MIR in and out; no operation remains that the target lacks.
// Algorithm: loads the dword, then computes and exchanges until memory still held the value from
// which the result was computed; a half is a part of its dword. Helpers leave at once. Linear.
// Limits: the dword around the last half of a buffer must be inside the buffer; a target that
// checks bounds to the byte needs another method.
// Source: for a target that has only 32-bit minimum and maximum, Mesa's description of it, which
// advertises shaderBufferFloat32AtomicMinMax without shaderBufferFloat32AtomicAdd, exchanges on
// images, and no 16-bit ones.
#ifndef KILN_CORE_MID_LOWER_LOWER_FLOAT_ATOMICS_H_
#define KILN_CORE_MID_LOWER_LOWER_FLOAT_ATOMICS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed.
absl::StatusOr<bool> LowerFloatAtomics(mir::Module& module, const Features& features,
                                       PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_LOWER_FLOAT_ATOMICS_H_
