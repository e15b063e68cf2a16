// Rules for vertex programs beside those of all graphics stages (graphics_rules.h): how they end,
// and which messages they may send.
//
// A vertex thread ends by a URB write, the last instruction: the VUE is handed on when the thread
// ends by the message that completes it (Mesa 25.0.7, brw_fs_visitor.cpp, emit_urb_writes). That
// there is one end with nothing behind it is this project's rule; the hardware takes several where
// control flow is uniform. There are no workgroups (barriers, shared memory), no pixels (render
// targets, interpolator, levels of detail from quads; the latter in sampler.cc), and memory is
// changed for lanes only that have a vertex.
#ifndef KILN_CORE_SIM_EU_VERTEX_RULES_H_
#define KILN_CORE_SIM_EU_VERTEX_RULES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "core/sim/eu/message.h"
#include "core/sim/eu/program.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu {

// InvalidArgument names the instruction.
absl::Status CheckVertexProgram(const Program& program);

// A message other than a URB write, for these channels. InvalidArgument names the instruction.
absl::Status CheckVertexMessage(const Op& op, const Message& message, uint32_t channels,
                                const Thread& thread);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_VERTEX_RULES_H_
