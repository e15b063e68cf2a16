#include "core/amd/emit/remove_branches.h"

#include <string>
#include <vector>

#include "core/amd/emit/testing.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

Row RowOf(Opcode op, int target = Row::kNoTarget) {
  Row row;
  row.inst.op = op;
  row.target = target;
  return row;
}
Row VectorRow() {
  Row row = RowOf(Opcode::kVMovB32);
  row.inst.dst = isa::Vgpr(1);
  row.inst.src[0] = isa::Vgpr(2);
  return row;
}
Row ScalarRow() {
  Row row = RowOf(Opcode::kSMovB32);
  row.inst.dst = isa::Sgpr(1);
  row.inst.src[0] = isa::Sgpr(2);
  return row;
}

// Returns the number of rows that are left of a branch over `rows` and the end.
size_t Left(const std::vector<Row>& rows) {
  Program program;
  program.rows.push_back(RowOf(Opcode::kSCbranchExecz, static_cast<int>(rows.size()) + 1));
  program.rows.insert(program.rows.end(), rows.begin(), rows.end());
  program.rows.push_back(RowOf(Opcode::kSEndpgm));
  RemoveExeczBranches(program);
  return program.rows.size() - rows.size() - 1;
}

TEST(RemoveBranchesTest, OverWhatIsCheap) {
  EXPECT_EQ(Left(std::vector<Row>(16, VectorRow())), 0u);
  EXPECT_EQ(Left(std::vector<Row>(17, VectorRow())), 1u);
  EXPECT_EQ(Left(std::vector<Row>(8, ScalarRow())), 0u);
  EXPECT_EQ(Left(std::vector<Row>(9, ScalarRow())), 1u);
}

TEST(RemoveBranchesTest, NotOverWhatActsWithoutLanes) {
  for (Opcode op :
       {Opcode::kBufferLoadDword, Opcode::kDsReadB32, Opcode::kSLoadDword, Opcode::kExp,
        Opcode::kSBarrier, Opcode::kVWritelaneB32, Opcode::kVReadfirstlaneB32, Opcode::kSSendmsg}) {
    EXPECT_EQ(Left({RowOf(op)}), 1u) << isa::Info(op).mnemonic;
  }
}

TEST(RemoveBranchesTest, InnerBranchesGoFirst) {
  Program program;
  program.rows = {RowOf(Opcode::kSCbranchExecz, 4), VectorRow(), RowOf(Opcode::kSCbranchExecz, 4),
                  VectorRow(), RowOf(Opcode::kSEndpgm)};
  RemoveExeczBranches(program);
  EXPECT_EQ(program.rows.size(), 3u);
}

TEST(RemoveBranchesTest, Unreachable) {
  Program program;
  program.rows = {RowOf(Opcode::kSBranch, 3), VectorRow(),
                  RowOf(Opcode::kSBranch, 1), RowOf(Opcode::kSCbranchScc0, 5),
                  RowOf(Opcode::kSEndpgm),    ScalarRow(),
                  RowOf(Opcode::kSEndpgm)};
  RemoveUnreachable(program);
  ASSERT_EQ(program.rows.size(), 5u);
  EXPECT_EQ(program.rows[0].target, 1);
  EXPECT_EQ(program.rows[1].target, 3);
}

TEST(RemoveBranchesTest, ToTheNextRow) {
  Program program;
  program.rows = {RowOf(Opcode::kSBranch, 2), RowOf(Opcode::kSBranch, 2),
                  RowOf(Opcode::kSCbranchScc0, 2), RowOf(Opcode::kSEndpgm)};
  RemoveBranchesToNext(program);
  // The backward branch stays, and goes to where it went.
  ASSERT_EQ(program.rows.size(), 2u);
  EXPECT_EQ(program.rows[0].target, 0);
}

TEST(RemoveBranchesTest, TheInverseBranchReplacesTwo) {
  const std::vector<Row> rows = {RowOf(Opcode::kSCbranchScc1, 2), RowOf(Opcode::kSBranch, 3),
                                 VectorRow(), RowOf(Opcode::kSEndpgm)};
  Program program;
  program.rows = rows;
  InvertBranchesOverBranches(program);
  ASSERT_EQ(program.rows.size(), 3u);
  EXPECT_EQ(program.rows[0].inst.op, Opcode::kSCbranchScc0);
  EXPECT_EQ(program.rows[0].target, 2);
  // The second one is reached from elsewhere.
  program.rows = rows;
  program.rows.insert(program.rows.begin() + 3, RowOf(Opcode::kSCbranchExecz, 1));
  program.rows[1].target = 4;
  InvertBranchesOverBranches(program);
  EXPECT_EQ(program.rows.size(), 5u);
}

TEST(RemoveBranchesTest, AnEndDoesNotReadExec) {
  Row exec = ScalarRow();
  exec.inst.dst.code = isa::kExecLo;
  Program program;
  program.rows = {exec, VectorRow(), exec, exec, RowOf(Opcode::kSEndpgm)};
  RemoveExecWritesBeforeEnd(program);
  ASSERT_EQ(program.rows.size(), 3u);
  EXPECT_EQ(program.rows[0].inst.op, Opcode::kSMovB32);
  EXPECT_EQ(program.rows[2].inst.op, Opcode::kSEndpgm);
}

}  // namespace
}  // namespace kiln::amd
