// DS instructions: loads, stores and atomics of LDS, and exchange between lanes through it.
#ifndef KILN_CORE_SIM_RDNA2_LDS_H_
#define KILN_CORE_SIM_RDNA2_LDS_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/sim/rdna2/lane_order.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Executes a DS instruction for the lanes that are on. `lds`: of the workgroup. Accesses beyond it
// read 0 and write nothing; `outside` counts them. Unimplemented: GDS, ordered counts.
absl::Status ExecuteDs(const Op& op, absl::Span<uint8_t> lds, LaneOrder order, WaveState& wave,
                       uint64_t& outside);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_LDS_H_
