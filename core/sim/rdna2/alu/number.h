// Floating-point arithmetic in integers, in every format, rounding mode and treatment of subnormal
// numbers: the host's floating-point unit and libm take no part, so that results are the same on
// every host.
//
// Bits are decoded to a Number, operations compute exactly, Encode rounds once. Results that do
// not fit a Number (sums, quotients, roots) are "rounded to odd": their last bit is set if
// anything was lost, which with two or more bits beyond the format makes Encode's rounding that of
// the exact value (S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
#ifndef KILN_CORE_SIM_RDNA2_ALU_NUMBER_H_
#define KILN_CORE_SIM_RDNA2_ALU_NUMBER_H_

#include <cstdint>

#include "core/sim/rdna2/alu/mode.h"

namespace kiln::sim::rdna2::alu {

__extension__ typedef unsigned __int128 Wide;

// An IEEE 754 binary interchange format.
struct Format {
  int exponent_bits;
  int fraction_bits;

  constexpr int bits() const { return 1 + exponent_bits + fraction_bits; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr uint64_t sign() const { return uint64_t{1} << (exponent_bits + fraction_bits); }
  constexpr uint64_t hidden() const { return uint64_t{1} << fraction_bits; }
  constexpr uint64_t infinity() const {
    return ((uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  }
  constexpr uint64_t quiet_bit() const { return hidden() >> 1; }
  constexpr uint64_t one() const { return static_cast<uint64_t>(bias()) << fraction_bits; }
  constexpr uint64_t largest() const { return infinity() - 1; }

  friend bool operator==(const Format&, const Format&) = default;
};

inline constexpr Format kF16{5, 10}, kF32{8, 23}, kF64{11, 52};

struct Number {
  enum class Kind : uint8_t { kZero, kFinite, kInfinity, kNan };
  Kind kind = Kind::kZero;
  bool negative = false;
  bool signalling = false;  // of NaNs
  int exponent = 0;         // a finite number is significand * 2^exponent
  Wide significand = 0;     // not 0 if finite
  uint64_t payload = 0;     // fraction of a NaN, as binary64 has it

  bool is_nan() const { return kind == Kind::kNan; }
  bool is_zero() const { return kind == Kind::kZero; }
  bool is_infinite() const { return kind == Kind::kInfinity; }
  bool is_finite() const { return kind == Kind::kFinite || kind == Kind::kZero; }
};

// Returns the number that bits stand for; subnormal ones as zero of their sign if `keep_subnormals`
// is false. Bits above the format are ignored.
Number Decode(uint64_t bits, Format format, bool keep_subnormals);

// Options of Encode besides the rounding mode.
struct Rules {
  Rounding rounding = Rounding::kNearestEven;
  bool keep_subnormals = true;  // false: results that are subnormal after rounding become zero
  bool largest_for_overflow = false;  // finite numbers do not become infinity
};

// Returns the nearest number of the format. NaNs keep the payload's upper bits; arithmetic has made
// them quiet.
uint64_t Encode(const Number& x, Format format, const Rules& rules);

// Return a zero, an infinity, a NaN without payload, an integer.
Number Zero(bool negative);
Number Infinity(bool negative);
Number Nan(bool negative);
Number FromInteger(int64_t x);
Number FromUnsigned(uint64_t x);

// Add, multiply. NaNs: the first operand that is one, made quiet. An operation without a value
// gives a negative NaN: so RDNA4 does (hardware tests of amdgpu-sim: infinity - infinity). The
// rounding mode gives the sign of sums that are exactly zero.
Number Add(const Number& a, const Number& b, Rounding rounding);
Number Multiply(const Number& a, const Number& b);
// a * b + c, with one rounding.
Number Fma(const Number& a, const Number& b, const Number& c, Rounding rounding);
Number Divide(const Number& a, const Number& b);
// Negative numbers but -0 give a negative NaN.
Number SquareRoot(const Number& a);

// Returns x * 2^n.
Number Scale(Number x, int64_t n);
Number Negate(Number x);
Number Magnitude(Number x);
Number Quieted(Number x);

enum class Order : uint8_t { kLess, kEqual, kGreater, kUnordered };
// -0 equals +0.
Order Compare(const Number& a, const Number& b);

// Returns the integer next to x in the rounding mode's direction, with x's sign if it is 0.
Number ToIntegral(const Number& x, Rounding rounding);

// Returns x with `bits` bits of significand, rounded to nearest even.
Number ToPrecision(const Number& x, int bits);

// Returns x rounded towards zero and clamped to [low, high]; 0 for NaN.
int64_t ToInteger(const Number& x, int64_t low, int64_t high);

// Returns the exponent of the leading bit: 0 for 1.0 up to 1.99. x must be finite and not zero.
int LeadingExponent(const Number& x);

// Returns the upper 64 bits of the significand, leading bit set, and sets `exponent` so that x is
// about result * 2^exponent. x must be finite and not zero.
uint64_t Leading64(const Number& x, int& exponent);

}  // namespace kiln::sim::rdna2::alu

#endif  // KILN_CORE_SIM_RDNA2_ALU_NUMBER_H_
