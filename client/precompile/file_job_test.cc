// Files as pipelines of one stage.
#include "client/precompile/file_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/paths.h"
#include "client/precompile/testing.h"

namespace kiln::client {
namespace {

class FileJobTest : public testing::Test {
 protected:
  PipelineRow Compile(const BatchItem& item) {
    CompileSettings settings;
    settings.request.add_targets("tgl");
    auto row = CompileFileItem(item, settings, 4, &compiler_);
    EXPECT_TRUE(row.ok()) << row.status();
    return row.ok() ? *row : PipelineRow();
  }
  FakeService service_;
  const kiln::v1::Capabilities capabilities_ = FakeService::Stages();
  StageCompiler compiler_{&service_, capabilities_, {}};
};

TEST_F(FileJobTest, AShaderWithOptions) {
  const std::string path = testing::TempDir() + "/a.comp";
  ASSERT_TRUE(WriteWholeFile(path, "#version 450\nvoid main() {}\n").ok());
  auto options = std::make_shared<ItemOptions>();
  options->name = "fast";
  options->defines = {{"A=1", "B"}};
  options->subgroup_size = 16;
  BatchItem item = {path, "a.comp", "a.comp", "a.comp.2", options, ""};
  const PipelineRow row = Compile(item);
  EXPECT_EQ(row.name, "a.comp.2");
  EXPECT_EQ(row.file, "a.comp");
  EXPECT_EQ(row.kind, "file");
  ASSERT_EQ(row.stages.size(), 1u);
  const StageRow& stage = row.stages[0];
  EXPECT_EQ(stage.stage + " " + stage.entry + " " + stage.name, "compute main fast");
  EXPECT_EQ(stage.defines, "A=1 B");
  EXPECT_EQ(stage.subgroup_size, 16u);
  ASSERT_EQ(stage.outcomes.size(), 1u);
  EXPECT_EQ(stage.outcomes[0].status, kiln::v1::TargetResult::OK);
}

TEST_F(FileJobTest, AnotherTextIsAnotherUnit) {
  const std::string path = testing::TempDir() + "/b.comp";
  const BatchItem item = {path, "b.comp", "b.comp", "", nullptr, ""};
  ASSERT_TRUE(WriteWholeFile(path, "#version 450\nvoid main() {}\n").ok());
  const UnitDigest before = Compile(item).stages[0].outcomes[0].unit;
  EXPECT_EQ(Compile(item).stages[0].outcomes[0].unit, before);
  ASSERT_TRUE(WriteWholeFile(path, "#version 450\nvoid main() { }\n").ok());
  EXPECT_NE(Compile(item).stages[0].outcomes[0].unit, before);
}

TEST_F(FileJobTest, AFileThatCannotBeReadIsARow) {
  const PipelineRow row = Compile({"/no/such.comp", "c.comp", "c.comp", "", nullptr, ""});
  ASSERT_EQ(row.stages[0].outcomes.size(), 1u);
  EXPECT_EQ(row.stages[0].outcomes[0].result->cause(), "cannot_read");
  EXPECT_EQ(service_.requests.size(), 0u);
}

}  // namespace
}  // namespace kiln::client
