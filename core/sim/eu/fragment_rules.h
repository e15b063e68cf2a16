// What a fragment program must look like as a whole, apart from what it does: rules about HALT.
//
// HALT takes channels out until the thread comes to its UIP. There is one such place in a program, and
// directly in front of it stands a HALT that sends the remaining channels there too; a program in which
// channels halted to one place and others did not hangs (Mesa 25.0.7, brw_generator.cpp,
// patch_halt_jumps).
#ifndef KILN_CORE_SIM_EU_FRAGMENT_RULES_H_
#define KILN_CORE_SIM_EU_FRAGMENT_RULES_H_

#include "absl/status/status.h"
#include "core/sim/eu/program.h"

namespace kiln::sim::eu {

// InvalidArgument names the instruction.
absl::Status CheckFragmentProgram(const Program& program);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_FRAGMENT_RULES_H_
