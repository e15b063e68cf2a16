// The summary of a run.
#include "client/precompile/outcome_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "client/database/testing.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;
using testing::HasSubstr;

RunSummary SummaryOf(const std::vector<PipelineRow>& rows) {
  auto database = OpenResults(NewDatabasePath("summary"));
  EXPECT_TRUE(database->AddSource("a.foz", "capture", "").ok());
  WriteAll(database.get(), rows);
  auto outcomes = CountOutcomes(database->sql());
  EXPECT_TRUE(outcomes.ok()) << outcomes.status();
  return {"x.sqlite", false, absl::Milliseconds(1500), {9, 8, 7, 6, 5}, *std::move(outcomes)};
}

TEST(RunSummary, CountsByStatusAndCause) {
  const RunSummary summary =
      SummaryOf({OneStage(1, "a", 1, Compiled(1, 0)), OneStage(1, "b", 2, Compiled(1, 0)),
                 OneStage(1, "c", 3, Failed(TargetResult::REFUSED, "float64", true))});
  EXPECT_EQ(summary.exit_code(), kExitSomeFailed);
  EXPECT_THAT(summary.Text(false), HasSubstr("  tgl      ok                                    "));
  EXPECT_THAT(summary.Text(false), HasSubstr("9 pipelines in 1.5 s (6.0/s): 8 finished before"));
  const auto json = nlohmann::json::parse(summary.ToJson());
  EXPECT_EQ(json["compiled"], 7);
  EXPECT_EQ(json["outcomes"].size(), 2u);
  EXPECT_EQ(json["outcomes"][1]["cause"], "float64");
  EXPECT_EQ(json["outcomes"][0]["stages"], 2);
}

TEST(RunSummary, ABudgetIsInJsonIfThereIsOne) {
  RunSummary summary = SummaryOf({OneStage(1, "a", 1, Compiled(1, 0))});
  EXPECT_FALSE(nlohmann::json::parse(summary.ToJson()).contains("budget"));
  summary.budget = {7, 2};
  EXPECT_EQ(nlohmann::json::parse(summary.ToJson())["budget"].dump(), R"({"over":2,"variants":7})");
}

TEST(RunSummary, AllowedCausesLeaveTheExitCode) {
  RunSummary summary =
      SummaryOf({OneStage(1, "a", 1, Failed(TargetResult::REFUSED, "float64", true)),
                 OneStage(1, "b", 2, Failed(TargetResult::INVALID, "bad", true))});
  summary.allowed = {"float64"};
  EXPECT_EQ(summary.exit_code(), kExitSomeFailed);
  summary.allowed = {"float64", "bad"};
  EXPECT_EQ(summary.exit_code(), kExitOk);
  summary.outcomes.push_back({"tgl", "crashed", "bad", 1});
  EXPECT_EQ(summary.exit_code(), kExitInternal);
}

TEST(RunSummary, AllOkIsZero) {
  EXPECT_EQ(SummaryOf({OneStage(1, "a", 1, Compiled(1, 0))}).exit_code(), kExitOk);
}

TEST(RunSummary, ACrashIsAnInternalFailure) {
  EXPECT_EQ(
      SummaryOf({OneStage(1, "a", 1, Failed(TargetResult::CRASHED, "signal", true))}).exit_code(),
      kExitInternal);
}

}  // namespace
}  // namespace kiln::client
