// Rules for fragment and vertex programs as a whole, whatever they compute.
//
// HALT takes channels out until the thread arrives at its UIP. A program has one such destination,
// and the instruction directly before it is a HALT that sends the remaining channels there too; a
// program in which some channels halted and others did not hangs (Mesa 25.0.7, brw_generator.cpp,
// patch_halt_jumps).
//
// Errata of Gen12.0 (Mesa 25.0.7, intel/dev/mesa_defs.json, brw_generator.cpp, brw_workaround.cpp):
// the message that ends the thread waits with a register distance of 1 and for nothing else
// (Wa_14013672992); accumulators that were written are cleared before it (Wa_14010017096); some
// channel of the first instruction is on, whatever the dispatch mask (Wa_14015360517). That is so
// if it is not masked, if it covers all lanes, and where dispatch is packed (brw_compiler.h,
// brw_stage_has_packed_dispatch) if it covers lane 0. Mesa demands one of the first two before it
// schedules: some of its programs of 32 lanes begin with a masked instruction of lanes 0 to 15.
#ifndef KILN_CORE_SIM_EU_GRAPHICS_RULES_H_
#define KILN_CORE_SIM_EU_GRAPHICS_RULES_H_

#include "absl/status/status.h"
#include "core/sim/eu/program.h"

namespace kiln::sim::eu {

// Checks the rules. `packed`: lane 0 of each thread is on at the start. InvalidArgument names the
// instruction.
absl::Status CheckGraphicsProgram(const Program& program, uint32_t dispatch_width, bool packed);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_GRAPHICS_RULES_H_
