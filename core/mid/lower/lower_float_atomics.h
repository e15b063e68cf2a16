// Atomics on floats that the generation lacks become loops of compare-exchanges on dwords.
//
// Problem: Gen12 (like other targets before it) has float minimum, maximum and compare-exchange of
// 32 bits on buffers and shared memory; it has no addition, nothing on images but moves, and nothing
// of 16 bits on a surface. Invariants: verified MIR in and out; no kFadd remains, no float operation
// on images, and no atomic of 16 bits. Algorithm: load the dword, then compute and exchange until
// memory still held what was computed from; a half is a part of its dword. Linear.
// The dword around the last half of a buffer is inside: bounds are those of dwords (core/intel/ABI.md).
// Source: Mesa's description of the generation, which advertises 32-bit float atomics other than
// addition only (shaderBufferFloat32AtomicMinMax without shaderBufferFloat32AtomicAdd), exchanges
// on images, and no 16-bit ones.
#ifndef KILN_CORE_MID_LOWER_LOWER_FLOAT_ATOMICS_H_
#define KILN_CORE_MID_LOWER_LOWER_FLOAT_ATOMICS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed.
absl::StatusOr<bool> LowerFloatAtomics(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_LOWER_FLOAT_ATOMICS_H_
