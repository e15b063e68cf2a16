// The meaning of MIR's pure operations, on the bits of one lane.
//
// One definition for the interpreter (over all lanes of a workgroup) and for tests of constant
// folding: both call VisitExact with a visitor. The visitor receives a function that takes one
// unsigned integer for each source of the op, as wide as its type. Everything here is exact or
// correctly rounded, so it is the same on every machine: IEEE double, single and half precision,
// round to nearest even (to zero where the interpreter has set the host so), std::fma, floor and
// the like; no other libm. Transcendental ops are not here; see ../oracle/numbers.cc.
//
// Half precision is computed in single precision and rounded once more, which for + - * / and the
// square root is the same as rounding once, since 24 >= 2 * 11 + 2 (S. Figueroa, "When is double
// rounding innocuous?", 1995). ffma rounds the exact sum, see RoundedSum.
//
// NaN: an arithmetic result that is NaN is quiet and positive without a payload. fneg, fabs,
// select, bitcast move bits. min/max give the other operand if one is NaN; of -0 and +0 the second
// operand. fsign keeps the sign of zeros, and of NaN with magnitude 1.
//
// Flushing, for each of the three precisions: operands and results of float arithmetic, comparison,
// rounding and conversion that are subnormal become zero of the same sign. (Mesa's drivers dispatch
// with single precision flushed and the others kept; Vulkan allows either unless float controls say
// otherwise.) f2f16 and f16f keep subnormal halfs.
//
// frem and fmod are x - y * trunc(x / y) and x - y * floor(x / y), each step rounded: the
// expression from which Vulkan derives their precision.
//
// Bit fields: offsets modulo the width; counts of the width or more mean all bits. Shift counts:
// modulo the width.
#ifndef KILN_CORE_MIR_SEMANTICS_H_
#define KILN_CORE_MIR_SEMANTICS_H_

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/base/float_bits.h"
#include "core/mir/mir.h"

namespace kiln::mir::semantics {

inline constexpr uint32_t kQuietNan = 0x7fc00000u;
inline constexpr uint64_t kQuietNanDouble = 0x7ff8000000000000u;

// The bits of the NaN that arithmetic of a float type gives.
constexpr uint64_t QuietNan(Type type) {
  return type == Type::kF16 ? 0x7e00 : type == Type::kF32 ? kQuietNan : kQuietNanDouble;
}

// ---- Half precision ----

// Rounds to half precision: to nearest even, or to zero if the host rounds so. A NaN becomes 0x7e00
// with its sign.
inline uint16_t RoundToHalf(double d) {
  const uint64_t x = std::bit_cast<uint64_t>(d);
  const uint32_t sign = static_cast<uint32_t>(x >> 48) & 0x8000u;
  const uint64_t magnitude = x & ~(uint64_t{1} << 63);
  if (magnitude > 0x7ff0000000000000u) return static_cast<uint16_t>(sign | 0x7e00u);
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  const bool to_zero = std::fegetround() == FE_TOWARDZERO;
  if (exponent >= 16) {
    const bool infinite = !to_zero || magnitude == 0x7ff0000000000000u;
    return static_cast<uint16_t>(sign | (infinite ? 0x7c00u : 0x7bffu));
  }
  if (exponent < -25) return static_cast<uint16_t>(sign);  // below half of the smallest subnormal
  const uint64_t significand = (magnitude & 0xfffffffffffffu) | uint64_t{1} << 52;
  // Normal halfs keep 11 bits of 53; each step below 2^-14 keeps one less.
  const int dropped = exponent >= -14 ? 42 : 42 + (-14 - exponent);
  uint64_t half = significand >> dropped;
  if (exponent >= -14) half += static_cast<uint64_t>(exponent + 14) << 10;
  const uint64_t rest = significand & ((uint64_t{1} << dropped) - 1);
  const uint64_t tie = uint64_t{1} << (dropped - 1);
  // A carry propagates into the exponent, so that 65520 and more become infinity.
  if (!to_zero && (rest > tie || (rest == tie && (half & 1) != 0))) ++half;
  return static_cast<uint16_t>(sign | half);
}
inline uint32_t FloatToHalf(uint32_t x) { return RoundToHalf(AsFloat(x)); }
inline uint32_t HalfToFloat(uint32_t h) {
  const uint32_t sign = (h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 31;
  const uint32_t fraction = h & 0x3ffu;
  if (exponent == 31) return fraction != 0 ? kQuietNan : sign | 0x7f800000u;
  if (exponent != 0) return sign | ((exponent + 112) << 23) | (fraction << 13);
  // Subnormal: fraction * 2^-24, exact in single precision.
  return sign | AsBits(static_cast<float>(fraction) * 0x1p-24f);
}

// Returns a + b as a double whose last bit is set if the sum was inexact ("round to odd"). Rounding
// that to a format with at least two bits less gives the same as rounding the exact sum. Source: S.
// Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums", 2008.
inline double RoundedSum(double a, double b) {
  const double sum = a + b;
  // Truncating twice equals truncating once.
  if (!std::isfinite(sum) || std::fegetround() == FE_TOWARDZERO) return sum;
  const double b_part = sum - a;
  const double lost = (a - (sum - b_part)) + (b - b_part);  // Knuth's TwoSum: exact
  const int64_t bits = std::bit_cast<int64_t>(sum);
  if (lost == 0 || (bits & 1) != 0) return sum;
  const bool away = (lost > 0) == (sum > 0);
  return std::bit_cast<double>(away ? bits + 1 : bits - 1);
}

// Rounds to the nearest integer, ties to even, in any rounding mode of the host.
template <class Float>
Float ToNearestInteger(Float x) {
  constexpr int kDigits = std::numeric_limits<Float>::digits;
  constexpr Float kNoFraction = static_cast<Float>(uint64_t{1} << (kDigits - 1));
  if (!(std::fabs(x) < kNoFraction)) return x;
  const Float below = std::floor(x);
  const Float rest = x - below;  // exact
  const bool up = rest > Float{0.5} || (rest == Float{0.5} && std::fmod(below, Float{2}) != 0);
  return std::copysign(up ? below + 1 : below, x);
}

// ---- Floats by precision ----

// A precision: U, the type of its bits, and conversions to and from the type it is computed in.
template <bool kFlush>
struct Single {
  using U = uint32_t;
  static constexpr U kSign = 0x80000000u, kOne = 0x3f800000u;
  static float In(U x) {
    if (kFlush && (x & 0x7f800000u) == 0) x &= kSign;
    return AsFloat(x);
  }
  static U Out(float f) {
    U x = AsBits(f);
    if (kFlush && (x & 0x7f800000u) == 0) x &= kSign;
    return f != f ? kQuietNan : x;
  }
  static U OutDouble(double d) { return Out(static_cast<float>(d)); }
  static U Fma(float a, float b, float c) { return Out(std::fma(a, b, c)); }
  template <class Int>
  static U FromInt(Int x) {
    return AsBits(static_cast<float>(x));
  }
};

template <bool kFlush>
struct Half {
  using U = uint16_t;
  static constexpr U kSign = 0x8000u, kOne = 0x3c00u;
  static float In(U x) {
    if (kFlush && (x & 0x7c00u) == 0) x &= kSign;
    return AsFloat(HalfToFloat(x));
  }
  static U OutDouble(double d) {
    U x = RoundToHalf(d);
    if (kFlush && (x & 0x7c00u) == 0) x &= kSign;
    return d != d ? U{0x7e00} : x;
  }
  static U Out(float f) { return OutDouble(f); }
  // The product of two halfs is exact in double precision.
  static U Fma(float a, float b, float c) {
    return OutDouble(RoundedSum(static_cast<double>(a) * b, c));
  }
  // Integers of 2^17 or more become infinity, smaller ones are exact in double precision.
  template <class Int>
  static U FromInt(Int x) {
    return RoundToHalf(static_cast<double>(x));
  }
};

template <bool kFlush>
struct Double {
  using U = uint64_t;
  static constexpr U kSign = uint64_t{1} << 63, kOne = 0x3ff0000000000000u;
  static U Flushed(U x) { return kFlush && (x & 0x7ff0000000000000u) == 0 ? x & kSign : x; }
  static double In(U x) { return AsDouble(Flushed(x)); }
  static U Out(double d) { return d != d ? kQuietNanDouble : Flushed(DoubleBits(d)); }
  static U OutDouble(double d) { return Out(d); }
  static U Fma(double a, double b, double c) { return Out(std::fma(a, b, c)); }
  template <class Int>
  static U FromInt(Int x) {
    return DoubleBits(static_cast<double>(x));
  }
};

// ---- Integers by width ----

template <class U>
struct Integer {
  using S = std::make_signed_t<U>;
  static constexpr uint32_t kBits = sizeof(U) * 8;
  // Arithmetic on unsigned types that are promoted to int would be signed.
  using W = std::conditional_t<(sizeof(U) < 4), uint32_t, U>;
  using Wide = std::conditional_t<sizeof(U) == 8, unsigned __int128, uint64_t>;
  using SignedWide = std::conditional_t<sizeof(U) == 8, __int128, int64_t>;
  static constexpr U kOnes = static_cast<U>(~U{0});

  static S Signed(U x) { return static_cast<S>(x); }
  static U Mul(U a, U b) { return static_cast<U>(W{a} * W{b}); }
  static U Neg(U a) { return static_cast<U>(W{0} - a); }

  static U Div(U a, U b) {
    if (b == 0) return kOnes;
    if (b == kOnes) return Neg(a);  // the smallest number / -1 wraps
    return static_cast<U>(Signed(a) / Signed(b));
  }
  static U Rem(U a, U b) {
    if (b == 0) return kOnes;
    if (b == kOnes) return 0;
    return static_cast<U>(Signed(a) % Signed(b));
  }
  static U Mod(U a, U b) {
    const U r = Rem(a, b);
    if (b == 0 || r == 0) return r;
    return Signed(static_cast<U>(r ^ b)) < 0 ? static_cast<U>(r + b) : r;
  }

  static U Shl(U a, uint32_t n) { return static_cast<U>(W{a} << (n % kBits)); }
  static U Ushr(U a, uint32_t n) { return static_cast<U>(a >> (n % kBits)); }
  static U Ashr(U a, uint32_t n) { return static_cast<U>(Signed(a) >> (n % kBits)); }
  static U LowBits(uint32_t count) {
    return count >= kBits ? kOnes : static_cast<U>((W{1} << count) - 1);
  }
  static U Insert(U base, U insert, uint32_t offset, uint32_t count) {
    const U mask = Shl(LowBits(count), offset);
    return static_cast<U>((base & ~mask) | (Shl(insert, offset) & mask));
  }
  static U UnsignedExtract(U x, uint32_t offset, uint32_t count) {
    return static_cast<U>(Ushr(x, offset) & LowBits(count));
  }
  static U SignedExtract(U x, uint32_t offset, uint32_t count) {
    if (count == 0) return 0;
    if (count >= kBits) return Ashr(x, offset);
    const U field = UnsignedExtract(x, offset, count);
    return (field >> (count - 1)) & 1 ? static_cast<U>(field | ~LowBits(count)) : field;
  }
  static U Reverse(U x) {
    U r = 0;
    for (uint32_t i = 0; i < kBits; ++i) r = static_cast<U>(r << 1 | ((x >> i) & 1));
    return r;
  }
  static uint32_t HighestBit(U x) {
    return x == 0 ? ~0u : kBits - 1 - static_cast<uint32_t>(std::countl_zero(x));
  }
  // Convert with saturation, from a float or double.
  template <class Float>
  static U FromFloatSigned(Float f) {
    constexpr Float kLimit = static_cast<Float>(uint64_t{1} << (kBits - 1));
    if (f != f) return 0;
    if (f >= kLimit) return static_cast<U>(std::numeric_limits<S>::max());
    if (f <= -kLimit) return static_cast<U>(std::numeric_limits<S>::min());
    return static_cast<U>(static_cast<int64_t>(f));
  }
  template <class Float>
  static U FromFloatUnsigned(Float f) {
    constexpr Float kLimit = 2 * static_cast<Float>(uint64_t{1} << (kBits - 1));
    if (!(f > 0)) return 0;  // NaN too
    if (f >= kLimit) return kOnes;
    return static_cast<U>(static_cast<uint64_t>(f));
  }
};

// Calls v with a value of the unsigned integer type that has the type's bits. A bool is 0 or 1.
template <class V>
void VisitInt(Type type, V&& v) {
  switch (BitsOf(type)) {
    case 64: return v(uint64_t{});
    case 32: return v(uint32_t{});
    case 16: return v(uint16_t{});
    default: return v(uint8_t{});
  }
}

// The precisions in which subnormals are flushed.
struct Flush {
  bool single = false;
  bool half = false;
  bool twice = false;  // double precision
};

// Calls v with a Single, Half or Double.
template <class V>
void VisitFloat(Type type, Flush flush, V&& v) {
  if (type == Type::kF16) {
    if (flush.half) return v(Half<true>());
    return v(Half<false>());
  }
  if (type == Type::kF64) {
    if (flush.twice) return v(Double<true>());
    return v(Double<false>());
  }
  if (flush.single) return v(Single<true>());
  return v(Single<false>());
}

// ---- The ops ----

// Ops on integers of one width (and bools) with results of that width, of bool or of i32.
template <class U, class Visitor>
bool VisitInteger(Op op, Visitor&& v) {
  using I = Integer<U>;
  using Wide = typename I::Wide;
  using SignedWide = typename I::SignedWide;
  constexpr auto sign = [](U a) { return I::Signed(a); };
  switch (op) {
    case Op::kIadd: v([](U a, U b) { return static_cast<U>(a + b); }); return true;
    case Op::kIsub: v([](U a, U b) { return static_cast<U>(a - b); }); return true;
    case Op::kImul: v([](U a, U b) { return I::Mul(a, b); }); return true;
    case Op::kUmulHigh:
      v([](U a, U b) { return static_cast<U>((Wide{a} * b) >> I::kBits); });
      return true;
    case Op::kSmulHigh:
      v([=](U a, U b) { return static_cast<U>((SignedWide{sign(a)} * sign(b)) >> I::kBits); });
      return true;
    case Op::kUdiv:
      v([](U a, U b) { return b == 0 ? I::kOnes : static_cast<U>(a / b); });
      return true;
    case Op::kSdiv: v([](U a, U b) { return I::Div(a, b); }); return true;
    case Op::kUrem:
      v([](U a, U b) { return b == 0 ? I::kOnes : static_cast<U>(a % b); });
      return true;
    case Op::kSrem: v([](U a, U b) { return I::Rem(a, b); }); return true;
    case Op::kSmod: v([](U a, U b) { return I::Mod(a, b); }); return true;
    case Op::kIneg: v([](U a) { return I::Neg(a); }); return true;
    case Op::kIabs: v([=](U a) { return sign(a) < 0 ? I::Neg(a) : a; }); return true;
    case Op::kIsign:
      v([=](U a) { return static_cast<U>((sign(a) > 0) - (sign(a) < 0)); });
      return true;
    case Op::kImin: v([=](U a, U b) { return sign(a) < sign(b) ? a : b; }); return true;
    case Op::kImax: v([=](U a, U b) { return sign(a) > sign(b) ? a : b; }); return true;
    case Op::kUmin: v([](U a, U b) { return a < b ? a : b; }); return true;
    case Op::kUmax: v([](U a, U b) { return a > b ? a : b; }); return true;
    case Op::kAnd: v([](U a, U b) { return static_cast<U>(a & b); }); return true;
    case Op::kOr: v([](U a, U b) { return static_cast<U>(a | b); }); return true;
    case Op::kXor: v([](U a, U b) { return static_cast<U>(a ^ b); }); return true;
    case Op::kShl: v([](U a, uint32_t b) { return I::Shl(a, b); }); return true;
    case Op::kUshr: v([](U a, uint32_t b) { return I::Ushr(a, b); }); return true;
    case Op::kAshr: v([](U a, uint32_t b) { return I::Ashr(a, b); }); return true;
    case Op::kUaddCarry:
      v([](U a, U b) { return static_cast<U>(static_cast<U>(a + b) < a); });
      return true;
    case Op::kUsubBorrow: v([](U a, U b) { return static_cast<U>(a < b); }); return true;
    case Op::kBitfieldInsert:
      v([](U a, U b, uint32_t c, uint32_t d) { return I::Insert(a, b, c, d); });
      return true;
    case Op::kUbitfieldExtract:
      v([](U a, uint32_t b, uint32_t c) { return I::UnsignedExtract(a, b, c); });
      return true;
    case Op::kSbitfieldExtract:
      v([](U a, uint32_t b, uint32_t c) { return I::SignedExtract(a, b, c); });
      return true;
    case Op::kBitReverse: v([](U a) { return I::Reverse(a); }); return true;
    case Op::kBitCount: v([](U a) { return static_cast<uint32_t>(std::popcount(a)); }); return true;
    case Op::kFindLsb:
      v([](U a) { return a == 0 ? ~0u : static_cast<uint32_t>(std::countr_zero(a)); });
      return true;
    case Op::kFindUmsb: v([](U a) { return I::HighestBit(a); }); return true;
    case Op::kFindSmsb:
      v([=](U a) { return I::HighestBit(sign(a) < 0 ? static_cast<U>(~a) : a); });
      return true;

    case Op::kIeq: v([](U a, U b) { return uint32_t{a == b}; }); return true;
    case Op::kIne: v([](U a, U b) { return uint32_t{a != b}; }); return true;
    case Op::kSlt: v([=](U a, U b) { return uint32_t{sign(a) < sign(b)}; }); return true;
    case Op::kSge: v([=](U a, U b) { return uint32_t{sign(a) >= sign(b)}; }); return true;
    case Op::kUlt: v([](U a, U b) { return uint32_t{a < b}; }); return true;
    case Op::kUge: v([](U a, U b) { return uint32_t{a >= b}; }); return true;
    default: return false;
  }
}

// Ops on floats of precision F with results of that precision or of bool.
template <class F, class Visitor>
bool VisitArithmetic(Op op, Visitor&& v) {
  using U = typename F::U;
  constexpr auto in = F::In;
  constexpr auto out = F::Out;
  switch (op) {
    case Op::kFeq: v([](U a, U b) { return uint32_t{in(a) == in(b)}; }); return true;
    case Op::kFne: v([](U a, U b) { return uint32_t{in(a) != in(b)}; }); return true;
    case Op::kFlt: v([](U a, U b) { return uint32_t{in(a) < in(b)}; }); return true;
    case Op::kFge: v([](U a, U b) { return uint32_t{in(a) >= in(b)}; }); return true;
    case Op::kFadd: v([](U a, U b) { return out(in(a) + in(b)); }); return true;
    case Op::kFsub: v([](U a, U b) { return out(in(a)-in(b)); }); return true;
    case Op::kFmul: v([](U a, U b) { return out(in(a)*in(b)); }); return true;
    case Op::kFfma: v([](U a, U b, U c) { return F::Fma(in(a), in(b), in(c)); }); return true;
    case Op::kFdiv: v([](U a, U b) { return out(in(a) / in(b)); }); return true;
    case Op::kFrem:
      v([](U a, U b) { return out(in(a)-in(out(in(b)*std::trunc(in(out(in(a) / in(b))))))); });
      return true;
    case Op::kFmod:
      v([](U a, U b) { return out(in(a)-in(out(in(b)*std::floor(in(out(in(a) / in(b))))))); });
      return true;
    case Op::kFneg: v([](U a) { return static_cast<U>(a ^ F::kSign); }); return true;
    case Op::kFabs: v([](U a) { return static_cast<U>(a & ~F::kSign); }); return true;
    case Op::kFsign:
      v([](U a) { return static_cast<U>((a & F::kSign) | (in(a) == 0 ? 0 : F::kOne)); });
      return true;
    case Op::kFmin:
      v([](U a, U b) { return out(in(a) < in(b) || in(b) != in(b) ? in(a) : in(b)); });
      return true;
    case Op::kFmax:
      v([](U a, U b) { return out(in(a) > in(b) || in(b) != in(b) ? in(a) : in(b)); });
      return true;
    case Op::kFsaturate:
      v([](U a) { return !(in(a) > 0) ? U{0} : in(a) > 1 ? F::kOne : out(in(a)); });
      return true;
    case Op::kFfloor: v([](U a) { return out(std::floor(in(a))); }); return true;
    case Op::kFceil: v([](U a) { return out(std::ceil(in(a))); }); return true;
    case Op::kFtrunc: v([](U a) { return out(std::trunc(in(a))); }); return true;
    case Op::kFroundEven: v([](U a) { return out(ToNearestInteger(in(a))); }); return true;
    case Op::kFfract: v([](U a) { return out(in(a)-std::floor(in(a))); }); return true;
    case Op::kFsqrt: v([](U a) { return out(std::sqrt(in(a))); }); return true;
    case Op::kFrcp:
      if constexpr (sizeof(U) != 8) {  // doubles have none
        v([](U a) { return out(1.0f / in(a)); });
        return true;
      }
      return false;
    default: return false;
  }
}

// The exact sum of products of bytes, signed or unsigned by operand.
inline int64_t DotBytes(uint32_t a, bool a_signed, uint32_t b, bool b_signed) {
  const auto byte = [](uint32_t x, int i, bool is_signed) {
    const uint32_t bits = x >> (8 * i) & 0xff;
    return is_signed ? int64_t{static_cast<int8_t>(bits)} : int64_t{bits};
  };
  int64_t sum = 0;
  for (int i = 0; i < 4; ++i) sum += byte(a, i, a_signed) * byte(b, i, b_signed);
  return sum;
}

// Dot products of packed bytes.
template <class Visitor>
bool VisitDotProduct(Op op, Visitor&& v) {
  using U = uint32_t;
  const bool a_signed = op != Op::kUdot4x8 && op != Op::kUdot4x8Sat;
  const bool b_signed = op == Op::kSdot4x8 || op == Op::kSdot4x8Sat;
  switch (op) {
    case Op::kSdot4x8:
    case Op::kUdot4x8:
    case Op::kSudot4x8:
      v([=](U a, U b, U c) { return static_cast<U>(DotBytes(a, a_signed, b, b_signed)) + c; });
      return true;
    case Op::kUdot4x8Sat:
      v([](U a, U b, U c) {
        return static_cast<U>(std::min<int64_t>(DotBytes(a, false, b, false) + c, UINT32_MAX));
      });
      return true;
    case Op::kSdot4x8Sat:
    case Op::kSudot4x8Sat:
      v([=](U a, U b, U c) {
        const int64_t sum = DotBytes(a, true, b, b_signed) + static_cast<int32_t>(c);
        return static_cast<U>(std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX));
      });
      return true;
    default: return false;
  }
}

// Ops between types. Widening copies the bits (the visitor's functions return zero-extended ones).
template <class Visitor>
bool VisitConversion(Op op, Type to, Type from, Flush flush, Visitor&& v) {
  switch (op) {
    case Op::kZext:
    case Op::kTrunc:
      VisitInt(to, [&](auto zero) {
        using U = decltype(zero);
        v([](uint64_t a) { return static_cast<U>(a); });
      });
      return true;
    case Op::kSext:
      VisitInt(from, [&](auto zero) {
        using U = decltype(zero);
        const uint64_t mask = MaskOf(to);
        v([=](U a) { return static_cast<uint64_t>(int64_t{Integer<U>::Signed(a)}) & mask; });
      });
      return true;
    case Op::kF2i:
    case Op::kF2u:
      VisitFloat(from, flush, [&](auto f) {
        using F = decltype(f);
        VisitInt(to, [&](auto zero) {
          using I = Integer<decltype(zero)>;
          if (op == Op::kF2i) {
            v([](typename F::U a) { return I::FromFloatSigned(F::In(a)); });
          } else {
            v([](typename F::U a) { return I::FromFloatUnsigned(F::In(a)); });
          }
        });
      });
      return true;
    case Op::kI2f:
    case Op::kU2f:
      VisitFloat(to, flush, [&](auto f) {
        using F = decltype(f);
        VisitInt(from, [&](auto zero) {
          using U = decltype(zero);
          if (op == Op::kI2f) {
            v([](U a) { return F::FromInt(Integer<U>::Signed(a)); });
          } else {
            v([](U a) { return F::FromInt(a); });
          }
        });
      });
      return true;
    case Op::kF2f:
      VisitFloat(from, flush, [&](auto f) {
        using From = decltype(f);
        VisitFloat(to, flush, [&](auto t) {
          using To = decltype(t);
          v([](typename From::U a) { return To::OutDouble(From::In(a)); });
        });
      });
      return true;
    case Op::kF2f16: v([](uint32_t a) { return FloatToHalf(a); }); return true;
    case Op::kF16f: v([](uint32_t a) { return HalfToFloat(a & 0xffffu); }); return true;
    case Op::kPackF64: v([](uint32_t a, uint32_t b) { return uint64_t{b} << 32 | a; }); return true;
    case Op::kF64Low: v([](uint64_t a) { return static_cast<uint32_t>(a); }); return true;
    case Op::kF64High: v([](uint64_t a) { return static_cast<uint32_t>(a >> 32); }); return true;
    case Op::kBitcast: v([](uint64_t a) { return a; }); return true;
    case Op::kSelect:
      v([](uint64_t a, uint64_t b, uint64_t c) { return a != 0 ? b : c; });
      return true;
    case Op::kNot: {
      const uint64_t ones = MaskOf(to);
      v([=](uint64_t a) { return a ^ ones; });
      return true;
    }
    default: return false;
  }
}

// Calls v(function) for an op defined here and returns true; returns false for any other op.
// `result` and `source` are the types of the result and of the first source. Bits of sources and
// result beyond their type are 0.
template <class Visitor>
bool VisitExact(Op op, Type result, Type source, Flush flush, Visitor&& v) {
  if (VisitConversion(op, result, source, flush, v) || VisitDotProduct(op, v)) return true;
  bool done = false;
  if (IsFloat(source)) {
    VisitFloat(source, flush, [&](auto f) { done = VisitArithmetic<decltype(f)>(op, v); });
  } else {
    VisitInt(source, [&](auto zero) { done = VisitInteger<decltype(zero)>(op, v); });
  }
  return done;
}

}  // namespace kiln::mir::semantics

#endif  // KILN_CORE_MIR_SEMANTICS_H_
