// The inserter by examples, and against the checker over random programs: nothing is missing, and
// nothing can be left out.
#include "core/amd/waits/insert_waits.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "core/amd/waits/counts.h"
#include "core/amd/waits/form_clauses.h"
#include "core/amd/waits/testing.h"
#include "core/amd/waits/testing/check_waits.h"
#include "gtest/gtest.h"

namespace kiln::amd {
namespace {

using testing::Text;
using namespace testing::rows;  // NOLINT: the rows of the examples

using Strings = std::vector<std::string>;

Strings Inserted(std::vector<Row> rows) {
  Program program;
  program.rows = std::move(rows);
  InsertWaits(program);
  EXPECT_TRUE(CheckWaits(program).empty()) << CheckWaits(program)[0].text << "\n"
                                           << ProgramText(program);
  return Text(program);
}

TEST(InsertWaitsTest, LoadsEndInOrder) {
  EXPECT_EQ(Inserted({Load(1), Load(2), Use(1), Use(2), End()}),
            (Strings{"load v1", "load v2", "vmcnt(1)", "use v1", "vmcnt(0)", "use v2", "end"}));
}

TEST(InsertWaitsTest, AWaitCoversWhatCameBefore) {
  EXPECT_EQ(Inserted({Load(1), Load(2), Use(2), Use(1), End()}),
            (Strings{"load v1", "load v2", "vmcnt(0)", "use v2", "use v1", "end"}));
}

TEST(InsertWaitsTest, LoadsOfOneTypeOverwriteInOrder) {
  EXPECT_EQ(Inserted({Load(1), Load(1), Use(1), End()}),
            (Strings{"load v1", "load v1", "vmcnt(0)", "use v1", "end"}));
  EXPECT_EQ(Inserted({Load(1), Sample(1), Use(1), End()}),
            (Strings{"load v1", "vmcnt(0)", "sample v1", "vmcnt(0)", "use v1", "end"}));
  EXPECT_EQ(Inserted({Load(1), Lds(1), End()}), (Strings{"load v1", "vmcnt(0)", "lds v1", "end"}));
}

TEST(InsertWaitsTest, ScalarLoadsHaveNoOrder) {
  EXPECT_EQ(Inserted({ScalarLoad(4), ScalarLoad(5), UseScalar(4), UseScalar(5), End()}),
            (Strings{"sload s4", "sload s5", "lgkmcnt(0)", "use s4", "use s5", "end"}));
  // While the first LDS operation is outstanding, so is the second.
  EXPECT_EQ(Inserted({Lds(1), ScalarLoad(4), Lds(2), Use(1), UseScalar(4), End()}),
            (Strings{"lds v1", "sload s4", "lds v2", "lgkmcnt(1)", "use v1", "lgkmcnt(0)", "use s4",
                     "end"}));
}

TEST(InsertWaitsTest, ExportsHoldTheirSources) {
  EXPECT_EQ(Inserted({Export(0, 1), Use(1), Write(1), End()}),
            (Strings{"export v1", "use v1", "expcnt(0)", "write v1", "end"}));
  // A position may end before a colour.
  EXPECT_EQ(Inserted({Export(0, 1), Export(12, 2), Write(1), End()}),
            (Strings{"export v1", "export v2", "expcnt(0)", "write v1", "end"}));
  EXPECT_EQ(Inserted({Export(0, 1), Export(1, 2), Write(1), End()}),
            (Strings{"export v1", "export v2", "expcnt(1)", "write v1", "end"}));
}

TEST(InsertWaitsTest, JoinsTakeTheStricter) {
  // 0: branch over one of the two loads.
  EXPECT_EQ(Inserted({Load(1), Branch(3), Load(2), Use(1), End()}),
            (Strings{"load v1", "branch 3", "load v2", "vmcnt(0)", "use v1", "end"}));
}

TEST(InsertWaitsTest, LoopsCarryLoads) {
  EXPECT_EQ(Inserted({Write(1), Use(1), Load(1), Branch(1), End()}),
            (Strings{"write v1", "vmcnt(0)", "use v1", "load v1", "branch 1", "end"}));
}

TEST(InsertWaitsTest, BarriersSayWhatTheyNeed) {
  EXPECT_EQ(Inserted({Store(1), LdsStore(1), ScalarLoad(4), Barrier(1), End()}),
            (Strings{"store v1", "ldsstore v1", "sload s4", "lgkmcnt(0)", "barrier", "end"}));
  EXPECT_EQ(Inserted({Store(1), Barrier(0), End()}), (Strings{"store v1", "barrier", "end"}));
  EXPECT_EQ(Inserted({ScalarLoad(4), Barrier(1), End()}), (Strings{"sload s4", "barrier", "end"}));
}

TEST(InsertWaitsTest, ExplicitWaitsAreMergedOrDropped) {
  EXPECT_EQ(Inserted({Wait(kVm, 0), Load(1), Load(2), Wait(kVm, 1), Use(2), End()}),
            (Strings{"load v1", "load v2", "vmcnt(0)", "use v2", "end"}));
  EXPECT_EQ(Inserted({Store(1), Wait(kVs, 0), Wait(kVs, 0), End()}),
            (Strings{"store v1", "vscnt(0)", "end"}));
  // At the end of a block the wait stays there: others come to the next row without it.
  EXPECT_EQ(Inserted({Branch(3), Store(1), Wait(kVs, 0), Use(1), End()}),
            (Strings{"branch 3", "store v1", "vscnt(0)", "use v1", "end"}));
}

TEST(InsertWaitsTest, ClausesAreNotTornApart) {
  EXPECT_EQ(Inserted({Write(9), Load(7), Clause(2), LoadFrom(1, 7), LoadFrom(2, 9), End()}),
            (Strings{"write v9", "load v7", "vmcnt(0)", "clause 2", "load v1", "load v2", "end"}));
  EXPECT_EQ(Inserted({Clause(2), Load(1), LoadFrom(2, 1), End()}),
            (Strings{"load v1", "vmcnt(0)", "load v2", "end"}));
}

TEST(InsertWaitsTest, FlatNeedsBoth) {
  EXPECT_EQ(Inserted({Flat(1), Load(2), Use(1), End()}),
            (Strings{"flat v1", "load v2", "vmcnt(1) lgkmcnt(0)", "use v1", "end"}));
}

// Random programs: the checker finds nothing, and finds something as soon as a wait is weaker.
TEST(InsertWaitsTest, NothingIsMissingAndNothingIsTooMuch) {
  int weakened = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Program program = testing::RandomProgram(seed);
    if (seed % 2 != 0) FormClauses(program, [] { return true; });
    InsertWaits(program);
    const auto missing = CheckWaits(program);
    ASSERT_TRUE(missing.empty()) << "seed " << seed << ": " << missing[0].text << "\n"
                                 << ProgramText(program);
    for (size_t i = 0; i < program.rows.size(); ++i) {
      const auto counts = CountsOf(program.rows[i].inst);
      if (!counts) continue;
      for (int c = 0; c < kCounters; ++c) {
        const auto counter = static_cast<CounterIndex>(c);
        if (counts->of[counter] == kNoWait) continue;
        Counts weaker = *counts;
        ++weaker.of[counter];
        Program other = program;
        other.rows[i].inst = testing::WaitFor(weaker);
        ++weakened;
        ASSERT_FALSE(CheckWaits(other).empty())
            << "seed " << seed << ", row " << i << " waits for too much\n"
            << ProgramText(program);
      }
    }
  }
  EXPECT_GT(weakened, 1000);
}

}  // namespace
}  // namespace kiln::amd
