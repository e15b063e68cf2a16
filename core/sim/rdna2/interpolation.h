// Interpolation instructions: reads the parameters of the wave's primitive and has alu/ compute.
//
// A parameter is a component of an attribute: P0, and P10 and P20, the differences of vertices 1
// and 2 to it. Vertex 0 is the provoking one; a flat attribute has its value and no differences
// (FLAT_SHADE of SPI_PS_INPUT_CNTL). A per-vertex one has the values of the three vertices instead
// (FLAT_SHADE and bit 5 of OFFSET: Mesa 25.0.7, radv_cmd_buffer.c, offset_to_ps_input).
// With the record of a vertex program the register is linked with its parameter, and OFFSET says
// which of the vertices' values are read, or which constant.
#ifndef KILN_CORE_SIM_RDNA2_INTERPOLATION_H_
#define KILN_CORE_SIM_RDNA2_INTERPOLATION_H_

#include "absl/status/status.h"
#include "core/sim/rdna2/context.h"
#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Executes v_interp_*. FailedPrecondition: m0 is not the wave's prim_mask. InvalidArgument: not in
// a fragment program, an attribute that does not exist.
absl::Status ExecuteInterpolation(const Op& op, const Context& context, WaveState& wave);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_INTERPOLATION_H_
