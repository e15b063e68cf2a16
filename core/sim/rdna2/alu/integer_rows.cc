// Integer arithmetic of 16, 32 and 64 bits. Under clamp, results saturate to the destination's
// type instead of wrapping (ISA guide, 6.2.4; measured cases: hardware tests of tinygrad).
#include <algorithm>

#include "core/sim/rdna2/alu/rows.h"

namespace kiln::sim::rdna2::alu {
namespace {

using amd::isa::Opcode;
using amd::isa::Type;
using enum Accuracy;
__extension__ typedef __int128 SignedWide;

bool IsSigned(Type type) { return type == Type::kI16 || type == Type::kI32 || type == Type::kI64; }

// Source i by its type's signedness.
int64_t Value(const Lane& l, int i) {
  return IsSigned(l.info().src[static_cast<size_t>(i)]) ? l.Signed(i)
                                                        : static_cast<int64_t>(l.Bits(i));
}

// Gives an exact value the destination's width.
LaneResult Wrap(const Lane& l, SignedWide value) {
  const int bits = BitsOf(l.info().dst);
  const bool is_signed = IsSigned(l.info().dst);
  if (l.inst().clamp) {
    const SignedWide high = (SignedWide{1} << (is_signed ? bits - 1 : bits)) - 1;
    value = std::clamp(value, is_signed ? -high - 1 : SignedWide{0}, high);
  }
  return l.Result(static_cast<uint64_t>(value));
}

LaneResult AddInt(const Lane& l) { return Wrap(l, SignedWide{Value(l, 0)} + Value(l, 1)); }
LaneResult SubInt(const Lane& l) { return Wrap(l, SignedWide{Value(l, 0)} - Value(l, 1)); }
LaneResult SubrevInt(const Lane& l) { return Wrap(l, SignedWide{Value(l, 1)} - Value(l, 0)); }
LaneResult MulLow(const Lane& l) { return Wrap(l, SignedWide{Value(l, 0)} * Value(l, 1)); }
LaneResult MulHigh(const Lane& l) {
  return l.Result(static_cast<uint64_t>(SignedWide{Value(l, 0)} * Value(l, 1) >> 32));
}
LaneResult MadInt(const Lane& l) {
  return Wrap(l, SignedWide{Value(l, 0)} * Value(l, 1) + Value(l, 2));
}

// Lower 24 bits, by signedness.
int64_t Value24(const Lane& l, int i) {
  const int64_t low = static_cast<int64_t>(l.Bits(i) & 0xffffff);
  const bool negative = IsSigned(l.info().src[0]) && (low & 0x800000) != 0;
  return negative ? low - 0x1000000 : low;
}
LaneResult Mul24(const Lane& l) { return Wrap(l, SignedWide{Value24(l, 0)} * Value24(l, 1)); }
LaneResult MulHigh24(const Lane& l) {
  return l.Result(static_cast<uint64_t>(Value24(l, 0) * Value24(l, 1) >> 32));
}
LaneResult Mad24(const Lane& l) {
  return Wrap(l, SignedWide{Value24(l, 0)} * Value24(l, 1) + Value(l, 2));
}

// 32 x 32 + 64 bits; the mask gets bit 64 of the sum.
LaneResult Mad64(const Lane& l) {
  const bool is_signed = IsSigned(l.info().dst);
  const SignedWide addend =
      is_signed ? SignedWide{static_cast<int64_t>(l.Bits(2))} : SignedWide{l.Bits(2)};
  const SignedWide sum = SignedWide{Value(l, 0)} * Value(l, 1) + addend;
  LaneResult r = Wrap(l, sum);
  r.mask_bit = (static_cast<Wide>(sum) >> 64 & 1) != 0;
  return r;
}

// Sums with a carry in or out; borrows are 1 if the result is negative.
LaneResult Carry(const Lane& l, int64_t exact) {
  LaneResult r = Wrap(l, exact);
  r.mask_bit = exact < 0 || exact > 0xffffffffll;
  return r;
}
int64_t CarryIn(const Lane& l) { return l.in().mask_bit ? 1 : 0; }

template <bool kWithCarry>
LaneResult AddCarry(const Lane& l) {
  return Carry(l, Value(l, 0) + Value(l, 1) + (kWithCarry ? CarryIn(l) : 0));
}
template <bool kWithCarry, int kFirst>
LaneResult SubCarry(const Lane& l) {
  return Carry(l, Value(l, kFirst) - Value(l, 1 - kFirst) - (kWithCarry ? CarryIn(l) : 0));
}

LaneResult MinInt(const Lane& l) { return Wrap(l, std::min(Value(l, 0), Value(l, 1))); }
LaneResult MaxInt(const Lane& l) { return Wrap(l, std::max(Value(l, 0), Value(l, 1))); }
LaneResult Min3Int(const Lane& l) {
  return Wrap(l, std::min({Value(l, 0), Value(l, 1), Value(l, 2)}));
}
LaneResult Max3Int(const Lane& l) {
  return Wrap(l, std::max({Value(l, 0), Value(l, 1), Value(l, 2)}));
}
LaneResult Med3Int(const Lane& l) {
  const int64_t a = Value(l, 0), b = Value(l, 1), c = Value(l, 2);
  return Wrap(l, std::max(std::min(a, b), std::min(std::max(a, b), c)));
}

// Sums of two operations on 32 bits.
template <typename Function>
LaneResult Three(const Lane& l, Function f) {
  return l.Result(static_cast<uint32_t>(f(l.Bits32(0), l.Bits32(1), l.Bits32(2))));
}

// ---- Sums of absolute differences ----

uint32_t Distance(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

// Sums distances of bytes; `masked`: bytes that are 0 in the reference b do not count.
uint32_t ByteDistance(uint32_t a, uint32_t b, bool masked) {
  uint32_t sum = 0;
  for (int i = 0; i < 32; i += 8) {
    const uint32_t reference = b >> i & 0xff;
    if (!masked || reference != 0) sum += Distance(a >> i & 0xff, reference);
  }
  return sum;
}

template <bool kMasked>
LaneResult Sad8(const Lane& l) {
  return Wrap(l, int64_t{ByteDistance(l.Bits32(0), l.Bits32(1), kMasked)} + l.Bits32(2));
}
LaneResult SadHigh8(const Lane& l) {
  const int64_t sum = int64_t{ByteDistance(l.Bits32(0), l.Bits32(1), false)} << 16;
  return Wrap(l, sum + l.Bits32(2));
}
LaneResult Sad16(const Lane& l) {
  const int64_t sum = int64_t{Distance(l.Bits32(0) & 0xffff, l.Bits32(1) & 0xffff)} +
                      Distance(l.Bits32(0) >> 16, l.Bits32(1) >> 16);
  return Wrap(l, sum + l.Bits32(2));
}
// The distance is unsigned (Mesa 25.0.7, README-ISA, against the Vega guide).
LaneResult Sad32(const Lane& l) {
  return Wrap(l, int64_t{Distance(l.Bits32(0), l.Bits32(1))} + l.Bits32(2));
}

uint64_t Accumulated(uint64_t sum, bool clamp, uint64_t largest) {
  return clamp ? std::min(sum, largest) : sum & largest;
}

// Four windows of src0, a byte apart, against src1; accumulators of 16 bits.
template <bool kMasked>
LaneResult QuadSad16(const Lane& l) {
  uint64_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const uint32_t window = static_cast<uint32_t>(l.Bits(0) >> (8 * i));
    const uint64_t sum =
        ByteDistance(window, l.Bits32(1), kMasked) + (l.Bits(2) >> (16 * i) & 0xffff);
    result |= Accumulated(sum, l.inst().clamp, 0xffff) << (16 * i);
  }
  return l.Result(result);
}

// The same with accumulators of 32 bits.
LaneResult QuadSad32(const Lane& l) {
  uint64_t result[2] = {};
  const uint64_t old[2] = {l.in().src[2], l.in().src2_high};
  for (size_t i = 0; i < 4; ++i) {
    const uint32_t window = static_cast<uint32_t>(l.Bits(0) >> (8 * i));
    const uint64_t sum =
        ByteDistance(window, l.Bits32(1), true) + (old[i / 2] >> (32 * (i % 2)) & 0xffffffffu);
    result[i / 2] |= Accumulated(sum, l.inst().clamp, 0xffffffffu) << (32 * (i % 2));
  }
  LaneResult r = l.Result(result[0]);
  r.value_high = result[1];
  return r;
}

constexpr Row kRows[] = {
    {Opcode::kVAddNcU16, kExact, AddInt},
    {Opcode::kVAddNcI16, kExact, AddInt},
    {Opcode::kVAddNcU32, kExact, AddInt},
    {Opcode::kVAddNcI32, kExact, AddInt},
    {Opcode::kVSubNcU16, kExact, SubInt},
    {Opcode::kVSubNcI16, kExact, SubInt},
    {Opcode::kVSubNcU32, kExact, SubInt},
    {Opcode::kVSubNcI32, kExact, SubInt},
    {Opcode::kVSubrevNcU32, kExact, SubrevInt},
    {Opcode::kVAddCoU32, kExact, AddCarry<false>},
    {Opcode::kVAddCoCiU32, kExact, AddCarry<true>},
    {Opcode::kVSubCoU32, kExact, SubCarry<false, 0>},
    {Opcode::kVSubCoCiU32, kExact, SubCarry<true, 0>},
    {Opcode::kVSubrevCoU32, kExact, SubCarry<false, 1>},
    {Opcode::kVSubrevCoCiU32, kExact, SubCarry<true, 1>},
    {Opcode::kVMulLoU16, kExact, MulLow},
    {Opcode::kVMulLoU32, kExact, MulLow},
    {Opcode::kVMulHiU32, kExact, MulHigh},
    {Opcode::kVMulHiI32, kExact, MulHigh},
    {Opcode::kVMulI32I24, kExact, Mul24},
    {Opcode::kVMulU32U24, kExact, Mul24},
    {Opcode::kVMulHiI32I24, kExact, MulHigh24},
    {Opcode::kVMulHiU32U24, kExact, MulHigh24},
    {Opcode::kVMadI32I24, kExact, Mad24},
    {Opcode::kVMadU32U24, kExact, Mad24},
    {Opcode::kVMadU16, kExact, MadInt},
    {Opcode::kVMadI16, kExact, MadInt},
    {Opcode::kVMadU32U16, kExact, MadInt},
    {Opcode::kVMadI32I16, kExact, MadInt},
    {Opcode::kVMadU64U32, kExact, Mad64},
    {Opcode::kVMadI64I32, kExact, Mad64},
    {Opcode::kVMinI16, kExact, MinInt},
    {Opcode::kVMinU16, kExact, MinInt},
    {Opcode::kVMinI32, kExact, MinInt},
    {Opcode::kVMinU32, kExact, MinInt},
    {Opcode::kVMaxI16, kExact, MaxInt},
    {Opcode::kVMaxU16, kExact, MaxInt},
    {Opcode::kVMaxI32, kExact, MaxInt},
    {Opcode::kVMaxU32, kExact, MaxInt},
    {Opcode::kVMin3I16, kExact, Min3Int},
    {Opcode::kVMin3U16, kExact, Min3Int},
    {Opcode::kVMin3I32, kExact, Min3Int},
    {Opcode::kVMin3U32, kExact, Min3Int},
    {Opcode::kVMax3I16, kExact, Max3Int},
    {Opcode::kVMax3U16, kExact, Max3Int},
    {Opcode::kVMax3I32, kExact, Max3Int},
    {Opcode::kVMax3U32, kExact, Max3Int},
    {Opcode::kVMed3I16, kExact, Med3Int},
    {Opcode::kVMed3U16, kExact, Med3Int},
    {Opcode::kVMed3I32, kExact, Med3Int},
    {Opcode::kVMed3U32, kExact, Med3Int},
    {Opcode::kVAdd3U32, kExact,
     [](const Lane& l) {
       return Three(l, [](uint32_t a, uint32_t b, uint32_t c) { return a + b + c; });
     }},
    {Opcode::kVXadU32, kExact,
     [](const Lane& l) {
       return Three(l, [](uint32_t a, uint32_t b, uint32_t c) { return (a ^ b) + c; });
     }},
    {Opcode::kVLshlAddU32, kExact,
     [](const Lane& l) {
       return Three(l, [](uint32_t a, uint32_t b, uint32_t c) { return (a << (b & 31)) + c; });
     }},
    {Opcode::kVAddLshlU32, kExact,
     [](const Lane& l) {
       return Three(l, [](uint32_t a, uint32_t b, uint32_t c) { return (a + b) << (c & 31); });
     }},
    {Opcode::kVSadU8, kExact, Sad8<false>},
    {Opcode::kVMsadU8, kExact, Sad8<true>},
    {Opcode::kVSadHiU8, kExact, SadHigh8},
    {Opcode::kVSadU16, kExact, Sad16},
    {Opcode::kVSadU32, kExact, Sad32},
    {Opcode::kVQsadPkU16U8, kExact, QuadSad16<false>},
    {Opcode::kVMqsadPkU16U8, kExact, QuadSad16<true>},
    {Opcode::kVMqsadU32U8, kExact, QuadSad32},
};

}  // namespace

absl::Span<const Row> IntegerRows() { return kRows; }

}  // namespace kiln::sim::rdna2::alu
