#include "core/amd/emit/known_scc.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

Row RowOf(Opcode op, int dst, isa::Operand a, isa::Operand b) {
  Row row;
  row.inst.op = op;
  if (dst >= 0) row.inst.dst = isa::Sgpr(dst);
  row.inst.src[0] = a;
  row.inst.src[1] = b;
  return row;
}
isa::Operand Number(int n) { return isa::Source(isa::kInt0 + n); }
Row TestOf(int sgpr) { return RowOf(Opcode::kSCmpLgU32, -1, isa::Sgpr(sgpr), Number(0)); }
Row And(int sgpr) { return RowOf(Opcode::kSAndB32, sgpr, isa::Sgpr(sgpr), Number(4)); }
Row OneOrZero(int sgpr) { return RowOf(Opcode::kSCselectB32, sgpr, Number(1), Number(0)); }
Row Move(int sgpr) { return RowOf(Opcode::kSMovB32, sgpr, isa::Sgpr(9), isa::Operand()); }
Row Less() { return RowOf(Opcode::kSCmpLtU32, -1, isa::Sgpr(1), isa::Sgpr(2)); }

// Returns how many of the rows go.
size_t Gone(std::vector<Row> rows) {
  const size_t before = rows.size();
  Program program;
  program.rows = std::move(rows);
  RemoveKnownTests(program);
  return before - program.rows.size();
}

TEST(KnownScc, ResultsThatWereTestedByTheirInstruction) {
  EXPECT_EQ(Gone({And(3), TestOf(3)}), 1u);
  EXPECT_EQ(Gone({And(3), TestOf(4)}), 0u);
  EXPECT_EQ(Gone({And(3), Move(5), TestOf(3)}), 1u);
  EXPECT_EQ(Gone({And(3), Move(3), TestOf(3)}), 0u);
  EXPECT_EQ(Gone({And(3), Less(), TestOf(3)}), 0u);
  // An addition leaves its carry in SCC.
  EXPECT_EQ(Gone({RowOf(Opcode::kSAddU32, 3, isa::Sgpr(3), Number(4)), TestOf(3)}), 0u);
}

TEST(KnownScc, EqualTests) {
  EXPECT_EQ(Gone({TestOf(3), Move(5), TestOf(3), TestOf(3)}), 2u);
  EXPECT_EQ(Gone({TestOf(3), TestOf(4), TestOf(3)}), 0u);
  Row against_one = TestOf(3);
  against_one.inst.src[1] = Number(1);
  EXPECT_EQ(Gone({TestOf(3), against_one, TestOf(3)}), 0u);
}

TEST(KnownScc, NumbersOfScc) {
  EXPECT_EQ(Gone({Less(), OneOrZero(3), TestOf(3)}), 1u);
  EXPECT_EQ(Gone({TestOf(4), OneOrZero(3), TestOf(3), TestOf(4)}), 2u);
  EXPECT_EQ(Gone({Less(), RowOf(Opcode::kSCselectB32, 3, Number(2), Number(0)), TestOf(3)}), 0u);
}

// A pair is not one of its halves.
TEST(KnownScc, Pairs) {
  const Row both = RowOf(Opcode::kSAndB64, 4, isa::Sgpr(4), isa::Sgpr(6));
  const Row test = RowOf(Opcode::kSCmpLgU64, -1, isa::Sgpr(4), Number(0));
  EXPECT_EQ(Gone({both, test}), 1u);
  EXPECT_EQ(Gone({both, TestOf(4)}), 0u);
  EXPECT_EQ(Gone({both, Move(5), test}), 0u);
}

TEST(KnownScc, BranchesMayArriveWithAnotherScc) {
  Row branch;
  branch.inst.op = Opcode::kSCbranchVccz;
  branch.target = 2;
  EXPECT_EQ(Gone({branch, And(3), TestOf(3)}), 0u);
  branch.target = 1;
  EXPECT_EQ(Gone({branch, And(3), TestOf(3)}), 1u);
}

}  // namespace
}  // namespace kiln::amd
