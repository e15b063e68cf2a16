// Rules for vertex programs in addition to those of all graphics stages (graphics_rules.h): how
// they end, and which messages they may send.
//
// A vertex thread ends with a URB write, its last instruction: the VUE is passed on when the thread
// ends with the message that completes it (Mesa 25.0.7, brw_fs_visitor.cpp, emit_urb_writes). That
// there is one end with no instruction after it is this project's rule; the hardware allows several
// ends in uniform control flow. There are no workgroups (barriers, shared memory), no pixels
// (render targets, interpolator, LODs from quads; the last in sampler.cc), and memory may be
// changed only for lanes that have a vertex.
#ifndef KILN_CORE_SIM_EU_VERTEX_RULES_H_
#define KILN_CORE_SIM_EU_VERTEX_RULES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "core/sim/eu/message.h"
#include "core/sim/eu/program.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu {

// Checks how the program ends. InvalidArgument names the instruction.
absl::Status CheckVertexProgram(const Program& program);

// Checks a message other than a URB write, for these channels. InvalidArgument names the
// instruction.
absl::Status CheckVertexMessage(const Op& op, const Message& message, uint32_t channels,
                                const Thread& thread);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_VERTEX_RULES_H_
