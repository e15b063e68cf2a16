#include "core/mid/values/elementary.h"

#include <bit>
#include <cassert>
#include <cstdint>

namespace kiln::mid {
namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr int kFractionBits = 52, kBias = 1023;

// 2^n, which must be a normal number.
double PowerOfTwo(int n) {
  assert(n > -kBias && n <= kBias);
  return std::bit_cast<double>(static_cast<uint64_t>(n + kBias) << kFractionBits);
}

// Rounds to an integer, halves away from zero; |x| < 2^31.
int Nearest(double x) { return static_cast<int>(x < 0 ? x - 0.5 : x + 0.5); }

// Numbers of terms of the series below; further terms are less than 2^-53 of the sum.
constexpr int kExpTerms = 18, kLogTerms = 14, kCircleTerms = 11;

// sum of y^k / k! from both ends of a quarter: sin x = x * Circle(x^2, 1), cos x = Circle(x^2, 0),
// for |x| <= pi/4.
double Circle(double square, int first) {
  double sum = 1;
  for (int k = kCircleTerms; k >= 1; --k) {
    const double n = 2.0 * k + first;
    sum = 1 - sum * square / (n * (n - 1));
  }
  return sum;
}

// Pi/2 as two numbers, of which the first has 33 bits: its products with quarter turns are exact.
constexpr double kQuarter = 0x1.921fb544p+0, kQuarterRest = 0x1.0b4611a626331p-34;

double SinOfQuarters(double x, int quarters) {
  const int turns = Nearest(x / (kQuarter + kQuarterRest));
  const double rest = (x - turns * kQuarter) - turns * kQuarterRest;
  const unsigned place = static_cast<unsigned>(turns + quarters) % 4;
  const double value = place % 2 == 0 ? rest * Circle(rest * rest, 1) : Circle(rest * rest, 0);
  return place < 2 ? value : -value;
}

}  // namespace

double Exp2(double x) {
  const int whole = Nearest(x);
  const double y = (x - whole) * kLn2;
  double sum = 1;
  for (int k = kExpTerms; k >= 1; --k) sum = 1 + sum * y / k;
  return sum * PowerOfTwo(whole);
}

// x = m * 2^e with m close to 1; ln m = 2 artanh((m - 1) / (m + 1)).
double Log2(double x) {
  constexpr double kRootOfTwo = 0x1.6a09e667f3bcdp+0;
  int exponent = static_cast<int>(std::bit_cast<uint64_t>(x) >> kFractionBits) - kBias;
  double m = x / PowerOfTwo(exponent);
  if (m > kRootOfTwo) {
    m /= 2;
    ++exponent;
  }
  const double s = (m - 1) / (m + 1);
  double sum = 0;
  for (int k = kLogTerms; k >= 0; --k) sum = sum * s * s + 1.0 / (2 * k + 1);
  return exponent + 2 * s * sum / kLn2;
}

double Sin(double x) { return SinOfQuarters(x, 0); }
double Cos(double x) { return SinOfQuarters(x, 1); }

}  // namespace kiln::mid
