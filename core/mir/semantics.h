// What the pure operations of MIR compute, on the 32 bits of one lane.
//
// One definition serves the interpreter (over all lanes of a workgroup) and constant folding (once):
// both call VisitExact with a visitor that receives a function of as many uint32_t as the op has
// sources. Everything here is exact or correctly rounded, so it is the same on every machine:
// IEEE single precision, round to nearest even, std::fma, floor and the like; no other libm.
// Transcendental ops are not here; see interp.cc.
//
// NaN: an arithmetic result that is NaN is 0x7fc00000. fneg, fabs, select, bitcast move bits.
// min/max give the other operand if one is NaN; of -0 and +0 the second operand (as Intel's sel).
// fsign keeps the sign of zeros, and of NaN with magnitude 1.
// kFlush: operands and results of float arithmetic, comparison, rounding and conversion that are
// subnormal become zero of the same sign (cr0's single precision denorm mode 0, which is how
// Mesa's drivers dispatch; Vulkan allows either unless float controls say otherwise). Half floats
// keep subnormals.
// frem and fmod are x - y * trunc(x / y) and x - y * floor(x / y), each step rounded: the
// expression from which Vulkan derives their precision.
// Bit fields: offsets modulo 32, counts from 32 on mean all bits. Shift counts modulo 32.
#ifndef KILN_CORE_MIR_SEMANTICS_H_
#define KILN_CORE_MIR_SEMANTICS_H_

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/mir/mir.h"

namespace kiln::mir::semantics {

inline constexpr uint32_t kQuietNan = 0x7fc00000u;

inline float AsFloat(uint32_t x) { return std::bit_cast<float>(x); }
inline uint32_t AsBits(float x) { return std::bit_cast<uint32_t>(x); }
inline int32_t AsInt(uint32_t x) { return static_cast<int32_t>(x); }

// Operand and result of float arithmetic.
template <bool kFlush>
inline float In(uint32_t x) {
  if (kFlush && (x & 0x7f800000u) == 0) x &= 0x80000000u;
  return AsFloat(x);
}
template <bool kFlush>
inline uint32_t Out(float f) {
  uint32_t x = AsBits(f);
  if (kFlush && (x & 0x7f800000u) == 0) x &= 0x80000000u;
  return f != f ? kQuietNan : x;
}

inline uint32_t SignedDivide(uint32_t a, uint32_t b) {
  if (b == 0) return ~0u;
  if (b == ~0u) return 0u - a;   // INT_MIN / -1 wraps
  return static_cast<uint32_t>(AsInt(a) / AsInt(b));
}
inline uint32_t SignedRemainder(uint32_t a, uint32_t b) {
  if (b == 0) return ~0u;
  if (b == ~0u) return 0;
  return static_cast<uint32_t>(AsInt(a) % AsInt(b));
}
inline uint32_t SignedModulus(uint32_t a, uint32_t b) {
  const uint32_t r = SignedRemainder(a, b);
  if (b == 0 || r == 0) return r;
  return AsInt(r ^ b) < 0 ? r + b : r;
}

inline uint32_t LowBits(uint32_t count) { return count >= 32 ? ~0u : (1u << count) - 1; }
inline uint32_t BitfieldInsert(uint32_t base, uint32_t insert, uint32_t offset, uint32_t count) {
  const uint32_t mask = LowBits(count) << (offset & 31);
  return (base & ~mask) | ((insert << (offset & 31)) & mask);
}
inline uint32_t UnsignedExtract(uint32_t x, uint32_t offset, uint32_t count) {
  return (x >> (offset & 31)) & LowBits(count);
}
inline uint32_t SignedExtract(uint32_t x, uint32_t offset, uint32_t count) {
  const uint32_t field = UnsignedExtract(x, offset, count);
  if (count == 0 || count >= 32) return count == 0 ? 0 : AsInt(x) >> (offset & 31);
  return (field >> (count - 1)) & 1 ? field | ~LowBits(count) : field;
}
inline uint32_t ReverseBits(uint32_t x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(x);
}
inline uint32_t HighestBit(uint32_t x) { return x == 0 ? ~0u : 31u - std::countl_zero(x); }

inline uint32_t FloatToInt(float f) {
  if (f != f) return 0;
  if (f >= 2147483648.0f) return 0x7fffffffu;
  if (f <= -2147483648.0f) return 0x80000000u;
  return static_cast<uint32_t>(static_cast<int32_t>(f));
}
inline uint32_t FloatToUint(float f) {
  if (!(f > 0)) return 0;   // NaN too
  if (f >= 4294967296.0f) return ~0u;
  return static_cast<uint32_t>(f);
}

// Half precision, round to nearest even; a NaN becomes 0x7e00 with the sign.
inline uint32_t FloatToHalf(uint32_t x) {
  const uint32_t sign = (x >> 16) & 0x8000u;
  const uint32_t magnitude = x & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | 0x7e00u;
  if (magnitude >= 0x47800000u) return sign | 0x7c00u;   // 65536 and more, infinity
  // 65520 and more round to infinity by themselves: the carry runs into the exponent.
  const uint32_t exponent = magnitude >> 23;
  if (exponent < 102) return sign;                       // below half the least subnormal
  uint32_t significand = (magnitude & 0x7fffffu) | 0x800000u;
  uint32_t half;
  uint32_t dropped;
  if (exponent >= 113) {
    half = ((exponent - 112) << 10) + ((significand & 0x7fffffu) >> 13);
    dropped = 13;
  } else {
    dropped = 126 - exponent;                            // 14 .. 24
    half = significand >> dropped;
  }
  const uint32_t rest = significand & ((1u << dropped) - 1);
  const uint32_t tie = 1u << (dropped - 1);
  if (rest > tie || (rest == tie && (half & 1))) ++half;
  return sign | half;
}
inline uint32_t HalfToFloat(uint32_t h) {
  const uint32_t sign = (h & 0x8000u) << 16;
  const uint32_t exponent = (h >> 10) & 31;
  const uint32_t fraction = h & 0x3ffu;
  if (exponent == 31) return fraction != 0 ? kQuietNan : sign | 0x7f800000u;
  if (exponent != 0) return sign | ((exponent + 112) << 23) | (fraction << 13);
  // Subnormal: fraction * 2^-24, exact in single precision.
  return sign | AsBits(static_cast<float>(fraction) * 0x1p-24f);
}

// Calls v(function) for an op defined here and returns true; false for any other op.
template <bool kFlush, class Visitor>
bool VisitExact(Op op, Visitor&& v) {
  using U = uint32_t;
  constexpr auto in = In<kFlush>;
  constexpr auto out = Out<kFlush>;
  switch (op) {
    case Op::kIadd: v([](U a, U b) { return a + b; }); return true;
    case Op::kIsub: v([](U a, U b) { return a - b; }); return true;
    case Op::kImul: v([](U a, U b) { return a * b; }); return true;
    case Op::kUmulHigh: v([](U a, U b) { return U((uint64_t{a} * b) >> 32); }); return true;
    case Op::kSmulHigh:
      v([](U a, U b) { return U((int64_t{AsInt(a)} * AsInt(b)) >> 32); });
      return true;
    case Op::kUdiv: v([](U a, U b) { return b == 0 ? ~0u : a / b; }); return true;
    case Op::kSdiv: v([](U a, U b) { return SignedDivide(a, b); }); return true;
    case Op::kUrem: v([](U a, U b) { return b == 0 ? ~0u : a % b; }); return true;
    case Op::kSrem: v([](U a, U b) { return SignedRemainder(a, b); }); return true;
    case Op::kSmod: v([](U a, U b) { return SignedModulus(a, b); }); return true;
    case Op::kIneg: v([](U a) { return 0u - a; }); return true;
    case Op::kIabs: v([](U a) { return AsInt(a) < 0 ? 0u - a : a; }); return true;
    case Op::kIsign: v([](U a) { return U(AsInt(a) > 0) - U(AsInt(a) < 0); }); return true;
    case Op::kImin: v([](U a, U b) { return AsInt(a) < AsInt(b) ? a : b; }); return true;
    case Op::kImax: v([](U a, U b) { return AsInt(a) > AsInt(b) ? a : b; }); return true;
    case Op::kUmin: v([](U a, U b) { return a < b ? a : b; }); return true;
    case Op::kUmax: v([](U a, U b) { return a > b ? a : b; }); return true;
    case Op::kAnd: v([](U a, U b) { return a & b; }); return true;
    case Op::kOr: v([](U a, U b) { return a | b; }); return true;
    case Op::kXor: v([](U a, U b) { return a ^ b; }); return true;
    case Op::kShl: v([](U a, U b) { return a << (b & 31); }); return true;
    case Op::kUshr: v([](U a, U b) { return a >> (b & 31); }); return true;
    case Op::kAshr: v([](U a, U b) { return U(AsInt(a) >> (b & 31)); }); return true;
    case Op::kUaddCarry: v([](U a, U b) { return U(a + b < a); }); return true;
    case Op::kUsubBorrow: v([](U a, U b) { return U(a < b); }); return true;
    case Op::kBitfieldInsert:
      v([](U a, U b, U c, U d) { return BitfieldInsert(a, b, c, d); });
      return true;
    case Op::kUbitfieldExtract: v([](U a, U b, U c) { return UnsignedExtract(a, b, c); }); return true;
    case Op::kSbitfieldExtract: v([](U a, U b, U c) { return SignedExtract(a, b, c); }); return true;
    case Op::kBitReverse: v([](U a) { return ReverseBits(a); }); return true;
    case Op::kBitCount: v([](U a) { return U(std::popcount(a)); }); return true;
    case Op::kFindLsb: v([](U a) { return a == 0 ? ~0u : U(std::countr_zero(a)); }); return true;
    case Op::kFindUmsb: v([](U a) { return HighestBit(a); }); return true;
    case Op::kFindSmsb: v([](U a) { return HighestBit(AsInt(a) < 0 ? ~a : a); }); return true;

    case Op::kIeq: v([](U a, U b) { return U(a == b); }); return true;
    case Op::kIne: v([](U a, U b) { return U(a != b); }); return true;
    case Op::kSlt: v([](U a, U b) { return U(AsInt(a) < AsInt(b)); }); return true;
    case Op::kSge: v([](U a, U b) { return U(AsInt(a) >= AsInt(b)); }); return true;
    case Op::kUlt: v([](U a, U b) { return U(a < b); }); return true;
    case Op::kUge: v([](U a, U b) { return U(a >= b); }); return true;

    case Op::kFeq: v([](U a, U b) { return U(in(a) == in(b)); }); return true;
    case Op::kFne: v([](U a, U b) { return U(in(a) != in(b)); }); return true;
    case Op::kFlt: v([](U a, U b) { return U(in(a) < in(b)); }); return true;
    case Op::kFge: v([](U a, U b) { return U(in(a) >= in(b)); }); return true;
    case Op::kFadd: v([](U a, U b) { return out(in(a) + in(b)); }); return true;
    case Op::kFsub: v([](U a, U b) { return out(in(a) - in(b)); }); return true;
    case Op::kFmul: v([](U a, U b) { return out(in(a) * in(b)); }); return true;
    case Op::kFfma: v([](U a, U b, U c) { return out(std::fma(in(a), in(b), in(c))); }); return true;
    case Op::kFdiv: v([](U a, U b) { return out(in(a) / in(b)); }); return true;
    case Op::kFrem:
      v([](U a, U b) { return out(in(a) - in(out(in(b) * std::trunc(in(out(in(a) / in(b))))))); });
      return true;
    case Op::kFmod:
      v([](U a, U b) { return out(in(a) - in(out(in(b) * std::floor(in(out(in(a) / in(b))))))); });
      return true;
    case Op::kFneg: v([](U a) { return a ^ 0x80000000u; }); return true;
    case Op::kFabs: v([](U a) { return a & 0x7fffffffu; }); return true;
    case Op::kFsign:
      v([](U a) { return (a & 0x80000000u) | (in(a) == 0 ? 0u : 0x3f800000u); });
      return true;
    case Op::kFmin:
      v([](U a, U b) { return out(in(a) < in(b) || in(b) != in(b) ? in(a) : in(b)); });
      return true;
    case Op::kFmax:
      v([](U a, U b) { return out(in(a) > in(b) || in(b) != in(b) ? in(a) : in(b)); });
      return true;
    case Op::kFsaturate:
      v([](U a) { return !(in(a) > 0) ? 0u : in(a) > 1 ? 0x3f800000u : out(in(a)); });
      return true;
    case Op::kFfloor: v([](U a) { return out(std::floor(in(a))); }); return true;
    case Op::kFceil: v([](U a) { return out(std::ceil(in(a))); }); return true;
    case Op::kFtrunc: v([](U a) { return out(std::trunc(in(a))); }); return true;
    case Op::kFroundEven: v([](U a) { return out(std::nearbyint(in(a))); }); return true;
    case Op::kFfract: v([](U a) { return out(in(a) - std::floor(in(a))); }); return true;
    case Op::kFsqrt: v([](U a) { return out(std::sqrt(in(a))); }); return true;
    case Op::kFrcp: v([](U a) { return out(1.0f / in(a)); }); return true;

    case Op::kF2i: v([](U a) { return FloatToInt(in(a)); }); return true;
    case Op::kF2u: v([](U a) { return FloatToUint(in(a)); }); return true;
    case Op::kI2f: v([](U a) { return AsBits(static_cast<float>(AsInt(a))); }); return true;
    case Op::kU2f: v([](U a) { return AsBits(static_cast<float>(a)); }); return true;
    case Op::kBitcast: v([](U a) { return a; }); return true;
    case Op::kF2f16: v([](U a) { return FloatToHalf(a); }); return true;
    case Op::kF16f: v([](U a) { return HalfToFloat(a & 0xffffu); }); return true;
    case Op::kSelect: v([](U a, U b, U c) { return a != 0 ? b : c; }); return true;
    default: return false;
  }
}

}  // namespace kiln::mir::semantics

#endif  // KILN_CORE_MIR_SEMANTICS_H_
