// DS instructions: loads, stores and atomics of LDS, and exchange between lanes through it.
#ifndef KILN_CORE_SIM_RDNA2_LDS_H_
#define KILN_CORE_SIM_RDNA2_LDS_H_

#include "absl/status/status.h"
#include "core/sim/rdna2/context.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Executes a DS instruction for the lanes that are on. Accesses beyond the LDS of the
// workgroup read 0 and write nothing; the context counts them. Unimplemented: GDS, ordered counts.
absl::Status ExecuteDs(const Op& op, Context& context, WaveState& wave);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_LDS_H_
