// Decodes instructions of gfx1030, of any compiler's binaries.
//
// In: bytes. Out: Instruction with every field that the encoding carries; fields that the form does
// not carry keep their defaults, so that Encode gives the same bytes again. Bytes that name no
// opcode, hold a reserved value, or have a bit that the form does not use are an InvalidArgument
// error that names it. Cost: linear in the number of instructions.
#ifndef KILN_CORE_AMD_ISA_DECODE_H_
#define KILN_CORE_AMD_ISA_DECODE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/amd/isa/instruction.h"

namespace kiln::amd::isa {

struct DecodedInstruction {
  Instruction inst;
  int length = 4;  // bytes consumed
};

struct PlacedInstruction {
  uint32_t offset = 0;  // bytes from the start of the program
  int length = 4;       // bytes
  Instruction inst;
};

// Decodes the instruction at the start of `bytes`.
absl::StatusOr<DecodedInstruction> Decode(absl::Span<const uint8_t> bytes);

// Decodes a whole program. The caller removes data that follow the code. An error names the offset.
absl::StatusOr<std::vector<PlacedInstruction>> DecodeProgram(absl::Span<const uint8_t> bytes);

}  // namespace kiln::amd::isa

#endif  // KILN_CORE_AMD_ISA_DECODE_H_
