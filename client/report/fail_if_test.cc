#include "client/report/fail_if.h"

#include "gtest/gtest.h"

namespace kiln::client::report {
namespace {

Report Example() {
  ResultSet before, after;
  Numbers n;
  n.fill(-1);
  auto add = [&n](ResultSet* set, const char* file, int64_t instructions, int64_t occupancy) {
    n[0] = instructions;
    n[8] = occupancy;
    set->results[{file, "tgl"}] = {"ok", "", {{"SIMD8", n}}};
  };
  add(&before, "a", 100, 10), add(&after, "a", 120, 8);
  add(&before, "b", 100, 10), add(&after, "b", 90, 10);
  before.results[{"c", "tgl"}] = {"ok", "", {{"SIMD8", n}}};
  after.results[{"c", "tgl"}] = {"refused", "x", {}};
  return Compare(before, after);
}

// Which conditions of the expression hold; an error's text otherwise.
std::string Held(const std::string& expression) {
  const auto conditions = ParseFailIf(expression);
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

TEST(FailIf, AFallOfOccupancyIsForTheWorse) {
  EXPECT_EQ(Held("occupancy>1"), "occupancy>1 (2);");
  EXPECT_EQ(Held("occupancy.max>=20%"), "occupancy.max>=20% (20%);");
}

TEST(FailIf, ErrorsSayWhatIsWrong) {
  EXPECT_NE(Held("").find("is no condition"), std::string::npos);
  EXPECT_NE(Held("instructions").find("is no condition"), std::string::npos);
  EXPECT_NE(Held("speed>1").find("'speed' is no statistic; there are instructions, cycles"),
            std::string::npos);
  EXPECT_NE(Held("cycles>fast").find("is no number"), std::string::npos);
  EXPECT_NE(Held("lost>1%").find("no per cent"), std::string::npos);
  EXPECT_NE(Held("cycles>1").find("no variant of both files has cycles"), std::string::npos);
}

}  // namespace
}  // namespace kiln::client::report
