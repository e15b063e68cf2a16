// Twins compute the same with sources exchanged: judged by the simulator's arithmetic.
#include "core/amd/emit/twins.h"

#include <array>
#include <cstdint>

#include "core/lir/random_structure.h"
#include "core/sim/rdna2/alu/evaluate.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

namespace alu = ::kiln::sim::rdna2::alu;
using isa::Opcode;

constexpr std::array<uint64_t, 14> kSpecial = {
    0,          0x80000000, 1,          0xffffffff, 0x3f800000, 0x7f800000, 0xff800000,
    0x7fc00000, 0x00000001, 0x80000001, 0x3c00,     0xbc00,     0x7e00,     0x8000};

uint64_t Number(lir::testing::Random& random, isa::Type type) {
  const bool wide = isa::Dwords(type) == 2;
  if (random.Chance(50)) {
    const uint64_t special = kSpecial[static_cast<size_t>(random.Below(kSpecial.size()))];
    return wide && type == isa::Type::kF64 ? special << 32 : special;
  }
  return wide ? random.Next() : static_cast<uint32_t>(random.Next());
}

bool IsNan(uint64_t bits, isa::Type type) {
  switch (type) {
    case isa::Type::kF16: return (bits & 0x7fff) > 0x7c00;
    case isa::Type::kF32: return (bits & 0x7fffffff) > 0x7f800000;
    case isa::Type::kF64: return (bits & ~(1ull << 63)) > 0x7ff0000000000000;
    default: return false;
  }
}

TEST(TwinsTest, ComputeTheSameWithSourcesExchanged) {
  lir::testing::Random random{1};
  int checked = 0;
  for (int i = 0; i < isa::kOpcodeCount; ++i) {
    const isa::OpcodeInfo& info = isa::Info(i);
    const auto twin = TwinOf(info.op);
    isa::Instruction one, other;
    one.op = info.op;
    if (!twin || !isa::IsVectorAlu(info.encoding) || !alu::CheckComputed(one).ok()) continue;
    other.op = *twin;
    ++checked;
    for (int n = 0; n < 500; ++n) {
      alu::LaneInputs in;
      in.src = {Number(random, info.src[0]), Number(random, info.src[1]), 0};
      in.old = random.Next() & 0xffffffff;
      in.mask_bit = random.Chance(50);
      alu::LaneInputs exchanged = in;
      std::swap(exchanged.src[0], exchanged.src[1]);
      const alu::LaneResult a = alu::Evaluate(one, {}, in);
      const alu::LaneResult b = alu::Evaluate(other, {}, exchanged);
      EXPECT_EQ(a.mask_bit, b.mask_bit) << info.mnemonic;
      // Which of two NaNs it is may differ.
      if (IsNan(a.value, info.dst) && IsNan(b.value, info.dst)) continue;
      ASSERT_EQ(a.value, b.value) << info.mnemonic << " of " << in.src[0] << ", " << in.src[1];
    }
  }
  EXPECT_GT(checked, 150);
}

TEST(TwinsTest, WhatHasNone) {
  for (Opcode op :
       {Opcode::kVLshlrevB32, Opcode::kVCvtPkrtzF16F32, Opcode::kVLdexpF16, Opcode::kVCndmaskB32,
        Opcode::kVCmpClassF32, Opcode::kSSubU32, Opcode::kSLshlB32, Opcode::kSBitcmp0B32}) {
    EXPECT_FALSE(TwinOf(op)) << isa::Info(op).mnemonic;
  }
  EXPECT_EQ(TwinOf(Opcode::kSCmpLtI32), Opcode::kSCmpGtI32);
  EXPECT_EQ(CompareWithSimm(Opcode::kSCmpLeU32), Opcode::kSCmpkLeU32);
  EXPECT_FALSE(CompareWithSimm(Opcode::kSCmpEqU64));
}

}  // namespace
}  // namespace kiln::amd
