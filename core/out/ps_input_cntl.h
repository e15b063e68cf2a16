// How the launch records of a vertex and a fragment program (gfx1030) combine into the registers
// SPI_PS_INPUT_CNTL_n of a draw with both: what a driver writes, and what the simulator reads.
//
// Sources: Mesa 25.0.7, radv_cmd_buffer.c, offset_to_ps_input and radv_emit_ps_inputs;
// si_state_shaders.cpp, si_get_ps_input_cntl (bits beside a constant change what OFFSET means).
#ifndef KILN_CORE_OUT_PS_INPUT_CNTL_H_
#define KILN_CORE_OUT_PS_INPUT_CNTL_H_

#include <cstdint>

#include "absl/status/status.h"
#include "core/out/launch_record.h"

namespace kiln::out {

// Fields of the register. Bit 5 of OFFSET without FLAT_SHADE is the constant DEFAULT_VAL; with it,
// parameter OFFSET[4:0] as the vertices exported it.
inline constexpr uint32_t kOffsetBit5 = 1 << 5;
inline constexpr uint32_t kDefaultValShift = 8;  // two bits: 0000, 0001, 1110, 1111
inline constexpr uint32_t kFlatShade = 1 << 10;
inline constexpr uint32_t kRotatePcPtr = 1 << 11;
inline constexpr uint32_t kPtSpriteTex = 1 << 17;
inline constexpr uint32_t kFp16InterpMode = 1 << 19;

// Returns the parameter that an input reads, by location or built-in; null if the vertex program
// has none. Owned by `vertex`.
const AmdParameter* ParameterFor(const AmdVertex& vertex, const FragmentInput& input);

// Returns the register of an input from the one in the fragment program's record and the parameter
// that it reads, which may be null. A constant replaces the register, and so does the constant 0000
// if there is no parameter; FLAT_SHADE is off for a parameter of primitives; else OFFSET is added
// by OR. Coordinates of point sprites have no parameter.
uint32_t LinkPsInputCntl(uint32_t fragment, const AmdParameter* parameter);

// Checks that two programs can be drawn together. InvalidArgument: an input of primitives is
// followed by one of vertices, but the hardware finds those of primitives by their number
// (NUM_PRIM_INTERP), as the last. Unimplemented: an input that has the values
// of each vertex, of a location that the vertex program leaves to a constant.
absl::Status CheckLinkedInputs(const LaunchRecord& vertex, const LaunchRecord& fragment);

}  // namespace kiln::out

#endif  // KILN_CORE_OUT_PS_INPUT_CNTL_H_
