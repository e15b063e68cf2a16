// Float arithmetic that is exact up to one rounding. One function serves 16, 32 and 64 bits: the
// opcode's types say which. Semantics: RDNA2 ISA guide, chapter 12; the same pseudo code stands in
// AMD's RDNA3 guide, whose measured cases are cited where the guides are silent.
#include "core/sim/rdna2/alu/rows.h"

namespace kiln::sim::rdna2::alu {
namespace {

using amd::isa::Opcode;
using enum Accuracy;

constexpr Rounding kNearest = Rounding::kNearestEven;

Number Old(const Lane& l) {
  const Format format = FormatOf(l.info().dst);
  const bool high = (l.inst().op_sel & 8) != 0 && format == kF16;
  return l.Float(high ? l.in().old >> 16 : l.in().old, format);
}

Number Literal(const Lane& l) { return l.Float(l.inst().literal, FormatOf(l.info().dst)); }

LaneResult AddOf(const Lane& l, const Number& a, const Number& b) {
  return l.FloatResult(Add(a, b, l.rounding()));
}
LaneResult FmaOf(const Lane& l, const Number& a, const Number& b, const Number& c) {
  return l.FloatResult(Fma(a, b, c, l.rounding()));
}

LaneResult AddFloat(const Lane& l) { return AddOf(l, l.Float(0), l.Float(1)); }
LaneResult SubFloat(const Lane& l) { return AddOf(l, l.Float(0), Negate(l.Float(1))); }
LaneResult SubrevFloat(const Lane& l) { return AddOf(l, l.Float(1), Negate(l.Float(0))); }
LaneResult MulFloat(const Lane& l) { return l.FloatResult(Multiply(l.Float(0), l.Float(1))); }
LaneResult FmaFloat(const Lane& l) { return FmaOf(l, l.Float(0), l.Float(1), l.Float(2)); }
LaneResult FmacFloat(const Lane& l) { return FmaOf(l, l.Float(0), l.Float(1), Old(l)); }
// K is the literal: src0 * K + src1, src0 * src1 + K.
LaneResult FmamkFloat(const Lane& l) { return FmaOf(l, l.Float(0), Literal(l), l.Float(1)); }
LaneResult FmaakFloat(const Lane& l) { return FmaOf(l, l.Float(0), l.Float(1), Literal(l)); }

// The "DX9 rules" of *_legacy: zero times anything, infinities and NaNs too, is +0.
bool HasZero(const Number& a, const Number& b) { return a.is_zero() || b.is_zero(); }

LaneResult MulLegacy(const Lane& l) {
  const Number a = l.Float(0), b = l.Float(1);
  return l.FloatResult(HasZero(a, b) ? Zero(false) : Multiply(a, b));
}
LaneResult FmaLegacyOf(const Lane& l, const Number& c) {
  const Number a = l.Float(0), b = l.Float(1);
  return HasZero(a, b) ? l.FloatResult(Quieted(c)) : FmaOf(l, a, b, c);
}

// v_mullit_f32: a product for lighting, -largest where the exponent or base rule it out.
LaneResult Mullit(const Lane& l) {
  const Number a = l.Float(0), b = l.Float(1), c = l.Float(2);
  const Number lowest = Decode(kF32.sign() | kF32.largest(), kF32, true);
  const Order base = Compare(b, lowest), exponent = Compare(c, Zero(false));
  const bool out =
      base == Order::kEqual || base == Order::kLess || b.is_nan() || exponent != Order::kGreater;
  return l.FloatResult(out ? lowest : Multiply(a, b));
}

// ---- Minimum to median ----

LaneResult MinFloat(const Lane& l) {
  return l.FloatResult(Minimum(l.Float(0), l.Float(1), l.mode()));
}
LaneResult MaxFloat(const Lane& l) {
  return l.FloatResult(Maximum(l.Float(0), l.Float(1), l.mode()));
}
Number Min3(const Number& a, const Number& b, const Number& c, const Mode& mode) {
  return Minimum(Minimum(a, b, mode), c, mode);
}
Number Max3(const Number& a, const Number& b, const Number& c, const Mode& mode) {
  return Maximum(Maximum(a, b, mode), c, mode);
}
LaneResult Min3Float(const Lane& l) {
  return l.FloatResult(Min3(l.Float(0), l.Float(1), l.Float(2), l.mode()));
}
LaneResult Max3Float(const Lane& l) {
  return l.FloatResult(Max3(l.Float(0), l.Float(1), l.Float(2), l.mode()));
}
// With a NaN among the operands, the minimum.
LaneResult Med3Float(const Lane& l) {
  const Number a = l.Float(0), b = l.Float(1), c = l.Float(2);
  const Mode& mode = l.mode();
  if (a.is_nan() || b.is_nan() || c.is_nan()) return l.FloatResult(Min3(a, b, c, mode));
  const Number most = Max3(a, b, c, mode);
  if (Compare(most, a) == Order::kEqual) return l.FloatResult(Maximum(b, c, mode));
  if (Compare(most, b) == Order::kEqual) return l.FloatResult(Maximum(a, c, mode));
  return l.FloatResult(Maximum(a, b, mode));
}

// ---- Rounding, parts of numbers ----

template <Rounding kRounding>
LaneResult Integral(const Lane& l) {
  return l.FloatResult(ToIntegral(l.Float(0), kRounding));
}

// x - floor(x), below 1: LLVM 19, ConstantFolding.cpp and InstCombine fold v_fract as the smaller
// of this and the number before 1.
LaneResult Fract(const Lane& l) {
  const Number x = l.Float(0);
  const Format format = FormatOf(l.info().dst);
  if (x.is_infinite()) return l.FloatResult(Nan(true));
  const Number floor = ToIntegral(x, Rounding::kDown);
  const Number rest = Add(x, Negate(floor), l.rounding());
  const uint64_t bits = Encode(rest, format, l.RulesOf(format));
  const uint64_t below_one = format.one() - 1;
  if (rest.is_nan()) return l.FloatResult(rest);
  return l.FloatResult(Decode(bits < format.one() ? bits : below_one, format, true));
}

LaneResult Ldexp(const Lane& l) { return l.FloatResult(Scale(Quieted(l.Float(0)), l.Signed(1))); }

// x = mantissa * 2^exponent, mantissa in [1/2, 1); exponent 0 for zeros, infinities, NaNs.
LaneResult FrexpExponent(const Lane& l) {
  const Number x = l.Float(0);
  const int exponent = x.kind == Number::Kind::kFinite ? LeadingExponent(x) + 1 : 0;
  return l.Result(static_cast<uint32_t>(exponent));
}
LaneResult FrexpMantissa(const Lane& l) {
  const Number x = l.Float(0);
  if (x.kind != Number::Kind::kFinite) return l.FloatResult(Quieted(x));
  return l.FloatResult(Scale(x, -LeadingExponent(x) - 1));
}

// ---- Cube maps: the face of a direction, its coordinates, twice its largest component ----

enum class Axis : uint8_t { kX, kY, kZ };

struct Direction {
  Number x, y, z;
  Axis axis;

  const Number& major() const { return axis == Axis::kX ? x : axis == Axis::kY ? y : z; }
  bool backward() const { return Compare(major(), Zero(false)) == Order::kLess; }
};

bool AtLeast(const Number& a, const Number& b) {
  const Order order = Compare(Magnitude(a), Magnitude(b));
  return order == Order::kGreater || order == Order::kEqual;
}

Direction DirectionOf(const Lane& l) {
  Direction d{l.Float(0), l.Float(1), l.Float(2), Axis::kX};
  if (AtLeast(d.z, d.x) && AtLeast(d.z, d.y)) {
    d.axis = Axis::kZ;
  } else if (AtLeast(d.y, d.x)) {
    d.axis = Axis::kY;
  }
  return d;
}

LaneResult CubeId(const Lane& l) {
  const Direction d = DirectionOf(l);
  return l.FloatResult(FromInteger(2 * static_cast<int>(d.axis) + (d.backward() ? 1 : 0)));
}
LaneResult CubeS(const Lane& l) {
  const Direction d = DirectionOf(l);
  if (d.axis == Axis::kY) return l.FloatResult(Quieted(d.x));
  const bool negate = (d.axis == Axis::kX) != d.backward();
  const Number s = Quieted(d.axis == Axis::kX ? d.z : d.x);
  return l.FloatResult(negate ? Negate(s) : s);
}
LaneResult CubeT(const Lane& l) {
  const Direction d = DirectionOf(l);
  if (d.axis != Axis::kY) return l.FloatResult(Negate(Quieted(d.y)));
  return l.FloatResult(d.backward() ? Negate(Quieted(d.z)) : Quieted(d.z));
}
LaneResult CubeMajor(const Lane& l) {
  const Direction d = DirectionOf(l);
  return l.FloatResult(Scale(Quieted(d.major()), 1));
}

constexpr Row kRows[] = {
    {Opcode::kVAddF16, kExact, AddFloat},
    {Opcode::kVAddF32, kExact, AddFloat},
    {Opcode::kVAddF64, kExact, AddFloat},
    {Opcode::kVSubF16, kExact, SubFloat},
    {Opcode::kVSubF32, kExact, SubFloat},
    {Opcode::kVSubrevF16, kExact, SubrevFloat},
    {Opcode::kVSubrevF32, kExact, SubrevFloat},
    {Opcode::kVMulF16, kExact, MulFloat},
    {Opcode::kVMulF32, kExact, MulFloat},
    {Opcode::kVMulF64, kExact, MulFloat},
    {Opcode::kVMulLegacyF32, kExact, MulLegacy},
    {Opcode::kVFmaF16, kExact, FmaFloat},
    {Opcode::kVFmaF32, kExact, FmaFloat},
    {Opcode::kVFmaF64, kExact, FmaFloat},
    {Opcode::kVFmaLegacyF32, kExact, [](const Lane& l) { return FmaLegacyOf(l, l.Float(2)); }},
    {Opcode::kVFmacF16, kExact, FmacFloat},
    {Opcode::kVFmacF32, kExact, FmacFloat},
    {Opcode::kVFmacLegacyF32, kExact, [](const Lane& l) { return FmaLegacyOf(l, Old(l)); }},
    {Opcode::kVFmamkF16, kExact, FmamkFloat},
    {Opcode::kVFmamkF32, kExact, FmamkFloat},
    {Opcode::kVFmaakF16, kExact, FmaakFloat},
    {Opcode::kVFmaakF32, kExact, FmaakFloat},
    {Opcode::kVMullitF32, kExact, Mullit},
    {Opcode::kVMinF16, kExact, MinFloat},
    {Opcode::kVMinF32, kExact, MinFloat},
    {Opcode::kVMinF64, kExact, MinFloat},
    {Opcode::kVMaxF16, kExact, MaxFloat},
    {Opcode::kVMaxF32, kExact, MaxFloat},
    {Opcode::kVMaxF64, kExact, MaxFloat},
    {Opcode::kVMin3F16, kExact, Min3Float},
    {Opcode::kVMin3F32, kExact, Min3Float},
    {Opcode::kVMax3F16, kExact, Max3Float},
    {Opcode::kVMax3F32, kExact, Max3Float},
    {Opcode::kVMed3F16, kExact, Med3Float},
    {Opcode::kVMed3F32, kExact, Med3Float},
    {Opcode::kVTruncF16, kExact, Integral<Rounding::kZero>},
    {Opcode::kVTruncF32, kExact, Integral<Rounding::kZero>},
    {Opcode::kVTruncF64, kExact, Integral<Rounding::kZero>},
    {Opcode::kVCeilF16, kExact, Integral<Rounding::kUp>},
    {Opcode::kVCeilF32, kExact, Integral<Rounding::kUp>},
    {Opcode::kVCeilF64, kExact, Integral<Rounding::kUp>},
    {Opcode::kVFloorF16, kExact, Integral<Rounding::kDown>},
    {Opcode::kVFloorF32, kExact, Integral<Rounding::kDown>},
    {Opcode::kVFloorF64, kExact, Integral<Rounding::kDown>},
    {Opcode::kVRndneF16, kExact, Integral<kNearest>},
    {Opcode::kVRndneF32, kExact, Integral<kNearest>},
    {Opcode::kVRndneF64, kExact, Integral<kNearest>},
    {Opcode::kVFractF16, kExact, Fract},
    {Opcode::kVFractF32, kExact, Fract},
    {Opcode::kVFractF64, kExact, Fract},
    {Opcode::kVLdexpF16, kExact, Ldexp},
    {Opcode::kVLdexpF32, kExact, Ldexp},
    {Opcode::kVLdexpF64, kExact, Ldexp},
    {Opcode::kVFrexpExpI16F16, kExact, FrexpExponent},
    {Opcode::kVFrexpExpI32F32, kExact, FrexpExponent},
    {Opcode::kVFrexpExpI32F64, kExact, FrexpExponent},
    {Opcode::kVFrexpMantF16, kExact, FrexpMantissa},
    {Opcode::kVFrexpMantF32, kExact, FrexpMantissa},
    {Opcode::kVFrexpMantF64, kExact, FrexpMantissa},
    {Opcode::kVCubeidF32, kExact, CubeId},
    {Opcode::kVCubescF32, kExact, CubeS},
    {Opcode::kVCubetcF32, kExact, CubeT},
    {Opcode::kVCubemaF32, kExact, CubeMajor},
};

// In IEEE mode a signalling NaN is the result, made quiet; otherwise a NaN loses to a number.
// -0 is less than +0. Source: pseudo code of v_min_f32 in AMD's RDNA guides.
Number Extreme(const Number& a, const Number& b, const Mode& mode, bool least) {
  if (mode.ieee && a.signalling) return Quieted(a);
  if (mode.ieee && b.signalling) return Quieted(b);
  if (b.is_nan()) return a;
  if (a.is_nan()) return b;
  const Order order = Compare(a, b);
  if (order == Order::kEqual) return a.negative == least ? a : b;
  return (order == Order::kLess) == least ? a : b;
}

}  // namespace

Number Minimum(const Number& a, const Number& b, const Mode& mode) {
  return Extreme(a, b, mode, true);
}
Number Maximum(const Number& a, const Number& b, const Mode& mode) {
  return Extreme(a, b, mode, false);
}

absl::Span<const Row> FloatRows() { return kRows; }

}  // namespace kiln::sim::rdna2::alu
