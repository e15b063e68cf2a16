// The database of results: what is finished, what is kept, what is there after a kill.
#include "client/database/results_database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "client/database/testing.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr auto kRefused = TargetResult::REFUSED;

class ResultsDatabaseTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = NewDatabasePath(testing::UnitTest::GetInstance()->current_test_info()->name());
    Open();
  }
  void Open(uint32_t code_generation = 7) {
    database_.reset();
    database_ = OpenResults(path_, code_generation);
    const auto source = database_->AddSource("a.foz", "capture", "");
    ASSERT_TRUE(source.ok()) << source.status();
    source_ = *source;
  }
  void Write(const std::vector<PipelineRow>& rows) { WriteAll(database_.get(), rows); }
  std::set<std::string> Finished(const std::string& options = "options") {
    const auto names = database_->Finished(source_, options);
    EXPECT_TRUE(names.ok()) << names.status();
    return *names;
  }
  int64_t Rows(const std::string& what) { return Count(database_.get(), what); }

  std::string path_;
  std::unique_ptr<ResultsDatabase> database_;
  int64_t source_ = 0;
};

TEST_F(ResultsDatabaseTest, HasARowForEachFigure) {
  Write({OneStage(source_, "compute/1", 1, Compiled(100, 2))});
  EXPECT_EQ(Rows("statistic"), 2);
  EXPECT_EQ(Rows("statistic WHERE name = 'cycles' AND value = 100 AND variant = 'SIMD8'"), 1);
  EXPECT_EQ(Rows("pass WHERE pass = 'tidy' AND runs = 2 AND changed = 1 AND "
                 "instructions_delta = -3 AND ns = 10"),
            1);
  EXPECT_EQ(Rows("statistic_kind WHERE better = 'lower' AND unit = 'things'"), 2);
}

TEST_F(ResultsDatabaseTest, FinalResultsFinishAPipeline) {
  Write({OneStage(source_, "ok", 1, Compiled(1, 0)),
         OneStage(source_, "refused", 2, Failed(kRefused, "float64", true)),
         OneStage(source_, "crashed", 3, Failed(TargetResult::CRASHED, "signal", true)),
         OneStage(source_, "timeout", 4, Failed(TargetResult::TIMED_OUT, "deadline", false)),
         OneStage(source_, "missing", 5, Failed(TargetResult::INVALID, "missing_module", false))});
  EXPECT_THAT(Finished(), ElementsAre("ok", "refused"));
  EXPECT_THAT(Finished("other options"), IsEmpty());
  EXPECT_EQ(database_->Results()->at("tgl").size(), 2u);
}

TEST_F(ResultsDatabaseTest, AnotherCodeGenerationLeavesNothingFinished) {
  Write({OneStage(source_, "ok", 1, Compiled(1, 0))});
  Open(8);
  EXPECT_THAT(Finished(), IsEmpty());
  EXPECT_THAT(*database_->Results(), IsEmpty());
}

TEST_F(ResultsDatabaseTest, AStageThatLacksATargetIsNotFinished) {
  Write({OneStage(source_, "ok", 1, Compiled(1, 0))});
  auto capabilities = CapabilitiesOf(7);
  *capabilities.add_targets() = capabilities.targets(0);
  capabilities.mutable_targets(1)->set_name("skl");
  ASSERT_TRUE(database_->SetTargets(capabilities, {"tgl", "skl"}).ok());
  EXPECT_THAT(Finished(), IsEmpty());
}

TEST_F(ResultsDatabaseTest, EqualUnitsShareAResult) {
  Write({OneStage(source_, "a", 1, Compiled(1, 0)), OneStage(source_, "b", 1, Compiled(1, 0))});
  EXPECT_EQ(Rows("result"), 1);
  EXPECT_EQ(Rows("outcome"), 2);
  EXPECT_EQ(Rows("stage_result"), 2);
}

TEST_F(ResultsDatabaseTest, AResultThatIsNotFinalIsReplaced) {
  Write({OneStage(source_, "a", 1, Failed(TargetResult::CRASHED, "signal", true))});
  Write({OneStage(source_, "a", 1, Compiled(5, 0))});
  EXPECT_EQ(Rows("result"), 1);
  EXPECT_EQ(Rows("result WHERE status = 'ok' AND final"), 1);
  EXPECT_EQ(Rows("statistic"), 2);
  // And not the other way round.
  Write({OneStage(source_, "b", 1, Failed(TargetResult::CRASHED, "signal", true))});
  EXPECT_EQ(Rows("result WHERE status = 'ok'"), 1);
}

TEST_F(ResultsDatabaseTest, ViewsTellWhatChangedSinceAnotherCompiler) {
  Write({OneStage(source_, "a", 1, Compiled(100, 0)), OneStage(source_, "b", 2, Compiled(7, 0)),
         OneStage(source_, "c", 3, Failed(kRefused, "float64", true))});
  Open(8);
  Write({OneStage(source_, "a", 1, Compiled(90, 4, 8)),
         OneStage(source_, "b", 2, Compiled(7, 0, 8)),
         OneStage(source_, "c", 3, Compiled(1, 0, 8))});
  EXPECT_EQ(Rows("changed"), 2);
  EXPECT_EQ(Rows("changed WHERE pipeline = 'a' AND statistic = 'cycles' AND before = 100 AND "
                 "after = 90"),
            1);
  EXPECT_EQ(Rows("changed_status WHERE pipeline = 'c' AND before = 'refused' AND after = 'ok'"), 1);
  EXPECT_EQ(Rows("spilling WHERE pipeline = 'a' AND spills = 4"), 1);
  EXPECT_EQ(Rows("spilling"), 1);
  EXPECT_EQ(*database_->sql()->IntOf("SELECT cycles FROM worst_by_cycles"), 90);
  EXPECT_EQ(Rows("refused_by_cause"), 0);
  // The older results go when a third compiler replaces the second.
  Open(9);
  Write({OneStage(source_, "a", 1, Compiled(80, 4, 9))});
  ASSERT_TRUE(database_->RemoveUnused().ok());
  EXPECT_EQ(Rows("result WHERE code_generation = 7"), 2);
  EXPECT_EQ(Rows("statistic WHERE value = 100"), 0);
  EXPECT_EQ(Rows("changed WHERE pipeline = 'a' AND before = 90 AND after = 80"), 1);
}

TEST_F(ResultsDatabaseTest, RefusedByCauseCounts) {
  Write({OneStage(source_, "a", 1, Failed(kRefused, "float64", true)),
         OneStage(source_, "b", 2, Failed(kRefused, "float64", true)),
         OneStage(source_, "c", 3, Compiled(1, 0))});
  EXPECT_EQ(Rows("refused_by_cause WHERE cause = 'float64' AND stages = 2 AND pipelines = 2 AND "
                 "modules = 1 AND sentence <> ''"),
            1);
}

TEST_F(ResultsDatabaseTest, StagesThatAPipelineNoLongerHasGo) {
  PipelineRow two = OneStage(source_, "a", 1, Compiled(1, 0));
  two.stages.push_back(two.stages[0]);
  Write({two});
  Write({OneStage(source_, "a", 1, Compiled(1, 0))});
  EXPECT_EQ(Rows("stage"), 1);
  EXPECT_EQ(Rows("outcome"), 1);
}

TEST_F(ResultsDatabaseTest, PipelinesThatACaptureNoLongerHasGo) {
  Write({OneStage(source_, "a", 1, Compiled(1, 0)), OneStage(source_, "b", 2, Compiled(1, 0))});
  const auto other = database_->AddSource("b.foz", "capture", "");
  Write({OneStage(*other, "c", 3, Compiled(1, 0))});
  ASSERT_TRUE(database_->KeepOnly(source_, {"b"}).ok());
  ASSERT_TRUE(database_->RemoveUnused().ok());
  EXPECT_EQ(Rows("pipeline"), 2);
  EXPECT_EQ(Rows("result"), 2);
  EXPECT_EQ(Rows("statistic"), 4);
}

TEST_F(ResultsDatabaseTest, OneProcessWrites) {
  EXPECT_THAT(ResultsDatabase::Open(path_).status().message(),
              HasSubstr("another kiln precompile writes it"));
  database_.reset();
  EXPECT_TRUE(ResultsDatabase::Open(path_).ok());
}

TEST_F(ResultsDatabaseTest, AKilledProcessLeavesWholeTransactions) {
  database_.reset();
  const pid_t child = fork();
  if (child == 0) {
    auto database = OpenResults(path_);
    WriteAll(database.get(), {OneStage(source_, "whole", 1, Compiled(1, 0))});
    auto known = database->Results();
    database->Begin().IgnoreError();
    database->Write(OneStage(source_, "begun", 2, Compiled(1, 0)), "options", &*known)
        .IgnoreError();
    raise(SIGKILL);
  }
  ASSERT_GT(child, 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  Open();
  EXPECT_THAT(Finished(), ElementsAre("whole"));
  EXPECT_EQ(Rows("result"), 1);
}

TEST_F(ResultsDatabaseTest, WithoutALogTheJournalIsUsed) {
  const std::string path = NewDatabasePath("without_log");
  // This way of SQLite to use files has no shared memory, as some network file systems.
  auto database = ResultsDatabase::Open(path, "unix-dotfile");
  ASSERT_TRUE(database.ok()) << database.status();
  EXPECT_FALSE((*database)->has_log());
  ASSERT_TRUE((*database)->SetTargets(CapabilitiesOf(7), {"tgl"}).ok());
  const auto source = (*database)->AddSource("a.foz", "capture", "");
  WriteAll(database->get(), {OneStage(*source, "a", 1, Compiled(1, 0))});
  EXPECT_EQ(Count(database->get(), "result"), 1);
  EXPECT_TRUE(database_->has_log());
}

TEST_F(ResultsDatabaseTest, FinishLeavesOneFile) {
  Write({OneStage(source_, "a", 1, Compiled(1, 0))});
  EXPECT_EQ(access((path_ + "-wal").c_str(), F_OK), 0);
  ASSERT_TRUE(database_->Finish().ok());
  EXPECT_NE(access((path_ + "-wal").c_str(), F_OK), 0);
}

TEST_F(ResultsDatabaseTest, ARunTellsItsEnd) {
  const auto run = database_->StartRun("1", "tgl", "1/1");
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(Rows("run WHERE outcome = 'killed' AND finished IS NULL"), 1);
  ASSERT_TRUE(database_->EndRun(*run, "complete", {5, 4, 3, 2, 1}).ok());
  EXPECT_EQ(Rows("run WHERE outcome = 'complete' AND pipelines = 5 AND kept = 4 AND "
                 "compiled = 3 AND cached = 2 AND shared = 1"),
            1);
}

}  // namespace
}  // namespace kiln::client
