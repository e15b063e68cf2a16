// Checks that a program has no instruction that its device lacks.
//
// Selection and emission ask the device before they use such an instruction, and what nothing
// lowers is refused before (core/target/check_features.h). This is the last line: a rule that
// forgot to ask ends a compile by an internal error instead of with wrong code. Cost: linear, and
// nothing for a device that has all that is checked.
#ifndef KILN_CORE_INTEL_EMIT_CHECK_INSTRUCTIONS_H_
#define KILN_CORE_INTEL_EMIT_CHECK_INSTRUCTIONS_H_

#include "absl/status/status.h"
#include "core/intel/device/device.h"
#include "core/intel/isa/program.h"

namespace kiln::intel {

// Returns Ok, or an internal error that names the first such instruction.
absl::Status CheckInstructions(const Device& device, const isa::Program& program);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_CHECK_INSTRUCTIONS_H_
