// Encodes one instruction of gfx1030.
//
// In: an Instruction. Out: one to five dwords. Fields that its form does not have must hold their
// defaults. A value that cannot be represented is an InvalidArgument error that names the field; it
// is never truncated. Does not check the rules of verify.h.
#ifndef KILN_CORE_AMD_ISA_ENCODE_H_
#define KILN_CORE_AMD_ISA_ENCODE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/amd/isa/instruction.h"

namespace kiln::amd::isa {

struct Encoded {
  static constexpr int kMaxDwords = 5;
  std::array<uint32_t, kMaxDwords> dword = {};
  int count = 0;

  absl::Span<const uint32_t> dwords() const {
    return absl::MakeConstSpan(dword.data(), static_cast<size_t>(count));
  }
};

absl::StatusOr<Encoded> Encode(const Instruction& inst);

// Returns the bytes of instructions in order. An error names the index.
absl::StatusOr<std::vector<uint8_t>> EncodeProgram(absl::Span<const Instruction> program);

}  // namespace kiln::amd::isa

#endif  // KILN_CORE_AMD_ISA_ENCODE_H_
