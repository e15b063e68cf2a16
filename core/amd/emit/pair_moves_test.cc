#include "core/amd/emit/pair_moves.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

Row Move(int to, isa::Operand from) {
  Row row;
  row.inst.op = Opcode::kVMovB32;
  row.inst.dst = isa::Vgpr(to);
  row.inst.src[0] = from;
  return row;
}
Row Move(int to, int from) { return Move(to, isa::Vgpr(from)); }
isa::Operand Number(int n) { return isa::Source(n >= 0 ? isa::kInt0 + n : isa::kInt0 + 64 - n); }
Row Other() {
  Row row = Move(40, 41);
  row.inst.op = Opcode::kVNotB32;
  return row;
}

// Returns the registers that each row writes: "4-5" for a pair.
std::string Written(std::vector<Row> rows) {
  Program program;
  program.rows = std::move(rows);
  PairMoves(program);
  std::string text;
  for (const Row& row : program.rows) {
    const int first = row.inst.dst.vgpr();
    text += (text.empty() ? "" : " ") + std::to_string(first);
    if (row.inst.op == Opcode::kVLshrrevB64) text += "-" + std::to_string(first + 1);
  }
  return text;
}

TEST(PairMoves, Neighbours) {
  EXPECT_EQ(Written({Move(4, 8), Move(5, 9)}), "4-5");
  EXPECT_EQ(Written({Move(5, 9), Move(4, 8)}), "4-5");
  EXPECT_EQ(Written({Move(4, 8), Move(5, 10)}), "4 5");
  EXPECT_EQ(Written({Move(4, 8), Move(6, 9)}), "4 6");
  EXPECT_EQ(Written({Move(4, 8), Move(9, 20), Move(5, 9)}), "9 4-5");
  EXPECT_EQ(Written({Move(4, 8), Move(7, 20), Move(5, 9)}), "7 4-5");
  EXPECT_EQ(Written({Move(4, 8), Other(), Move(5, 9)}), "4 40 5");
}

// A later move may come up where the earlier one cannot go down.
TEST(PairMoves, InEitherDirection) {
  EXPECT_EQ(Written({Move(4, 8), Move(8, 20), Move(5, 9)}), "4-5 8");
  EXPECT_EQ(Written({Move(4, 8), Move(8, 20), Move(9, 21), Move(5, 9)}), "4 8-9 5");
  EXPECT_EQ(Written({Move(4, 8), Move(8, 5), Move(5, 9)}), "4 8 5");
}

TEST(PairMoves, NotWhatTheOtherOneWrites) {
  EXPECT_EQ(Written({Move(5, 4), Move(4, 3)}), "5 4");
  EXPECT_EQ(Written({Move(4, 5), Move(5, 6)}), "4 5");
}

TEST(PairMoves, ScalarsAndConstants) {
  EXPECT_EQ(Written({Move(4, isa::Sgpr(8)), Move(5, isa::Sgpr(9))}), "4-5");
  EXPECT_EQ(Written({Move(4, isa::Sgpr(9)), Move(5, isa::Sgpr(10))}), "4 5");  // no pair
  EXPECT_EQ(Written({Move(4, Number(7)), Move(5, Number(0))}), "4-5");
  EXPECT_EQ(Written({Move(4, Number(7)), Move(5, Number(7))}), "4 5");
  EXPECT_EQ(Written({Move(4, Number(-2)), Move(5, Number(-1))}), "4-5");
  EXPECT_EQ(Written({Move(4, Number(-2)), Move(5, Number(0))}), "4 5");
}

TEST(PairMoves, NotAcrossTargetsOfBranches) {
  Row branch;
  branch.inst.op = Opcode::kSBranch;
  branch.inst.dst = isa::Vgpr(0);
  branch.target = 1;
  EXPECT_EQ(Written({Move(4, 8), Move(5, 9), branch}), "4 5 0");
  branch.target = 0;
  EXPECT_EQ(Written({Move(4, 8), Move(5, 9), branch}), "4-5 0");
}

TEST(PairMoves, NotWithModifiers) {
  Row negated = Move(5, 9);
  negated.inst.form = isa::Form::kVop3;
  negated.inst.neg = 1;
  EXPECT_EQ(Written({Move(4, 8), negated}), "4 5");
}

}  // namespace
}  // namespace kiln::amd
