// Pairs of files as pipelines of two stages.
#include "client/precompile/pair_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/paths.h"
#include "client/precompile/testing.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;
using testing::HasSubstr;

class PairJobTest : public testing::Test {
 protected:
  void SetUp() override {
    Write("p.vert", "#version 450\nvoid main() {}\n");
    Write("p.frag", "#version 450\nvoid main() {}\n");
  }
  static std::string Path(const std::string& name) { return testing::TempDir() + "/" + name; }
  static void Write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(WriteWholeFile(Path(name), text).ok());
  }
  BatchItem Pair(const std::string& fragment = "p.frag") const {
    BatchItem item = {Path("p.vert"), "p.vert", "p.vert", "lit.vertex", options_, ""};
    item.fragment = {Path(fragment), fragment, fragment, "lit.fragment"};
    return item;
  }
  PipelineRow Compile(const BatchItem& item, StageCompiler* compiler) {
    CompileSettings settings;
    settings.request.add_targets("tgl");
    auto row = CompilePairItem(item, settings, 4, compiler);
    EXPECT_TRUE(row.ok()) << row.status();
    return row.ok() ? *row : PipelineRow();
  }
  PipelineRow Compile(const BatchItem& item) { return Compile(item, &compiler_); }

  std::shared_ptr<ItemOptions> options_ = std::make_shared<ItemOptions>();
  FakeService service_;
  const kiln::v1::Capabilities capabilities_ = FakeService::Stages();
  StageCompiler compiler_{&service_, capabilities_, {}};
};

TEST_F(PairJobTest, BothStagesAreRowsOfOnePipeline) {
  options_->name = "lit";
  options_->defines = {{"A=1"}};
  const PipelineRow row = Compile(Pair());
  EXPECT_EQ(row.name, "lit.vertex");
  EXPECT_EQ(row.file, "p.vert + p.frag");
  EXPECT_EQ(row.kind, "pair");
  ASSERT_EQ(row.stages.size(), 2u);
  for (const StageRow& stage : row.stages) {
    EXPECT_EQ(stage.entry + " " + stage.name + " " + stage.defines, "main lit A=1");
    ASSERT_EQ(stage.outcomes.size(), 1u);
    EXPECT_EQ(stage.outcomes[0].status, TargetResult::OK);
  }
  EXPECT_EQ(row.stages[0].stage, "vertex");
  EXPECT_EQ(row.stages[1].stage, "fragment");
  // The vertex shader's request says what the fragment shader reads.
  ASSERT_EQ(service_.requests.size(), 2u);
  EXPECT_EQ(service_.requests[1].glsl().stage(), "vertex");
  EXPECT_EQ(service_.requests[1].options().state().next_stage_reads().locations_size(), 1);
}

TEST_F(PairJobTest, UnitsAreOfBothFiles) {
  const auto units = [&] {
    const PipelineRow row = Compile(Pair());
    return std::pair(row.stages[0].outcomes[0].unit, row.stages[1].outcomes[0].unit);
  };
  const auto first = units();
  EXPECT_NE(first.first, first.second);
  EXPECT_EQ(units(), first);
  Write("p.frag", "#version 450\nvoid main() { }\n");
  const auto second = units();
  EXPECT_NE(second.first, first.first);
  EXPECT_NE(second.second, first.second);
}

TEST_F(PairJobTest, NothingIsRequestedThatTheDatabaseHas) {
  const PipelineRow row = Compile(Pair());
  StoredResults stored;
  for (size_t i = 0; i < 2; ++i) {
    stored[row.stages[i].outcomes[0].unit] = {static_cast<int64_t>(7 + i), TargetResult::OK, ""};
  }
  StageCompiler knowing(&service_, capabilities_, {{"tgl", stored}});
  service_.requests.clear();
  const PipelineRow again = Compile(Pair(), &knowing);
  EXPECT_EQ(service_.requests.size(), 0u);
  EXPECT_EQ(again.stages[0].outcomes[0].stored, 7);
  EXPECT_EQ(again.stages[1].outcomes[0].stored, 8);
  // With one of them alone both are compiled: the other depends on it.
  stored.erase(row.stages[0].outcomes[0].unit);
  StageCompiler half(&service_, capabilities_, {{"tgl", stored}});
  EXPECT_EQ(Compile(Pair(), &half).stages[1].outcomes[0].stored, 0);
  EXPECT_EQ(service_.requests.size(), 2u);
}

TEST_F(PairJobTest, AVertexShaderWithoutItsReaderIsNotCompiled) {
  service_.status = TargetResult::REFUSED;
  const PipelineRow row = Compile(Pair());
  EXPECT_EQ(row.stages[1].outcomes[0].status, TargetResult::REFUSED);
  ASSERT_EQ(row.stages[0].outcomes.size(), 1u);
  EXPECT_EQ(row.stages[0].outcomes[0].result->cause(), "other_stage_failed");
  EXPECT_EQ(service_.requests.size(), 1u);
  ASSERT_EQ(row.warnings.size(), 1u);
  EXPECT_THAT(row.warnings[0], HasSubstr("the inputs of p.frag are not known"));
}

TEST_F(PairJobTest, AFileThatCannotBeReadIsAResultOfBoth) {
  const PipelineRow row = Compile(Pair("none.frag"));
  for (const StageRow& stage : row.stages) {
    ASSERT_EQ(stage.outcomes.size(), 1u);
    EXPECT_EQ(stage.outcomes[0].status, TargetResult::INVALID);
    EXPECT_THAT(stage.outcomes[0].result->message(), HasSubstr("none.frag"));
  }
  EXPECT_EQ(service_.requests.size(), 0u);
}

}  // namespace
}  // namespace kiln::client
