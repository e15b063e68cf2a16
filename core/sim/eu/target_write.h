// Render target writes: colours, depth, stencil and sample mask of a fragment thread's lanes.
//
// The message names its parts only partly: depth, stencil and sample mask are present if the
// pipeline's state says so, which here is the launch record. Everything that the hardware demands
// and does not check by itself (it hangs, or writes something else) is a named error:
//   SENDC; a length that is that of the parts; a form for the lanes of the instruction and of the
//   thread; "last render target" on the last write of all lanes and on no other; the end of the
//   thread there and from r112 on, with no channel left parked at a branch.
// Source: Mesa 25.0.7, brw_lower_logical_sends.cpp (lower_fb_write_logical_send),
// brw_compile_fs.cpp, and its disassembly; with a header Intel's TranslateSend3D.cpp.
#ifndef KILN_CORE_SIM_EU_TARGET_WRITE_H_
#define KILN_CORE_SIM_EU_TARGET_WRITE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "core/sim/eu/dataport.h"
#include "core/sim/eu/fragment_launch.h"
#include "core/sim/eu/message.h"
#include "core/sim/eu/program.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu {

// Executes the write for the enabled channels of the thread (perhaps none: a write without lanes
// still counts, and may end the thread). InvalidArgument names the violated rule.
absl::Status ExecuteTargetWrite(const Op& op, const Message& message,
                                const MessageRegisters& registers, uint32_t enabled,
                                Thread& thread);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_TARGET_WRITE_H_
