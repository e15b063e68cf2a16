// MUBUF and MTBUF instructions.
#ifndef KILN_CORE_SIM_RDNA2_BUFFER_H_
#define KILN_CORE_SIM_RDNA2_BUFFER_H_

#include "absl/status/status.h"
#include "core/sim/rdna2/context.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Executes a buffer instruction for the lanes that are on. OutOfRange: a V# that reaches where
// nothing is. Unimplemented: loads into LDS, formats that scene lacks.
absl::Status ExecuteBuffer(const Op& op, Context& context, WaveState& wave);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_BUFFER_H_
