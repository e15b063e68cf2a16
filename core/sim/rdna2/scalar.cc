// See scalar.h. Numbers of hardware registers: Mesa 25.0.7, amd/registers (HW_REG) and LLVM 19,
// AMDGPUAsmUtils.
#include "core/sim/rdna2/scalar.h"

#include "core/sim/rdna2/alu/scalar.h"
#include "core/sim/rdna2/operand.h"
#include "core/sim/rdna2/relative.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Opcode;

constexpr int kHwMode = 1, kHwFlatScratchLow = 20, kHwFlatScratchHigh = 21;

// hwreg(number, offset, size) of s_getreg and s_setreg.
struct HardwareField {
  int number, offset, size;
  uint32_t Mask() const { return (size == 32 ? ~0u : (1u << size) - 1) << offset; }
};

HardwareField FieldOf(uint16_t simm) {
  return {simm & 0x3f, simm >> 6 & 0x1f, (simm >> 11 & 0x1f) + 1};
}

absl::StatusOr<uint32_t> ReadHardware(const Op& op, const WaveState& w, int number) {
  switch (number) {
    case kHwMode: return w.mode;
    case kHwFlatScratchLow: return static_cast<uint32_t>(w.flat_scratch);
    case kHwFlatScratchHigh: return static_cast<uint32_t>(w.flat_scratch >> 32);
    default: return NotModelled(op, w.size, "hardware register");
  }
}

absl::Status Getreg(const Op& op, WaveState& w) {
  const HardwareField field = FieldOf(op.inst.simm);
  const absl::StatusOr<uint32_t> value = ReadHardware(op, w, field.number);
  if (!value.ok()) return value.status();
  w.SetScalar(op.inst.dst.code, (*value & field.Mask()) >> field.offset);
  return absl::OkStatus();
}

absl::Status Setreg(const Op& op, WaveState& w) {
  const HardwareField field = FieldOf(op.inst.simm);
  const absl::StatusOr<uint32_t> old = ReadHardware(op, w, field.number);
  if (!old.ok()) return old.status();
  const uint32_t given = op.inst.op == Opcode::kSSetregImm32B32
                             ? op.inst.literal
                             : static_cast<uint32_t>(ScalarSource(w, op, 0));
  const uint32_t value = (*old & ~field.Mask()) | (given << field.offset & field.Mask());
  constexpr uint64_t kLow = 0xffffffff;
  switch (field.number) {
    case kHwMode: w.mode = value; break;
    case kHwFlatScratchLow: w.flat_scratch = (w.flat_scratch & ~kLow) | value; break;
    default: w.flat_scratch = (w.flat_scratch & kLow) | uint64_t{value} << 32;
  }
  return absl::OkStatus();
}

// s_movrels_b32 and kin. A register that is displaced stays among SGPRs and vcc.
absl::Status MoveRelative(const Op& op, WaveState& w) {
  const auto [from, to] = RelativeOperandsOf(op, w);
  const int dwords = isa::Dwords(op.info->dst);
  const uint64_t end = uint64_t{isa::kVccHi} + 1 - dwords;
  if ((from != op.inst.src[0].code && from > end) || (to != op.inst.dst.code && to > end)) {
    return OpError(absl::StatusCode::kOutOfRange, op, w.size, "a register beyond the wave's");
  }
  uint64_t value = ScalarSource(w, op, 0);
  if (from != op.inst.src[0].code) {
    value = dwords == 2 ? w.Scalar64(static_cast<int>(from)) : w.scalar[from];
  }
  if (to == isa::kNull) return absl::OkStatus();
  w.SetScalar(static_cast<int>(to), static_cast<uint32_t>(value));
  if (dwords == 2) w.SetScalar(static_cast<int>(to) + 1, static_cast<uint32_t>(value >> 32));
  return absl::OkStatus();
}

absl::Status Arithmetic(const Op& op, WaveState& w) {
  if (absl::Status s = alu::CheckScalarComputed(op.inst); !s.ok()) {
    return NotModelled(op, w.size, s.message());
  }
  alu::ScalarInputs in;
  for (int i = 0; i < 2; ++i) {
    if (op.inst.src[static_cast<size_t>(i)].exists()) {
      in.src[static_cast<size_t>(i)] = ScalarSource(w, op, i);
    }
  }
  const int dst = op.inst.dst.exists() ? op.inst.dst.code : isa::kNull;
  const bool wide = isa::Dwords(op.info->dst) == 2;
  in.scc = w.scc;
  // Forms for 64 lanes are not used in waves of 32: exec_hi does not exist there.
  const bool whole_exec = wide || op.info->src[0] == isa::Type::kB64;
  in.exec = whole_exec ? w.Scalar64(isa::kExecLo) : w.scalar[isa::kExecLo];
  if (dst != isa::kNull) {
    in.old = wide ? w.Scalar64(dst) : w.scalar[static_cast<size_t>(dst)];
  }
  const alu::ScalarResult result = alu::EvaluateScalar(op.inst, in);
  // Saveexec may name exec as its destination: exec's new value wins.
  if (dst != isa::kNull && op.info->dst != isa::Type::kN) {
    w.SetScalar(dst, static_cast<uint32_t>(result.value));
    if (wide) w.SetScalar(dst + 1, static_cast<uint32_t>(result.value >> 32));
  }
  if (op.Has(isa::opcode_flag::kExecW)) {
    w.SetScalar(isa::kExecLo, static_cast<uint32_t>(result.exec));
    if (whole_exec) w.SetScalar(isa::kExecHi, static_cast<uint32_t>(result.exec >> 32));
  }
  if (op.Has(isa::opcode_flag::kSccW)) w.scc = result.scc;
  return absl::OkStatus();
}

}  // namespace

absl::Status ExecuteScalar(const Op& op, WaveState& w) {
  switch (op.inst.op) {
    case Opcode::kSGetregB32: return Getreg(op, w);
    case Opcode::kSSetregB32:
    case Opcode::kSSetregImm32B32: return Setreg(op, w);
    default: return IsRelativeMove(op.inst.op) ? MoveRelative(op, w) : Arithmetic(op, w);
  }
}

}  // namespace kiln::sim::rdna2
