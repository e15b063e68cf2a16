// Comparison with the host's libm, an independent implementation, within the header's error bounds.
#include "core/mid/values/elementary.h"

#include <cmath>
#include <random>

#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

constexpr double kError = 1e-14;
constexpr int kSamples = 100000;

TEST(Elementary, PowersAndLogarithms) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> any(-1000, 1000), near(-1, 1);
  for (int i = 0; i < kSamples; ++i) {
    const double x = i % 2 == 0 ? any(random) : near(random);
    const double power = std::exp2(x);
    ASSERT_NEAR(Exp2(x) / power, 1, kError) << x;
    const double log = std::log2(power);
    ASSERT_NEAR(Log2(power), log, kError * std::fabs(log)) << power;
    const double close = 1 + near(random) / 1000;
    ASSERT_NEAR(Log2(close), std::log2(close), kError * std::fabs(std::log2(close))) << close;
  }
}

TEST(Elementary, SinesAndCosines) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> any(-kMaxAngle, kMaxAngle), near(-7, 7);
  for (int i = 0; i < kSamples; ++i) {
    // Rounded to a float, as arguments in shaders are.
    const double x = static_cast<float>(i % 2 == 0 ? any(random) : near(random));
    ASSERT_NEAR(Sin(x), std::sin(x), kError) << x;
    ASSERT_NEAR(Cos(x), std::cos(x), kError) << x;
  }
}

TEST(Elementary, ExactWhereTheyShouldBe) {
  for (int n = -1000; n <= 1000; ++n) {
    EXPECT_EQ(Exp2(n), std::ldexp(1.0, n));
    EXPECT_EQ(Log2(std::ldexp(1.0, n)), n);
  }
  EXPECT_EQ(Sin(0), 0);
  EXPECT_EQ(Cos(0), 1);
}

}  // namespace
}  // namespace kiln::mid
