#include "core/target/timeline.h"

#include "gtest/gtest.h"

namespace kiln {
namespace {

using For = IssueWait::For;

constexpr IssueNames kNames = {
    .name = [](const IssueWait& w) { return std::string(w.what == For::kRegister ? "r7" : "fpu"); },
    .kind = [](const IssueWait& w) -> std::string_view { return w.kind == 1 ? "memory" : "fpu"; },
    .unit = [](int unit) -> std::string_view { return unit == 0 ? "fpu" : "sampler"; }};

// A load, a use that waits for it, an instruction that the unit keeps waiting, a wait of no unit.
Timeline Four() {
  const std::vector<Issue> issues = {
      {.instruction = 0, .weight = 8, .unit = 1, .turn = 0, .next = 1, .done = 21},
      {.instruction = 1,
       .weight = 8,
       .unit = 0,
       .turn = 1,
       .ready = 21,
       .next = 22,
       .done = 27,
       .waits = {{For::kRegister, 7, 1, 0, 20}}},
      {.instruction = 2,
       .weight = 2,
       .unit = 0,
       .turn = 22,
       .ready = 21,
       .next = 26,
       .done = 31,
       .waits = {{For::kUnit, 0, 0, 1, 3}}},
      {.instruction = 3, .weight = 4, .unit = -1, .turn = 26, .next = 27, .done = 27}};
  Timeline timeline;
  timeline.instructions = TimelineInstructions(
      issues, TextsOf("  load\nL8:\n  use\nqueue\n  wait   all\n", {0, 8, 16, 24}), kNames);
  timeline.weight_of_one = 4;
  return timeline;
}

TEST(TimelineInstructions, NamesAndCyclesAreThoseOfTheIssues) {
  const Timeline timeline = Four();
  ASSERT_EQ(timeline.instructions.size(), 4u);
  const TimelineInstruction& use = timeline.instructions[1];
  EXPECT_EQ(use.text, "use");
  EXPECT_EQ(use.label, "L8");
  EXPECT_EQ(timeline.instructions[2].label, "");
  EXPECT_EQ(timeline.instructions[3].text, "wait all");
  EXPECT_EQ(use.offset, 8);
  EXPECT_EQ(use.unit, "fpu");
  EXPECT_EQ(use.issue, 21);
  EXPECT_EQ(use.latency(), 6);
  EXPECT_EQ(use.held(), 0);
  ASSERT_EQ(use.waits.size(), 1u);
  EXPECT_EQ(use.waits[0].name, "r7");
  EXPECT_EQ(use.waits[0].kind, "memory");
  EXPECT_FALSE(use.waits[0].is_unit());
  EXPECT_EQ(use.waits[0].producer, 0);
  EXPECT_TRUE(timeline.instructions[2].waits[0].is_unit());
  EXPECT_EQ(timeline.instructions[2].held(), 1);
  EXPECT_EQ(timeline.instructions[0].held(), 0);
  EXPECT_EQ(timeline.instructions[3].unit, "");
  EXPECT_EQ(timeline.span(), 27);
}

TEST(TotalsOf, AllCausesTogetherAreTheProgramsCycles) {
  const std::vector<TimelineTotal> totals = TotalsOf(Four());
  ASSERT_EQ(totals.size(), 3u);
  EXPECT_EQ(totals[0].kind, "memory");
  EXPECT_EQ(totals[0].once, 20);
  EXPECT_EQ(totals[0].weighted, 40);
  EXPECT_EQ(totals[1].kind, "fpu");
  EXPECT_TRUE(totals[1].is_unit);
  EXPECT_EQ(totals[1].weighted, 1.5);
  EXPECT_EQ(totals[2].kind, "issue");
  EXPECT_EQ(totals[2].once, 4);
  EXPECT_EQ(totals[2].weighted, 2 + 2 + 0.5 + 1);
  EXPECT_EQ(totals[0].once + totals[1].once + totals[2].once, Four().span());
  EXPECT_TRUE(TotalsOf({}).empty());
}

}  // namespace
}  // namespace kiln
