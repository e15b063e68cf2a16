// Clauses by examples, and over random programs by the verifier: with the waits between loads, each
// clause is one to it.
#include "core/amd/waits/form_clauses.h"

#include <string>
#include <vector>

#include "core/amd/emit/finalise.h"
#include "core/amd/isa/decode.h"
#include "core/amd/isa/verify.h"
#include "core/amd/waits/insert_waits.h"
#include "core/amd/waits/testing.h"
#include "core/amd/waits/testing/check_waits.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using testing::Text;
using namespace testing::rows;  // NOLINT: the rows of the examples

using Strings = std::vector<std::string>;

bool Always() { return true; }

Strings Formed(std::vector<Row> rows) {
  Program program;
  program.rows = std::move(rows);
  const size_t before = program.rows.size();
  const bool changed = FormClauses(program, Always);
  EXPECT_EQ(changed, program.rows.size() != before);
  return Text(program);
}

Row From(Row row, int slot, int sgpr) {
  row.inst.src[static_cast<size_t>(slot)] = isa::Sgpr(sgpr);
  return row;
}

TEST(FormClausesTest, NeighboursAreAClause) {
  EXPECT_EQ(Formed({Load(1), Load(2), Load(3), Use(1), End()}),
            (Strings{"clause 3", "load v1", "load v2", "load v3", "use v1", "end"}));
  EXPECT_EQ(Formed({Sample(1), Sample(2), End()}),
            (Strings{"clause 2", "sample v1", "sample v2", "end"}));
  EXPECT_EQ(Formed({ScalarLoad(4), ScalarLoad(5), End()}),
            (Strings{"clause 2", "sload s4", "sload s5", "end"}));
  EXPECT_EQ(Formed({Flat(1), Flat(2), End()}), (Strings{"clause 2", "flat v1", "flat v2", "end"}));
}

TEST(FormClausesTest, OneLoadIsNone) {
  const Strings text = {"load v1", "use v1", "load v2", "end"};
  EXPECT_EQ(Formed({Load(1), Use(1), Load(2), End()}), text);
}

TEST(FormClausesTest, OtherMemoryBeginsAnother) {
  EXPECT_EQ(Formed({Load(1), Load(2), Sample(3), Sample(4), ScalarLoad(5), ScalarLoad(6), End()}),
            (Strings{"clause 2", "load v1", "load v2", "clause 2", "sample v3", "sample v4",
                     "clause 2", "sload s5", "sload s6", "end"}));
  EXPECT_EQ(Formed({Load(1), Load(2), From(Load(3), 1, 12), From(Load(4), 1, 12), End()}),
            (Strings{"clause 2", "load v1", "load v2", "clause 2", "load v3", "load v4", "end"}))
      << "another descriptor";
  EXPECT_EQ(Formed({ScalarLoad(4), From(ScalarLoad(5), 0, 2), End()}),
            (Strings{"clause 2", "sload s4", "sload s5", "end"}))
      << "addresses have no descriptor";
}

TEST(FormClausesTest, StoresAndLdsAreNoMembers) {
  const Strings text = {"store v1",  "store v2",  "lds v1", "lds v2",
                        "export v1", "export v2", "end"};
  EXPECT_EQ(Formed({Store(1), Store(2), Lds(1), Lds(2), Export(0, 1), Export(0, 2), End()}), text);
}

TEST(FormClausesTest, AtomicsAreNoMembers) {
  Row atomic = Load(3);
  atomic.inst.op = isa::Opcode::kBufferAtomicAdd;
  atomic.inst.glc = true;
  Program program;
  program.rows = {Load(1), atomic, atomic, Load(2), End()};
  EXPECT_FALSE(FormClauses(program, Always));
}

// No wait may be inside, so a load by the result of another one begins a clause.
TEST(FormClausesTest, ResultsOfOthersBeginAnother) {
  EXPECT_EQ(Formed({Load(1), Load(2), LoadFrom(3, 1), Load(4), End()}),
            (Strings{"clause 2", "load v1", "load v2", "clause 2", "load v3", "load v4", "end"}));
  // Scalar loads come in any order; those of vector memory overwrite in order.
  EXPECT_EQ(Formed({ScalarLoad(4), ScalarLoad(4), End()}),
            (Strings{"sload s4", "sload s4", "end"}));
  EXPECT_EQ(Formed({Load(1), Load(1), End()}), (Strings{"clause 2", "load v1", "load v1", "end"}));
}

TEST(FormClausesTest, BranchesGoToClausesAndNeverIntoThem) {
  EXPECT_EQ(Formed({Branch(2), Load(1), Load(2), Load(3), End()}),
            (Strings{"branch 2", "load v1", "clause 2", "load v2", "load v3", "end"}));
  EXPECT_EQ(Formed({Load(1), Load(2), Branch(0), Load(3), End()}),
            (Strings{"clause 2", "load v1", "load v2", "branch 0", "load v3", "end"}));
}

TEST(FormClausesTest, NoneIsLongerThanTheHardwareHas) {
  const auto clauses = [](int loads) {
    std::vector<Row> rows;
    for (int i = 0; i < loads; ++i) rows.push_back(Load(1 + i));
    rows.push_back(End());
    Strings all;
    for (const std::string& row : Formed(rows)) {
      if (row.find("clause") == 0) all.push_back(row);
    }
    return all;
  };
  EXPECT_EQ(clauses(63), (Strings{"clause 63"}));
  EXPECT_EQ(clauses(64), (Strings{"clause 63"}));
  EXPECT_EQ(clauses(65), (Strings{"clause 63", "clause 2"}));
}

TEST(FormClausesTest, AsksBeforeEachClause) {
  Program program;
  program.rows = {Load(1), Load(2), Use(1), Load(3), Load(4), End()};
  int asked = 0;
  EXPECT_TRUE(FormClauses(program, [&] { return ++asked < 2; }));
  EXPECT_EQ(Text(program),
            (Strings{"clause 2", "load v1", "load v2", "use v1", "load v3", "load v4", "end"}));
}

TEST(FormClausesTest, WaitsOfMembersComeBefore) {
  Program program;
  program.rows = {Load(7), Write(0), Load(1), LoadFrom(2, 7), Use(1), End()};
  FormClauses(program, Always);
  InsertWaits(program);
  EXPECT_EQ(Text(program), (Strings{"load v7", "write v0", "vmcnt(0)", "clause 2", "load v1",
                                    "load v2", "vmcnt(1)", "use v1", "end"}));
}

// Returns the number of clauses in which the verifier finds a fault.
int WrongClauses(const Program& program) {
  const absl::StatusOr<Binary> binary = Finalise(program, {});
  if (!binary.ok()) return -1;
  const auto code =
      isa::DecodeProgram(absl::MakeConstSpan(binary->bytes).subspan(0, binary->instruction_bytes));
  if (!code.ok()) return -1;
  int wrong = 0;
  for (const isa::Finding& finding : isa::Verify(*code, program.wave)) {
    wrong += finding.rule == "clauses" ? 1 : 0;
  }
  return wrong;
}

TEST(FormClausesTest, ClausesOfRandomProgramsAreOnes) {
  int clauses = 0, caught = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Program program = testing::RandomProgram(seed);
    FormClauses(program, Always);
    InsertWaits(program);
    EXPECT_TRUE(CheckWaits(program).empty()) << seed << "\n" << ProgramText(program);
    EXPECT_EQ(WrongClauses(program), 0) << seed << "\n" << ProgramText(program);
    for (Row& row : program.rows) {
      if (row.inst.op != isa::Opcode::kSClause) continue;
      ++clauses;
      row.inst.simm = 40;  // more than there are
      caught += WrongClauses(program) > 0 ? 1 : 0;
      break;
    }
  }
  EXPECT_GT(clauses, 100);
  EXPECT_EQ(caught, clauses);
}

}  // namespace
}  // namespace kiln::amd
