// Packed 16-bit arithmetic, dot products, and fused multiply-adds of mixed precision.
//
// Semantics: RDNA2 ISA guide, chapter 12.8. Dot products of floats add in the order of AMD's
// pseudo code, each sum rounded; hardware may round less often.
#include <algorithm>
#include <array>

#include "core/sim/rdna2/alu/rows.h"

namespace kiln::sim::rdna2::alu {
namespace {

using amd::isa::Opcode;
using amd::isa::Type;
using enum Accuracy;

bool IsSigned(Type type) { return type == Type::kPI16 || type == Type::kI32; }

// ---- Integers ----

// Half of source i by its type's signedness.
int64_t HalfInt(const Lane& l, int i, bool high) {
  const uint16_t half = l.Half(i, high);
  return IsSigned(l.info().src[static_cast<size_t>(i)]) ? static_cast<int16_t>(half) : half;
}

uint16_t WrapHalf(const Lane& l, int64_t value) {
  if (l.inst().clamp) {
    value = IsSigned(l.info().dst) ? std::clamp<int64_t>(value, -32768, 32767)
                                   : std::clamp<int64_t>(value, 0, 65535);
  }
  return static_cast<uint16_t>(value);
}

using IntFunction = int64_t (*)(int64_t, int64_t, int64_t);

template <IntFunction kFunction, int kSources>
LaneResult PackedInt(const Lane& l) {
  const auto half = [&l](bool high) {
    return WrapHalf(l, kFunction(HalfInt(l, 0, high), HalfInt(l, 1, high),
                                 kSources > 2 ? HalfInt(l, 2, high) : 0));
  };
  return l.PackedResult(half(false), half(true));
}

int64_t MadInt(int64_t a, int64_t b, int64_t c) { return a * b + c; }
int64_t MulInt(int64_t a, int64_t b, int64_t) { return a * b; }
int64_t AddInt(int64_t a, int64_t b, int64_t) { return a + b; }
int64_t SubInt(int64_t a, int64_t b, int64_t) { return a - b; }
int64_t MinInt(int64_t a, int64_t b, int64_t) { return std::min(a, b); }
int64_t MaxInt(int64_t a, int64_t b, int64_t) { return std::max(a, b); }

// Shifts drop bits, which clamp does not bring back.
int64_t LeftInt(int64_t a, int64_t b, int64_t) { return b << (a & 15) & 0xffff; }
int64_t RightInt(int64_t a, int64_t b, int64_t) { return b >> (a & 15); }

// ---- Floats ----

template <typename Function>
LaneResult PackedFloat(const Lane& l, Function f) {
  const auto half = [&](bool high) { return static_cast<uint16_t>(l.Finish(f(high), kF16)); };
  return l.PackedResult(half(false), half(true));
}

LaneResult PackedFma(const Lane& l) {
  return PackedFloat(l, [&l](bool high) {
    return Fma(l.HalfFloat(0, high), l.HalfFloat(1, high), l.HalfFloat(2, high), l.rounding());
  });
}
LaneResult PackedFmac(const Lane& l) {
  return PackedFloat(l, [&l](bool high) {
    const Number old = l.Float(high ? l.in().old >> 16 : l.in().old, kF16);
    return Fma(l.HalfFloat(0, high), l.HalfFloat(1, high), old, l.rounding());
  });
}
LaneResult PackedAdd(const Lane& l) {
  return PackedFloat(
      l, [&l](bool high) { return Add(l.HalfFloat(0, high), l.HalfFloat(1, high), l.rounding()); });
}
LaneResult PackedMul(const Lane& l) {
  return PackedFloat(
      l, [&l](bool high) { return Multiply(l.HalfFloat(0, high), l.HalfFloat(1, high)); });
}
LaneResult PackedMin(const Lane& l) {
  return PackedFloat(
      l, [&l](bool high) { return Minimum(l.HalfFloat(0, high), l.HalfFloat(1, high), l.mode()); });
}
LaneResult PackedMax(const Lane& l) {
  return PackedFloat(
      l, [&l](bool high) { return Maximum(l.HalfFloat(0, high), l.HalfFloat(1, high), l.mode()); });
}

// ---- Dot products ----

// c + a0 * b0, then + a1 * b1. 32-bit subnormal numbers are zero in every mode (LLVM 19,
// SIISelLowering.cpp performFMACombine: "regardless of the denorm mode").
LaneResult DotHalves(const Lane& l, uint64_t accumulator) {
  Rules rules = l.RulesOf(kF32);
  rules.keep_subnormals = false;
  Number sum = Decode(accumulator, kF32, false);
  for (const bool high : {false, true}) {
    sum = Fma(l.HalfFloat(0, high), l.HalfFloat(1, high), sum, rules.rounding);
    if (!high) sum = Decode(Encode(sum, kF32, rules), kF32, false);
  }
  return l.Result(l.Finish(sum, kF32, rules));
}

LaneResult WrapDot(const Lane& l, int64_t sum) {
  if (l.inst().clamp) {
    sum = IsSigned(l.info().dst) ? std::clamp<int64_t>(sum, -0x80000000ll, 0x7fffffffll)
                                 : std::clamp<int64_t>(sum, 0, 0xffffffffll);
  }
  return l.Result(static_cast<uint32_t>(sum));
}

int64_t Accumulator(const Lane& l, uint32_t bits) {
  return IsSigned(l.info().dst) ? int64_t{static_cast<int32_t>(bits)} : int64_t{bits};
}

LaneResult DotInts(const Lane& l) {
  const int64_t sum =
      HalfInt(l, 0, false) * HalfInt(l, 1, false) + HalfInt(l, 0, true) * HalfInt(l, 1, true);
  return WrapDot(l, sum + Accumulator(l, l.Bits32(2)));
}

// Elements of `kBits` bits, by the destination's signedness.
template <int kBits>
LaneResult DotElements(const Lane& l, uint32_t accumulator) {
  const bool is_signed = IsSigned(l.info().dst);
  const auto element = [is_signed](uint32_t x, int at) {
    const uint32_t up = x << (32 - kBits - at);
    return is_signed ? int64_t{static_cast<int32_t>(up) >> (32 - kBits)}
                     : int64_t{up >> (32 - kBits)};
  };
  int64_t sum = Accumulator(l, accumulator);
  for (int at = 0; at < 32; at += kBits) sum += element(l.Bits32(0), at) * element(l.Bits32(1), at);
  return WrapDot(l, sum);
}

// ---- Mixed precision ----

// A float, or under op_sel_hi the half that op_sel names.
Number MixSource(const Lane& l, int i) {
  const amd::isa::Instruction& inst = l.inst();
  const bool is_half = (inst.op_sel_hi >> i & 1) != 0;
  const Format format = is_half ? kF16 : kF32;
  uint64_t bits = l.Bits(i);
  if (is_half && (inst.op_sel >> i & 1) != 0) bits >>= 16;
  if ((inst.abs >> i & 1) != 0) bits &= ~format.sign();
  if ((inst.neg >> i & 1) != 0) bits ^= format.sign();
  return l.Float(bits, format);
}

Number MixFma(const Lane& l) {
  return Fma(MixSource(l, 0), MixSource(l, 1), MixSource(l, 2), l.RoundingOf(kF32));
}

// The sum is rounded to 32 bits first: AMD's pseudo code converts, and Mesa merges a conversion
// marked precise into the operation (aco_optimizer.cpp combine_output_conversion).
LaneResult MixToHalf(const Lane& l) {
  const uint64_t single = Encode(MixFma(l), kF32, l.RulesOf(kF32));
  return l.Result(l.Finish(Decode(single, kF32, true), kF16));
}

constexpr Row kRows[] = {
    {Opcode::kVPkMadI16, kExact, PackedInt<MadInt, 3>},
    {Opcode::kVPkMadU16, kExact, PackedInt<MadInt, 3>},
    {Opcode::kVPkMulLoU16, kExact, PackedInt<MulInt, 2>},
    {Opcode::kVPkAddI16, kExact, PackedInt<AddInt, 2>},
    {Opcode::kVPkAddU16, kExact, PackedInt<AddInt, 2>},
    {Opcode::kVPkSubI16, kExact, PackedInt<SubInt, 2>},
    {Opcode::kVPkSubU16, kExact, PackedInt<SubInt, 2>},
    {Opcode::kVPkMinI16, kExact, PackedInt<MinInt, 2>},
    {Opcode::kVPkMinU16, kExact, PackedInt<MinInt, 2>},
    {Opcode::kVPkMaxI16, kExact, PackedInt<MaxInt, 2>},
    {Opcode::kVPkMaxU16, kExact, PackedInt<MaxInt, 2>},
    {Opcode::kVPkLshlrevB16, kExact, PackedInt<LeftInt, 2>},
    {Opcode::kVPkLshrrevB16, kExact, PackedInt<RightInt, 2>},
    {Opcode::kVPkAshrrevI16, kExact, PackedInt<RightInt, 2>},
    {Opcode::kVPkFmaF16, kExact, PackedFma},
    {Opcode::kVPkFmacF16, kExact, PackedFmac},
    {Opcode::kVPkAddF16, kExact, PackedAdd},
    {Opcode::kVPkMulF16, kExact, PackedMul},
    {Opcode::kVPkMinF16, kExact, PackedMin},
    {Opcode::kVPkMaxF16, kExact, PackedMax},
    {Opcode::kVDot2F32F16, kBounded, [](const Lane& l) { return DotHalves(l, l.FloatBits(2)); }},
    {Opcode::kVDot2cF32F16, kBounded, [](const Lane& l) { return DotHalves(l, l.in().old); }},
    {Opcode::kVDot2I32I16, kExact, DotInts},
    {Opcode::kVDot2U32U16, kExact, DotInts},
    {Opcode::kVDot4I32I8, kExact, [](const Lane& l) { return DotElements<8>(l, l.Bits32(2)); }},
    {Opcode::kVDot4U32U8, kExact, [](const Lane& l) { return DotElements<8>(l, l.Bits32(2)); }},
    {Opcode::kVDot4cI32I8, kExact,
     [](const Lane& l) { return DotElements<8>(l, static_cast<uint32_t>(l.in().old)); }},
    {Opcode::kVDot8I32I4, kExact, [](const Lane& l) { return DotElements<4>(l, l.Bits32(2)); }},
    {Opcode::kVDot8U32U4, kExact, [](const Lane& l) { return DotElements<4>(l, l.Bits32(2)); }},
    {Opcode::kVFmaMixF32, kExact, [](const Lane& l) { return l.FloatResult(MixFma(l)); }},
    {Opcode::kVFmaMixloF16, kBounded, MixToHalf},
    {Opcode::kVFmaMixhiF16, kBounded, MixToHalf},
};

}  // namespace

absl::Span<const Row> PackedRows() { return kRows; }

}  // namespace kiln::sim::rdna2::alu
