// See functions.h.
#include "core/sim/rdna2/alu/functions.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace kiln::sim::rdna2::alu {
namespace {

// Fixed point: Q63 has 63 bits behind the point (1.0 is kOne), Q64 is a fraction below 1.
constexpr uint64_t kOne = uint64_t{1} << 63;
constexpr uint64_t kLn2 = 0xb17217f7d1cf79ac;            // ln 2, Q64
constexpr uint64_t kTwoByLn2 = 0xb8aa3b295c17f0bc;       // 2 / ln 2 = this * 2^-62
constexpr uint64_t kTwoPi = 0xc90fdaa22168c235;          // 2 pi = this * 2^-61
constexpr uint64_t kSquareRootOf2 = 0xb504f333f9de6484;  // Q63

// The fraction of 2 / pi, highest bit first. Digits: computed with mpmath to 1500 bits; 1201 are
// what the hardware has.
constexpr std::array<uint64_t, 19> kTwoOverPi = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b0000,
};

uint64_t MultiplyHigh(uint64_t a, uint64_t b) { return static_cast<uint64_t>(Wide{a} * b >> 64); }

// Marks a result as inexact; its significand has far more bits than any format.
Number Odd(Number x) {
  x.significand = x.significand << 1 | 1;
  --x.exponent;
  return x;
}

// significand * 2^exponent.
Number Of(uint64_t significand, int exponent) { return Scale(FromUnsigned(significand), exponent); }

// a * b with both cut to 64 bits; neither may be zero.
Number Product64(const Number& a, const Number& b) {
  int ea = 0, eb = 0;
  const uint64_t x = Leading64(a, ea), y = Leading64(b, eb);
  Number product = Scale(Multiply(FromUnsigned(x), FromUnsigned(y)), ea + eb);
  product.negative = a.negative != b.negative;
  const uint64_t cut = Leading64(product, ea);
  Number result = Of(cut, ea);
  result.negative = product.negative;
  return result;
}

// The square of a number below 1, in Q64.
uint64_t Square(const Number& x) {
  int e = 0;
  const uint64_t bits = Leading64(x, e);
  const int shift = -(2 * e + 128);
  return shift >= 64 ? 0 : MultiplyHigh(bits, bits) >> shift;
}

// 2^(2^-i) in Q63, for i from 1 to 32.
const std::array<uint64_t, 33>& RootsOf2() {
  static const std::array<uint64_t, 33> roots = [] {
    std::array<uint64_t, 33> r = {};
    Number x = FromUnsigned(2);
    for (size_t i = 1; i < r.size(); ++i) {
      x = SquareRoot(x);
      int exponent = 0;
      r[i] = Leading64(x, exponent);
    }
    return r;
  }();
  return roots;
}

// 2^f in Q63, for f in Q64: a product for the upper 32 bits, 1 + f ln 2 for the rest.
uint64_t Exp2Fraction(uint64_t f) {
  uint64_t result = kOne + (MultiplyHigh(f & 0xffffffffu, kLn2) >> 1);
  for (size_t i = 1; i <= 32; ++i) {
    if ((f >> (64 - i) & 1) == 0) continue;
    result = static_cast<uint64_t>((Wide{result} * RootsOf2()[i] + (kOne >> 1)) >> 63);
  }
  return result;
}

// x = quarter / 4 + rest, |rest| <= 1/8.
struct Angle {
  int quarter;
  Number rest;
};

Angle Reduce(const Number& magnitude) {
  const Number quarters = ToIntegral(Scale(magnitude, 2), Rounding::kNearestEven);
  const Number rest = Add(magnitude, Negate(Scale(quarters, -2)), Rounding::kNearestEven);
  return {static_cast<int>(ToInteger(quarters, 0, 1 << 20) & 3), rest};
}

constexpr int kTerms = 11;  // the next term is below 2^-70

// sin(2 pi r) and cos(2 pi r) by their series.
Number SinNear(const Number& r) {
  if (r.is_zero()) return r;
  const Number y = Product64(r, Of(kTwoPi, -61));
  const uint64_t square = Square(y);
  uint64_t sum = kOne;
  for (uint64_t k = kTerms; k >= 1; --k) {
    sum = kOne - MultiplyHigh(sum, square) / ((2 * k) * (2 * k + 1));
  }
  return Odd(Product64(y, Of(sum, -63)));
}

Number CosNear(const Number& r) {
  if (r.is_zero()) return FromUnsigned(1);
  const uint64_t square = Square(Product64(r, Of(kTwoPi, -61)));
  uint64_t sum = kOne;
  for (uint64_t k = kTerms; k >= 1; --k) {
    sum = kOne - MultiplyHigh(sum, square) / ((2 * k - 1) * (2 * k));
  }
  return Odd(Of(sum, -63));
}

constexpr int64_t kDomain = 256;

bool OutOfDomain(const Number& x) {
  return Compare(Magnitude(x), FromInteger(kDomain)) == Order::kGreater;
}

}  // namespace

Number Exp2(const Number& x) {
  if (x.is_nan()) return Quieted(x);
  if (x.is_infinite()) return x.negative ? Zero(false) : x;
  if (x.is_zero()) return FromUnsigned(1);
  if (LeadingExponent(x) >= 16) return Of(1, x.negative ? -(1 << 18) : 1 << 18);
  // Two's complement with 64 bits behind the point; what is below them does not matter.
  const int shift = x.exponent + 64;
  Wide fixed = shift >= 0 ? x.significand << shift : shift > -128 ? x.significand >> -shift : 0;
  if (x.negative) fixed = Wide{0} - fixed;
  const int whole = static_cast<int>(static_cast<int64_t>(fixed >> 64));
  const uint64_t fraction = static_cast<uint64_t>(fixed);
  if (fraction == 0 && shift >= 0) return Of(1, whole);  // x is an integer
  return Odd(Of(Exp2Fraction(fraction), whole - 63));
}

Number Log2(const Number& x) {
  if (x.is_nan()) return Quieted(x);
  if (x.is_zero()) return Infinity(true);
  if (x.negative) return Nan(true);
  if (x.is_infinite()) return x;
  int exponent = 0;
  const uint64_t leading = Leading64(x, exponent);
  const int whole = exponent + 63 + (leading > kSquareRootOf2 ? 1 : 0);
  // x = 2^whole * m, m between the roots of 1/2 and 2: log2(m) = 2 / ln 2 * artanh z.
  const Number m = Scale(x, -whole), one = FromUnsigned(1);
  const Number difference = Add(m, Negate(one), Rounding::kNearestEven);
  if (difference.is_zero()) return FromInteger(whole);
  int sum_exponent = 0;
  const Number sum = Add(m, one, Rounding::kNearestEven);
  const uint64_t sum64 = Leading64(sum, sum_exponent);
  const Number z = Divide(difference, Of(sum64, sum_exponent));
  const uint64_t square = Square(z);
  uint64_t series = 0;
  for (uint64_t k = 16; k-- > 0;) series = kOne / (2 * k + 1) + MultiplyHigh(series, square);
  const Number log = Product64(Product64(z, Of(series, -63)), Of(kTwoByLn2, -62));
  return Odd(Add(FromInteger(whole), log, Rounding::kNearestEven));
}

Number Sin2Pi(const Number& x) {
  if (x.is_nan()) return Quieted(x);
  if (x.is_infinite()) return Nan(true);
  if (OutOfDomain(x)) return Zero(false);
  const Angle angle = Reduce(Magnitude(x));
  Number r = angle.quarter % 2 == 0 ? SinNear(angle.rest) : CosNear(angle.rest);
  if (r.is_zero()) return Zero(x.negative && x.is_zero());  // hardware: sin(-0) = -0, sin(-1) = +0
  return x.negative != (angle.quarter >= 2) ? Negate(r) : r;
}

Number Cos2Pi(const Number& x) {
  if (x.is_nan()) return Quieted(x);
  if (x.is_infinite()) return Nan(true);
  if (OutOfDomain(x)) return FromUnsigned(1);
  const Angle angle = Reduce(Magnitude(x));
  Number r = angle.quarter % 2 == 0 ? CosNear(angle.rest) : SinNear(angle.rest);
  if (r.is_zero()) return Zero(false);
  return angle.quarter == 1 || angle.quarter == 2 ? Negate(r) : r;
}

Number ReciprocalSquareRoot(const Number& x) {
  if (x.is_zero()) return Infinity(x.negative);
  const Number root = SquareRoot(x);
  if (root.kind != Number::Kind::kFinite) return Divide(FromUnsigned(1), root);
  int exponent = 0;
  const uint64_t leading = Leading64(root, exponent);
  return Divide(FromUnsigned(1), Of(leading, exponent));
}

Number TwoOverPiSegment(int exponent, int segment) {
  constexpr int kWidth = 53, kLargestUnshifted = 1077, kScaledFrom = 1968, kScaling = 128;
  const int shift = segment * kWidth + std::max(0, exponent - kLargestUnshifted);
  uint64_t bits = 0;
  for (int i = 0; i < kWidth; ++i) {
    const size_t at = static_cast<size_t>(shift) + i;
    const bool bit =
        at / 64 < kTwoOverPi.size() && (kTwoOverPi[at / 64] >> (63 - at % 64) & 1) != 0;
    bits = bits << 1 | (bit ? 1 : 0);
  }
  return Of(bits, -kWidth - shift + (exponent >= kScaledFrom ? kScaling : 0));
}

}  // namespace kiln::sim::rdna2::alu
