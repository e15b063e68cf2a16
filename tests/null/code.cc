#include "tests/null/code.h"

#include "absl/strings/str_cat.h"

namespace kiln::null {
namespace {

constexpr std::string_view kNames[] = {"end", "ignore", "mark"};

}  // namespace

std::string_view Name(Op op) { return kNames[static_cast<size_t>(op)]; }

std::vector<uint8_t> Encode(absl::Span<const Op> program) {
  std::vector<uint8_t> code;
  for (const Op op : program) code.push_back(static_cast<uint8_t>(op));
  return code;
}

absl::StatusOr<std::vector<Op>> Decode(absl::Span<const uint8_t> code) {
  std::vector<Op> program;
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i] >= std::size(kNames)) {
      return absl::InvalidArgumentError(absl::StrCat("byte ", i, ": no instruction"));
    }
    program.push_back(static_cast<Op>(code[i]));
    if ((program.back() == Op::kEnd) != (i + 1 == code.size())) {
      return absl::InvalidArgumentError(absl::StrCat("byte ", i, ": the end is not the last byte"));
    }
  }
  if (program.empty()) return absl::InvalidArgumentError("byte 0: no instruction");
  return program;
}

}  // namespace kiln::null
