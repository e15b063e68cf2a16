// Vector instructions that compute: fetches the sources of all lanes that are on, through DPP where
// asked, has alu/evaluate.h compute them, and stores the results. Instructions across lanes
// (readlane and the like) are here too.
#ifndef KILN_CORE_SIM_RDNA2_VECTOR_H_
#define KILN_CORE_SIM_RDNA2_VECTOR_H_

#include "absl/status/status.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Executes a VOP instruction. Unimplemented: an opcode or form that is not modelled.
absl::Status ExecuteVector(const Op& op, WaveState& wave);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_VECTOR_H_
