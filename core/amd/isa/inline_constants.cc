#include "core/amd/isa/inline_constants.h"

#include <cstddef>

namespace kiln::amd::isa {
namespace {

// 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1 / (2 pi): halves, floats, and the upper halves of doubles. The
// last double has a lower half that no immediate can express.
constexpr uint32_t kHalves[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                0xc000, 0x4400, 0xc400, 0x3118};
constexpr uint32_t kFloats[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
constexpr uint32_t kDoubles[] = {0x3fe00000, 0xbfe00000, 0x3ff00000, 0xbff00000,
                                 0x40000000, 0xc0000000, 0x40100000, 0xc0100000};

template <size_t n>
std::optional<Operand> Find(const uint32_t (&numbers)[n], uint32_t bits) {
  for (size_t i = 0; i < n; ++i) {
    if (numbers[i] == bits) return Source(kHalf + static_cast<int>(i));
  }
  return std::nullopt;
}

std::optional<Operand> SmallInteger(int32_t value) {
  if (value >= 0 && value <= 64) return Source(kInt0 + value);
  if (value < 0 && value >= -16) return Source(kIntMinus1 - 1 - value);
  return std::nullopt;
}

}  // namespace

std::optional<Operand> InlineConstant(uint32_t bits, Type type) {
  if (type == Type::kF64) {
    if (bits == 0) return Source(kInt0);
    return Find(kDoubles, bits);
  }
  if (Dwords(type) == 2) return SmallInteger(static_cast<int32_t>(bits));
  if (Is16Bit(type)) {
    if (auto integer = SmallInteger(static_cast<int16_t>(bits))) return integer;
    // Halves among integers would be no halves (LLVM, AMDGPU operands: fp constants of i16).
    return type == Type::kF16 ? Find(kHalves, bits & 0xffff) : std::nullopt;
  }
  if (auto integer = SmallInteger(static_cast<int32_t>(bits))) return integer;
  if (type == Type::kPF16) return Find(kHalves, bits);
  if (IsPacked(type)) return std::nullopt;
  return Find(kFloats, bits);
}

bool LiteralMeans(uint32_t bits, Type type) {
  const bool zero_extended = type == Type::kB64 || type == Type::kU64;
  return !zero_extended || static_cast<int32_t>(bits) >= 0;
}

}  // namespace kiln::amd::isa
