#include "core/sim/scene/float16.h"

#include <cmath>
#include <cstring>
#include <random>

#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

uint16_t HostHalf(float f) {
  const _Float16 h = static_cast<_Float16>(f);
  uint16_t bits;
  std::memcpy(&bits, &h, 2);
  return bits;
}

TEST(Float16, EveryHalfGoesToFloatAndBack) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const float f = HalfToFloat(static_cast<uint16_t>(h));
    if ((h & 0x7c00) == 0x7c00 && (h & 0x3ff) != 0) {
      EXPECT_TRUE(std::isnan(f)) << h;
      continue;
    }
    EXPECT_EQ(HostHalf(f), h);
    for (int mode = 0; mode < 4; ++mode) {
      EXPECT_EQ(DoubleToHalf(f, static_cast<Rounding>(mode)), h) << h;
    }
  }
}

TEST(Float16, RoundsRandomFloatsAsTheHostDoes) {
  std::mt19937 rng(1);
  for (int i = 0; i < 200000; ++i) {
    const uint32_t bits = rng() & (i % 2 ? 0xffffffffu : 0x87ffffffu | 0x38000000u);
    float f;
    std::memcpy(&f, &bits, 4);
    if (std::isnan(f)) continue;
    EXPECT_EQ(DoubleToHalf(f, Rounding::kNearestEven), HostHalf(f)) << f;
  }
}

TEST(Float16, DirectedRoundingBracketsTheValue) {
  std::mt19937 rng(2);
  for (int i = 0; i < 100000; ++i) {
    const double v = std::ldexp(static_cast<double>(static_cast<int32_t>(rng())),
                                static_cast<int>(rng() % 50) - 60);
    const float down = HalfToFloat(DoubleToHalf(v, Rounding::kDown));
    const float up = HalfToFloat(DoubleToHalf(v, Rounding::kUp));
    const float zero = HalfToFloat(DoubleToHalf(v, Rounding::kZero));
    EXPECT_LE(down, v);
    EXPECT_GE(up, v);
    EXPECT_EQ(zero, v < 0 ? up : down);
    const uint16_t d = DoubleToHalf(v, Rounding::kDown), u = DoubleToHalf(v, Rounding::kUp);
    EXPECT_TRUE(d == u || u - d == 1 || d - u == 1 || (d | u) == 0x8001 || (d | u) == 0x8000);
  }
}

}  // namespace
}  // namespace kiln::sim::scene
