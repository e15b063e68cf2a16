// Branches, calls, and changes of MODE by SOPP instructions.
#ifndef KILN_CORE_SIM_RDNA2_CONTROL_FLOW_H_
#define KILN_CORE_SIM_RDNA2_CONTROL_FLOW_H_

#include "absl/status/status.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Returns true for the instructions that are executed here: those that read or write the program
// counter, and all of SOPP but barriers, messages, traps and the end.
bool IsControlFlow(const Op& op);

// Executes such an instruction. `wave.pc` is the index of the next instruction, before and after.
// OutOfRange: a target that is no instruction. Unimplemented: debugger's branches, subvector loops.
absl::Status ExecuteControlFlow(const Op& op, const Program& program, uint64_t code_address,
                                WaveState& wave);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_CONTROL_FLOW_H_
