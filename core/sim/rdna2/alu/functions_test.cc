// The transcendental functions against the host's library in its widest format.
#include "core/sim/rdna2/alu/functions.h"

#include <bit>
#include <cmath>
#include <random>

#include "gtest/gtest.h"

namespace kiln::sim::rdna2::alu {
namespace {

constexpr int kCases = 20'000;
constexpr long double kTolerance = 0x1p-55L;  // functions.h

Number Of(double d) { return Decode(std::bit_cast<uint64_t>(d), kF64, true); }
long double ValueOf(const Number& n) {
  if (n.is_zero()) return 0;
  int exponent = 0;
  const long double magnitude = static_cast<long double>(Leading64(n, exponent));
  return std::ldexp(n.negative ? -magnitude : magnitude, exponent);
}
float SingleOf(const Number& n) {
  return std::bit_cast<float>(static_cast<uint32_t>(Encode(n, kF32, {})));
}

void ExpectNear(long double got, long double expected, double argument) {
  EXPECT_LE(std::fabs(got - expected), std::fabs(expected) * kTolerance)
      << argument << ": " << got << ", host " << expected;
}

// Numbers of binary32 between 2^least and 2^most, of both signs.
class Singles {
 public:
  Singles(int least, int most, uint32_t seed) : exponent_(least, most - 1), random_(seed) {}
  double Next() {
    const double fraction = static_cast<double>(random_() >> 41) * 0x1p-23;
    const double x = std::ldexp(1 + fraction, exponent_(random_));
    return (random_() & 1) != 0 ? -x : x;
  }

 private:
  std::uniform_int_distribution<int> exponent_;
  std::mt19937_64 random_;
};

TEST(Functions, Exponential) {
  Singles singles(-40, 10, 1);
  for (int i = 0; i < kCases; ++i) {
    const double x = singles.Next();
    if (std::fabs(x) < 1000)
      ExpectNear(ValueOf(Exp2(Of(x))), std::exp2(static_cast<long double>(x)), x);
  }
  for (int n = -140; n < 128; ++n) EXPECT_EQ(SingleOf(Exp2(FromInteger(n))), std::ldexp(1.0f, n));
  EXPECT_EQ(SingleOf(Exp2(Of(1e30))), INFINITY);
  EXPECT_EQ(SingleOf(Exp2(Of(-1e30))), 0.0f);
  EXPECT_EQ(SingleOf(Exp2(Infinity(true))), 0.0f);
  EXPECT_EQ(SingleOf(Exp2(Of(0x1p-149))), 1.0f);
  EXPECT_EQ(SingleOf(Exp2(Of(-0x1p-149))), 1.0f);
}

TEST(Functions, Logarithm) {
  Singles singles(-140, 127, 2), near_one(-24, -1, 3);
  for (int i = 0; i < kCases; ++i) {
    const double x = std::fabs(singles.Next());
    ExpectNear(ValueOf(Log2(Of(x))), std::log2(static_cast<long double>(x)), x);
    const double y = static_cast<float>(1 + near_one.Next());
    if (y > 0) ExpectNear(ValueOf(Log2(Of(y))), std::log2(static_cast<long double>(y)), y);
  }
  for (int n = -149; n < 128; ++n) {
    EXPECT_EQ(SingleOf(Log2(Scale(FromUnsigned(1), n))), static_cast<float>(n));
  }
  EXPECT_EQ(SingleOf(Log2(Zero(true))), -INFINITY);
  EXPECT_EQ(Encode(Log2(FromInteger(-1)), kF32, {}), 0xffc00000u);
  EXPECT_EQ(SingleOf(Log2(Infinity(false))), INFINITY);
}

constexpr long double kTwoPi = 6.28318530717958647692528676655900577L;

// The part of x beyond the nearest quarter, exactly, and its number modulo 4.
double HostQuarters(double x, int& quarter) {
  const double quarters = std::nearbyint(4 * x);
  quarter = static_cast<int>(static_cast<int64_t>(quarters) & 3);
  return x - quarters / 4;
}
long double HostSin(double x) {
  int quarter = 0;
  const long double y = kTwoPi * HostQuarters(x, quarter);
  const long double s = quarter % 2 == 0 ? std::sin(y) : std::cos(y);
  return quarter >= 2 ? -s : s;
}
long double HostCos(double x) {
  int quarter = 0;
  const long double y = kTwoPi * HostQuarters(x, quarter);
  const long double c = quarter % 2 == 0 ? std::cos(y) : std::sin(y);
  return quarter == 1 || quarter == 2 ? -c : c;
}

TEST(Functions, SineAndCosine) {
  Singles singles(-30, 8, 4);
  for (int i = 0; i < kCases; ++i) {
    const double x = singles.Next();
    ExpectNear(ValueOf(Sin2Pi(Of(x))), HostSin(x), x);
    ExpectNear(ValueOf(Cos2Pi(Of(x))), HostCos(x), x);
  }
  for (int n = -64; n <= 64; ++n) {
    const double x = n / 4.0;
    EXPECT_EQ(ValueOf(Sin2Pi(Of(x))), HostSin(x)) << x;
    EXPECT_EQ(ValueOf(Cos2Pi(Of(x))), HostCos(x)) << x;
  }
}

// Special arguments of v_sin_f32 and v_cos_f32 in AMD's RDNA ISA guide, chapter 12.
TEST(Functions, SineAndCosineOfSpecialArguments) {
  const auto sin = [](uint32_t x) { return Encode(Sin2Pi(Decode(x, kF32, true)), kF32, {}); };
  const auto cos = [](uint32_t x) { return Encode(Cos2Pi(Decode(x, kF32, true)), kF32, {}); };
  EXPECT_EQ(sin(0xff800000), 0xffc00000u);
  EXPECT_EQ(sin(0xff7fffff), 0x00000000u);
  EXPECT_EQ(sin(0x80000000), 0x80000000u);
  EXPECT_EQ(sin(0x3e800000), 0x3f800000u);
  EXPECT_EQ(sin(0x7f800000), 0xffc00000u);
  EXPECT_EQ(cos(0xff800000), 0xffc00000u);
  EXPECT_EQ(cos(0xff7fffff), 0x3f800000u);
  EXPECT_EQ(cos(0x80000000), 0x3f800000u);
  EXPECT_EQ(cos(0x3e800000), 0x00000000u);
  EXPECT_EQ(cos(0x7f800000), 0xffc00000u);
}

TEST(Functions, ReciprocalSquareRoot) {
  Singles singles(-140, 127, 5);
  for (int i = 0; i < kCases; ++i) {
    const double x = std::fabs(singles.Next());
    ExpectNear(ValueOf(ReciprocalSquareRoot(Of(x))), 1 / std::sqrt(static_cast<long double>(x)), x);
  }
  EXPECT_EQ(SingleOf(ReciprocalSquareRoot(Zero(true))), -INFINITY);
  EXPECT_EQ(SingleOf(ReciprocalSquareRoot(Infinity(false))), 0.0f);
  EXPECT_EQ(Encode(ReciprocalSquareRoot(FromInteger(-4)), kF32, {}), 0xffc00000u);
  EXPECT_EQ(SingleOf(ReciprocalSquareRoot(FromInteger(16))), 0.25f);
}

// The segments sum up to 2 / pi; each starts where the one before ends.
TEST(Functions, SegmentsOfTwoOverPi) {
  long double sum = 0;
  for (int segment = 0; segment < 3; ++segment) sum += ValueOf(TwoOverPiSegment(1023, segment));
  EXPECT_EQ(sum, 4 / kTwoPi);
  EXPECT_EQ(Encode(TwoOverPiSegment(1023, 0), kF64, {}), 0x3fe45f306dc9c882u);
  // An exponent above 1077 moves on by single bits; 53 of them are the next segment.
  EXPECT_EQ(ValueOf(TwoOverPiSegment(1077 + 53, 0)), ValueOf(TwoOverPiSegment(1023, 1)));
  // Beyond 1968, scaled by 2^128.
  EXPECT_EQ(LeadingExponent(TwoOverPiSegment(1968, 0)),
            LeadingExponent(Scale(TwoOverPiSegment(1968 - 53, 1), 128)));
  EXPECT_TRUE(TwoOverPiSegment(2046, 31).is_zero());  // past the last bit
}

}  // namespace
}  // namespace kiln::sim::rdna2::alu
