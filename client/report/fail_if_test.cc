#include "client/report/fail_if.h"

#include "absl/strings/str_join.h"
#include "client/report/testing.h"
#include "gtest/gtest.h"

namespace kiln::client::report {
namespace {

Report Example() {
  ResultSet before, after;
  Numbers n = NoNumbers();
  auto add = [&n](ResultSet* set, const char* file, int64_t instructions, int64_t waves) {
    n[kInstructions] = instructions;
    n[kWaves] = waves;
    set->results[{file, "tgl"}] = {"ok", "", {{"SIMD8", n}}};
  };
  add(&before, "a", 100, 10), add(&after, "a", 120, 8);
  add(&before, "b", 100, 10), add(&after, "b", 90, 10);
  before.results[{"c", "tgl"}] = {"ok", "", {{"SIMD8", n}}};
  after.results[{"c", "tgl"}] = {"refused", "x", {}};
  return Compare(before, after, Kinds());
}

// Returns the conditions of the expression that hold, or an error's text.
std::string Held(const std::string& expression) {
  const auto conditions = ParseFailIf(expression, Kinds());
  if (!conditions.ok()) return std::string(conditions.status().message());
  const auto failures = Failures(*conditions, Example());
  if (!failures.ok()) return std::string(failures.status().message());
  std::string all;
  for (const std::string& f : *failures) all += f + ";";
  return all;
}

TEST(FailIf, BoundsTotals) {
  EXPECT_EQ(Held("instructions>9"), "instructions>9 (10);");
  EXPECT_EQ(Held("instructions>10"), "");
  EXPECT_EQ(Held("instructions >= 10"), "instructions >= 10 (10);");
  EXPECT_EQ(Held("instructions>4.9%"), "instructions>4.9% (5%);");
  EXPECT_EQ(Held("instructions>5%"), "");
}

TEST(FailIf, BoundsSingleVariantsAndCounts) {
  EXPECT_EQ(Held("instructions.max>19%"), "instructions.max>19% (20%);");
  EXPECT_EQ(Held("instructions.max>20"), "");
  EXPECT_EQ(Held("instructions.hurt>0"), "instructions.hurt>0 (1);");
  EXPECT_EQ(Held("lost>0, gained>0"), "lost>0 (1);");
  EXPECT_EQ(Held("gained>0 or lost>=1"), "lost>=1 (1);");
}

TEST(FailIf, AFallOfWhatIsBetterHigherIsForTheWorse) {
  EXPECT_EQ(Held("waves>1"), "waves>1 (2);");
  EXPECT_EQ(Held("waves.max>=20%"), "waves.max>=20% (20%);");
}

TEST(FailIf, AStatisticWithoutADirectionCannotFail) {
  EXPECT_EQ(Held("form.hurt>0"),
            "'form.hurt' is not a statistic with a direction for the better; these are "
            "instructions, cycles, spills, loops, waves, compile_us, lost, gained, only_before, "
            "only_after, loops_changed");
}

// "a" unrolled a loop, "b" got one; "old" and "new" are in one set only.
std::string HeldOfLoops(const std::string& expression) {
  ResultSet before, after;
  auto add = [](ResultSet* set, const char* file, int64_t instructions, int64_t loops) {
    Numbers n = NoNumbers();
    n[kInstructions] = instructions;
    n[kLoops] = loops;
    set->results[{file, "tgl"}] = {"ok", "", {{"SIMD8", n}}, instructions};
  };
  add(&before, "a", 10, 3), add(&after, "a", 60, 1);
  add(&before, "b", 10, 0), add(&after, "b", 9, 1);
  add(&before, "c", 10, 1), add(&after, "c", 10, 1);
  add(&before, "old", 1, 1), add(&after, "new", 1, 1);
  const auto conditions = ParseFailIf(expression, Kinds());
  if (!conditions.ok()) return std::string(conditions.status().message());
  const auto failures = Failures(*conditions, Compare(before, after, Kinds()));
  if (!failures.ok()) return std::string(failures.status().message());
  return absl::StrJoin(*failures, ";");
}

TEST(FailIf, LoopsAndOneSidedModules) {
  EXPECT_EQ(HeldOfLoops("instructions>0"), "");
  EXPECT_EQ(HeldOfLoops("loops_changed>0"), "loops_changed>0 (2)");
  EXPECT_EQ(HeldOfLoops("loops_changed.instructions>0"), "loops_changed.instructions>0 (49)");
  EXPECT_EQ(HeldOfLoops("loops_changed.instructions.hurt>0"),
            "loops_changed.instructions.hurt>0 (1)");
  EXPECT_EQ(HeldOfLoops("loops_changed.instructions.max>400%"),
            "loops_changed.instructions.max>400% (500%)");
  EXPECT_EQ(HeldOfLoops("loops>=-1"), "loops>=-1 (-1)");
  EXPECT_EQ(HeldOfLoops("loops.hurt>0"), "loops.hurt>0 (1)");
  EXPECT_EQ(HeldOfLoops("only_before>0,only_after>0"), "only_before>0 (1);only_after>0 (1)");
  EXPECT_EQ(HeldOfLoops("compile_us>100%"), "compile_us>100% (163.333%)");
  EXPECT_NE(HeldOfLoops("loops_changed.loops>0").find("'loops_changed.loops' is not a statistic"),
            std::string::npos);
  // If no loops changed, such a condition does not hold; it is no error either.
  EXPECT_EQ(Held("loops_changed>0,loops_changed.cycles>0"), "");
}

TEST(FailIf, ErrorsSayWhatIsWrong) {
  EXPECT_NE(Held("").find("is not a condition"), std::string::npos);
  EXPECT_NE(Held("instructions").find("is not a condition"), std::string::npos);
  EXPECT_NE(Held("speed>1").find("'speed' is not a statistic with a direction for the better; "
                                 "these are instructions, cycles"),
            std::string::npos);
  EXPECT_NE(Held("cycles>fast").find("is not a number"), std::string::npos);
  EXPECT_NE(Held("lost>1%").find("cannot be compared with a percentage"), std::string::npos);
  EXPECT_NE(Held("cycles>1").find("no variant that both files have has the statistic cycles"),
            std::string::npos);
}

}  // namespace
}  // namespace kiln::client::report
