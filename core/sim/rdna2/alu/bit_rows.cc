// Moves, logic, shifts, bit fields, counts and bytes. Shift counts are modulo the width. Semantics:
// RDNA2 ISA guide, chapter 12.
#include <bit>

#include "core/sim/rdna2/alu/rows.h"

namespace kiln::sim::rdna2::alu {
namespace {

using amd::isa::Opcode;
using enum Accuracy;

template <typename Function>
LaneResult One(const Lane& l, Function f) {
  return l.Result(static_cast<uint32_t>(f(l.Bits32(0))));
}
template <typename Function>
LaneResult Two(const Lane& l, Function f) {
  return l.Result(static_cast<uint32_t>(f(l.Bits32(0), l.Bits32(1))));
}
template <typename Function>
LaneResult Three(const Lane& l, Function f) {
  return l.Result(static_cast<uint32_t>(f(l.Bits32(0), l.Bits32(1), l.Bits32(2))));
}

// ---- Moves ----

LaneResult Nothing(const Lane&) { return {}; }
LaneResult Move(const Lane& l) { return l.Result(l.Bits(0)); }
LaneResult Swap(const Lane& l) {
  LaneResult r = l.Result(l.Bits(0));
  r.src0_value = l.in().old & 0xffffffffu;
  return r;
}
// Signs are bits here: no NaN is made quiet, nothing is flushed.
LaneResult Select(const Lane& l) { return l.Result(l.FloatBits(l.in().mask_bit ? 1 : 0)); }

// ---- Shifts of src1 by src0 ----

uint64_t Count(const Lane& l) {
  return l.Bits(0) & static_cast<uint64_t>(BitsOf(l.info().dst) - 1);
}
LaneResult ShiftLeft(const Lane& l) { return l.Result(l.Bits(1) << Count(l)); }
LaneResult ShiftRight(const Lane& l) { return l.Result(l.Bits(1) >> Count(l)); }
LaneResult ShiftSigned(const Lane& l) {
  return l.Result(static_cast<uint64_t>(l.Signed(1) >> Count(l)));
}

// ---- Fields ----

constexpr uint32_t Ones(uint32_t count) { return (1u << (count & 31)) - 1; }

uint32_t FieldUnsigned(uint32_t x, uint32_t offset, uint32_t width) {
  return x >> (offset & 31) & Ones(width);
}
uint32_t FieldSigned(uint32_t x, uint32_t offset, uint32_t width) {
  width &= 31;
  if (width == 0) return 0;
  const uint32_t field =
      static_cast<uint32_t>(static_cast<int32_t>(x) >> (offset & 31)) & Ones(width);
  return (field ^ 1u << (width - 1)) - (1u << (width - 1));
}
uint32_t Insert(uint32_t mask, uint32_t a, uint32_t b) { return (mask & a) | (~mask & b); }
uint32_t Align(uint32_t high, uint32_t low, uint32_t shift) {
  return static_cast<uint32_t>((uint64_t{high} << 32 | low) >> shift);
}

// ---- Counts; all ones if no bit is found ----

uint32_t FromHigh(uint32_t x) { return x == 0 ? ~0u : static_cast<uint32_t>(std::countl_zero(x)); }
uint32_t FromLow(uint32_t x) { return x == 0 ? ~0u : static_cast<uint32_t>(std::countr_zero(x)); }
// The first bit that differs from the sign.
uint32_t FromSign(uint32_t x) { return FromHigh(x ^ ((x >> 31) != 0 ? ~0u : 0)); }
uint32_t Reversed(uint32_t x) {
  uint32_t r = 0;
  for (int i = 0; i < 32; ++i) r |= (x >> i & 1) << (31 - i);
  return r;
}

// Bits of src0 for lower lanes of the half of the wave from lane `first` on, plus src1.
LaneResult MaskedCount(const Lane& l, int first) {
  const int below = l.in().lane - first;
  const uint32_t mask = below >= 32 ? ~0u : below <= 0 ? 0 : Ones(static_cast<uint32_t>(below));
  const uint32_t count = static_cast<uint32_t>(std::popcount(l.Bits32(0) & mask));
  return l.Result(count + l.Bits32(1));
}

// ---- Bytes ----

// Averages of bytes; the lowest bit of src2's byte rounds up.
uint32_t Lerp(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t r = 0;
  for (int i = 0; i < 32; i += 8) {
    r |= ((a >> i & 0xff) + (b >> i & 0xff) + (c >> i & 1)) >> 1 << i;
  }
  return r;
}

// One byte of {high, low}: 0 to 7 select; 8 to 11 are the signs of bytes 1, 3, 5, 7; 12 is 0 and
// more 0xff.
uint32_t PermutedByte(uint64_t bytes, uint32_t selector) {
  if (selector < 8) return static_cast<uint32_t>(bytes >> (8 * selector) & 0xff);
  if (selector == 12) return 0;
  if (selector > 12) return 0xff;
  const uint32_t byte = 2 * (selector - 8) + 1;
  return (bytes >> (8 * byte + 7) & 1) != 0 ? 0xff : 0;
}
uint32_t Permute(uint32_t high, uint32_t low, uint32_t selectors) {
  const uint64_t bytes = uint64_t{high} << 32 | low;
  uint32_t r = 0;
  for (int i = 0; i < 32; i += 8) r |= PermutedByte(bytes, selectors >> i & 0xff) << i;
  return r;
}

uint32_t And(uint32_t a, uint32_t b) { return a & b; }
uint32_t Or(uint32_t a, uint32_t b) { return a | b; }
uint32_t Xor(uint32_t a, uint32_t b) { return a ^ b; }
uint32_t Xnor(uint32_t a, uint32_t b) { return ~(a ^ b); }
uint32_t Mask(uint32_t width, uint32_t offset) { return Ones(width) << (offset & 31); }
uint32_t CountPlus(uint32_t a, uint32_t b) { return static_cast<uint32_t>(std::popcount(a)) + b; }
uint32_t Not(uint32_t a) { return ~a; }

// A row's function for a function on dwords.
template <uint32_t (*kFunction)(uint32_t)>
LaneResult Of1(const Lane& l) {
  return One(l, kFunction);
}
template <uint32_t (*kFunction)(uint32_t, uint32_t)>
LaneResult Of2(const Lane& l) {
  return Two(l, kFunction);
}
template <uint32_t (*kFunction)(uint32_t, uint32_t, uint32_t)>
LaneResult Of3(const Lane& l) {
  return Three(l, kFunction);
}

constexpr Row kRows[] = {
    {Opcode::kVNop, kExact, Nothing},
    {Opcode::kVPipeflush, kExact, Nothing},
    {Opcode::kVClrexcp, kExact, Nothing},
    {Opcode::kVMovB32, kExact, Move},
    // The caller finds the registers that M0 selects.
    {Opcode::kVMovreldB32, kExact, Move},
    {Opcode::kVMovrelsB32, kExact, Move},
    {Opcode::kVMovrelsdB32, kExact, Move},
    {Opcode::kVMovrelsd2B32, kExact, Move},
    {Opcode::kVSwapB32, kExact, Swap},
    {Opcode::kVSwaprelB32, kExact, Swap},
    {Opcode::kVCndmaskB32, kExact, Select},
    {Opcode::kVNotB32, kExact, Of1<Not>},
    {Opcode::kVAndB32, kExact, Of2<And>},
    {Opcode::kVOrB32, kExact, Of2<Or>},
    {Opcode::kVXorB32, kExact, Of2<Xor>},
    {Opcode::kVXnorB32, kExact, Of2<Xnor>},
    {Opcode::kVLshlrevB16, kExact, ShiftLeft},
    {Opcode::kVLshlrevB32, kExact, ShiftLeft},
    {Opcode::kVLshlrevB64, kExact, ShiftLeft},
    {Opcode::kVLshrrevB16, kExact, ShiftRight},
    {Opcode::kVLshrrevB32, kExact, ShiftRight},
    {Opcode::kVLshrrevB64, kExact, ShiftRight},
    {Opcode::kVAshrrevI16, kExact, ShiftSigned},
    {Opcode::kVAshrrevI32, kExact, ShiftSigned},
    {Opcode::kVAshrrevI64, kExact, ShiftSigned},
    {Opcode::kVXor3B32, kExact,
     [](const Lane& l) {
       return Three(l, [](uint32_t a, uint32_t b, uint32_t c) { return a ^ b ^ c; });
     }},
    {Opcode::kVOr3B32, kExact,
     [](const Lane& l) {
       return Three(l, [](uint32_t a, uint32_t b, uint32_t c) { return a | b | c; });
     }},
    {Opcode::kVAndOrB32, kExact,
     [](const Lane& l) {
       return Three(l, [](uint32_t a, uint32_t b, uint32_t c) { return (a & b) | c; });
     }},
    {Opcode::kVLshlOrB32, kExact,
     [](const Lane& l) {
       return Three(l, [](uint32_t a, uint32_t b, uint32_t c) { return a << (b & 31) | c; });
     }},
    {Opcode::kVBfeU32, kExact, Of3<FieldUnsigned>},
    {Opcode::kVBfeI32, kExact, Of3<FieldSigned>},
    {Opcode::kVBfiB32, kExact, Of3<Insert>},
    {Opcode::kVBfmB32, kExact, Of2<Mask>},
    {Opcode::kVAlignbitB32, kExact,
     [](const Lane& l) { return l.Result(Align(l.Bits32(0), l.Bits32(1), l.Bits32(2) & 31)); }},
    // Two bits of the count (Mesa 25.0.7, README-ISA).
    {Opcode::kVAlignbyteB32, kExact,
     [](const Lane& l) {
       return l.Result(Align(l.Bits32(0), l.Bits32(1), 8 * (l.Bits32(2) & 3)));
     }},
    {Opcode::kVBfrevB32, kExact, Of1<Reversed>},
    {Opcode::kVFfbhU32, kExact, Of1<FromHigh>},
    {Opcode::kVFfbhI32, kExact, Of1<FromSign>},
    {Opcode::kVFfblB32, kExact, Of1<FromLow>},
    {Opcode::kVBcntU32B32, kExact, Of2<CountPlus>},
    {Opcode::kVMbcntLoU32B32, kExact, [](const Lane& l) { return MaskedCount(l, 0); }},
    {Opcode::kVMbcntHiU32B32, kExact, [](const Lane& l) { return MaskedCount(l, 32); }},
    {Opcode::kVLerpU8, kExact, Of3<Lerp>},
    {Opcode::kVPermB32, kExact, Of3<Permute>},
};

}  // namespace

absl::Span<const Row> BitRows() { return kRows; }

}  // namespace kiln::sim::rdna2::alu
