// Messages (s_sendmsg): the request of room for a primitive shader's exports.
//
// GS_ALLOC_REQ: m0 has the number of vertices [10:0] and of primitives [22:12] that the workgroup
// will export; its first wave sends it once, before its own exports (Mesa 25.0.7, ac_nir.c,
// ac_nir_ngg_alloc_vertices_and_primitives; RDNA 2 ISA guide, table "S_SENDMSG messages").
#ifndef KILN_CORE_SIM_RDNA2_MESSAGE_H_
#define KILN_CORE_SIM_RDNA2_MESSAGE_H_

#include "absl/status/status.h"
#include "core/sim/rdna2/context.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Executes s_sendmsg. FailedPrecondition: a request of another wave than the first, a second one.
// Unimplemented: other messages.
absl::Status ExecuteMessage(const Op& op, const Context& context, const WaveState& wave);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_MESSAGE_H_
