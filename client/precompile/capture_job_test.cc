// Pipelines of captures as requests and rows.
#include "client/precompile/capture_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/precompile/testing.h"

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;

class CaptureJobTest : public testing::Test {
 protected:
  PipelineRow Compile(const std::string& form, FozTag kind, uint64_t hash,
                      const std::vector<std::string>& targets = {"tgl"}) {
    auto capture = Capture::Open("tests/precompile/forms/" + form);
    EXPECT_TRUE(capture.ok()) << capture.status();
    kiln::v1::CompileRequest common;
    common.mutable_targets()->Assign(targets.begin(), targets.end());
    common.mutable_options()->set_no_validate(true);
    CaptureJob job(*std::move(capture), 3, "dir/a.foz", common, &compiler_);
    auto row = job.Compile({kind, hash});
    EXPECT_TRUE(row.ok()) << row.status();
    return row.ok() ? *row : PipelineRow();
  }
  const std::string& CauseOf(const PipelineRow& row, size_t stage) {
    return row.stages[stage].outcomes[0].result->cause();
  }

  FakeService service_;
  const kiln::v1::Capabilities capabilities_ = FakeService::Stages();
  StageCompiler compiler_{&service_, capabilities_, {}};
};

TEST_F(CaptureJobTest, Compute) {
  const PipelineRow row = Compile("kinds.foz", FozTag::kComputePipeline, 0x20);
  EXPECT_EQ(row.source, 3);
  EXPECT_EQ(row.name, "compute/0000000000000020");
  EXPECT_EQ(row.file, "dir/a.foz:compute/0000000000000020");
  EXPECT_EQ(row.kind, "compute");
  ASSERT_EQ(row.stages.size(), 1u);
  EXPECT_EQ(row.stages[0].stage + row.stages[0].entry + row.stages[0].module,
            "computeentry0000000000000010");
  EXPECT_EQ(row.stages[0].spec, "1=bits:0x1 3=bits:0x7");
  EXPECT_EQ(row.stages[0].subgroup_size, 16u);
  ASSERT_EQ(service_.requests.size(), 1u);
  const auto& request = service_.requests[0];
  EXPECT_EQ(request.spirv().size(), 24u);
  EXPECT_EQ(request.spec_constants_size(), 2);
  EXPECT_TRUE(request.options().dispatch_base());
  EXPECT_TRUE(request.options().no_validate());
}

TEST_F(CaptureJobTest, TheVertexStageWritesWhatTheFragmentStageReads) {
  const PipelineRow row = Compile("kinds.foz", FozTag::kGraphicsPipeline, 0x40);
  ASSERT_EQ(service_.requests.size(), 2u);
  EXPECT_EQ(service_.requests[0].stage(), "fragment");
  EXPECT_EQ(service_.requests[0].options().state().fragment().samples(), 4u);
  EXPECT_EQ(service_.requests[1].stage(), "vertex");
  EXPECT_EQ(service_.requests[1].options().state().next_stage_reads().ShortDebugString(),
            "locations { location: 2 components: 3 }");
  EXPECT_FALSE(service_.requests[1].options().state().has_fragment());
  EXPECT_EQ(row.stages[0].state, R"({"viewMask":5})");
}

TEST_F(CaptureJobTest, TheVertexStageWritesAllIfTheFragmentStageIsNotCompiled) {
  service_.status = TargetResult::REFUSED;
  Compile("kinds.foz", FozTag::kGraphicsPipeline, 0x40);
  ASSERT_EQ(service_.requests.size(), 2u);
  EXPECT_FALSE(service_.requests[1].options().state().has_next_stage_reads());
}

TEST_F(CaptureJobTest, TheVertexStageWritesAllForAGeometryStage) {
  const PipelineRow row = Compile("kinds.foz", FozTag::kGraphicsPipeline, 0x43);
  ASSERT_EQ(row.stages.size(), 3u);
  EXPECT_EQ(CauseOf(row, 1), "unsupported_stage");
  ASSERT_EQ(service_.requests.size(), 2u);
  for (const auto& request : service_.requests) {
    EXPECT_FALSE(request.options().state().has_next_stage_reads());
  }
}

TEST_F(CaptureJobTest, TargetsWithTheSameReadsShareARequest) {
  const PipelineRow row = Compile("kinds.foz", FozTag::kGraphicsPipeline, 0x40, {"tgl", "skl"});
  EXPECT_EQ(service_.requests.size(), 2u);
  EXPECT_EQ(row.stages[0].outcomes.size(), 2u);
}

TEST_F(CaptureJobTest, EqualStagesHaveEqualUnits) {
  const PipelineRow one = Compile("kinds.foz", FozTag::kGraphicsPipeline, 0x41);
  const PipelineRow two = Compile("kinds.foz", FozTag::kGraphicsPipeline, 0x42);
  EXPECT_NE(one.stages[1].outcomes[0].unit, two.stages[1].outcomes[0].unit);
  EXPECT_EQ(Compile("kinds.foz", FozTag::kGraphicsPipeline, 0x41).stages[1].outcomes[0].unit,
            one.stages[1].outcomes[0].unit);
}

TEST_F(CaptureJobTest, EachReasonIsARow) {
  const auto cause = [this](FozTag kind, uint64_t hash) {
    return CauseOf(Compile("reasons.foz", kind, hash), 0);
  };
  EXPECT_EQ(cause(FozTag::kGraphicsPipeline, 0x1), "pipeline_library");
  EXPECT_EQ(cause(FozTag::kGraphicsPipeline, 0x3), "module_identifier");
  EXPECT_EQ(cause(FozTag::kGraphicsPipeline, 0x5), "dynamic_state");
  EXPECT_EQ(cause(FozTag::kGraphicsPipeline, 0x8), "missing_render_pass");
  EXPECT_EQ(cause(FozTag::kComputePipeline, 0x22), "damaged_entry");
  EXPECT_EQ(service_.requests.size(), 0u);
}

TEST_F(CaptureJobTest, AModuleThatCannotBeReadIsARow) {
  // The module of 0x21 is damaged in one file and whole in another; 0x20 is whole.
  EXPECT_EQ(Compile("split.foz", FozTag::kComputePipeline, 0x21).stages[0].outcomes[0].status,
            TargetResult::OK);
  const PipelineRow row = Compile("split.2.foz", FozTag::kComputePipeline, 0x20);
  EXPECT_EQ(CauseOf(row, 0), "damaged_entry");
}

}  // namespace
}  // namespace kiln::client
