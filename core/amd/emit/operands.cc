#include "core/amd/emit/operands.h"

#include <cassert>

#include "core/amd/lir/ops.h"

namespace kiln::amd {
namespace {

using isa::Type;

// 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1 / (2 pi): halves, floats, and the upper halves of doubles. The
// last double has a lower half that no immediate can express.
constexpr uint32_t kHalves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                0xc000, 0x4400, 0xc400, 0x3118};
constexpr uint32_t kFloats[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
constexpr uint32_t kDoubles[] = {0x3fe00000, 0xbfe00000, 0x3ff00000, 0xbff00000,
                                 0x40000000, 0xc0000000, 0x40100000, 0xc0100000};

template <size_t n>
std::optional<isa::Operand> Find(const uint32_t (&numbers)[n], uint32_t bits) {
  for (size_t i = 0; i < n; ++i) {
    if (numbers[i] == bits) return isa::Source(isa::kHalf + static_cast<int>(i));
  }
  return std::nullopt;
}

std::optional<isa::Operand> SmallInteger(int32_t value) {
  if (value >= 0 && value <= 64) return isa::Source(isa::kInt0 + value);
  if (value < 0 && value >= -16) return isa::Source(isa::kIntMinus1 - 1 - value);
  return std::nullopt;
}

}  // namespace

std::optional<isa::Operand> InlineConstant(uint32_t bits, Type type) {
  if (type == Type::kF64) {
    if (bits == 0) return isa::Source(isa::kInt0);
    return Find(kDoubles, bits);
  }
  if (isa::Dwords(type) == 2) return SmallInteger(static_cast<int32_t>(bits));
  if (isa::Is16Bit(type)) {
    if (auto integer = SmallInteger(static_cast<int16_t>(bits))) return integer;
    // Halves among integers would be no halves (LLVM, AMDGPU operands: fp constants of i16).
    return type == Type::kF16 ? Find(kHalves, bits & 0xffff) : std::nullopt;
  }
  if (auto integer = SmallInteger(static_cast<int32_t>(bits))) return integer;
  if (type == Type::kPF16) return Find(kHalves, bits);
  if (isa::IsPacked(type)) return std::nullopt;
  return Find(kFloats, bits);
}

bool LiteralMeans(uint32_t bits, Type type) {
  const bool zero_extended = type == Type::kB64 || type == Type::kU64;
  return !zero_extended || static_cast<int32_t>(bits) >= 0;
}

bool IsVector(const lir::Function& f, const lir::Operand& operand) {
  if (!lir::IsValue(operand)) return false;
  const uint8_t file = f.value(operand.value()).file;
  return file == kFileV || file == kFileW;
}

uint32_t UnitsOf(const lir::Function& f, const lir::Operand& o) {
  const bool mask = lir::IsValue(o) && f.value(o.value()).file == kFileM;
  return o.comps * (mask ? MaskUnits(f) : 1);
}

isa::Operand RegisterOf(const lir::Function& f, const lir::Operand& operand, uint32_t unit) {
  if (operand.kind == lir::Operand::Kind::kFixed) {
    return isa::Source(static_cast<int>(operand.id + unit));
  }
  assert(lir::IsValue(operand) && operand.reg != lir::Operand::kNoReg);
  const uint8_t file = f.value(operand.value()).file;
  if (file == kFileScc) return isa::Source(isa::kScc);
  if (file == kFileV || file == kFileW) return isa::Vgpr(static_cast<int>(operand.reg + unit));
  return isa::Sgpr(SgprOfUnit(operand.reg + unit));
}

}  // namespace kiln::amd
