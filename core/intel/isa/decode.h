// Decodes EU instructions, full (128-bit) and compacted (64-bit), of any compiler's binaries.
//
// In: bytes. Out: Instruction with every field that the encoding carries; fields that the form
// does not carry keep their defaults, so that decode(encode(x)) == x for well-formed x. Bytes that
// name no opcode, or hold a reserved value in a field, are an InvalidArgument error naming the
// field. Cost: linear in the number of instructions.
#ifndef KILN_CORE_INTEL_ISA_DECODE_H_
#define KILN_CORE_INTEL_ISA_DECODE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/intel/isa/instruction.h"

namespace kiln::intel::isa {

struct DecodedInstruction {
  Instruction inst;
  int length = 16;  // bytes consumed: 8 for the compacted form, else 16
};

struct PlacedInstruction {
  uint32_t offset = 0;  // bytes from the start of the program
  Instruction inst;
};

// Decodes the instruction at the start of `bytes`. A generation whose columns are not filled is an
// Unimplemented error (columns.h).
absl::StatusOr<DecodedInstruction> Decode(Generation gen, absl::Span<const uint8_t> bytes);

// Decodes a whole program. The caller removes trailing padding. An error names the offset.
absl::StatusOr<std::vector<PlacedInstruction>> DecodeProgram(Generation gen,
                                                             absl::Span<const uint8_t> bytes);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_DECODE_H_
