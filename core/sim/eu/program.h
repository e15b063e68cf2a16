// A program prepared for execution: decoded once, operands resolved to byte offsets, branches to
// instruction indices, everything checked that can be checked before the run.
//
// In: the bytes of a compute program (any compiler's). Out: one Op per instruction. Constructs that
// the simulator does not model are refused here if the encoding shows them, with offset and text.
// Linear in the size of the program.
#ifndef KILN_CORE_SIM_EU_PROGRAM_H_
#define KILN_CORE_SIM_EU_PROGRAM_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/intel/isa/instruction.h"
#include "core/sim/eu/message.h"
#include "core/sim/eu/thread.h"

namespace kiln::sim::eu {

inline constexpr int kMaxChannels = 32;

enum class Access : uint8_t {
  kNone,          // operand absent, or the null register as destination
  kImmediate,     // constant: lanes[] of the operand
  kRegister,      // Thread::regs at base + lane[i]
  kAccumulator,   // Thread::acc at base + lane[i]
  kIndirect,      // one address register: Thread::regs at a0 + imm + lane[i]
  kIndirectRows,  // VxH: an address register per row of `row_width` channels
};

// A source or destination with its region unrolled.
struct OperandPlan {
  Access access = Access::kNone;
  isa::Type type = isa::Type::kUD;
  bool negate = false;
  bool absolute = false;
  uint16_t base = 0;    // byte (accumulators: channel) of element 0
  uint8_t address = 0;  // a0 element
  int16_t address_imm = 0;
  uint8_t row_width = 1;
  std::array<uint16_t, kMaxChannels> lane{};  // offset of channel i's element
  std::array<int64_t, 8> imm{};               // integer value of channel i at [i % 8]
  std::array<float, 8> imm_float{};
  // Register dwords touched, for dependency checks: [first, first + count) counted from r0.0.
  uint16_t first_dword = 0;
  uint16_t dword_count = 0;
};

// The arithmetic that computes the result.
enum class ExecType : uint8_t { kInt, kFloat, kHalf };

struct Op {
  isa::Instruction inst;
  uint32_t offset = 0;  // byte of the program
  ExecType exec = ExecType::kInt;
  bool join_target = false;    // channels may be waiting here
  bool in_order = false;       // counts for register distances
  bool reads_special = false;  // a source is ce0, ip or tm0
  bool raw_move = false;       // same-size copy that keeps all bits
  uint32_t lanes = 0;          // channels of the instruction
  uint32_t jip = 0;            // index; branches only
  uint32_t uip = 0;
  bool has_message = false;  // message known from an immediate descriptor
  Message message;
  OperandPlan dst;
  std::array<OperandPlan, 3> src;
};

struct Program {
  std::vector<Op> ops;
  uint32_t code_bytes = 0;

  // Returns the index of the instruction at a byte offset; InvalidArgument if none starts there.
  absl::StatusOr<uint32_t> IndexOf(uint32_t offset) const;
};

// Decodes Gen12 code. Relocations must have been applied.
absl::StatusOr<Program> Load(absl::Span<const uint8_t> code);

// "offset 0x40: add (16) ...", for messages.
std::string Describe(const Op& op);

// Makes an error about an instruction: `what` followed by Describe(op).
absl::Status OpError(absl::StatusCode code, const Op& op, absl::string_view what);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_PROGRAM_H_
