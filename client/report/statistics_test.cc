#include "client/report/statistics.h"

#include <cmath>

#include "gtest/gtest.h"

namespace kiln::client::report {
namespace {

// Returns the probability of a value below `t`, by Simpson's rule over the density: independent of
// the library that TwoSidedT95 uses.
double ProbabilityBelow(double t, double degrees) {
  const double scale = std::exp(std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2)) /
                       std::sqrt(degrees * M_PI);
  auto density = [&](double x) {
    return scale * std::pow(1 + x * x / degrees, -(degrees + 1) / 2);
  };
  constexpr int kSteps = 200000;
  const double h = t / kSteps;
  double sum = density(0) + density(t);
  for (int i = 1; i < kSteps; ++i) sum += density(i * h) * (i % 2 != 0 ? 4 : 2);
  return 0.5 + sum * h / 3;
}

TEST(TwoSidedT95, IsTheQuantileOfTheIntegratedDensity) {
  for (double degrees : {1.0, 2.0, 3.0, 7.0, 29.0, 120.0, 5000.0}) {
    EXPECT_NEAR(ProbabilityBelow(TwoSidedT95(degrees), degrees), 0.975, 1e-9) << degrees;
  }
}

// Table of critical values in the NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
TEST(TwoSidedT95, AgreesWithThePublishedTable) {
  EXPECT_NEAR(TwoSidedT95(1), 12.706, 5e-4);
  EXPECT_NEAR(TwoSidedT95(4), 2.776, 5e-4);
  EXPECT_NEAR(TwoSidedT95(10), 2.228, 5e-4);
  EXPECT_NEAR(TwoSidedT95(100), 1.984, 5e-4);
}

TEST(SpreadOf, TakesTheMiddleOfTwo) {
  const Spread even = SpreadOf({4, -1, 2, 3});
  EXPECT_EQ(even.least, -1);
  EXPECT_EQ(even.most, 4);
  EXPECT_EQ(even.mean, 2);
  EXPECT_EQ(even.median, 2.5);
  EXPECT_EQ(SpreadOf({5, 1, 2}).median, 2);
}

TEST(MeanInterval, NeedsTwoValues) {
  EXPECT_FALSE(MeanInterval({}).known);
  EXPECT_FALSE(MeanInterval({3}).known);
  EXPECT_TRUE(MeanInterval({3, 4}).known);
}

// 1, 2, 3, 4: s = sqrt(5/3), t(0.975, 3) = 3.18245, so 2.5 -+ 2.05426.
TEST(MeanInterval, IsWhatTheFormulaGivesByHand) {
  const Interval i = MeanInterval({1, 2, 3, 4});
  ASSERT_TRUE(i.known);
  EXPECT_NEAR(i.low, 0.44574, 1e-4);
  EXPECT_NEAR(i.high, 4.55426, 1e-4);
}

TEST(MeanInterval, OfEqualValuesIsAPoint) {
  const Interval i = MeanInterval({-2, -2, -2});
  EXPECT_EQ(i.low, -2);
  EXPECT_EQ(i.high, -2);
}

}  // namespace
}  // namespace kiln::client::report
