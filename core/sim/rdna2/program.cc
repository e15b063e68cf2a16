// See program.h.
#include "core/sim/rdna2/program.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/amd/isa/decode.h"
#include "core/amd/isa/disasm.h"

namespace kiln::sim::rdna2 {

absl::StatusOr<uint32_t> Program::IndexOf(uint64_t offset) const {
  const auto at = std::lower_bound(ops.begin(), ops.end(), offset,
                                   [](const Op& op, uint64_t o) { return op.offset < o; });
  if (at == ops.end() || at->offset != offset) {
    return absl::OutOfRangeError(absl::StrFormat("no instruction starts at byte 0x%x", offset));
  }
  return static_cast<uint32_t>(at - ops.begin());
}

absl::StatusOr<Program> Load(absl::Span<const uint8_t> code, isa::Wave wave) {
  absl::StatusOr<std::vector<isa::PlacedInstruction>> placed = isa::DecodeProgram(code);
  if (!placed.ok()) return placed.status();
  Program program;
  program.code_bytes = static_cast<uint32_t>(code.size());
  program.wave = wave;
  program.ops.reserve(placed->size());
  for (const isa::PlacedInstruction& p : *placed) {
    Op op;
    op.inst = p.inst;
    op.info = &isa::Info(p.inst.op);
    op.uses = isa::OperandsOf(p.inst, wave);
    op.offset = p.offset;
    op.bytes = static_cast<uint32_t>(p.length);
    program.ops.push_back(op);
  }
  for (size_t i = 0; i < placed->size(); ++i) {
    const int64_t to = isa::BranchTarget((*placed)[i]);
    if (to < 0) continue;
    if (absl::StatusOr<uint32_t> index = program.IndexOf(static_cast<uint64_t>(to)); index.ok()) {
      program.ops[i].target = *index;
    }
  }
  return program;
}

std::string Describe(const Op& op, isa::Wave wave) {
  return absl::StrFormat("offset 0x%x: %s", op.offset, isa::Disassemble(op.inst, wave));
}

absl::Status OpError(absl::StatusCode code, const Op& op, isa::Wave wave, absl::string_view what) {
  return absl::Status(code, absl::StrCat(what, ", ", Describe(op, wave)));
}

absl::Status NotModelled(const Op& op, isa::Wave wave, absl::string_view what) {
  return OpError(absl::StatusCode::kUnimplemented, op, wave, absl::StrCat("unsupported ", what));
}

}  // namespace kiln::sim::rdna2
