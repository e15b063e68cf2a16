// FLAT, GLOBAL and SCRATCH instructions.
#ifndef KILN_CORE_SIM_RDNA2_FLAT_H_
#define KILN_CORE_SIM_RDNA2_FLAT_H_

#include "absl/status/status.h"
#include "core/sim/rdna2/context.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Executes an instruction of the three segments for the lanes that are on. OutOfRange: an address
// in no allocation, beyond the lane's scratch, or FLAT_SCRATCH does not name the wave's scratch.
// FLAT reaches global memory only: its apertures of LDS and scratch are not modelled.
absl::Status ExecuteFlat(const Op& op, Context& context, WaveState& wave);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_FLAT_H_
