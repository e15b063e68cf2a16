// The Intel opcodes of LIR: the EU's own opcodes (same numbers as isa::Opcode) followed by the
// pseudo operations of ops.def, which stay one instruction until core/intel/emit writes them out.
#ifndef KILN_CORE_INTEL_LIR_OPS_H_
#define KILN_CORE_INTEL_LIR_OPS_H_

#include <cstdint>

#include "core/intel/isa/instruction.h"
#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::intel {

enum LirOp : uint16_t {
  kLastEuOp = isa::kOpcodeCount - 1,
#define KILN_INTEL_OP(op, text, flags, uses, memory_class, timing, emitter) op,
#include "core/intel/lir/ops.def"
#undef KILN_INTEL_OP
  kNumLirOps,
  kFirstPseudo = kLastEuOp + 1,
};

constexpr uint16_t Op(isa::Opcode op) { return static_cast<uint16_t>(op); }
constexpr bool IsEuOp(uint16_t op) { return op < kFirstPseudo; }
// Files and pools of the machine, indices into the machine's `files` and `pools`.
enum LirFile : uint8_t { kFileG, kFileU, kFileF };
enum LirPool : uint8_t { kPoolGrf, kPoolFlag };

// Returns true for an operand that is a flag of the function's.
inline bool IsFlag(const lir::Function& f, const lir::Operand& o) {
  return IsValue(o) && f.value(o.value()).file == kFileF;
}

// The first flag granule of the mask of dead lanes, f1.0; reserved in programs that kill.
inline constexpr uint32_t kDeadMask = 2;
inline constexpr uint8_t kDeadMaskClass = 1, kTargetClass = 2;  // OpInfo::memory_class

// Intel's own flags of operations.
enum OwnOpFlags : uint32_t {
  kOwnReadsLate = lir::kFirstOwnOpFlag,  // sources may be read after a result has been written
  kOwnPlainSources = kOwnReadsLate << 1,
  kOwnMessage = kOwnReadsLate << 2,      // one message, or several for parts of the lanes
  kOwnTargetWrite = kOwnReadsLate << 3,  // a message to a render target
  kOwnSamplerList = kOwnReadsLate << 4,  // a sampler message before its payload is made
  kOwnMergeable = kOwnReadsLate << 5,    // equal operations have equal results
  kOwnRepeatable = kOwnReadsLate << 6,   // repeating it is cheaper than a fill
};

// The rows of ops.def as the shared code sees them, from kFirstPseudo on.
namespace op_rows {
using enum lir::OpFlags;
inline constexpr uint32_t kEarly = 0, kLate = kOwnReadsLate, kPlainSources = kOwnPlainSources;
inline constexpr uint32_t kMessageFlags = uint32_t{kOwnMessage} | kOpSide | kOpSendLike;
inline constexpr uint32_t kStoringMessageFlags = kMessageFlags | kOpWritesMemory | kOpSideEffect;
inline constexpr lir::OpInfo kInfos[] = {
#define KILN_INTEL_OP(op, text, flags, uses, memory_class, timing, emitter) \
  {text, uint32_t{0} | flags | uses, 0, lir::OpInfo::kNotTied, memory_class},
#include "core/intel/lir/ops.def"
#undef KILN_INTEL_OP
};
}  // namespace op_rows

constexpr bool HasOwnFlag(uint16_t op, OwnOpFlags flag) {
  return !IsEuOp(op) && (op_rows::kInfos[op - kFirstPseudo].flags & flag) != 0;
}
constexpr bool IsMessage(uint16_t op) { return HasOwnFlag(op, kOwnMessage); }
constexpr bool IsTargetWrite(uint16_t op) { return HasOwnFlag(op, kOwnTargetWrite); }
constexpr bool IsSamplerList(uint16_t op) { return HasOwnFlag(op, kOwnSamplerList); }

// Operand::id of fixed registers.
enum LirFixed : uint32_t { kFixedNull };

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_LIR_OPS_H_
