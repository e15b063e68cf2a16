// Conversions between formats and integers, and packing. Semantics: RDNA2 ISA guide, chapter 12;
// where it gives a name only, the measured descriptions in CLRX's manual ("GCN ISA VOP1/VOP3
// instructions").
#include <algorithm>
#include <limits>

#include "core/sim/rdna2/alu/rows.h"

namespace kiln::sim::rdna2::alu {
namespace {

using amd::isa::Opcode;
using enum Accuracy;

// To a float: rounded by the mode of the destination's precision.
LaneResult Convert(const Lane& l) { return l.FloatResult(Quieted(l.Float(0))); }
LaneResult FromSigned(const Lane& l) { return l.FloatResult(FromInteger(l.Signed(0))); }
LaneResult FromUnsignedInteger(const Lane& l) { return l.FloatResult(FromUnsigned(l.Bits(0))); }
template <int kByte>
LaneResult FromByte(const Lane& l) {
  return l.FloatResult(FromUnsigned(l.Bits(0) >> (8 * kByte) & 0xff));
}
// A signed nibble in sixteenths: -0.5 to 0.4375.
LaneResult FromOffset(const Lane& l) {
  const int nibble = static_cast<int>(l.Bits(0) & 15);
  return l.FloatResult(Scale(FromInteger(nibble < 8 ? nibble : nibble - 16), -4));
}

// To integers: truncated, clamped to what the type holds; 0 for NaN.
template <typename Int>
LaneResult Truncate(const Lane& l) {
  using Limits = std::numeric_limits<Int>;
  return l.Result(static_cast<uint64_t>(ToInteger(l.Float(0), Limits::min(), Limits::max())));
}

// v_cvt_rpi and v_cvt_flr: floor(x + 1/2), floor(x). NaNs give the bound of their sign.
LaneResult ToFloor(const Lane& l, const Number& x) {
  using Limits = std::numeric_limits<int32_t>;
  if (x.is_nan()) {
    return l.Result(static_cast<uint32_t>(x.negative ? Limits::min() : Limits::max()));
  }
  const int64_t value = ToInteger(ToIntegral(x, Rounding::kDown), Limits::min(), Limits::max());
  return l.Result(static_cast<uint32_t>(value));
}

// Normalised integers: x * (2^bits - 1), to nearest even; NaN gives 0.
uint16_t ToSnorm(const Number& x) {
  constexpr int64_t kMax = 32767;
  const Number scaled = ToIntegral(Multiply(x, FromInteger(kMax)), Rounding::kNearestEven);
  return static_cast<uint16_t>(ToInteger(scaled, -kMax, kMax));
}
uint16_t ToUnorm(const Number& x) {
  constexpr int64_t kMax = 65535;
  const Number scaled = ToIntegral(Multiply(x, FromInteger(kMax)), Rounding::kNearestEven);
  return static_cast<uint16_t>(ToInteger(scaled, 0, kMax));
}
template <uint16_t (*kConvert)(const Number&)>
LaneResult Normalise(const Lane& l) {
  return l.Result(kConvert(l.Float(0)));
}
template <uint16_t (*kConvert)(const Number&)>
LaneResult NormalisePair(const Lane& l) {
  return l.PackedResult(kConvert(l.Float(0)), kConvert(l.Float(1)));
}

// ---- Packing ----

LaneResult PackToZero(const Lane& l) {
  Rules rules = l.RulesOf(kF16);
  rules.rounding = Rounding::kZero;
  return l.PackedResult(static_cast<uint16_t>(l.Finish(Quieted(l.Float(0)), kF16, rules)),
                        static_cast<uint16_t>(l.Finish(Quieted(l.Float(1)), kF16, rules)));
}

// Two halves as they are, but for subnormal ones (Mesa 25.0.7, aco_lower_to_hw_instr.cpp
// do_pack_2x16 uses it only where those are kept).
LaneResult PackHalves(const Lane& l) {
  return l.PackedResult(static_cast<uint16_t>(l.Finish(l.Float(0), kF16)),
                        static_cast<uint16_t>(l.Finish(l.Float(1), kF16)));
}

template <typename Int>
LaneResult PackSaturated(const Lane& l) {
  using Limits = std::numeric_limits<Int>;
  const auto half = [&l](int i) {
    const int64_t x = Limits::is_signed ? l.Signed(i) : static_cast<int64_t>(l.Bits(i));
    return static_cast<uint16_t>(std::clamp<int64_t>(x, Limits::min(), Limits::max()));
  };
  return l.PackedResult(half(0), half(1));
}

// One byte of src2, which src1 selects, becomes src0, rounded by the mode and clamped.
LaneResult PackByte(const Lane& l) {
  const int shift = static_cast<int>(l.Bits(1) & 3) * 8;
  const Number rounded = ToIntegral(l.Float(0), l.mode().round32);
  const uint32_t byte = static_cast<uint32_t>(ToInteger(rounded, 0, 255));
  return l.Result((l.Bits32(2) & ~(0xffu << shift)) | byte << shift);
}

// Two signed halves to unsigned bytes, in the lower half; the upper one becomes 0.
LaneResult SaturateBytes(const Lane& l) {
  const auto byte = [&l](bool high) {
    return static_cast<uint32_t>(std::clamp<int>(static_cast<int16_t>(l.Half(0, high)), 0, 255));
  };
  return l.Result(byte(false) | byte(true) << 8);
}

constexpr Row kRows[] = {
    {Opcode::kVCvtF16F32, kExact, Convert},
    {Opcode::kVCvtF32F16, kExact, Convert},
    {Opcode::kVCvtF32F64, kExact, Convert},
    {Opcode::kVCvtF64F32, kExact, Convert},
    {Opcode::kVCvtF16I16, kExact, FromSigned},
    {Opcode::kVCvtF32I32, kExact, FromSigned},
    {Opcode::kVCvtF64I32, kExact, FromSigned},
    {Opcode::kVCvtF16U16, kExact, FromUnsignedInteger},
    {Opcode::kVCvtF32U32, kExact, FromUnsignedInteger},
    {Opcode::kVCvtF64U32, kExact, FromUnsignedInteger},
    {Opcode::kVCvtF32Ubyte0, kExact, FromByte<0>},
    {Opcode::kVCvtF32Ubyte1, kExact, FromByte<1>},
    {Opcode::kVCvtF32Ubyte2, kExact, FromByte<2>},
    {Opcode::kVCvtF32Ubyte3, kExact, FromByte<3>},
    {Opcode::kVCvtOffF32I4, kExact, FromOffset},
    {Opcode::kVCvtI16F16, kExact, Truncate<int16_t>},
    {Opcode::kVCvtU16F16, kExact, Truncate<uint16_t>},
    {Opcode::kVCvtI32F32, kExact, Truncate<int32_t>},
    {Opcode::kVCvtU32F32, kExact, Truncate<uint32_t>},
    {Opcode::kVCvtI32F64, kExact, Truncate<int32_t>},
    {Opcode::kVCvtU32F64, kExact, Truncate<uint32_t>},
    {Opcode::kVCvtFlrI32F32, kBounded, [](const Lane& l) { return ToFloor(l, l.Float(0)); }},
    {Opcode::kVCvtRpiI32F32, kBounded,
     [](const Lane& l) {
       const Number half = Scale(FromUnsigned(1), -1);
       return ToFloor(l, Add(l.Float(0), half, Rounding::kDown));
     }},
    {Opcode::kVCvtNormI16F16, kBounded, Normalise<ToSnorm>},
    {Opcode::kVCvtNormU16F16, kBounded, Normalise<ToUnorm>},
    {Opcode::kVCvtPknormI16F16, kBounded, NormalisePair<ToSnorm>},
    {Opcode::kVCvtPknormU16F16, kBounded, NormalisePair<ToUnorm>},
    {Opcode::kVCvtPknormI16F32, kBounded, NormalisePair<ToSnorm>},
    {Opcode::kVCvtPknormU16F32, kBounded, NormalisePair<ToUnorm>},
    {Opcode::kVCvtPkrtzF16F32, kExact, PackToZero},
    {Opcode::kVPackB32F16, kExact, PackHalves},
    {Opcode::kVCvtPkU16U32, kExact, PackSaturated<uint16_t>},
    {Opcode::kVCvtPkI16I32, kExact, PackSaturated<int16_t>},
    {Opcode::kVCvtPkU8F32, kBounded, PackByte},
    {Opcode::kVSatPkU8I16, kExact, SaturateBytes},
};

}  // namespace

absl::Span<const Row> ConversionRows() { return kRows; }

}  // namespace kiln::sim::rdna2::alu
