// The sequences in which compilers use v_div_*: quotients must be correctly rounded, as the host's
// division gives them. The sequences are LLVM 19's (llc, gfx1030).
#include <bit>
#include <cmath>

#include "core/sim/rdna2/alu/evaluate.h"
#include "core/sim/rdna2/alu/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2::alu {
namespace {

using amd::isa::Instruction;
using amd::isa::Opcode;

constexpr int kCases = 30'000;

struct Opcodes {
  Opcode scale, rcp, fma, mul, fmas, fixup;
  Format format;
  int refinements;  // of the reciprocal
};
constexpr Opcodes k32 = {Opcode::kVDivScaleF32,
                         Opcode::kVRcpF32,
                         Opcode::kVFmaF32,
                         Opcode::kVMulF32,
                         Opcode::kVDivFmasF32,
                         Opcode::kVDivFixupF32,
                         kF32,
                         1};
constexpr Opcodes k64 = {Opcode::kVDivScaleF64,
                         Opcode::kVRcpF64,
                         Opcode::kVFmaF64,
                         Opcode::kVMulF64,
                         Opcode::kVDivFmasF64,
                         Opcode::kVDivFixupF64,
                         kF64,
                         2};

LaneResult Compute(Opcode op, uint64_t a, uint64_t b, uint64_t c, bool mask = false) {
  Instruction inst;
  inst.op = op;
  LaneInputs in;
  in.src = {a, b, c};
  in.mask_bit = mask;
  return Evaluate(inst, Mode(), in);
}

uint64_t Quotient(const Opcodes& ops, uint64_t a, uint64_t b) {
  const uint64_t one = ops.format.one(), sign = ops.format.sign();
  const auto fma = [&ops](uint64_t x, uint64_t y, uint64_t z) {
    return Compute(ops.fma, x, y, z).value;
  };
  const uint64_t d = Compute(ops.scale, b, b, a).value;
  const LaneResult n = Compute(ops.scale, a, b, a);
  uint64_t r = Compute(ops.rcp, d, 0, 0).value;
  for (int i = 0; i < ops.refinements; ++i) r = fma(fma(d ^ sign, r, one), r, r);
  uint64_t q = Compute(ops.mul, n.value, r, 0).value;
  // 32 bits: the quotient is refined once more.
  if (ops.format == kF32) q = fma(fma(d ^ sign, q, n.value), r, q);
  const uint64_t rest = fma(d ^ sign, q, n.value);
  q = Compute(ops.fmas, rest, r, q, n.mask_bit).value;
  return Compute(ops.fixup, q, b, a).value;
}

// A divisor whose fraction is all ones is the case that Markstein's theorem on such sequences
// leaves out (P. Markstein, "Computation of elementary functions on the IBM RISC System/6000",
// 1990): its reciprocal rounds to a power of two, and the quotient may be the other neighbour.
bool IsMarksteinsException(const Opcodes& ops, uint64_t b) {
  const uint64_t fraction = ops.format.hidden() - 1;
  return ops.format == kF64 && (b & fraction) == fraction;
}

template <typename T, typename Bits>
void QuotientsAreTheHosts(const Opcodes& ops, uint32_t seed) {
  Floats floats(ops.format, seed);
  for (int i = 0; i < kCases; ++i) {
    const uint64_t a = floats.Next(), b = floats.Next();
    const T host = std::bit_cast<T>(static_cast<Bits>(a)) / std::bit_cast<T>(static_cast<Bits>(b));
    const uint64_t expected = std::bit_cast<Bits>(host);
    const uint64_t got = Quotient(ops, a, b);
    const bool neighbour = IsMarksteinsException(ops, b) && (got + 1 == expected);
    ASSERT_TRUE(SameFloat(got, expected, ops.format) || neighbour)
        << std::hex << a << " / " << b << ": " << got << ", host " << expected;
  }
}

TEST(Division, SingleQuotientsAreCorrectlyRounded) {
  QuotientsAreTheHosts<float, uint32_t>(k32, 1);
}
TEST(Division, DoubleQuotientsAreCorrectlyRounded) {
  QuotientsAreTheHosts<double, uint64_t>(k64, 2);
}

constexpr uint32_t kOne = 0x3f800000, kTwo = 0x40000000, kThree = 0x40400000, kSix = 0x40c00000;
constexpr uint32_t kInf = 0x7f800000, kLargest = 0x7f7fffff;

// Results measured on RDNA3 (hardware tests of tinygrad) and RDNA4 (of amdgpu-sim).
TEST(Division, ScaleVectors) {
  const LaneResult plain = Compute(Opcode::kVDivScaleF32, kTwo, 0x40800000, kTwo);
  EXPECT_EQ(plain.value, kTwo);
  EXPECT_FALSE(plain.mask_bit);
  const LaneResult apart = Compute(Opcode::kVDivScaleF32, kOne, kOne, kLargest);
  EXPECT_EQ(apart.value, 0x5f800000u);  // 2^64
  EXPECT_TRUE(apart.mask_bit);
  const LaneResult small = Compute(Opcode::kVDivScaleF32, kOne, 0x7f000000, kOne);
  EXPECT_TRUE(small.mask_bit);
  for (const uint32_t b : {0u, 0x80000000u}) {
    const LaneResult zero = Compute(Opcode::kVDivScaleF32, kOne, b, kOne);
    EXPECT_EQ(zero.value, 0xffc00000u);
    EXPECT_TRUE(zero.mask_bit);
  }
  // A tiny numerator, and denominators near and at infinity.
  const LaneResult tiny = Compute(Opcode::kVDivScaleF32, 0x00800000, kOne, 0x00800000);
  EXPECT_EQ(tiny.value, 0x20800000u);
  EXPECT_TRUE(tiny.mask_bit);
  const LaneResult huge = Compute(Opcode::kVDivScaleF32, kLargest, kLargest, kOne);
  EXPECT_EQ(huge.value, 0x5f7fffffu);  // * 2^-64
  EXPECT_TRUE(huge.mask_bit);
  const LaneResult infinite = Compute(Opcode::kVDivScaleF32, kOne, kInf, kOne);
  EXPECT_EQ(infinite.value, kOne);
  EXPECT_TRUE(infinite.mask_bit);
}

TEST(Division, FmasVectors) {
  EXPECT_EQ(Compute(Opcode::kVDivFmasF32, kTwo, kThree, kOne, false).value, 0x40e00000u);  // 7
  EXPECT_EQ(Compute(Opcode::kVDivFmasF32, kOne, kOne, kTwo, true).value, 0x60400000u);  // 3 * 2^64
  EXPECT_EQ(Compute(Opcode::kVDivFmasF32, kTwo, kThree, kOne, true).value,
            0x20e00000u);  // 7 * 2^-64
  // 1 * 1 + 2 and 1 * 1 + 1, times 2^128 and 2^-128.
  EXPECT_EQ(Compute(Opcode::kVDivFmasF64, kF64.one(), kF64.one(), uint64_t{2} << 61, true).value,
            std::bit_cast<uint64_t>(0x1.8p129));
  EXPECT_EQ(Compute(Opcode::kVDivFmasF64, kF64.one(), kF64.one(), kF64.one(), true).value,
            std::bit_cast<uint64_t>(0x1p-127));
}

TEST(Division, FixupVectors) {
  const auto fixup = [](uint64_t q, uint64_t b, uint64_t a) {
    return Compute(Opcode::kVDivFixupF32, q, b, a).value;
  };
  constexpr uint32_t kSign = 0x80000000, kNan = 0x7fc00000;
  EXPECT_EQ(fixup(kThree, kTwo, kSix), kThree);
  EXPECT_EQ(fixup(kThree, kTwo | kSign, kSix), kThree | kSign);
  EXPECT_EQ(fixup(kThree | kSign, kTwo | kSign, kSix | kSign), kThree);
  EXPECT_EQ(fixup(kOne, 0, 0), 0xffc00000u);
  EXPECT_EQ(fixup(kOne, kInf, kInf), 0xffc00000u);
  EXPECT_EQ(fixup(kOne, 0, kOne), kInf);
  EXPECT_EQ(fixup(kOne, 0, kOne | kSign), kInf | kSign);
  EXPECT_EQ(fixup(kOne, kTwo, kInf), kInf);
  EXPECT_EQ(fixup(kOne, kTwo, 0), 0u);
  EXPECT_EQ(fixup(kOne, kInf | kSign, kOne), kSign);
  EXPECT_EQ(fixup(kOne, kOne, 0x7f800001), 0x7fc00001u);  // made quiet
  EXPECT_EQ(fixup(kOne, kNan, kOne), kNan);
  // A quotient that is no number: overflow.
  EXPECT_EQ(fixup(kNan, kOne, kOne), kInf);
  EXPECT_EQ(fixup(kNan, kOne, kOne | kSign), kInf | kSign);
}

}  // namespace
}  // namespace kiln::sim::rdna2::alu
