#include "core/amd/emit/finalise.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/amd/emit/far_branches.h"
#include "core/amd/isa/encode.h"

namespace kiln::amd {
namespace {

constexpr int kPaddingDwords = 5;

void Append(std::vector<uint8_t>& bytes, uint32_t dword) {
  for (int b = 0; b < 4; ++b) bytes.push_back(static_cast<uint8_t>(dword >> (8 * b)));
}

absl::Status Error(const Row& row, size_t index, absl::string_view what) {
  return absl::InternalError(
      absl::StrCat("instruction ", index, " (id ", row.spirv_id, "): ", what));
}

// Writes the final distance or address into an instruction.
isa::Instruction Resolved(const Program& program, const std::vector<uint32_t>& offsets, size_t i,
                          uint32_t data_offset) {
  const Row& row = program.rows[i];
  isa::Instruction inst = row.inst;
  if (row.target != Row::kNoTarget) {
    inst.simm = static_cast<uint16_t>(BranchDistance(program, offsets, i));
  }
  if (row.constant_address) inst.literal += data_offset - offsets[i];
  return inst;
}

void AddLocation(const Row& row, Binary* binary) {
  if (!binary->locations.empty() && binary->locations.back().spirv_id == row.spirv_id) return;
  binary->locations.push_back({static_cast<uint32_t>(binary->bytes.size()), row.spirv_id});
}

}  // namespace

absl::StatusOr<Binary> Finalise(Program program, absl::Span<const uint8_t> constant_data,
                                const FinaliseOptions& options) {
  if (absl::Status s = ShortenBranches(program, options.farthest); !s.ok()) return s;
  const std::vector<uint32_t> offsets = OffsetsOf(program);
  Binary binary;
  binary.instruction_bytes = offsets.back();
  const uint32_t padded = binary.instruction_bytes + 4 * kPaddingDwords;
  binary.data_offset = (padded + options.data_alignment - 1) & ~(options.data_alignment - 1);
  binary.bytes.reserve(padded);
  binary.program.reserve(program.rows.size());
  for (size_t i = 0; i < program.rows.size(); ++i) {
    AddLocation(program.rows[i], &binary);
    const isa::Instruction inst = Resolved(program, offsets, i, binary.data_offset);
    const auto encoded = isa::Encode(inst);
    if (!encoded.ok()) return Error(program.rows[i], i, encoded.status().message());
    if (encoded->count != LengthOf(program.rows[i].inst)) {
      return Error(program.rows[i], i, "its length is not what was expected");
    }
    binary.program.push_back({offsets[i], static_cast<int>(4 * encoded->count), inst});
    for (uint32_t dword : encoded->dwords()) Append(binary.bytes, dword);
  }
  isa::Instruction end;
  end.op = isa::Opcode::kSCodeEnd;
  const auto padding = isa::Encode(end);
  if (!padding.ok()) return padding.status();
  if (constant_data.empty()) binary.data_offset = padded;
  while (binary.bytes.size() < binary.data_offset) Append(binary.bytes, padding->dword[0]);
  binary.bytes.insert(binary.bytes.end(), constant_data.begin(), constant_data.end());
  return binary;
}

}  // namespace kiln::amd
