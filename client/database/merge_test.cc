// Databases of shards, put together.
#include "client/database/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/database/testing.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;
using testing::HasSubstr;

// Writes a database with pipelines of the capture a.foz; returns its path.
std::string Part(const std::string& name, const std::vector<PipelineRow>& rows,
                 uint32_t code_generation = 7) {
  const std::string path = NewDatabasePath(name);
  auto database = OpenResults(path, code_generation);
  EXPECT_EQ(*database->AddSource("a.foz", "capture", ""), 1);
  WriteAll(database.get(), rows);
  EXPECT_TRUE(database->StartRun("1", "tgl", "1/2").ok());
  return path;
}

TEST(MergeInto, RowsOfAllParts) {
  const std::string one =
      Part("one", {OneStage(1, "a", 1, Compiled(1, 0)), OneStage(1, "b", 2, Compiled(2, 0))});
  const std::string two =
      Part("two", {OneStage(1, "c", 2, Compiled(2, 0)), OneStage(1, "d", 3, Compiled(3, 5))});
  auto whole = OpenResults(NewDatabasePath("whole"));
  for (const std::string& part : {one, two}) {
    const absl::Status merged = MergeInto(whole.get(), part);
    ASSERT_TRUE(merged.ok()) << merged;
  }
  EXPECT_EQ(Count(whole.get(), "source"), 1);
  EXPECT_EQ(Count(whole.get(), "pipeline"), 4);
  EXPECT_EQ(Count(whole.get(), "result"), 3);
  EXPECT_EQ(Count(whole.get(), "statistic"), 6);
  EXPECT_EQ(Count(whole.get(), "pass"), 3);
  EXPECT_EQ(Count(whole.get(), "run"), 2);
  EXPECT_EQ(Count(whole.get(), "stage_statistic WHERE pipeline IN ('b', 'c') AND value = 2"), 2);
  EXPECT_EQ(Count(whole.get(), "spilling WHERE pipeline = 'd'"), 1);
  // Once more is no change.
  ASSERT_TRUE(MergeInto(whole.get(), two).ok());
  EXPECT_EQ(Count(whole.get(), "outcome"), 4);
  EXPECT_EQ(Count(whole.get(), "result"), 3);
}

TEST(MergeInto, TheCompilersAnswerWins) {
  const std::string crashed =
      Part("crashed", {OneStage(1, "a", 1, Failed(TargetResult::CRASHED, "signal", true))});
  const std::string good = Part("good", {OneStage(1, "b", 1, Compiled(1, 0))});
  for (const bool crashed_first : {false, true}) {
    auto whole = OpenResults(NewDatabasePath("wins"));
    ASSERT_TRUE(MergeInto(whole.get(), crashed_first ? crashed : good).ok());
    ASSERT_TRUE(MergeInto(whole.get(), crashed_first ? good : crashed).ok());
    EXPECT_EQ(Count(whole.get(), "stage_result WHERE status = 'ok'"), 2);
  }
}

TEST(MergeInto, KeepsWhatAnEarlierCompilerMade) {
  const std::string path = Part("history", {OneStage(1, "a", 1, Compiled(10, 0))});
  {
    auto later = OpenResults(path, 8);
    WriteAll(later.get(), {OneStage(1, "a", 1, Compiled(9, 0, 8))});
  }
  auto whole = OpenResults(NewDatabasePath("whole_history"), 8);
  ASSERT_TRUE(MergeInto(whole.get(), path).ok());
  EXPECT_EQ(Count(whole.get(), "changed WHERE before = 10 AND after = 9"), 1);
}

TEST(MergeInto, RefusesOtherFiles) {
  auto whole = OpenResults(NewDatabasePath("refuses"));
  EXPECT_FALSE(MergeInto(whole.get(), "/no/such.sqlite").ok());
  const std::string other = NewDatabasePath("other");
  ASSERT_TRUE((*SqlDatabase::Open(other, SqlDatabase::Mode::kCreate))
                  ->Execute("CREATE TABLE mine (a)")
                  .ok());
  EXPECT_THAT(MergeInto(whole.get(), other).message(), HasSubstr("not one of results"));
}

}  // namespace
}  // namespace kiln::client
