#include "core/mid/values/fold.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "core/base/float_bits.h"
#include "core/mid/values/elementary.h"

namespace kiln::mid {
namespace {

using mir::Op;
using mir::Type;
using Bits = std::optional<uint64_t>;

// ---- Integers: of any width, in 64 bits; bits above the width are 0 ----

// Adapts 64-bit arithmetic to a width.
struct Int {
  Type type;
  uint32_t bits = mir::BitsOf(type);
  uint64_t mask = mir::MaskOf(type);

  int64_t Signed(uint64_t x) const { return mir::SignExtend(type, x); }
  uint64_t Wrap(uint64_t x) const { return x & mask; }
  uint64_t HighestBit(uint64_t x) const {
    return x == 0 ? 0xffffffffu : 63u - static_cast<uint32_t>(std::countl_zero(x));
  }
};

Bits FoldUnaryInt(Op op, const Int& t, uint64_t a) {
  switch (op) {
    case Op::kIneg: return t.Wrap(0 - a);
    case Op::kIabs: return t.Signed(a) < 0 ? t.Wrap(0 - a) : a;
    case Op::kIsign: return a == 0 ? 0 : t.Signed(a) < 0 ? t.mask : 1;
    case Op::kBitReverse: {
      uint64_t r = 0;
      for (uint32_t i = 0; i < t.bits; ++i) r |= ((a >> i) & 1) << (t.bits - 1 - i);
      return r;
    }
    case Op::kBitCount: return static_cast<uint64_t>(std::popcount(a));
    case Op::kFindLsb: return a == 0 ? 0xffffffffu : static_cast<uint64_t>(std::countr_zero(a));
    case Op::kFindUmsb: return t.HighestBit(a);
    case Op::kFindSmsb: return t.HighestBit(t.Signed(a) < 0 ? t.Wrap(~a) : a);
    default: return std::nullopt;
  }
}

Bits FoldDivision(Op op, const Int& t, uint64_t a, uint64_t b) {
  if (b == 0) return t.mask;
  const bool by_minus_one = b == t.mask;  // the smallest number / -1 wraps
  switch (op) {
    case Op::kUdiv: return a / b;
    case Op::kUrem: return a % b;
    case Op::kSdiv:
      return t.Wrap(by_minus_one ? 0 - a : static_cast<uint64_t>(t.Signed(a) / t.Signed(b)));
    case Op::kSrem:
      return by_minus_one ? 0 : t.Wrap(static_cast<uint64_t>(t.Signed(a) % t.Signed(b)));
    case Op::kSmod: {
      if (by_minus_one) return 0;
      const int64_t r = t.Signed(a) % t.Signed(b);
      const bool differ = r != 0 && (r < 0) != (t.Signed(b) < 0);
      return t.Wrap(static_cast<uint64_t>(differ ? r + t.Signed(b) : r));
    }
    default: return std::nullopt;
  }
}

Bits FoldProduct(Op op, const Int& t, uint64_t a, uint64_t b) {
  if (op == Op::kImul) return t.Wrap(a * b);
  if (op == Op::kUmulHigh) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(a) * b) >> t.bits);
  }
  return t.Wrap(
      static_cast<uint64_t>((static_cast<__int128>(t.Signed(a)) * t.Signed(b)) >> t.bits));
}

Bits FoldBinaryInt(Op op, const Int& t, uint64_t a, uint64_t b) {
  const uint32_t shift = static_cast<uint32_t>(b & (t.bits - 1));
  switch (op) {
    case Op::kIadd: return t.Wrap(a + b);
    case Op::kIsub: return t.Wrap(a - b);
    case Op::kImul:
    case Op::kUmulHigh:
    case Op::kSmulHigh: return FoldProduct(op, t, a, b);
    case Op::kImin: return t.Signed(a) < t.Signed(b) ? a : b;
    case Op::kImax: return t.Signed(a) > t.Signed(b) ? a : b;
    case Op::kUmin: return a < b ? a : b;
    case Op::kUmax: return a > b ? a : b;
    case Op::kAnd: return a & b;
    case Op::kOr: return a | b;
    case Op::kXor: return a ^ b;
    case Op::kShl: return t.Wrap(a << shift);
    case Op::kUshr: return a >> shift;
    case Op::kAshr: return t.Wrap(static_cast<uint64_t>(t.Signed(a) >> shift));
    case Op::kUaddCarry: return t.Wrap(a + b) < a ? 1 : 0;
    case Op::kUsubBorrow: return a < b ? 1 : 0;
    case Op::kIeq: return a == b;
    case Op::kIne: return a != b;
    case Op::kSlt: return t.Signed(a) < t.Signed(b);
    case Op::kSge: return t.Signed(a) >= t.Signed(b);
    case Op::kUlt: return a < b;
    case Op::kUge: return a >= b;
    default: return FoldDivision(op, t, a, b);
  }
}

Bits FoldBitfield(Op op, const Int& t, absl::Span<const uint64_t> s) {
  const bool insert = op == Op::kBitfieldInsert;
  const uint64_t offset = s[insert ? 2 : 1];
  const uint64_t count = s[insert ? 3 : 2];
  if (offset >= t.bits || count > t.bits - offset) return std::nullopt;
  if (count == 0) return insert ? s[0] : 0;
  const uint64_t field = ~uint64_t{0} >> (64 - count);
  if (insert) return (s[0] & ~(field << offset)) | ((s[1] & field) << offset);
  const uint64_t high = s[0] << (64 - offset - count);
  if (op == Op::kUbitfieldExtract) return high >> (64 - count);
  return t.Wrap(static_cast<uint64_t>(static_cast<int64_t>(high) >> (64 - count)));
}

// ---- Floats: halfs and singles in single precision, doubles in double precision ----

// A float's fields, in bits of the type U.
template <class U>
inline constexpr int kFractionBits = sizeof(U) == 8 ? 52 : 23;
template <class U>
inline constexpr U kFraction = (U{1} << kFractionBits<U>)-1;
template <class U>
inline constexpr int kTopExponent = sizeof(U) == 8 ? 0x7ff : 0xff;
template <class U>
inline constexpr U kSignBit = U{1} << (8 * sizeof(U) - 1);

template <class U>
int Exponent(U bits) {
  return static_cast<int>(bits >> kFractionBits<U>) & kTopExponent<U>;
}
template <class U>
bool IsSubnormal(U bits) {
  return Exponent(bits) == 0 && (bits & kFraction<U>) != 0;
}
template <class U>
bool IsNan(U bits) {
  return Exponent(bits) == kTopExponent<U> && (bits & kFraction<U>) != 0;
}
uint32_t ToBits(float x) { return AsBits(x); }
uint64_t ToBits(double x) { return DoubleBits(x); }
float FromBits(uint32_t bits) { return AsFloat(bits); }
double FromBits(uint64_t bits) { return AsDouble(bits); }

// The bits of a float rounded to half, to nearest even; nothing if a subnormal half is involved.
Bits FloatToHalf(uint32_t bits) {
  const uint32_t sign = (bits >> 16) & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  if (IsNan(bits) || IsSubnormal(bits)) return std::nullopt;
  if (magnitude == 0) return sign;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;  // infinite, or rounds to infinity
  if (magnitude < 0x38800000) return std::nullopt;    // a subnormal half, or rounds to one
  const uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return sign | ((rounded - 0x38000000) >> 13);
}

// Returns nothing for subnormals and NaNs.
Bits HalfToFloat(uint32_t half) {
  const uint32_t sign = (half & 0x8000) << 16;
  const uint32_t exponent = (half >> 10) & 0x1f;
  const uint32_t mantissa = half & 0x3ff;
  if (exponent == 0) return mantissa == 0 ? Bits(sign) : std::nullopt;
  if (exponent == 31) return mantissa == 0 ? Bits(sign | 0x7f800000) : std::nullopt;
  return sign | ((exponent + 112) << 23) | (mantissa << 13);
}

// The bits of the float or double in which a number of the type is computed, if it is neither
// subnormal nor NaN.
Bits Ordinary(Type type, uint64_t bits) {
  if (type == Type::kF16) return HalfToFloat(static_cast<uint32_t>(bits));
  if (type == Type::kF64) return IsSubnormal(bits) || IsNan(bits) ? std::nullopt : Bits(bits);
  const uint32_t x = static_cast<uint32_t>(bits);
  return IsSubnormal(x) || IsNan(x) ? std::nullopt : Bits(x);
}

// A result of that precision; nothing if it depends on how subnormals are treated, or is a NaN,
// whose bits are the hardware's.
Bits FloatResult(Type type, float x) {
  if (type == Type::kF64) return FloatResult(Type::kF32, x) ? Bits(ToBits(double{x})) : Bits();
  const uint32_t bits = ToBits(x);
  if (IsSubnormal(bits) || IsNan(bits)) return std::nullopt;
  return type == Type::kF16 ? FloatToHalf(bits) : Bits(bits);
}

// The same for a double. Numbers that round to the least normal float may have been subnormal
// before; halfs are rounded by way of floats that are exact, since two roundings are not one.
Bits FloatResult(Type type, double x) {
  const uint64_t bits = ToBits(x);
  if (IsSubnormal(bits) || IsNan(bits)) return std::nullopt;
  if (type == Type::kF64) return bits;
  const float narrow = static_cast<float>(x);
  if (x != 0 && std::fabs(x) < 0x1p-126) return std::nullopt;
  if (type == Type::kF16 && narrow != x) return std::nullopt;
  return FloatResult(type, narrow);
}

// Drops the fraction of a finite or infinite float: towards zero, exact.
template <class Float>
Float Truncate(Float x) {
  const auto bits = ToBits(x);
  using U = std::remove_const_t<decltype(bits)>;
  const int exponent = Exponent(bits) - kTopExponent<U> / 2;
  if (exponent >= kFractionBits<U>) return x;
  if (exponent < 0) return FromBits(bits & kSignBit<U>);
  return FromBits(bits & ~(kFraction<U> >> exponent));
}

template <class Float>
Float Floor(Float x) {
  const Float t = Truncate(x);
  return t > x ? t - 1 : t;
}

// -0.5 rounds up to -0, as IEEE says.
template <class Float>
Float Ceil(Float x) {
  const Float t = Truncate(x);
  const Float up = t >= x ? t : t + 1;
  using U = decltype(ToBits(x));
  return FromBits(ToBits(up) | (ToBits(x) & kSignBit<U>));
}

template <class Float>
Float RoundEven(Float x) {
  using U = decltype(ToBits(x));
  constexpr Float kNoFraction = static_cast<Float>(U{1} << kFractionBits<U>);
  const U sign = ToBits(x) & kSignBit<U>;
  // Adding and subtracting such a number rounds to an integer in round-to-nearest-even.
  const Float magnitude = FromBits(ToBits(x) & ~kSignBit<U>);
  if (magnitude >= kNoFraction) return x;
  const Float rounded = (magnitude + kNoFraction) - kNoFraction;
  return FromBits(ToBits(rounded) | sign);
}

// Convert with saturation; x is no NaN.
template <class Float>
uint64_t FloatToSigned(const Int& t, Float x) {
  const auto limit = static_cast<Float>(uint64_t{1} << (t.bits - 1));
  if (x >= limit) return t.mask >> 1;
  if (x <= -limit) return uint64_t{1} << (t.bits - 1);
  return t.Wrap(static_cast<uint64_t>(static_cast<int64_t>(x)));
}
template <class Float>
uint64_t FloatToUnsigned(const Int& t, Float x) {
  if (x <= 0) return 0;
  if (x >= 2 * static_cast<Float>(uint64_t{1} << (t.bits - 1))) return t.mask;
  return static_cast<uint64_t>(x);
}

// 2^x, if it is a normal number.
Bits FoldPower(Type type, double x) {
  if (!(x >= -126 && x < 128)) return std::nullopt;
  return FloatResult(type, static_cast<float>(Exp2(x)));
}

// Ops that targets compute to within some units in the last place: the nearest number, which is as
// valid as any other in that range.
Bits FoldApproximated(Op op, Type type, float a) {
  switch (op) {
    case Op::kFsqrt: return a < 0 ? std::nullopt : FloatResult(type, std::sqrt(a));
    case Op::kFrsq:
      return a <= 0 ? std::nullopt
                    : FloatResult(type, static_cast<float>(1 / std::sqrt(static_cast<double>(a))));
    case Op::kFrcp: return a == 0 ? std::nullopt : FloatResult(type, 1 / a);
    case Op::kFexp2: return FoldPower(type, a);
    case Op::kFlog2:
      if (!(a > 0) || Exponent(ToBits(a)) == 0xff) return std::nullopt;
      return FloatResult(type, static_cast<float>(Log2(a)));
    case Op::kFsin:
      return std::fabs(a) > kMaxAngle ? std::nullopt
                                      : FloatResult(type, static_cast<float>(Sin(a)));
    case Op::kFcos:
      return std::fabs(a) > kMaxAngle ? std::nullopt
                                      : FloatResult(type, static_cast<float>(Cos(a)));
    default: return std::nullopt;
  }
}

// Doubles have one such op, whose result is exact.
Bits FoldApproximated(Op op, Type type, double a) {
  if (op != Op::kFsqrt || a < 0) return std::nullopt;
  return FloatResult(type, std::sqrt(a));
}

template <class Float>
Bits FoldUnaryFloat(Op op, Type type, Float a) {
  using U = decltype(ToBits(a));
  switch (op) {
    case Op::kFneg: return FloatResult(type, -a);
    case Op::kFabs: return FloatResult(type, FromBits(ToBits(a) & ~kSignBit<U>));
    case Op::kFsign: return FloatResult(type, a > 0 ? Float{1} : a < 0 ? Float{-1} : a);
    case Op::kFsaturate: return FloatResult(type, a > 0 ? (a < 1 ? a : Float{1}) : Float{0});
    case Op::kFfloor: return FloatResult(type, Floor(a));
    case Op::kFceil: return FloatResult(type, Ceil(a));
    case Op::kFtrunc: return FloatResult(type, Truncate(a));
    case Op::kFroundEven: return FloatResult(type, RoundEven(a));
    case Op::kFfract:
      if (Exponent(ToBits(a)) == kTopExponent<U>) return std::nullopt;
      return FloatResult(type, a - Floor(a));
    case Op::kF2i: return FloatToSigned({type}, a);
    case Op::kF2u: return FloatToUnsigned({type}, a);
    case Op::kF2f: return FloatResult(type, a);
    case Op::kF2f16: return FloatResult(Type::kF16, a);
    default: return FoldApproximated(op, type, a);
  }
}

template <class Float>
Bits FoldBinaryFloat(Op op, Type type, Float a, Float b) {
  switch (op) {
    case Op::kFadd: return FloatResult(type, a + b);
    case Op::kFsub: return FloatResult(type, a - b);
    case Op::kFmul: return FloatResult(type, a * b);
    case Op::kFdiv: return b == 0 ? std::nullopt : FloatResult(type, a / b);
    case Op::kFmin: return FloatResult(type, a < b ? a : b);
    case Op::kFmax: return FloatResult(type, a > b ? a : b);
    case Op::kFeq: return a == b;
    case Op::kFne: return !(a == b);
    case Op::kFlt: return a < b;
    case Op::kFge: return a >= b;
    case Op::kFpow:
      if (!(a > 0) || !std::isfinite(a)) return std::nullopt;
      return FoldPower(type, b * Log2(a));
    default: return std::nullopt;
  }
}

bool IsNan(Type type, uint64_t bits) {
  if (type == Type::kF64) return IsNan(bits);
  return type == Type::kF16 ? (bits & 0x7fff) > 0x7c00 : IsNan(static_cast<uint32_t>(bits));
}

// Folds an op of one or two sources, at least one of which is a NaN.
Bits FoldNan(Op op, Type result, Type source, absl::Span<const uint64_t> s) {
  switch (op) {
    case Op::kFadd:
    case Op::kFsub:
    case Op::kFmul:
    case Op::kFdiv:
    case Op::kFsqrt:
    case Op::kFrsq:
    case Op::kFrcp:
    case Op::kFexp2:
    case Op::kFlog2:
    case Op::kFsin:
    case Op::kFcos:
    case Op::kFpow:
      return result == Type::kF16 ? 0x7e00 : result == Type::kF32 ? 0x7fc00000 : 0x7ff8000000000000;
    case Op::kFsaturate:
    case Op::kFeq:
    case Op::kFlt:
    case Op::kFge: return 0;
    case Op::kFne: return 1;
    case Op::kFmin:
    case Op::kFmax: {
      const uint64_t other = IsNan(source, s[0]) ? s[1] : s[0];
      return Ordinary(source, other).has_value() ? Bits(other) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

template <class Float>
Bits FoldNumbers(Op op, Type result, absl::Span<const uint64_t> s, Float a, Float b) {
  if (s.size() == 1) return FoldUnaryFloat(op, result, a);
  // If both sources are zeros, the sign of min's and max's result is the hardware's.
  if ((op == Op::kFmin || op == Op::kFmax) && a == b && s[0] != s[1]) return std::nullopt;
  return FoldBinaryFloat(op, result, a, b);
}

// Float operations on numbers that are not subnormal.
Bits FoldFloat(Op op, Type result, Type source, absl::Span<const uint64_t> s) {
  uint64_t x[2] = {0, 0};
  if (s.size() > 2) return std::nullopt;
  if (std::any_of(s.begin(), s.end(), [&](uint64_t bits) { return IsNan(source, bits); })) {
    return FoldNan(op, result, source, s);
  }
  for (size_t i = 0; i < s.size(); ++i) {
    const Bits bits = Ordinary(source, s[i]);
    if (!bits.has_value()) return std::nullopt;
    x[i] = *bits;
  }
  if (source == Type::kF64) return FoldNumbers(op, result, s, AsDouble(x[0]), AsDouble(x[1]));
  const auto single = [](uint64_t bits) { return AsFloat(static_cast<uint32_t>(bits)); };
  return FoldNumbers(op, result, s, single(x[0]), single(x[1]));
}

// An integer as a float. Integers of 2^24 or more are infinite as halfs, so that their inexact
// floats do not matter.
Bits FoldIntToFloat(Type result, bool negative, uint64_t magnitude) {
  if (result == Type::kF64) {
    const auto x = static_cast<double>(magnitude);
    return FloatResult(result, negative ? -x : x);
  }
  const float x = static_cast<float>(magnitude);
  return FloatResult(result, negative ? -x : x);
}

// Returns true if the op's result may be inexact.
bool Rounds(Op op) {
  switch (op) {
    case Op::kFadd:
    case Op::kFsub:
    case Op::kFmul:
    case Op::kFfma:
    case Op::kFdiv:
    case Op::kFrem:
    case Op::kFmod:
    case Op::kFfract:
    case Op::kFsqrt:
    case Op::kFrsq:
    case Op::kFrcp:
    case Op::kFexp2:
    case Op::kFlog2:
    case Op::kFsin:
    case Op::kFcos:
    case Op::kFpow:
    case Op::kI2f:
    case Op::kU2f:
    case Op::kF2f:
    case Op::kF2f16: return true;
    default: return false;
  }
}

}  // namespace

bool IsLeftToTarget(mir::Stage stage, Op op, uint32_t flags) {
  if (stage == mir::Stage::kCompute || (flags & mir::kNoTransform) == 0) return false;
  switch (op) {
    case Op::kFdiv:
    case Op::kFrem:
    case Op::kFmod:
    case Op::kFsqrt:
    case Op::kFrsq:
    case Op::kFrcp:
    case Op::kFexp2:
    case Op::kFlog2:
    case Op::kFsin:
    case Op::kFcos:
    case Op::kFpow: return true;
    default: return false;
  }
}

Bits FoldOp(Op op, Type result, Type source, absl::Span<const uint64_t> s, bool round_to_zero) {
  if (round_to_zero && Rounds(op)) return std::nullopt;
  const Int from = {source};
  switch (op) {
    case Op::kNot: return s[0] ^ mir::MaskOf(result);
    case Op::kSelect: return s[0] ? s[1] : s[2];
    case Op::kBitcast:
    case Op::kZext: return s[0];
    case Op::kTrunc: return s[0] & mir::MaskOf(result);
    case Op::kSext: return static_cast<uint64_t>(from.Signed(s[0])) & mir::MaskOf(result);
    case Op::kI2f: {
      const bool negative = from.Signed(s[0]) < 0;
      return FoldIntToFloat(result, negative, negative ? from.Wrap(0 - s[0]) : s[0]);
    }
    case Op::kU2f: return FoldIntToFloat(result, false, s[0]);
    case Op::kPackF64: return s[1] << 32 | s[0];
    case Op::kF64Low: return s[0] & 0xffffffff;
    case Op::kF64High: return s[0] >> 32;
    case Op::kF16f: return HalfToFloat(static_cast<uint32_t>(s[0] & 0xffff));
    case Op::kBitfieldInsert:
    case Op::kUbitfieldExtract:
    case Op::kSbitfieldExtract: return FoldBitfield(op, from, s);
    default: break;
  }
  if (!mir::Info(op).Has('P') || s.empty()) return std::nullopt;
  if (mir::IsFloat(source)) return FoldFloat(op, result, source, s);
  if (s.size() == 1) return FoldUnaryInt(op, from, s[0]);
  if (s.size() == 2) return FoldBinaryInt(op, from, s[0], s[1]);
  return std::nullopt;
}

}  // namespace kiln::mid
