// Atomics on floats that the target lacks become loops of compare-exchanges on dwords.
//
// Problem: of addition, minimum and maximum, of dwords in memory, on images and of 16 bits, targets
// have some (Features::float_atomics). Invariants: verified MIR in and out; no operation remains
// that the target lacks. Algorithm: load the dword, then compute and exchange until memory still
// held what was computed from; a half is a part of its dword. Helpers leave at once. Linear.
// Limits: the dword around the last half of a buffer must be inside: a target that checks bounds to
// the byte needs another way. Source: for one target that has 32-bit minimum and maximum alone,
// Mesa's description of it, which advertises shaderBufferFloat32AtomicMinMax without
// shaderBufferFloat32AtomicAdd, exchanges on images, and no 16-bit ones.
#ifndef KILN_CORE_MID_LOWER_LOWER_FLOAT_ATOMICS_H_
#define KILN_CORE_MID_LOWER_LOWER_FLOAT_ATOMICS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed.
absl::StatusOr<bool> LowerFloatAtomics(mir::Module& module, const Features& features,
                                       PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_LOWER_FLOAT_ATOMICS_H_
