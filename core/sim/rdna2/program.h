// A program prepared for execution: decoded once, registers of every operand known, branches
// resolved to instruction indices.
//
// In: the bytes of a program of any compiler; `instruction_bytes` of them are code, constant data
// may follow. Out: one Op per instruction. Linear in the size of the program.
#ifndef KILN_CORE_SIM_RDNA2_PROGRAM_H_
#define KILN_CORE_SIM_RDNA2_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/amd/isa/instruction.h"
#include "core/amd/isa/operands.h"

namespace kiln::sim::rdna2 {

namespace isa = ::kiln::amd::isa;

struct Op {
  isa::Instruction inst;
  const isa::OpcodeInfo* info = nullptr;
  isa::OperandUses uses;
  uint32_t offset = 0;  // byte of the program
  uint32_t bytes = 4;
  uint32_t target = kNoTarget;  // index of the instruction that a branch goes to

  // The branch leaves the program, or the instruction is no branch.
  static constexpr uint32_t kNoTarget = ~uint32_t{0};
  bool Has(uint64_t flag) const { return info->Has(flag); }
};

struct Program {
  std::vector<Op> ops;
  uint32_t code_bytes = 0;  // of the instructions
  isa::Wave wave = isa::Wave::k32;

  // Returns the index of the instruction at a byte offset; OutOfRange if none starts there.
  absl::StatusOr<uint32_t> IndexOf(uint64_t offset) const;
};

// InvalidArgument: bytes that are no instruction.
absl::StatusOr<Program> Load(absl::Span<const uint8_t> code, isa::Wave wave);

// "offset 0x40: v_add_f32_e32 v1, v2, v3", for messages.
std::string Describe(const Op& op, isa::Wave wave);

// Makes an error about an instruction: `what` followed by Describe(op).
absl::Status OpError(absl::StatusCode code, const Op& op, isa::Wave wave, absl::string_view what);

// Unimplemented: the instruction, or a form of it, is not modelled.
absl::Status NotModelled(const Op& op, isa::Wave wave, absl::string_view what);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_PROGRAM_H_
