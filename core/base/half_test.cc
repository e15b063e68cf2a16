#include "core/base/half.h"

#include <bit>
#include <cmath>
#include <set>

#include "gtest/gtest.h"

namespace kiln {
namespace {

// Returns the float that equals a half, computed from the definition of the format.
float ToFloat(uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const float magnitude = exponent == 0
                              ? std::ldexp(static_cast<float>(fraction), -24)
                              : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  return half >> 15 ? -magnitude : magnitude;
}

TEST(ExactHalf, EveryNormalHalfAndZeroAndNoOther) {
  std::set<uint32_t> normal;
  for (uint32_t half = 0; half <= 0xffff; ++half) {
    const uint32_t exponent = half >> 10 & 31;
    if (exponent == 31) continue;
    const auto bits = std::bit_cast<uint32_t>(ToFloat(static_cast<uint16_t>(half)));
    if (exponent == 0 && (half & 1023) != 0) {
      EXPECT_FALSE(ExactHalf(bits).has_value()) << half;
      continue;
    }
    normal.insert(bits);
    EXPECT_EQ(ExactHalf(bits), half);
  }
  // A prime step reaches every exponent and many fractions.
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 4093) {
    const auto b = static_cast<uint32_t>(bits);
    EXPECT_EQ(ExactHalf(b).has_value(), normal.contains(b)) << b;
    // With the bits below a half's fraction cleared, and with one of them set.
    EXPECT_EQ(ExactHalf(b & ~0x1fffu).has_value(), normal.contains(b & ~0x1fffu)) << b;
    EXPECT_FALSE(ExactHalf((b & ~0x1fffu) | 0x1000u).has_value()) << b;
  }
}

}  // namespace
}  // namespace kiln
