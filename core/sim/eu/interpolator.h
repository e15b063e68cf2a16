// Messages to the pixel interpolator: barycentrics at another point of the pixel than the
// payload's.
//
// The response has the payload's layout: for each 8 lanes a register of weights of vertex 1, then
// one of vertex 2. An offset is in sixteenths from the pixel's centre, -8 to 7. Source: Mesa
// 25.0.7, brw_eu.h (brw_pixel_interp_desc), brw_lower_logical_sends.cpp
// (lower_interpolator_logical_send).
#ifndef KILN_CORE_SIM_EU_INTERPOLATOR_H_
#define KILN_CORE_SIM_EU_INTERPOLATOR_H_

#include <cstdint>

#include "absl/status/status.h"
#include "core/sim/eu/dataport.h"
#include "core/sim/eu/message.h"
#include "core/sim/eu/program.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu {

// Executes the message for the enabled channels of the thread. InvalidArgument: not in a fragment
// thread whose state enables the pull interpolator, lanes of another part of the thread, a sample
// that does not exist, an offset out of range.
absl::Status ExecuteInterpolator(const Op& op, const Message& message,
                                 const MessageRegisters& registers, uint32_t enabled,
                                 Thread& thread);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_INTERPOLATOR_H_
