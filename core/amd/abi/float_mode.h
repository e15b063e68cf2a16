// The float modes of a program: FLOAT_MODE of COMPUTE_PGM_RSRC1, from the module's float controls.
#ifndef KILN_CORE_AMD_ABI_FLOAT_MODE_H_
#define KILN_CORE_AMD_ABI_FLOAT_MODE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "core/mir/mir.h"

namespace kiln::amd {

// Returns FLOAT_MODE: rounding of 32 bits in bits 0 and 1, of 16 and 64 bits in 2 and 3 (0 to the
// nearest, 3 towards zero); subnormals of 32 bits in 4 and 5, of 16 and 64 bits in 6 and 7 (0
// flushed, 3 kept). Where the module leaves it open, subnormals of 32 bits are flushed and others
// kept, as Mesa 25.0.7 has it (radv_shader.c). Floats of 16 and 64 bits share their fields: what
// one of them leaves open is as the other says.
uint32_t FloatModeOf(const mir::Module& m);

// Refuses a module whose floats of 16 and of 64 bits need different modes, or that divides or takes
// roots of doubles that are rounded towards zero: the sequences for these round to the nearest.
absl::Status CheckFloatModes(const mir::Module& m);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_ABI_FLOAT_MODE_H_
