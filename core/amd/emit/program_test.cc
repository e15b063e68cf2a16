#include "core/amd/emit/program.h"

#include <vector>

#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

// A row whose number is in its immediate.
Row Numbered(int number, int target = Row::kNoTarget) {
  Row row;
  row.inst.op = isa::Opcode::kSNop;
  row.inst.simm = static_cast<uint16_t>(number);
  row.target = target;
  return row;
}

Program Three() { return {isa::Wave::k32, {Numbered(0, 2), Numbered(1, 0), Numbered(2, 3)}}; }

std::vector<int> Numbers(const Program& program) {
  std::vector<int> numbers;
  for (const Row& row : program.rows) numbers.push_back(row.inst.simm);
  return numbers;
}

std::vector<int> Targets(const Program& program) {
  std::vector<int> targets;
  for (const Row& row : program.rows) targets.push_back(row.target);
  return targets;
}

using Ints = std::vector<int>;

TEST(ProgramTest, BranchesGoToInsertedRows) {
  Program program = Three();
  InsertRows(program,
             {{{0, Numbered(10)}, {2, Numbered(12)}, {2, Numbered(13)}, {3, Numbered(14)}}});
  EXPECT_EQ(Numbers(program), (Ints{10, 0, 1, 12, 13, 2, 14}));
  EXPECT_EQ(Targets(program), (Ints{-1, 3, 0, -1, -1, 6, -1}));
}

TEST(ProgramTest, InsertingNothingChangesNothing) {
  Program program = Three();
  InsertRows(program, {});
  EXPECT_EQ(Numbers(program), (Ints{0, 1, 2}));
  EXPECT_EQ(Targets(program), (Ints{2, 0, 3}));
}

TEST(ProgramTest, BranchesJumpOverIslands) {
  Program program = Three();
  const Row island[] = {Numbered(10)};
  InsertIsland(program, 2, island);
  EXPECT_EQ(Numbers(program), (Ints{0, 1, 10, 2}));
  EXPECT_EQ(Targets(program), (Ints{3, 0, -1, 4}));
}

TEST(ProgramTest, BranchesToErasedRowsGoToTheNext) {
  Program program = Three();
  EraseRows(program, {true, false, true});
  EXPECT_EQ(Numbers(program), (Ints{1}));
  EXPECT_EQ(Targets(program), (Ints{0}));
  program = Three();
  EraseRows(program, {false, false, true});
  EXPECT_EQ(Targets(program), (Ints{2, 0}));
}

}  // namespace
}  // namespace kiln::amd
