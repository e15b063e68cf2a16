// See operand.h.
#include "core/sim/rdna2/operand.h"

#include <bit>

namespace kiln::sim::rdna2 {
namespace {

using isa::Type;

// 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1 / (2 pi)
constexpr uint16_t kHalves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                0xc000, 0x4400, 0xc400, 0x3118};
constexpr uint32_t kFloats[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
constexpr uint64_t kDoubles[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                 0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                 0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

bool IsWide(Type type) { return isa::Dwords(type) == 2; }

uint64_t FloatConstant(int number, Type type) {
  if (IsWide(type)) return kDoubles[number];
  if (isa::Is16Bit(type) || isa::IsPacked(type)) return kHalves[number];
  return kFloats[number];
}

uint64_t Integer(int32_t value, Type type) {
  return IsWide(type) ? static_cast<uint64_t>(int64_t{value}) : static_cast<uint32_t>(value);
}

uint64_t Literal(uint32_t literal, Type type) {
  if (type == Type::kF64) return uint64_t{literal} << 32;
  if (type == Type::kI64) return Integer(static_cast<int32_t>(literal), type);
  return literal;
}

}  // namespace

uint64_t UniformValue(const WaveState& wave, const isa::Instruction& inst, isa::Operand operand,
                      Type type) {
  const int code = operand.code;
  if (operand.is_scalar_register()) {
    const bool two = IsWide(type) || (type == Type::kMask && wave.size == isa::Wave::k64);
    if (code == isa::kNull) return 0;
    return two ? wave.Scalar64(code) : wave.scalar[static_cast<size_t>(code)];
  }
  if (operand.is_literal()) return Literal(inst.literal, type);
  if (code >= isa::kHalf && code <= isa::kInvTwoPi) return FloatConstant(code - isa::kHalf, type);
  if (code >= isa::kIntMinus1 && code <= isa::kIntLast) {
    return Integer(isa::kIntMinus1 - 1 - code, type);
  }
  if (code >= isa::kInt0 && code < isa::kIntMinus1) return Integer(code - isa::kInt0, type);
  switch (code) {
    case isa::kVccz: return wave.LaneMask(isa::kVccLo) == 0;
    case isa::kExecz: return wave.Exec() == 0;
    case isa::kScc: return wave.scc;
    default: return 0;
  }
}

uint64_t ScalarSource(const WaveState& wave, const Op& op, int i) {
  const auto at = static_cast<size_t>(i);
  return UniformValue(wave, op.inst, op.inst.src[at], op.info->src[at]);
}

Type ConstantType(const Op& op, int i) {
  const Type type = op.info->src[static_cast<size_t>(i)];
  if (!op.Has(isa::opcode_flag::kMix)) return type;
  return (op.inst.op_sel_hi >> i & 1) != 0 ? Type::kF16 : Type::kF32;
}

uint64_t LaneSource(const WaveState& wave, const Op& op, int i, int lane) {
  const isa::Operand operand = op.inst.src[static_cast<size_t>(i)];
  if (!operand.is_vgpr()) return UniformValue(wave, op.inst, operand, ConstantType(op, i));
  const auto at = static_cast<size_t>(lane);
  const auto vgpr = static_cast<size_t>(operand.vgpr());
  const uint64_t low = wave.vector[vgpr][at];
  if (!IsWide(op.info->src[static_cast<size_t>(i)])) return low;
  return low | uint64_t{wave.vector[vgpr + 1][at]} << 32;
}

uint32_t Scalar32(const WaveState& wave, const Op& op, isa::Operand operand) {
  if (!operand.exists()) return 0;
  return static_cast<uint32_t>(UniformValue(wave, op.inst, operand, Type::kB32));
}

int SelectedLane(const WaveState& wave, const Op& op) {
  return static_cast<int>(Scalar32(wave, op, op.inst.src[1])) & (wave.lanes() - 1);
}

int FirstLane(const WaveState& wave) {
  const uint64_t exec = wave.Exec();
  return exec == 0 ? 0 : std::countr_zero(exec);
}

}  // namespace kiln::sim::rdna2
