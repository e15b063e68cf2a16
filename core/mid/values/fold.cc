#include "core/mid/values/fold.h"

#include <algorithm>
#include <bit>
#include <cmath>

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

// ---- Floats: in single precision ----

uint32_t Exponent(uint32_t bits) { return (bits >> 23) & 0xff; }
bool IsSubnormal(uint32_t bits) { return Exponent(bits) == 0 && (bits & 0x7fffff) != 0; }
bool IsNan(uint32_t bits) { return Exponent(bits) == 0xff && (bits & 0x7fffff) != 0; }

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

// The bits as a float, of a number of either precision that is neither subnormal nor NaN.
Bits Ordinary(Type type, uint64_t bits) {
  if (type == Type::kF16) return HalfToFloat(static_cast<uint32_t>(bits));
  const uint32_t x = static_cast<uint32_t>(bits);
  return IsSubnormal(x) || IsNan(x) ? std::nullopt : Bits(x);
}

// A result of that precision; nothing if it depends on how subnormals are treated, or is a NaN,
// whose bits are the hardware's.
Bits FloatResult(Type type, float x) {
  const uint32_t bits = AsBits(x);
  if (IsSubnormal(bits) || IsNan(bits)) return std::nullopt;
  return type == Type::kF16 ? FloatToHalf(bits) : Bits(bits);
}

// Drops the fraction of a finite or infinite float: towards zero, exact.
uint32_t Truncate(uint32_t bits) {
  const int exponent = static_cast<int>(Exponent(bits)) - 127;
  if (exponent >= 23) return bits;
  if (exponent < 0) return bits & 0x80000000u;
  return bits & ~(0x7fffffu >> exponent);
}

float Floor(float x) {
  const float t = AsFloat(Truncate(AsBits(x)));
  return t > x ? t - 1.0f : t;
}

// -0.5 rounds up to -0, as IEEE says.
float Ceil(float x) {
  const float t = AsFloat(Truncate(AsBits(x)));
  const float up = t >= x ? t : t + 1.0f;
  return AsFloat(AsBits(up) | (AsBits(x) & 0x80000000u));
}

float RoundEven(float x) {
  const uint32_t sign = AsBits(x) & 0x80000000u;
  if (Exponent(AsBits(x)) >= 127 + 23) return x;
  // Adding and subtracting 2^23 rounds to an integer in round-to-nearest-even.
  const float magnitude = AsFloat(AsBits(x) & 0x7fffffffu);
  const float rounded = (magnitude + 8388608.0f) - 8388608.0f;
  return AsFloat(AsBits(rounded) | sign);
}

// Converts with saturation; x is no NaN.
uint64_t FloatToSigned(const Int& t, float x) {
  const float limit = static_cast<float>(uint64_t{1} << (t.bits - 1));
  if (x >= limit) return t.mask >> 1;
  if (x <= -limit) return uint64_t{1} << (t.bits - 1);
  return t.Wrap(static_cast<uint64_t>(static_cast<int64_t>(x)));
}
uint64_t FloatToUnsigned(const Int& t, float x) {
  if (x <= 0.0f) return 0;
  if (x >= 2.0f * static_cast<float>(uint64_t{1} << (t.bits - 1))) return t.mask;
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
      if (!(a > 0) || Exponent(AsBits(a)) == 0xff) return std::nullopt;
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

Bits FoldUnaryFloat(Op op, Type type, float a) {
  switch (op) {
    case Op::kFneg: return FloatResult(type, -a);
    case Op::kFabs: return FloatResult(type, a < 0 || AsBits(a) == 0x80000000u ? -a : a);
    case Op::kFsign: return FloatResult(type, a > 0 ? 1.0f : a < 0 ? -1.0f : a);
    case Op::kFsaturate: return FloatResult(type, a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f);
    case Op::kFfloor: return FloatResult(type, Floor(a));
    case Op::kFceil: return FloatResult(type, Ceil(a));
    case Op::kFtrunc: return FloatResult(type, AsFloat(Truncate(AsBits(a))));
    case Op::kFroundEven: return FloatResult(type, RoundEven(a));
    case Op::kFfract:
      if (Exponent(AsBits(a)) == 0xff) return std::nullopt;
      return FloatResult(type, a - Floor(a));
    case Op::kF2i: return FloatToSigned({type}, a);
    case Op::kF2u: return FloatToUnsigned({type}, a);
    case Op::kF2f: return FloatResult(type, a);
    case Op::kF2f16: return FloatToHalf(AsBits(a));
    default: return FoldApproximated(op, type, a);
  }
}

Bits FoldBinaryFloat(Op op, Type type, float a, float b) {
  switch (op) {
    case Op::kFadd: return FloatResult(type, a + b);
    case Op::kFsub: return FloatResult(type, a - b);
    case Op::kFmul: return FloatResult(type, a * b);
    case Op::kFdiv: return b == 0.0f ? std::nullopt : FloatResult(type, a / b);
    case Op::kFmin: return FloatResult(type, a < b ? a : b);
    case Op::kFmax: return FloatResult(type, a > b ? a : b);
    case Op::kFeq: return a == b;
    case Op::kFne: return !(a == b);
    case Op::kFlt: return a < b;
    case Op::kFge: return a >= b;
    case Op::kFpow:
      if (!(a > 0) || Exponent(AsBits(a)) == 0xff) return std::nullopt;
      return FoldPower(type, b * Log2(a));
    default: return std::nullopt;
  }
}

bool IsNan(Type type, uint64_t bits) {
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
    case Op::kFpow: return result == Type::kF16 ? 0x7e00 : 0x7fc00000;
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

// Float operations on numbers that are not subnormal.
Bits FoldFloat(Op op, Type result, Type source, absl::Span<const uint64_t> s) {
  float x[2] = {0, 0};
  if (s.size() > 2) return std::nullopt;
  if (std::any_of(s.begin(), s.end(), [&](uint64_t bits) { return IsNan(source, bits); })) {
    return FoldNan(op, result, source, s);
  }
  for (size_t i = 0; i < s.size(); ++i) {
    const Bits bits = Ordinary(source, s[i]);
    if (!bits.has_value()) return std::nullopt;
    x[i] = AsFloat(static_cast<uint32_t>(*bits));
  }
  if (s.size() == 1) return FoldUnaryFloat(op, result, x[0]);
  // If both sources are zeros, the sign of min's and max's result is the hardware's.
  if ((op == Op::kFmin || op == Op::kFmax) && x[0] == x[1] && s[0] != s[1]) return std::nullopt;
  return FoldBinaryFloat(op, result, x[0], x[1]);
}

// An integer as a float. Integers of 2^24 or more are infinite as halfs, so that their inexact
// floats do not matter.
Bits FoldIntToFloat(Type result, bool negative, uint64_t magnitude) {
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
