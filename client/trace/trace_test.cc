#include "client/trace/trace.h"

#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace kiln::client::trace {
namespace {

using For = IssueWait::For;

// A load, a use that waits for it, a use of a busy unit that was ready before.
Trace Sample() {
  Trace t = {"shaders/a<b>.comp", "gfx1030", "wave32", {}, 0, 30};
  t.timeline.weight_of_one = 2;
  t.timeline.cycles = 45;
  TimelineInstruction load, use, busy;
  load = {.offset = 0,
          .label = "L0",
          .text = "load v1, <x>",
          .unit = "lds",
          .weight = 16,
          .next = 1,
          .done = 21,
          .waits = {}};
  use = {.offset = 8,
         .label = "",
         .text = "use v1",
         .unit = "vector",
         .weight = 2,
         .turn = 1,
         .ready = 21,
         .issue = 21,
         .next = 22,
         .done = 27,
         .waits = {{"v1", "lds", For::kRegister, 0, 20}}};
  busy = {.offset = 12,
          .label = "",
          .text = "rcp v2",
          .unit = "complex",
          .weight = 2,
          .turn = 22,
          .ready = 10,
          .issue = 29,
          .next = 30,
          .done = 40,
          .waits = {{"complex", "complex", For::kUnit, 1, 7}}};
  t.timeline.instructions = {load, use, busy};
  return t;
}

TEST(ShownOf, LeavesOutWhatNeitherWaitsNorIssuesThen) {
  Trace t = Sample();
  EXPECT_EQ(ShownOf(t), std::vector<size_t>({0, 1, 2}));
  t.from = 1;
  EXPECT_EQ(ShownOf(t), std::vector<size_t>({1, 2}));
  t.to = 22;
  EXPECT_EQ(ShownOf(t), std::vector<size_t>({1}));
}

TEST(Explanation, SaysWhyItDidNotIssueBefore) {
  const Timeline t = Sample().timeline;
  EXPECT_EQ(Explanation(t, 1),
            "Its turn comes at cycle 1.\nWaits 20 cycles for v1, by 0: load v1, <x> (lds)\n"
            "Issues at 21 to vector; its result is there at 27, 6 cycles later.\n");
  EXPECT_EQ(Explanation(t, 2),
            "Its turn comes at cycle 22.\n"
            "What it needs was there 12 cycles before: issue is in order.\n"
            "Waits 7 cycles for complex to be free, which has 1: use v1\n"
            "Issues at 29 to complex; its result is there at 40, 11 cycles later.\n");
  EXPECT_TRUE(absl::StrContains(Explanation(t, 0), "The model counts it 8 times.\n"));
}

TEST(RenderText, DrawsBarsAndTotals) {
  const std::vector<std::string> lines = absl::StrSplit(RenderText(Sample(), 80), '\n');
  EXPECT_EQ(lines[0],
            "shaders/a<b>.comp gfx1030 wave32: 3 instructions, 30 cycles with each once, 45 with "
            "loops and branches as the model counts them");
  EXPECT_EQ(lines[2], "L0:");
  EXPECT_EQ(lines[3], "    0      0      0     21 |#===============        | load v1, <x>");
  EXPECT_EQ(lines[4],
            "    1     21     20      6 |................#====   | use v1   ; waits 20 for v1 of 0 "
            "(lds)");
  EXPECT_EQ(lines[5],
            "    2     29      7     11 |                 ......#| rcp v2   ; waits 7 for complex, "
            "busy with 1");
  EXPECT_EQ(lines[8], "lds                              20         20.0    54.1 %");
  EXPECT_EQ(lines[9], "complex busy                      7          7.0    18.9 %");
  EXPECT_EQ(lines[10], "issue                             3         10.0    27.0 %");
}

// Instructions that are shown keep their numbers, and a bar that goes on outside says so.
TEST(RenderText, ShowsAPart) {
  Trace t = Sample();
  t.from = 20;
  t.to = 24;
  const std::string text = RenderText(t, 80);
  EXPECT_FALSE(absl::StrContains(text, "load v1, <x>\n"));
  EXPECT_TRUE(absl::StrContains(text, "    1     21     20      6 |.#=>| use v1")) << text;
}

TEST(RenderJson, HasAllOfIt) {
  const auto json = nlohmann::json::parse(RenderJson(Sample()));
  EXPECT_EQ(json["cycles"], 30);
  EXPECT_EQ(json["counted_cycles"], 45);
  EXPECT_EQ(json["instructions"].size(), 3u);
  const auto& use = json["instructions"][1];
  EXPECT_EQ(use["waits"][0], nlohmann::json::parse(R"({"for": "register", "name": "v1",
      "kind": "lds", "cycles": 20, "producer": 0})"));
  EXPECT_EQ(use["times"], 1.0);
  EXPECT_EQ(json["instructions"][0]["times"], 8.0);
  EXPECT_FALSE(json["instructions"][0].contains("ready"));
  EXPECT_EQ(json["instructions"][2]["held"], 12);
  EXPECT_EQ(json["causes"][1]["cause"], "unit");
  EXPECT_EQ(json["causes"][2]["cause"], "issue");
}

TEST(RenderHtml, IsOnePageWithItsShadersName) {
  const std::string page = RenderHtml(Sample());
  EXPECT_TRUE(absl::StrContains(page, "<title>a&lt;b&gt;.comp</title>"));
  EXPECT_TRUE(absl::StrContains(page, "load v1, &lt;x&gt;"));
  EXPECT_FALSE(absl::StrContains(page, "<x>"));
  for (const char* other : {"http:", "https:", "src=", "@import", "url("}) {
    EXPECT_FALSE(absl::StrContains(page, other)) << other;
  }
  EXPECT_TRUE(absl::StrContains(page, "<i class=\"wait k0\" style=\"--a:1;--b:21\">"));
  EXPECT_TRUE(absl::StrContains(page, "<i class=\"wait k1 busy\" style=\"--a:22;--b:29\">"));
  EXPECT_TRUE(absl::StrContains(page, "<i class=\"held\" style=\"--a:10;--b:22\">"));
}

}  // namespace
}  // namespace kiln::client::trace
