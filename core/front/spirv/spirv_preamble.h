// Reads a module's declarations before its types: capabilities, extensions, instruction sets,
// memory model, entry points, execution modes, strings of debug information.
#ifndef KILN_CORE_FRONT_SPIRV_SPIRV_PREAMBLE_H_
#define KILN_CORE_FRONT_SPIRV_SPIRV_PREAMBLE_H_

#include "absl/status/status.h"
#include "core/front/spirv/spirv.h"

namespace kiln::front {

// Reads one instruction. `handled`: set to true if it is of the preamble.
absl::Status ReadPreamble(SpirvModule& module, const SpirvInst& inst, bool* handled);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_SPIRV_SPIRV_PREAMBLE_H_
