// Encodes one EU instruction into its 128-bit form.
//
// In: an Instruction whose fields are within range for the generation. Out: 16 bytes, little
// endian. Fields that the form does not have must hold their defaults. A value that cannot be
// represented is an InvalidArgument error that names the field; it is never truncated. Never
// compacts (`compacted` is ignored; EncodeCompacted of program.h does that) and does not check
// restrictions (verify.h does).
#ifndef KILN_CORE_INTEL_ISA_ENCODE_H_
#define KILN_CORE_INTEL_ISA_ENCODE_H_

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "core/intel/isa/instruction.h"

namespace kiln::intel::isa {

// A generation whose columns are not filled is an Unimplemented error (columns.h).
absl::StatusOr<std::array<uint8_t, 16>> Encode(Generation gen, const Instruction& inst);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_ENCODE_H_
