// Sequences that compilers make of several instructions: each must give what the whole operation
// gives. The sequences are LLVM 19's (llc, gfx1030) and Mesa's.
#include <bit>
#include <cmath>
#include <random>

#include "core/sim/rdna2/alu/evaluate.h"
#include "core/sim/rdna2/alu/testing.h"
#include "gtest/gtest.h"

namespace kiln::sim::rdna2::alu {
namespace {

using amd::isa::Instruction;
using amd::isa::Opcode;

constexpr int kCases = 20'000;

LaneResult Compute(Opcode op, uint64_t a, uint64_t b = 0, uint64_t c = 0, bool mask = false) {
  Instruction inst;
  inst.op = op;
  LaneInputs in;
  in.src = {a, b, c};
  in.mask_bit = mask;
  return Evaluate(inst, Mode(), in);
}
uint64_t Value(Opcode op, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
  return Compute(op, a, b, c).value;
}

// The square root of an f64 from v_rsq_f64's seed: Goldschmidt's iteration and two residuals.
uint64_t SquareRoot64(uint64_t x) {
  constexpr uint64_t kHalf = 0x3fe0000000000000, kSmall = 0x1000000000000000;  // 2^-767
  const auto fma = [](uint64_t a, uint64_t b, uint64_t c) {
    return Value(Opcode::kVFmaF64, a, b, c);
  };
  const auto negated = [](uint64_t a) { return a ^ kF64.sign(); };
  const bool small = Compute(Opcode::kVCmpLtF64, x, kSmall).mask_bit;
  const uint64_t s = Value(Opcode::kVLdexpF64, x, small ? 256 : 0);
  const uint64_t y = Value(Opcode::kVRsqF64, s);
  uint64_t g = Value(Opcode::kVMulF64, s, y), h = Value(Opcode::kVMulF64, y, kHalf);
  const uint64_t e = fma(negated(h), g, kHalf);
  g = fma(g, e, g);
  h = fma(h, e, h);
  for (int i = 0; i < 2; ++i) g = fma(fma(negated(g), g, s), h, g);
  g = Value(Opcode::kVLdexpF64, g, small ? static_cast<uint32_t>(-128) : 0);
  constexpr uint64_t kZeroOrInfinity = 0x260;
  return Compute(Opcode::kVCmpClassF64, s, kZeroOrInfinity).mask_bit ? s : g;
}

TEST(Sequences, DoubleSquareRootIsCorrectlyRounded) {
  Floats floats(kF64, 1);
  for (int i = 0; i < kCases; ++i) {
    const uint64_t x = floats.Next();
    const uint64_t expected = std::bit_cast<uint64_t>(std::sqrt(std::bit_cast<double>(x)));
    ASSERT_TRUE(SameFloat(SquareRoot64(x), expected, kF64)) << std::hex << x;
  }
}

// Scales of the reciprocal in a division: LLVM's and Mesa's, and ours
// (core/amd/select/division.cc).
constexpr uint32_t kTheirScale = 0x4f7ffffe, kOurScale = 0x4f7ffffc;

// u32 division by v_rcp_iflag_f32: an estimate of 2^32 / b, one Newton step, two corrections. The
// reciprocal is `ulps` larger than the nearest number.
uint32_t Quotient(uint32_t a, uint32_t b, uint32_t scale, int ulps = 0) {
  const auto mul_hi = [](uint64_t x, uint64_t y) { return Value(Opcode::kVMulHiU32, x, y); };
  const auto mul = [](uint64_t x, uint64_t y) { return Value(Opcode::kVMulLoU32, x, y); };
  const auto add = [](uint64_t x, uint64_t y) { return Value(Opcode::kVAddNcU32, x, y); };
  const auto sub = [](uint64_t x, uint64_t y) { return Value(Opcode::kVSubNcU32, x, y); };
  const auto select = [](bool m, uint64_t no, uint64_t yes) {
    return Compute(Opcode::kVCndmaskB32, no, yes, 0, m).value;
  };
  const uint64_t nearest = Value(Opcode::kVRcpIflagF32, Value(Opcode::kVCvtF32U32, b));
  const uint32_t reciprocal = static_cast<uint32_t>(nearest) + static_cast<uint32_t>(ulps);
  uint64_t r = Value(Opcode::kVCvtU32F32, Value(Opcode::kVMulF32, reciprocal, scale));
  r = add(r, mul_hi(r, mul(sub(0, b), r)));
  uint64_t q = mul_hi(a, r), rest = sub(a, mul(q, b));
  for (int i = 0; i < 2; ++i) {
    const bool more = Compute(Opcode::kVCmpGeU32, rest, b).mask_bit;
    q = select(more, q, add(q, 1));
    rest = select(more, rest, sub(rest, b));
  }
  return static_cast<uint32_t>(q);
}

TEST(Sequences, UnsignedDivision) {
  std::mt19937 random(2);
  for (int i = 0; i < kCases; ++i) {
    const uint32_t a = random() >> (random() % 32), b = random() >> (random() % 32);
    if (b == 0) continue;
    ASSERT_EQ(Quotient(a, b, kTheirScale), a / b) << a << " " << b;
  }
  for (const uint32_t a : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
    for (const uint32_t b : {1u, 2u, 3u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
      EXPECT_EQ(Quotient(a, b, kTheirScale), a / b);
    }
  }
}

// v_rcp_f32 may be one ulp off either way.
TEST(Sequences, UnsignedDivisionByAnInexactReciprocal) {
  std::mt19937 random(7);
  for (int i = 0; i < kCases; ++i) {
    const uint32_t b = i < 4096 ? static_cast<uint32_t>(i) + 1 : random() >> (random() % 32);
    if (b == 0) continue;
    const uint32_t most = 0xffffffffu / b * b;
    for (const uint32_t a : {0xffffffffu, most, most - 1, static_cast<uint32_t>(random())}) {
      for (const int ulps : {-1, 0, 1}) {
        ASSERT_EQ(Quotient(a, b, kOurScale, ulps), a / b) << a << " " << b << " " << ulps;
      }
    }
  }
  EXPECT_NE(Quotient(9, 3, kTheirScale, 1), 3u) << "which a larger scale does not allow";
}

// 64-bit products of 64-bit factors: v_mad_u64_u32 and two v_mul_lo_u32.
TEST(Sequences, WideMultiplication) {
  std::mt19937_64 random(3);
  for (int i = 0; i < kCases; ++i) {
    const uint64_t a = random(), b = random();
    const uint64_t low = Value(Opcode::kVMadU64U32, a & 0xffffffff, b & 0xffffffff, 0);
    const uint64_t cross =
        Value(Opcode::kVAdd3U32, low >> 32, Value(Opcode::kVMulLoU32, a >> 32, b & 0xffffffff),
              Value(Opcode::kVMulLoU32, a & 0xffffffff, b >> 32));
    ASSERT_EQ((low & 0xffffffff) | cross << 32, a * b);
  }
}

// A prefix of bytes by v_perm and v_sad_u8, and the same by v_dot4_u32_u8: two ways in which Mesa
// has added the counts of lower waves.
TEST(Sequences, PrefixSumsOfBytes) {
  std::mt19937 random(4);
  for (int i = 0; i < kCases; ++i) {
    const uint32_t bytes = random();
    const uint32_t last = random() % 4;
    uint32_t expected = 0;
    for (uint32_t k = 0; k <= last; ++k) expected += bytes >> (8 * k) & 0xff;
    const uint64_t ones = Value(Opcode::kVLshrrevB32, 24 - 8 * last, 0xffffffff);
    const uint64_t selector = Value(Opcode::kVBfiB32, ones, 0x03020100, 0x0c0c0c0c);
    const uint64_t kept = Value(Opcode::kVPermB32, 0, bytes, selector);
    ASSERT_EQ(Value(Opcode::kVSadU8, kept, 0, 0), expected);
    const uint64_t weights = Value(Opcode::kVLshrrevB32, 24 - 8 * last, 0x01010101);
    ASSERT_EQ(Value(Opcode::kVDot4U32U8, bytes, weights, 0), expected);
  }
}

}  // namespace
}  // namespace kiln::sim::rdna2::alu
