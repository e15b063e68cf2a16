// See number.h.
#include "core/sim/rdna2/alu/number.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace kiln::sim::rdna2::alu {
namespace {

constexpr int kWideBits = 128;
constexpr int kPayloadBits = 52;
// Sums are computed with the leading bit here, so that they fit and leave bits for rounding.
constexpr int kSumLeading = 125;

// Returns the position of the leading bit; x must not be 0.
int LeadingBit(Wide x) {
  const uint64_t high = static_cast<uint64_t>(x >> 64);
  if (high != 0) return 127 - std::countl_zero(high);
  return 63 - std::countl_zero(static_cast<uint64_t>(x));
}

// Shifts right; sets the last bit if ones were lost.
Wide ShiftRightToOdd(Wide x, int64_t shift) {
  if (shift <= 0) return x;
  if (shift >= kWideBits) return x != 0 ? 1 : 0;
  const Wide lost = x & ((Wide{1} << shift) - 1);
  return x >> shift | (lost != 0 ? 1 : 0);
}

// Shifts right and rounds; x must not be 0.
Wide ShiftRightRounded(Wide x, int64_t shift, bool negative, Rounding rounding) {
  // With two bits below the last kept one, rounding to odd loses nothing that matters.
  const Wide odd = ShiftRightToOdd(x, shift - 2);
  const int rest_bits = shift >= 2 ? 2 : static_cast<int>(shift);
  if (rest_bits == 0) return x;
  const Wide kept = odd >> rest_bits;
  const unsigned rest = static_cast<unsigned>(odd & ((Wide{1} << rest_bits) - 1));
  const unsigned half = 1u << (rest_bits - 1);
  bool up = false;
  switch (rounding) {
    case Rounding::kNearestEven: up = rest > half || (rest == half && (kept & 1) != 0); break;
    case Rounding::kUp: up = rest != 0 && !negative; break;
    case Rounding::kDown: up = rest != 0 && negative; break;
    case Rounding::kZero: break;
  }
  return kept + (up ? 1 : 0);
}

// Moves the leading bit to `position`.
Number Normalised(Number x, int position) {
  const int shift = position - LeadingBit(x.significand);
  x.significand = shift >= 0 ? x.significand << shift : ShiftRightToOdd(x.significand, -shift);
  x.exponent -= shift;
  return x;
}

uint64_t Overflowed(bool negative, Format format, const Rules& rules) {
  const bool away = rules.rounding == Rounding::kNearestEven ||
                    rules.rounding == (negative ? Rounding::kDown : Rounding::kUp);
  return away && !rules.largest_for_overflow ? format.infinity() : format.largest();
}

uint64_t EncodeFinite(const Number& x, Format format, const Rules& rules) {
  const int leading = LeadingBit(x.significand);
  const int64_t e = int64_t{x.exponent} + leading;
  const int64_t smallest = 1 - format.bias();
  if (e > format.bias()) return Overflowed(x.negative, format, rules);
  const int64_t shift = leading - format.fraction_bits + (e < smallest ? smallest - e : int64_t{0});
  const uint64_t kept = static_cast<uint64_t>(
      shift <= 0 ? x.significand << -shift
                 : ShiftRightRounded(x.significand, shift, x.negative, rules.rounding));
  // The hidden bit and a carry out of the fraction add to the exponent.
  const uint64_t bits =
      e >= smallest ? (static_cast<uint64_t>(e - smallest) << format.fraction_bits) + kept : kept;
  if (bits >= format.infinity()) return Overflowed(x.negative, format, rules);
  return !rules.keep_subnormals && bits < format.hidden() ? 0 : bits;
}

Number Finite(bool negative, int exponent, Wide significand) {
  if (significand == 0) return Zero(negative);
  Number x;
  x.kind = Number::Kind::kFinite;
  x.negative = negative;
  x.exponent = exponent;
  x.significand = significand;
  return x;
}

Number AddFinite(const Number& first, const Number& second, Rounding rounding) {
  Number a = Normalised(first, kSumLeading), b = Normalised(second, kSumLeading);
  if (a.exponent < b.exponent) std::swap(a, b);
  b.significand = ShiftRightToOdd(b.significand, int64_t{a.exponent} - b.exponent);
  if (a.negative == b.negative) {
    return Finite(a.negative, a.exponent, a.significand + b.significand);
  }
  if (a.significand == b.significand) return Zero(rounding == Rounding::kDown);
  const bool a_larger = a.significand > b.significand;
  return Finite(a_larger ? a.negative : b.negative, a.exponent,
                a_larger ? a.significand - b.significand : b.significand - a.significand);
}

}  // namespace

Number Zero(bool negative) {
  Number x;
  x.negative = negative;
  return x;
}

Number Infinity(bool negative) {
  Number x = Zero(negative);
  x.kind = Number::Kind::kInfinity;
  return x;
}

Number Nan(bool negative) {
  Number x = Zero(negative);
  x.kind = Number::Kind::kNan;
  x.payload = uint64_t{1} << (kPayloadBits - 1);
  return x;
}

Number FromUnsigned(uint64_t x) { return Finite(false, 0, x); }

Number FromInteger(int64_t x) {
  return x < 0 ? Finite(true, 0, uint64_t{0} - static_cast<uint64_t>(x))
               : FromUnsigned(static_cast<uint64_t>(x));
}

Number Quieted(Number x) {
  if (x.is_nan()) {
    x.signalling = false;
    x.payload |= uint64_t{1} << (kPayloadBits - 1);
  }
  return x;
}

Number Decode(uint64_t bits, Format format, bool keep_subnormals) {
  const bool negative = (bits & format.sign()) != 0;
  const uint64_t fraction = bits & (format.hidden() - 1);
  const int exponent = static_cast<int>((bits & format.infinity()) >> format.fraction_bits);
  if ((bits & format.infinity()) == format.infinity()) {
    if (fraction == 0) return Infinity(negative);
    Number nan = Nan(negative);
    nan.payload = fraction << (kPayloadBits - format.fraction_bits);
    nan.signalling = (fraction & format.quiet_bit()) == 0;
    return nan;
  }
  if (exponent == 0) {
    return Finite(negative, 1 - format.bias() - format.fraction_bits,
                  keep_subnormals ? fraction : 0);
  }
  return Finite(negative, exponent - format.bias() - format.fraction_bits,
                fraction | format.hidden());
}

uint64_t Encode(const Number& x, Format format, const Rules& rules) {
  const uint64_t sign = x.negative ? format.sign() : 0;
  switch (x.kind) {
    case Number::Kind::kZero: return sign;
    case Number::Kind::kInfinity: return sign | format.infinity();
    case Number::Kind::kNan: {
      const uint64_t payload = x.payload >> (kPayloadBits - format.fraction_bits);
      // A signalling NaN whose payload is cut off would become an infinity.
      return sign | format.infinity() | (payload != 0 ? payload : format.quiet_bit());
    }
    case Number::Kind::kFinite: break;
  }
  return sign | EncodeFinite(x, format, rules);
}

Number Add(const Number& a, const Number& b, Rounding rounding) {
  if (a.is_nan()) return Quieted(a);
  if (b.is_nan()) return Quieted(b);
  if (a.is_infinite() && b.is_infinite() && a.negative != b.negative) return Nan(true);
  if (a.is_infinite()) return a;
  if (b.is_infinite()) return b;
  if (a.is_zero() && b.is_zero()) {
    return Zero(a.negative == b.negative ? a.negative : rounding == Rounding::kDown);
  }
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  return AddFinite(a, b, rounding);
}

Number Multiply(const Number& a, const Number& b) {
  if (a.is_nan()) return Quieted(a);
  if (b.is_nan()) return Quieted(b);
  const bool negative = a.negative != b.negative;
  if (a.is_infinite() || b.is_infinite()) {
    return a.is_zero() || b.is_zero() ? Nan(true) : Infinity(negative);
  }
  if (a.is_zero() || b.is_zero()) return Zero(negative);
  assert(LeadingBit(a.significand) + LeadingBit(b.significand) + 2 <= kWideBits);
  return Finite(negative, a.exponent + b.exponent, a.significand * b.significand);
}

Number Fma(const Number& a, const Number& b, const Number& c, Rounding rounding) {
  if (a.is_nan()) return Quieted(a);
  if (b.is_nan()) return Quieted(b);
  if (c.is_nan()) return Quieted(c);
  return Add(Multiply(a, b), c, rounding);
}

Number Divide(const Number& a, const Number& b) {
  if (a.is_nan()) return Quieted(a);
  if (b.is_nan()) return Quieted(b);
  const bool negative = a.negative != b.negative;
  if (a.is_infinite()) return b.is_infinite() ? Nan(true) : Infinity(negative);
  if (b.is_infinite()) return Zero(negative);
  if (b.is_zero()) return a.is_zero() ? Nan(true) : Infinity(negative);
  if (a.is_zero()) return Zero(negative);
  assert(LeadingBit(b.significand) < 64);
  const Number n = Normalised(a, kWideBits - 1);
  const Wide quotient = n.significand / b.significand;
  const bool inexact = quotient * b.significand != n.significand;
  return Finite(negative, n.exponent - b.exponent, quotient | (inexact ? 1 : 0));
}

Number SquareRoot(const Number& a) {
  if (a.is_nan()) return Quieted(a);
  if (a.is_zero()) return a;
  if (a.negative) return Nan(true);
  if (a.is_infinite()) return a;
  Number x = Normalised(a, kWideBits - 1);
  if (x.exponent % 2 != 0) {
    x.significand = ShiftRightToOdd(x.significand, 1);
    ++x.exponent;
  }
  // The digits of the root, highest first.
  Wide root = 0, rest = x.significand;
  for (Wide bit = Wide{1} << (kWideBits - 2); bit != 0; bit >>= 2) {
    const Wide tried = root + bit;
    root >>= 1;
    if (rest >= tried) {
      rest -= tried;
      root += bit;
    }
  }
  return Finite(false, x.exponent / 2, root | (rest != 0 ? 1 : 0));
}

Number Scale(Number x, int64_t n) {
  constexpr int64_t kBeyond = 1 << 20;  // all formats
  x.exponent += static_cast<int>(std::clamp(n, -kBeyond, kBeyond));
  return x;
}

Number Negate(Number x) {
  x.negative = !x.negative;
  return x;
}

Number Magnitude(Number x) {
  x.negative = false;
  return x;
}

Order Compare(const Number& a, const Number& b) {
  if (a.is_nan() || b.is_nan()) return Order::kUnordered;
  if (a.is_zero() && b.is_zero()) return Order::kEqual;
  const auto ordered = [](bool less) { return less ? Order::kLess : Order::kGreater; };
  if (a.is_zero()) return ordered(!b.negative);
  if (b.is_zero() || a.negative != b.negative) return ordered(a.negative);
  if (a.is_infinite() && b.is_infinite()) return Order::kEqual;
  if (a.is_infinite()) return ordered(a.negative);
  if (b.is_infinite()) return ordered(!a.negative);
  const Number x = Normalised(a, kSumLeading), y = Normalised(b, kSumLeading);
  if (x.exponent != y.exponent) return ordered((x.exponent < y.exponent) != a.negative);
  if (x.significand != y.significand) {
    return ordered((x.significand < y.significand) != a.negative);
  }
  return Order::kEqual;
}

Number ToIntegral(const Number& x, Rounding rounding) {
  if (x.kind != Number::Kind::kFinite) return Quieted(x);
  if (x.exponent >= 0) return x;
  return Finite(x.negative, 0,
                ShiftRightRounded(x.significand, -int64_t{x.exponent}, x.negative, rounding));
}

Number ToPrecision(const Number& x, int bits) {
  if (x.kind != Number::Kind::kFinite) return x;
  const int shift = LeadingBit(x.significand) + 1 - bits;
  if (shift <= 0) return x;
  return Finite(x.negative, x.exponent + shift,
                ShiftRightRounded(x.significand, shift, x.negative, Rounding::kNearestEven));
}

int64_t ToInteger(const Number& x, int64_t low, int64_t high) {
  if (x.is_nan() || x.is_zero()) return 0;
  const int64_t bound = x.negative ? low : high;
  if (x.is_infinite()) return bound;
  if (LeadingExponent(x) >= 63) return bound;
  const Number whole = ToIntegral(x, Rounding::kZero);
  if (whole.is_zero()) return 0;
  const int64_t magnitude = static_cast<int64_t>(
      whole.exponent >= 0 ? whole.significand << whole.exponent : whole.significand);
  return std::clamp(x.negative ? -magnitude : magnitude, low, high);
}

int LeadingExponent(const Number& x) { return x.exponent + LeadingBit(x.significand); }

uint64_t Leading64(const Number& x, int& exponent) {
  const Number n = Normalised(x, 63);
  exponent = n.exponent;
  return static_cast<uint64_t>(n.significand);
}

}  // namespace kiln::sim::rdna2::alu
