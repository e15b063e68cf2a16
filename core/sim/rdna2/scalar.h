// Scalar instructions but branches, waits and memory: arithmetic (alu/scalar.h), registers named by
// M0, hardware registers.
#ifndef KILN_CORE_SIM_RDNA2_SCALAR_H_
#define KILN_CORE_SIM_RDNA2_SCALAR_H_

#include "absl/status/status.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Executes SOP1, SOP2, SOPC and SOPK, other than those of control_flow.h. Unimplemented: a hardware
// register other than MODE and FLAT_SCRATCH.
absl::Status ExecuteScalar(const Op& op, WaveState& wave);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_SCALAR_H_
