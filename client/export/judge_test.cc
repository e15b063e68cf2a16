#include "client/export/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/export/testing.h"

namespace kiln::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Budget Read(const std::string& rules) {
  auto budget = ParseBudget("{\"rules\": [" + rules + "]}", TwoTargets());
  EXPECT_TRUE(budget.ok()) << budget.status();
  return budget.ok() ? *budget : Budget();
}

// Returns the texts of what is over, each with the number of its result.
std::vector<std::string> Over(const std::string& rules,
                              const std::vector<ExportedResult>& results) {
  std::vector<std::string> over;
  for (const Overrun& o : Judge(Read(rules), results).overruns) {
    over.push_back((o.result.has_value() ? std::to_string(*o.result) + ": " : "") + OverrunText(o));
  }
  return over;
}

TEST(Judge, FindsBoundsThatDoNotHold) {
  const std::vector<ExportedResult> results = {Made("a", {{"size", 10}, {"room", 4}}),
                                               Made("b", {{"size", 11}, {"room", 3}})};
  EXPECT_THAT(Over("{\"max\": {\"size\": 10}, \"min\": {\"room\": 4}}", results),
              ElementsAre("1: W8 size 11, at most 10", "1: W8 room 3, at least 4"));
  EXPECT_THAT(Over("{\"max\": {\"size\": 11}, \"min\": {\"room\": 3}}", results), ElementsAre());
}

TEST(Judge, ARuleIsOfAFileOrAFolder) {
  const std::vector<ExportedResult> results = {
      Made("ui/a", {{"size", 2}}), Made("ui/deep/b", {{"size", 2}}), Made("uix/c", {{"size", 2}}),
      Made("./ui/d", {{"size", 2}}), Made("/ui/e", {{"size", 2}})};
  const std::string over = "W8 size 2, at most 1";
  EXPECT_THAT(Over(R"({"path": "ui", "max": {"size": 1}})", results),
              ElementsAre("0: " + over, "1: " + over, "3: " + over));
  EXPECT_THAT(Over(R"({"path": "ui/a", "max": {"size": 1}})", results), ElementsAre("0: " + over));
  EXPECT_THAT(Over(R"({"path": "/ui", "max": {"size": 1}})", results), ElementsAre("4: " + over));
  EXPECT_THAT(Over(R"({"path": ".", "max": {"size": 1}})", results), testing::SizeIs(5));
}

TEST(Judge, ACaptureIsAFolder) {
  const std::vector<ExportedResult> results = {
      Made("dir/a.foz:graphics/1", {{"size", 2}}), Made("dir/a.foz:compute/2", {{"size", 2}}),
      Made("dir/b.foz:compute/2", {{"size", 2}}), Made("dir/a:b.comp", {{"size", 2}})};
  const std::string over = "W8 size 2, at most 1";
  EXPECT_THAT(Over(R"({"path": "dir/a.foz", "max": {"size": 1}})", results),
              ElementsAre("0: " + over, "1: " + over));
  EXPECT_THAT(Over(R"({"path": "dir/a.foz:compute", "max": {"size": 1}})", results),
              ElementsAre("1: " + over));
  EXPECT_THAT(Over(R"({"path": "dir/a.foz", "total": {"size": 3}})", results),
              ElementsAre("total of size 4, at most 3"));
  EXPECT_THAT(Over(R"({"path": "dir/a", "max": {"size": 1}})", results), ElementsAre());
}

TEST(Judge, TheLastRuleOfAStatisticCounts) {
  const std::vector<ExportedResult> results = {Made("a", {{"size", 5}}), Made("b", {{"size", 5}})};
  EXPECT_THAT(Over(R"({"max": {"size": 1}}, {"path": "b", "max": {"size": 9}})", results),
              ElementsAre("0: W8 size 5, at most 1"));
  EXPECT_THAT(Over(R"({"path": "b", "max": {"size": 9}}, {"max": {"size": 1}})", results),
              ElementsAre("0: W8 size 5, at most 1", "1: W8 size 5, at most 1"));
}

TEST(Judge, KeysOfARuleSelectResults) {
  ExportedResult named = Made("a", {{"size", 5}});
  named.identity.name = "lit";
  const std::vector<ExportedResult> results = {named};
  for (const char* fits : {"\"target\": \"one\"", "\"stage\": \"comp\"", "\"entry\": \"main\"",
                           "\"name\": \"lit\"", "\"widths\": [8, 16]"}) {
    EXPECT_EQ(Over(std::string("{") + fits + ", \"max\": {\"size\": 1}}", results).size(), 1u)
        << fits;
  }
  for (const char* other : {"\"target\": \"two\"", "\"stage\": \"frag\"", "\"entry\": \"m\"",
                            "\"name\": \"li\"", "\"widths\": [16]"}) {
    EXPECT_EQ(Over(std::string("{") + other + ", \"max\": {\"size\": 1}}", results).size(), 0u)
        << other;
  }
}

TEST(Judge, ATotalIsOfAllVariantsOfTheRule) {
  const std::vector<ExportedResult> results = {
      Made("ui/a", {{"size", 5}}), Made("ui/b", {{"size", 6}}), Made("c", {{"size", 7}})};
  EXPECT_THAT(Over(R"({"path": "ui", "total": {"size": 10}})", results),
              ElementsAre("total of size 11, at most 10"));
  EXPECT_THAT(Over(R"({"path": "ui", "total": {"size": 11}})", results), ElementsAre());
  // Each rule has its own.
  EXPECT_THAT(Over(R"({"total": {"size": 17}}, {"path": "ui", "total": {"size": 99}})", results),
              ElementsAre("total of size 18, at most 17"));
}

TEST(Judge, AFigureThatIsNotThereIsOver) {
  EXPECT_THAT(Over(R"({"max": {"size": 1}})", {Made("a", {{"room", 4}})}),
              ElementsAre("0: W8 size unknown, at most 1"));
  EXPECT_THAT(Over(R"({"total": {"size": 1}})", {Made("a", {{"room", 4}})}),
              ElementsAre("total of size unknown, at most 1"));
  // An estimate of 0 is none.
  EXPECT_THAT(Over(R"({"max": {"guess": 1}})", {Made("a", {{"guess", 0}})}),
              ElementsAre("0: W8 guess unknown, at most 1"));
  EXPECT_THAT(Over(R"({"max": {"guess": 1}})", {Made("a", {{"guess", 1}})}), ElementsAre());
  // A target that does not declare the statistic is not meant.
  EXPECT_THAT(Over(R"({"min": {"room": 1}})", {Made("a", {{"size", 1}}, "two")}), ElementsAre());
}

TEST(Judge, FailedResultsHaveNoFiguresAndUnusedRulesAreNamed) {
  const std::vector<ExportedResult> results = {
      Failed("ui/a", kiln::v1::TargetResult::REFUSED, "images", {}), Made("b", {{"size", 1}})};
  const Budget budget = Read(R"({"path": "ui", "max": {"size": 0}}, {"max": {"size": 1}})");
  const Verdict verdict = Judge(budget, results);
  EXPECT_TRUE(verdict.overruns.empty());
  EXPECT_THAT(verdict.unused, ElementsAre(0));
  EXPECT_EQ(verdict.judged, 1u);
  EXPECT_EQ(VerdictText(verdict, budget, results, "b.json"),
            "b.json: rule 1 (ui) fits no result that is ok\n");
}

TEST(VerdictText, IsATable) {
  const std::vector<ExportedResult> results = {Made("a", {{"size", 12}})};
  const Budget budget = Read(R"({"max": {"size": 10}}, {"path": "a", "total": {"size": 0}})");
  EXPECT_EQ(VerdictText(Judge(budget, results), budget, results, "b.json"),
            "b.json: 2 over budget\n"
            "  over budget  target  variant  statistic  value  bound    over  rule\n"
            "  a (main)        one       W8       size     12  <= 10  +20.0%     1\n"
            "  total of a        -        -       size     12   <= 0     +12     2\n");
}

}  // namespace
}  // namespace kiln::client
