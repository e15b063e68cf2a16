// Tests relative.h: the registers of every move that M0 displaces.
#include "core/sim/rdna2/relative.h"

#include <utility>

#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Opcode;
using Registers = std::pair<uint64_t, uint64_t>;

Registers Of(Opcode opcode, isa::Operand from, isa::Operand to, uint32_t m0) {
  Op op;
  op.inst.op = opcode;
  op.inst.src[0] = from;
  op.inst.dst = to;
  WaveState wave;
  wave.scalar[isa::kM0] = m0;
  const RelativeOperands operands = RelativeOperandsOf(op, wave);
  return {operands.from, operands.to};
}

TEST(RelativeTest, VectorMoves) {
  const isa::Operand v2 = isa::Vgpr(2), v5 = isa::Vgpr(5);
  EXPECT_EQ(Of(Opcode::kVMovrelsB32, v2, v5, 3), Registers(261, 261));
  EXPECT_EQ(Of(Opcode::kVMovreldB32, v2, v5, 3), Registers(258, 264));
  EXPECT_EQ(Of(Opcode::kVMovrelsdB32, v2, v5, 3), Registers(261, 264));
  EXPECT_EQ(Of(Opcode::kVMovrelsd2B32, v2, v5, 0xab04ff03), Registers(258 + 3, 261 + 4));
  EXPECT_EQ(Of(Opcode::kVSwaprelB32, v2, v5, 0x00040103), Registers(261, 265));
  EXPECT_EQ(Of(Opcode::kVMovreldB32, isa::Sgpr(7), v5, 3), Registers(7, 264));
  EXPECT_EQ(Of(Opcode::kVMovrelsdB32, isa::Source(isa::kInt0), v5, 3), Registers(128, 264));
}

TEST(RelativeTest, ScalarMoves) {
  const isa::Operand s2 = isa::Sgpr(2), s6 = isa::Sgpr(6);
  for (Opcode op : {Opcode::kSMovrelsB32, Opcode::kSMovrelsB64}) {
    EXPECT_EQ(Of(op, s2, s6, 3), Registers(5, 6));
  }
  for (Opcode op : {Opcode::kSMovreldB32, Opcode::kSMovreldB64}) {
    EXPECT_EQ(Of(op, s2, s6, 3), Registers(2, 9));
  }
  EXPECT_EQ(Of(Opcode::kSMovrelsd2B32, s2, s6, 0x00010403), Registers(5, 7));
  EXPECT_EQ(Of(Opcode::kSMovrelsB32, s2, s6, 0xffffffff), Registers(0x100000001, 6));
}

TEST(RelativeTest, OtherMovesAreNotRelative) {
  EXPECT_TRUE(IsRelativeMove(Opcode::kVSwaprelB32));
  EXPECT_FALSE(IsRelativeMove(Opcode::kVMovB32));
  EXPECT_EQ(Of(Opcode::kVMovB32, isa::Vgpr(1), isa::Vgpr(2), 9), Registers(257, 258));
}

}  // namespace
}  // namespace kiln::sim::rdna2
