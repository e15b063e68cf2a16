// Scalar memory: s_load, s_buffer_load.
#ifndef KILN_CORE_SIM_RDNA2_SMEM_H_
#define KILN_CORE_SIM_RDNA2_SMEM_H_

#include "absl/status/status.h"
#include "core/sim/rdna2/context.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Executes an SMEM instruction. OutOfRange: an address in no allocation, except behind one in the
// same page, which compilers read when they round sizes up. Unimplemented: clocks.
absl::Status ExecuteSmem(const Op& op, Context& context, WaveState& wave);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_SMEM_H_
