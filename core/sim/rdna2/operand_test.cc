// Tests operand.h: constants and literals by type.
#include "core/sim/rdna2/operand.h"

#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Type;

uint64_t Constant(int code, Type type, uint32_t literal = 0) {
  isa::Instruction inst;
  inst.literal = literal;
  return UniformValue(WaveState(), inst, isa::Source(code), type);
}

TEST(OperandTest, Integers) {
  EXPECT_EQ(Constant(128, Type::kB32), 0u);
  EXPECT_EQ(Constant(192, Type::kB32), 64u);
  EXPECT_EQ(Constant(193, Type::kB32), 0xffffffffu);
  EXPECT_EQ(Constant(208, Type::kI64), ~uint64_t{15});
}

TEST(OperandTest, FloatsByType) {
  EXPECT_EQ(Constant(242, Type::kF32), 0x3f800000u);
  EXPECT_EQ(Constant(242, Type::kF16), 0x3c00u);
  EXPECT_EQ(Constant(242, Type::kPF16), 0x3c00u);
  EXPECT_EQ(Constant(242, Type::kF64), 0x3ff0000000000000u);
  EXPECT_EQ(Constant(248, Type::kF32), 0x3e22f983u);
}

TEST(OperandTest, LiteralsByType) {
  EXPECT_EQ(Constant(255, Type::kB32, 0x80000001), 0x80000001u);
  EXPECT_EQ(Constant(255, Type::kB64, 0x80000001), 0x80000001u);
  EXPECT_EQ(Constant(255, Type::kI64, 0x80000001), 0xffffffff80000001u);
  EXPECT_EQ(Constant(255, Type::kF64, 0x40590000), 0x4059000000000000u);
}

TEST(OperandTest, Conditions) {
  WaveState w;
  w.size = isa::Wave::k64;
  w.scalar[isa::kVccHi] = 1;
  w.scc = true;
  const isa::Instruction inst;
  EXPECT_EQ(UniformValue(w, inst, isa::Source(isa::kVccz), Type::kB32), 0u);
  EXPECT_EQ(UniformValue(w, inst, isa::Source(isa::kExecz), Type::kB32), 1u);
  EXPECT_EQ(UniformValue(w, inst, isa::Source(isa::kScc), Type::kB32), 1u);
  w.size = isa::Wave::k32;
  EXPECT_EQ(UniformValue(w, inst, isa::Source(isa::kVccz), Type::kB32), 1u);
}

}  // namespace
}  // namespace kiln::sim::rdna2
