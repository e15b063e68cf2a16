// Branches of the simulated EU, on per-channel instruction pointers.
//
// A branch removes channels from `active` and parks each at its own instruction; a thread that has
// no active channel left jumps to JIP, where parked channels may wake (PRM, "Per-Channel
// Instruction Pointers"; the rule for `break`, whose UIP names the `while` but whose channels
// continue after it, is from the behaviour of Mesa's programs: Gen7 and later).
//
// Fusion mode: on fused EUs (Wa_1407528679) a thread whose channels are all off executes a block
// because its sibling needs it. In this mode nothing is skipped: jumps taken because no channel is
// active fall through instead, and a loop is left only after one more pass with all channels off.
#ifndef KILN_CORE_SIM_EU_CONTROL_FLOW_H_
#define KILN_CORE_SIM_EU_CONTROL_FLOW_H_

#include "absl/status/status.h"
#include "core/sim/eu/program.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu {

// Activates the channels that wait at the current instruction.
inline void WakeChannels(Thread& thread) {
  uint32_t rest = thread.waiting;
  while (rest != 0) {
    const int channel = __builtin_ctz(rest);
    rest &= rest - 1;
    if (thread.channel_pc[channel] == thread.pc) {
      thread.waiting &= ~(1u << channel);
      thread.active |= 1u << channel;
    }
  }
}

// Executes a branch and sets thread.pc. Unimplemented: forms that the simulator does not model.
absl::Status ExecuteBranch(const Program& program, const Op& op, bool fusion, Thread& thread);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_CONTROL_FLOW_H_
