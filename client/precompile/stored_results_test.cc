// Results of a database for budgets and JUnit.
#include "client/precompile/stored_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/database/pair_name.h"
#include "client/database/testing.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;
using testing::ElementsAre;

std::vector<ExportedResult> Stored(ResultsDatabase* database,
                                   const std::set<PipelineName>& pipelines) {
  auto results = StoredResultsOf(database->sql(), pipelines);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? *std::move(results) : std::vector<ExportedResult>();
}

class StoredResultsTest : public testing::Test {
 protected:
  void SetUp() override {
    database_ = OpenResults(NewDatabasePath("stored"));
    ASSERT_TRUE(database_->AddSource("a.foz", "capture", "").ok());
  }
  std::unique_ptr<ResultsDatabase> database_;
};

TEST_F(StoredResultsTest, ThoseThatAreNamed) {
  WriteAll(database_.get(),
           {OneStage(1, "a", 1, Compiled(90, 2)), OneStage(1, "b", 2, Compiled(5, 0)),
            OneStage(1, "c", 3, Failed(TargetResult::REFUSED, "float64", true))});
  const auto results = Stored(database_.get(), {{"a.foz", "a"}, {"a.foz", "c"}, {"b.foz", "b"}});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].result.status(), TargetResult::OK);
  EXPECT_EQ(results[0].result.target(), "tgl");
  EXPECT_TRUE(results[0].diagnostics.empty());
  ASSERT_EQ(results[0].result.variants_size(), 1);
  EXPECT_EQ(results[0].result.variants(0).name(), "SIMD8");
  EXPECT_EQ(results[0].result.variants(0).width(), 8u);
  EXPECT_THAT(ReadStatistics(results[0].result.variants(0)),
              ElementsAre(NamedValue{"cycles", 90}, NamedValue{"spills", 2}));
  EXPECT_EQ(results[1].result.status(), TargetResult::REFUSED);
  EXPECT_EQ(results[1].result.cause(), "float64");
  EXPECT_EQ(results[1].diagnostics.size(), 1u);
}

TEST_F(StoredResultsTest, ACapturesPipelineIsNamedWithoutItsState) {
  PipelineRow row = OneStage(1, "a", 1, Compiled(1, 0));
  row.stages[0].state = R"({"view_mask":3})";
  WriteAll(database_.get(), {row});
  const auto results = Stored(database_.get(), {{"a.foz", "a"}});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].identity.state, "");
}

TEST_F(StoredResultsTest, StagesOfAPairHaveTheirFiles) {
  PipelineRow pair = OneStage(1, "p", 1, Compiled(1, 0));
  pair.kind = kPairKind;
  pair.file = PairName("m.vert", "m.frag");
  pair.stages.push_back(OneStage(1, "q", 2, Compiled(2, 0)).stages[0]);
  pair.stages[0].defines = "A=1 B";
  pair.stages[0].state = R"({"view_mask":3})";
  WriteAll(database_.get(), {pair});
  const auto results = Stored(database_.get(), {{"a.foz", "p"}});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].file + " " + results[0].identity.pair, "m.vert m.frag");
  EXPECT_EQ(results[1].file + " " + results[1].identity.pair, "m.frag m.vert");
  EXPECT_EQ(results[0].identity.state, R"({"view_mask":3})");
  EXPECT_THAT(results[0].identity.defines, ElementsAre("A=1", "B"));
}

}  // namespace
}  // namespace kiln::client
