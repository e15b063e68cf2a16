// The made-up machine code of the target `null`: one byte an instruction.
#ifndef KILN_TESTS_NULL_CODE_H_
#define KILN_TESTS_NULL_CODE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace kiln::null {

enum class Op : uint8_t {
  kEnd,     // ends the thread; the last instruction, and only that
  kIgnore,  // does nothing; stands for an instruction of MIR
  kMark,    // stores kMarkValue in the first dword of the record's first storage buffer
};

inline constexpr uint32_t kMarkValue = 0x4c4c554e;  // "NULL"

std::string_view Name(Op op);

std::vector<uint8_t> Encode(absl::Span<const Op> program);
// InvalidArgument: no program; the message names the byte.
absl::StatusOr<std::vector<Op>> Decode(absl::Span<const uint8_t> code);

}  // namespace kiln::null

#endif  // KILN_TESTS_NULL_CODE_H_
