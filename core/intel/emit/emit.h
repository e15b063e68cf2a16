// Emits a machine program from allocated LIR: the last step before the scoreboard pass and
// encoding.
//
// In: a Function whose value operands all have registers and that holds no collects. Out: the
// program with branch targets as instruction indices, without SWSB annotations.
//
// Each LIR instruction becomes one EU instruction, except for pseudo operations and for those that
// the hardware executes on at most 8 lanes (integer division, accumulator sequences), which become
// two halves of an instruction of 16 lanes. Branch targets follow from the structure: lanes that
// leave jump to the next else, endif or while around them (JIP), and breaks and continues gather at
// the while of their loop (UIP), as in Mesa's binaries.
//
// Cost: linear.
#ifndef KILN_CORE_INTEL_EMIT_EMIT_H_
#define KILN_CORE_INTEL_EMIT_EMIT_H_

#include "absl/status/statusor.h"
#include "core/intel/device/device.h"
#include "core/intel/isa/program.h"
#include "core/lir/lir.h"

namespace kiln::intel {

// Bits of cr0.0 that the program changes before its first instruction.
struct ControlChange {
  uint32_t set = 0;
  uint32_t clear = 0;
};

// Returns an internal error if the function is not of the form described above.
absl::StatusOr<isa::Program> Emit(const Device& device, const lir::Function& f,
                                  const ControlChange& control = {});

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_EMIT_H_
