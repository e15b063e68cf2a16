#include "core/mid/fold.h"

#include <bit>

namespace kiln::mid {
namespace {

using mir::Op;
using Bits = std::optional<uint32_t>;

float AsFloat(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t AsBits(float x) { return std::bit_cast<uint32_t>(x); }
int32_t AsSigned(uint32_t x) { return static_cast<int32_t>(x); }
uint32_t Exponent(uint32_t bits) { return (bits >> 23) & 0xff; }
bool IsSubnormal(uint32_t bits) { return Exponent(bits) == 0 && (bits & 0x7fffff) != 0; }
bool IsNan(uint32_t bits) { return Exponent(bits) == 0xff && (bits & 0x7fffff) != 0; }

// A float result, unless it depends on how subnormals are treated. NaNs are left to the hardware,
// which chooses their payload.
Bits FloatResult(float x) {
  const uint32_t bits = AsBits(x);
  if (IsSubnormal(bits) || IsNan(bits)) return std::nullopt;
  return bits;
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

float Ceil(float x) {
  const float t = AsFloat(Truncate(AsBits(x)));
  if (t >= x) return t;
  // -0.5 rounds up to -0, as IEEE says.
  return t + 1.0f;
}

float RoundEven(float x) {
  const uint32_t sign = AsBits(x) & 0x80000000u;
  if (Exponent(AsBits(x)) >= 127 + 23) return x;
  // Adding and subtracting 2^23 rounds to an integer in round-to-nearest-even.
  const float magnitude = AsFloat(AsBits(x) & 0x7fffffffu);
  const float rounded = (magnitude + 8388608.0f) - 8388608.0f;
  return AsFloat(AsBits(rounded) | sign);
}

uint32_t FloatToSigned(uint32_t bits) {
  const float x = AsFloat(bits);
  if (IsNan(bits)) return 0;
  if (x >= 2147483648.0f) return 0x7fffffffu;
  if (x <= -2147483648.0f) return 0x80000000u;
  return static_cast<uint32_t>(static_cast<int32_t>(x));
}

uint32_t FloatToUnsigned(uint32_t bits) {
  const float x = AsFloat(bits);
  if (IsNan(bits) || x <= 0.0f) return 0;
  if (x >= 4294967296.0f) return 0xffffffffu;
  return static_cast<uint32_t>(x);
}

uint32_t Reverse(uint32_t x) {
  uint32_t r = 0;
  for (int i = 0; i < 32; ++i) r |= ((x >> i) & 1) << (31 - i);
  return r;
}

// Half bits of a float, round to nearest even; nothing if halves' subnormals are involved.
Bits FloatToHalf(uint32_t bits) {
  const uint32_t sign = (bits >> 16) & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  if (IsNan(bits) || IsSubnormal(bits)) return std::nullopt;
  if (magnitude == 0) return sign;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;  // rounds to infinity, or is it
  if (magnitude < 0x38800000) return std::nullopt;    // a subnormal half, or rounds to one
  const uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return sign | ((rounded - 0x38000000) >> 13);
}

Bits HalfToFloat(uint32_t half) {
  const uint32_t sign = (half & 0x8000) << 16;
  const uint32_t exponent = (half >> 10) & 0x1f;
  const uint32_t mantissa = half & 0x3ff;
  if (exponent == 0) return mantissa == 0 ? Bits(sign) : std::nullopt;
  if (exponent == 31) return mantissa == 0 ? Bits(sign | 0x7f800000) : std::nullopt;
  return sign | ((exponent + 112) << 23) | (mantissa << 13);
}

uint32_t FieldMask(uint32_t count) { return count >= 32 ? ~0u : (1u << count) - 1; }

Bits FoldUnaryInt(Op op, uint32_t a) {
  switch (op) {
    case Op::kIneg:
      return 0 - a;
    case Op::kIabs:
      return AsSigned(a) < 0 ? 0 - a : a;
    case Op::kIsign:
      return a == 0 ? 0 : AsSigned(a) < 0 ? ~0u : 1;
    case Op::kBitReverse:
      return Reverse(a);
    case Op::kBitCount:
      return std::popcount(a);
    case Op::kFindLsb:
      return a == 0 ? ~0u : static_cast<uint32_t>(std::countr_zero(a));
    case Op::kFindUmsb:
      return static_cast<uint32_t>(31 - std::countl_zero(a));
    case Op::kFindSmsb:
      return static_cast<uint32_t>(31 - std::countl_zero(AsSigned(a) < 0 ? ~a : a));
    default:
      return std::nullopt;
  }
}

Bits FoldDivision(Op op, uint32_t a, uint32_t b) {
  if (b == 0) return ~0u;
  const bool overflow = a == 0x80000000u && b == ~0u;
  switch (op) {
    case Op::kUdiv:
      return a / b;
    case Op::kUrem:
      return a % b;
    case Op::kSdiv:
      return overflow ? a : static_cast<uint32_t>(AsSigned(a) / AsSigned(b));
    case Op::kSrem:
      return overflow ? 0 : static_cast<uint32_t>(AsSigned(a) % AsSigned(b));
    case Op::kSmod: {
      if (overflow) return 0;
      const int32_t r = AsSigned(a) % AsSigned(b);
      return static_cast<uint32_t>(r != 0 && (r < 0) != (AsSigned(b) < 0) ? r + AsSigned(b) : r);
    }
    default:
      return std::nullopt;
  }
}

Bits FoldBinaryInt(Op op, uint32_t a, uint32_t b) {
  switch (op) {
    case Op::kIadd:
      return a + b;
    case Op::kIsub:
      return a - b;
    case Op::kImul:
      return a * b;
    case Op::kUmulHigh:
      return static_cast<uint32_t>((uint64_t{a} * b) >> 32);
    case Op::kSmulHigh:
      return static_cast<uint32_t>((int64_t{AsSigned(a)} * AsSigned(b)) >> 32);
    case Op::kImin:
      return AsSigned(a) < AsSigned(b) ? a : b;
    case Op::kImax:
      return AsSigned(a) > AsSigned(b) ? a : b;
    case Op::kUmin:
      return a < b ? a : b;
    case Op::kUmax:
      return a > b ? a : b;
    case Op::kAnd:
      return a & b;
    case Op::kOr:
      return a | b;
    case Op::kXor:
      return a ^ b;
    case Op::kShl:
      return a << (b & 31);
    case Op::kUshr:
      return a >> (b & 31);
    case Op::kAshr:
      return static_cast<uint32_t>(AsSigned(a) >> (b & 31));
    case Op::kUaddCarry:
      return a + b < a ? 1 : 0;
    case Op::kUsubBorrow:
      return a < b ? 1 : 0;
    case Op::kIeq:
      return a == b;
    case Op::kIne:
      return a != b;
    case Op::kSlt:
      return AsSigned(a) < AsSigned(b);
    case Op::kSge:
      return AsSigned(a) >= AsSigned(b);
    case Op::kUlt:
      return a < b;
    case Op::kUge:
      return a >= b;
    default:
      return FoldDivision(op, a, b);
  }
}

Bits FoldBitfield(Op op, absl::Span<const uint32_t> s) {
  if (op == Op::kBitfieldInsert) {
    if (s[2] > 31 || s[3] > 32 - s[2]) return std::nullopt;
    const uint32_t mask = FieldMask(s[3]) << s[2];
    return (s[0] & ~mask) | ((s[1] << s[2]) & mask);
  }
  if (s[1] > 31 || s[2] > 32 - s[1]) return std::nullopt;
  if (s[2] == 0) return 0;
  const uint32_t high = s[0] << (32 - s[1] - s[2]);
  if (op == Op::kUbitfieldExtract) return high >> (32 - s[2]);
  return static_cast<uint32_t>(AsSigned(high) >> (32 - s[2]));
}

Bits FoldFloatCompare(Op op, float a, float b) {
  switch (op) {
    case Op::kFeq:
      return a == b;
    case Op::kFne:
      return !(a == b);
    case Op::kFlt:
      return a < b;
    case Op::kFge:
      return a >= b;
    default:
      return std::nullopt;
  }
}

Bits FoldUnaryFloat(Op op, uint32_t bits) {
  const float a = AsFloat(bits);
  switch (op) {
    case Op::kFneg:
      return bits ^ 0x80000000u;
    case Op::kFabs:
      return bits & 0x7fffffffu;
    case Op::kFsign:
      return a > 0 ? AsBits(1.0f) : a < 0 ? AsBits(-1.0f) : bits;
    case Op::kFsaturate:
      return AsBits(a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f);
    case Op::kFfloor:
      return FloatResult(Floor(a));
    case Op::kFceil:
      return AsBits(Ceil(a)) | (bits & 0x80000000u);
    case Op::kFtrunc:
      return Truncate(bits);
    case Op::kFroundEven:
      return FloatResult(RoundEven(a));
    case Op::kFfract: {
      if (Exponent(bits) == 0xff) return std::nullopt;
      return FloatResult(a - Floor(a));
    }
    case Op::kF2i:
      return FloatToSigned(bits);
    case Op::kF2u:
      return FloatToUnsigned(bits);
    case Op::kF2f16:
      return FloatToHalf(bits);
    default:
      return std::nullopt;
  }
}

Bits FoldBinaryFloat(Op op, float a, float b) {
  switch (op) {
    case Op::kFadd:
      return FloatResult(a + b);
    case Op::kFsub:
      return FloatResult(a - b);
    case Op::kFmul:
      return FloatResult(a * b);
    case Op::kFdiv:
      return b == 0.0f ? std::nullopt : FloatResult(a / b);
    case Op::kFmin:
      return AsBits(a < b ? a : b);
    case Op::kFmax:
      return AsBits(a > b ? a : b);
    default:
      return FoldFloatCompare(op, a, b);
  }
}

// Float operations on ordinary numbers only.
Bits FoldFloat(Op op, absl::Span<const uint32_t> s) {
  for (uint32_t bits : s) {
    if (IsSubnormal(bits) || IsNan(bits)) return std::nullopt;
  }
  if (s.size() == 1) return FoldUnaryFloat(op, s[0]);
  if (s.size() != 2) return std::nullopt;
  // Which zero min and max give when both are zero is up to the hardware.
  if ((op == Op::kFmin || op == Op::kFmax) && AsFloat(s[0]) == AsFloat(s[1]) && s[0] != s[1]) {
    return std::nullopt;
  }
  return FoldBinaryFloat(op, AsFloat(s[0]), AsFloat(s[1]));
}

}  // namespace

Bits FoldOp(Op op, mir::Type result, absl::Span<const uint32_t> s) {
  switch (op) {
    case Op::kNot:
      return result == mir::Type::kBool ? s[0] ^ 1 : ~s[0];
    case Op::kSelect:
      return s[0] ? s[1] : s[2];
    case Op::kBitcast:
      return s[0];
    case Op::kI2f:
      return AsBits(static_cast<float>(AsSigned(s[0])));
    case Op::kU2f:
      return AsBits(static_cast<float>(s[0]));
    case Op::kF16f:
      return HalfToFloat(s[0] & 0xffff);
    case Op::kBitfieldInsert:
    case Op::kUbitfieldExtract:
    case Op::kSbitfieldExtract:
      return FoldBitfield(op, s);
    default:
      break;
  }
  const std::string_view signature = mir::Info(op).signature;
  if (!mir::Info(op).Has('P') || s.empty()) return std::nullopt;
  if (signature.ends_with('f')) return FoldFloat(op, s);
  if (s.size() == 1) return FoldUnaryInt(op, s[0]);
  if (s.size() == 2) return FoldBinaryInt(op, s[0], s[1]);
  return std::nullopt;
}

}  // namespace kiln::mid
