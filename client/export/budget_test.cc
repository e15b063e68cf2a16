#include "client/export/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/export/testing.h"

namespace kiln::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

std::string ErrorOf(const std::string& text) {
  return std::string(ParseBudget(text, TwoTargets()).status().message());
}

TEST(ParseBudget, ReadsEveryKey) {
  const auto budget = ParseBudget(
      R"({"rules": [{"max": {"size": 10}},
                    {"path": "./ui//", "target": "one", "stage": "comp", "entry": "e", "name": "n",
                     "widths": [8, 16], "max": {"size": 5, "shape": 1}, "min": {"room": 2, "shape": 0},
                     "total": {"size": 100}}]})",
      TwoTargets());
  ASSERT_TRUE(budget.ok()) << budget.status();
  ASSERT_EQ(budget->rules.size(), 2u);
  EXPECT_EQ(budget->rules[0].path, "");
  EXPECT_THAT(budget->rules[0].max, ElementsAre(Pair("size", 10)));
  const BudgetRule& rule = budget->rules[1];
  EXPECT_EQ(rule.path, "ui");
  EXPECT_EQ(rule.target + rule.stage + rule.entry + rule.name, "onecomputeen");
  EXPECT_THAT(rule.widths, ElementsAre(8, 16));
  EXPECT_THAT(rule.max, ElementsAre(Pair("shape", 1), Pair("size", 5)));
  EXPECT_THAT(rule.min, ElementsAre(Pair("room", 2), Pair("shape", 0)));
  EXPECT_THAT(rule.total, ElementsAre(Pair("size", 100)));
  EXPECT_TRUE(budget->declared.at("one").at("guess"));
  EXPECT_FALSE(budget->declared.at("two").at("size"));
}

TEST(ParseBudget, NamesWhatIsWrong) {
  const auto rule = [](const std::string& keys) {
    return ErrorOf("{\"rules\": [{\"max\": {\"size\": 1}}, {" + keys + "}]}");
  };
  EXPECT_THAT(ErrorOf("[]"), HasSubstr("is not a JSON object"));
  EXPECT_THAT(ErrorOf("{"), HasSubstr("is not a JSON object"));
  EXPECT_THAT(ErrorOf("{\"rules\": []}"), HasSubstr("must be a list that is not empty"));
  EXPECT_THAT(ErrorOf("{\"rule\": []}"), HasSubstr("did you mean rules?"));
  EXPECT_THAT(rule(""), HasSubstr("rule 2: bounds nothing"));
  EXPECT_THAT(rule("\"maxx\": {}"), HasSubstr("rule 2: \"maxx\" is not a key here"));
  EXPECT_THAT(rule("\"max\": {\"sise\": 1}"), HasSubstr("did you mean size?"));
  EXPECT_THAT(rule("\"target\": \"two\", \"min\": {\"room\": 1}"),
              HasSubstr("\"room\" is not a statistic of the target"));
  EXPECT_THAT(rule("\"max\": {\"room\": 1}"), HasSubstr("bound it by \"min\", not by \"max\""));
  EXPECT_THAT(rule("\"total\": {\"room\": 1}"), HasSubstr("bound it by \"min\", not by \"total\""));
  EXPECT_THAT(rule("\"min\": {\"size\": 1}"), HasSubstr("bound it by \"max\""));
  EXPECT_THAT(rule("\"max\": {\"size\": -1}"), HasSubstr("not negative"));
  EXPECT_THAT(rule("\"max\": {\"size\": 1.5}"), HasSubstr("whole number"));
  EXPECT_THAT(rule("\"max\": {\"size\": 18446744073709551615}"), HasSubstr("whole number"));
  EXPECT_THAT(rule("\"max\": []"), HasSubstr("must be an object"));
  EXPECT_THAT(rule("\"target\": \"tow\", \"max\": {\"size\": 1}"), HasSubstr("which is no target"));
  EXPECT_THAT(rule("\"stage\": \"pixel\", \"max\": {\"size\": 1}"), HasSubstr("which is no stage"));
  EXPECT_THAT(rule("\"widths\": [7], \"max\": {\"size\": 1}"), HasSubstr("each 8, 16, 32 or 64"));
  EXPECT_THAT(rule("\"path\": 3, \"max\": {\"size\": 1}"), HasSubstr("must be text"));
  EXPECT_THAT(rule("\"max\": {\"size\": 1, \"size\": 2}"), HasSubstr("\"size\" is given twice"));
  EXPECT_THAT(ErrorOf("{\"rules\": [3]}"), HasSubstr("rule 1: is not a JSON object"));
}

}  // namespace
}  // namespace kiln::client
