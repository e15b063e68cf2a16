// Atomic addition of floats becomes a loop of compare-exchanges.
//
// Problem: Gen12 (like other targets before it) adds floats to memory only in later generations; it
// has float minimum, maximum and compare-exchange. Invariants: verified MIR in and out; no buffer
// or shared-memory atomic of kFadd remains. Algorithm: load, then add and exchange until memory
// still held what was added to. Linear.
// Source: Mesa's description of the generation, which advertises 32-bit float atomics other than
// addition only (shaderBufferFloat32AtomicMinMax without shaderBufferFloat32AtomicAdd).
#ifndef KILN_CORE_MID_LOWER_FLOAT_ATOMICS_H_
#define KILN_CORE_MID_LOWER_FLOAT_ATOMICS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed.
absl::StatusOr<bool> LowerFloatAtomics(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_FLOAT_ATOMICS_H_
