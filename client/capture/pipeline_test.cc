// Pipelines of captures: stages, state, and the reasons not to compile them.
#include "client/capture/pipeline.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "client/capture/testing.h"

namespace kiln::client {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

CapturedPipeline Read(const std::string& form, FozTag kind, uint64_t hash) {
  const auto capture = Capture::Open(FormPath(form));
  EXPECT_TRUE(capture.ok()) << capture.status();
  const auto payload = (*capture)->Payload(kind, hash);
  EXPECT_TRUE(payload.ok()) << payload.status();
  return ReadPipeline({kind, hash}, *payload, [&](uint64_t pass) {
    return (*capture)->Payload(FozTag::kRenderPass, pass);
  });
}

CapturedPipeline Graphics(uint64_t hash) {
  return Read("kinds.foz", FozTag::kGraphicsPipeline, hash);
}

std::string Options(const CapturedStage& stage) { return stage.options.ShortDebugString(); }

TEST(ReadPipeline, Compute) {
  const CapturedPipeline pipeline = Read("kinds.foz", FozTag::kComputePipeline, 0x20);
  ASSERT_FALSE(pipeline.problem.has_value()) << pipeline.problem->what;
  ASSERT_EQ(pipeline.stages.size(), 1u);
  const CapturedStage& stage = pipeline.stages[0];
  EXPECT_EQ(stage.stage, "compute");
  EXPECT_EQ(stage.entry, "entry");
  EXPECT_EQ(stage.module, 0x10u);
  EXPECT_EQ(Options(stage), "required_subgroup_size: 16 dispatch_base: true");
  ASSERT_EQ(stage.spec.size(), 2u);
  EXPECT_EQ(stage.spec[0].ShortDebugString(), "id: 1 bits: 1");
  EXPECT_EQ(stage.spec[1].ShortDebugString(), "id: 3 bits: 7");
}

TEST(ReadPipeline, RenderPass) {
  const CapturedPipeline pipeline = Graphics(0x40);
  ASSERT_FALSE(pipeline.problem.has_value()) << pipeline.problem->what;
  ASSERT_EQ(pipeline.stages.size(), 2u);
  EXPECT_EQ(pipeline.stages[0].stage, "vertex");
  EXPECT_EQ(Options(pipeline.stages[0]), "state { view_mask: 5 }");
  EXPECT_EQ(pipeline.stages[1].stage, "fragment");
  EXPECT_FALSE(pipeline.stages[1].problem.has_value());
  EXPECT_EQ(Options(pipeline.stages[1]),
            "require_full_subgroups: true state { fragment { samples: 4 sample_shading: true "
            "alpha_to_coverage: true color { attachments { precision: FLOAT_16 } "
            "attachments { location: 2 type: UINT write_mask: 3 } "
            "attachments { location: 3 type: SINT } } } view_mask: 5 }");
  EXPECT_EQ(pipeline.ReaderOfVertexOutputs(), 1u);
}

TEST(ReadPipeline, RenderPassOfTheSecondKind) {
  EXPECT_EQ(Options(Graphics(0x41).stages[1]),
            "require_full_subgroups: true state { fragment { color { attachments { "
            "second_blend_source: true precision: FLOAT_16 } } } view_mask: 3 }");
}

TEST(ReadPipeline, DynamicRendering) {
  EXPECT_EQ(Options(Graphics(0x42).stages[1]),
            "require_full_subgroups: true state { fragment { color { "
            "attachments { location: 1 precision: FLOAT_16 } "
            "attachments { type: SINT precision: INT_16 } } } view_mask: 1 }");
}

TEST(ReadPipeline, NoAttachmentIsSaid) {
  const CapturedPipeline pipeline = Graphics(0x43);
  EXPECT_TRUE(pipeline.stages[2].options.state().fragment().has_color());
  EXPECT_EQ(pipeline.stages[2].options.state().fragment().color().attachments_size(), 0);
  // The geometry stage reads what the vertex stage writes.
  EXPECT_EQ(pipeline.ReaderOfVertexOutputs(), std::nullopt);
}

TEST(ReadPipeline, RayTracing) {
  const CapturedPipeline pipeline = Read("kinds.foz", FozTag::kRayTracingPipeline, 0x50);
  ASSERT_EQ(pipeline.stages.size(), 1u);
  EXPECT_EQ(pipeline.stages[0].stage, "ray_generation");
}

// Returns the problem of the pipeline, or of its last stage.
CaptureProblem ProblemOf(FozTag kind, uint64_t hash) {
  const CapturedPipeline pipeline = Read("reasons.foz", kind, hash);
  if (pipeline.problem.has_value()) return *pipeline.problem;
  EXPECT_THAT(pipeline.stages, testing::Not(IsEmpty()));
  EXPECT_TRUE(pipeline.stages.back().problem.has_value()) << hash;
  return pipeline.stages.back().problem.value_or(CaptureProblem());
}

TEST(ReadPipeline, EveryReasonOfAGraphicsPipelineIsNamed) {
  const auto cause = [](uint64_t hash) { return ProblemOf(FozTag::kGraphicsPipeline, hash).cause; };
  EXPECT_EQ(cause(0x1), CaptureCause::kPipelineLibrary);
  EXPECT_EQ(cause(0x2), CaptureCause::kPipelineLibrary);
  EXPECT_EQ(cause(0x3), CaptureCause::kModuleIdentifier);
  EXPECT_EQ(cause(0x4), CaptureCause::kMissingModule);
  EXPECT_EQ(cause(0x5), CaptureCause::kDynamicState);
  EXPECT_EQ(ProblemOf(FozTag::kGraphicsPipeline, 0x5).what,
            "number of samples, alpha to coverage, alpha to one");
  EXPECT_EQ(cause(0x6), CaptureCause::kDynamicState);
  EXPECT_EQ(cause(0x7), CaptureCause::kRasterizerDiscard);
  EXPECT_EQ(cause(0x8), CaptureCause::kMissingRenderPass);
  EXPECT_EQ(cause(0x9), CaptureCause::kUnknownFormat);
  EXPECT_EQ(cause(0xa), CaptureCause::kMalformedPipeline);
  EXPECT_EQ(cause(0xb), CaptureCause::kNoStages);
  EXPECT_EQ(cause(0xc), CaptureCause::kMalformedPipeline);
  EXPECT_EQ(cause(0xd), CaptureCause::kDescriptorMapping);
  EXPECT_EQ(cause(0xe), CaptureCause::kDamagedEntry);
}

TEST(ReadPipeline, EveryReasonOfAComputePipelineIsNamed) {
  const auto cause = [](uint64_t hash) { return ProblemOf(FozTag::kComputePipeline, hash).cause; };
  EXPECT_EQ(cause(0x20), CaptureCause::kInvalidSpecialization);
  EXPECT_EQ(cause(0x21), CaptureCause::kInvalidSpecialization);
  for (uint64_t hash = 0x22; hash <= 0x25; ++hash) {
    EXPECT_EQ(cause(hash), CaptureCause::kDamagedEntry) << hash;
  }
  EXPECT_EQ(cause(0x27), CaptureCause::kPipelineLibrary);
}

TEST(ReadPipeline, CirclesOfReferencesEnd) {
  for (const uint64_t hash : {0x20, 0x21}) {
    EXPECT_FALSE(Read("loops.foz", FozTag::kComputePipeline, hash).problem.has_value());
  }
  for (const uint64_t hash : {0x30, 0x31, 0x32}) {
    EXPECT_EQ(Read("loops.foz", FozTag::kGraphicsPipeline, hash).problem->cause,
              CaptureCause::kPipelineLibrary);
  }
}

}  // namespace
}  // namespace kiln::client
