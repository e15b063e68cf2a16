// MIMG instructions: gathers addresses and data of all lanes for resource/image_operation.h.
#ifndef KILN_CORE_SIM_RDNA2_IMAGE_H_
#define KILN_CORE_SIM_RDNA2_IMAGE_H_

#include "absl/status/status.h"
#include "core/sim/rdna2/context.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Executes an image instruction for the lanes that are on.
absl::Status ExecuteImage(const Op& op, Context& context, WaveState& wave);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_IMAGE_H_
