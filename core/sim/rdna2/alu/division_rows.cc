// The steps of an exact division: v_div_scale, v_div_fmas, v_div_fixup.
//
// Semantics: RDNA2 ISA guide, chapter 12. Its pseudo code has three slips, decided by what the
// sequence must give (division_test.cc: a / b correctly rounded) and by public measurements:
//   * v_div_scale, 1 / b and a / b both subnormal: the guide scales b, which is at least 2^126, up
//     by 2^64, which is infinite. It goes down (RDNA4, hardware tests of amdgpu-sim). The mask is
//     set as well for zeros, infinities and NaNs (RDNA3 and RDNA4), and a quotient counts as
//     subnormal if the exponents alone allow it (RDNA3).
//   * v_div_fmas: the guide multiplies by 2^32 (2^64 for f64). GCN (CLRX's manual, "GCN ISA VOP3
//     instructions") and RDNA3 (hardware tests of tinygrad, TestDivFmas) multiply by 2^64 if src2
//     is 2 or more and by 2^-64 otherwise; f64: 2^128, 2^-128. That is what undoes v_div_scale.
//   * v_div_fixup: the guide's last case asks for an exponent of all ones of b, which earlier
//     cases have excluded; measured on RDNA3 it is src0's.
// "Subnormal" of a quotient is by its exact value, so a quotient that would round to 0 counts.
#include <algorithm>

#include "core/sim/rdna2/alu/rows.h"

namespace kiln::sim::rdna2::alu {
namespace {

using amd::isa::Opcode;
using enum Accuracy;

struct Limits {
  int far_apart;  // exponents whose difference makes a quotient near the largest number
  int scaling;    // exponent of the factor
  int tiny;       // biased exponent of a numerator that is scaled
  int underflow;  // difference of exponents below which the quotient is 0
};
constexpr Limits kLimits32{96, 64, 23, -150}, kLimits64{768, 128, 53, -1075};

const Limits& LimitsOf(Format format) { return format == kF64 ? kLimits64 : kLimits32; }

// The exponent as the format has it: 0 for zeros and subnormal numbers, all ones for the rest.
int Field(const Number& x, Format format) {
  if (x.is_zero()) return 0;
  if (x.kind != Number::Kind::kFinite) return 2 * format.bias() + 1;
  return std::max(0, LeadingExponent(x) + format.bias());
}

bool IsSubnormal(const Number& x, Format format) {
  return x.kind == Number::Kind::kFinite && LeadingExponent(x) < 1 - format.bias();
}

struct Scaled {
  Number value;
  bool undo;  // v_div_fmas must scale the quotient
};

// src0 is the numerator or the denominator.
Scaled ScaleForDivision(const Number& x, const Number& denominator, const Number& numerator,
                        Format format) {
  const Limits& limits = LimitsOf(format);
  if (denominator.is_zero() || numerator.is_zero()) return {Nan(true), true};
  if (!denominator.is_finite()) return {x, true};
  const bool is_denominator = Compare(x, denominator) == Order::kEqual;
  const bool is_numerator = Compare(x, numerator) == Order::kEqual;
  const auto scaled = [&x](bool scales, int n) { return scales ? Scale(x, n) : x; };
  const int distance = Field(numerator, format) - Field(denominator, format);
  if (distance >= limits.far_apart) {
    return {scaled(is_denominator, limits.scaling), true};
  }
  if (IsSubnormal(denominator, format)) return {scaled(true, limits.scaling), false};
  const bool small_reciprocal = IsSubnormal(Divide(FromUnsigned(1), denominator), format);
  const bool small_quotient =
      IsSubnormal(Divide(numerator, denominator), format) || distance <= 1 - format.bias();
  if (small_reciprocal && small_quotient) {
    return {scaled(is_denominator, -limits.scaling), true};
  }
  if (small_reciprocal) return {scaled(true, -limits.scaling), false};
  if (small_quotient) return {scaled(is_numerator, limits.scaling), true};
  return {scaled(Field(numerator, format) <= limits.tiny, limits.scaling), false};
}

LaneResult DivScale(const Lane& l) {
  const Scaled s = ScaleForDivision(l.Float(0), l.Float(1), l.Float(2), FormatOf(l.info().dst));
  LaneResult r = l.FloatResult(Quieted(s.value));
  r.mask_bit = s.undo;
  return r;
}

LaneResult DivFmas(const Lane& l) {
  const Format format = FormatOf(l.info().dst);
  const Number c = l.Float(2), sum = Fma(l.Float(0), l.Float(1), c, l.rounding());
  if (!l.in().mask_bit) return l.FloatResult(sum);
  const int n = LimitsOf(format).scaling;
  return l.FloatResult(Scale(sum, Field(c, format) > format.bias() ? n : -n));
}

// Far beyond every format: Encode makes the mode's overflow and underflow of them.
constexpr int kHuge = 1 << 18;

Number FixedUp(const Number& quotient, const Number& denominator, const Number& numerator,
               Format format) {
  const bool negative = denominator.negative != numerator.negative;
  if (numerator.is_nan()) return Quieted(numerator);
  if (denominator.is_nan()) return Quieted(denominator);
  if (denominator.is_zero() && numerator.is_zero()) return Nan(true);
  if (denominator.is_infinite() && numerator.is_infinite()) return Nan(true);
  if (denominator.is_zero() || numerator.is_infinite()) return Infinity(negative);
  if (denominator.is_infinite() || numerator.is_zero()) return Zero(negative);
  const auto with_sign = [negative](Number x) {
    x.negative = negative;
    return x;
  };
  if (format == kF16) return with_sign(Quieted(quotient));
  if (Field(numerator, format) - Field(denominator, format) < LimitsOf(format).underflow) {
    return with_sign(Scale(FromUnsigned(1), -kHuge));
  }
  if (!quotient.is_finite()) return with_sign(Scale(FromUnsigned(1), kHuge));
  return with_sign(quotient);
}

LaneResult DivFixup(const Lane& l) {
  return l.FloatResult(FixedUp(l.Float(0), l.Float(1), l.Float(2), FormatOf(l.info().dst)));
}

constexpr Row kRows[] = {
    {Opcode::kVDivScaleF32, kExact, DivScale}, {Opcode::kVDivScaleF64, kExact, DivScale},
    {Opcode::kVDivFmasF32, kExact, DivFmas},   {Opcode::kVDivFmasF64, kExact, DivFmas},
    {Opcode::kVDivFixupF16, kExact, DivFixup}, {Opcode::kVDivFixupF32, kExact, DivFixup},
    {Opcode::kVDivFixupF64, kExact, DivFixup},
};

}  // namespace

absl::Span<const Row> DivisionRows() { return kRows; }

}  // namespace kiln::sim::rdna2::alu
