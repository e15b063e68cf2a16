// State of graphics pipelines: sample shading, masks, what is dynamic.
#include "client/capture/graphics_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace kiln::client {
namespace {

// Reads the state of a pipeline with one attachment and these fields.
GraphicsState Read(const std::string& fields) {
  const auto document =
      EntryDocument::Parse(absl::StrCat(R"({"version":6,"g":{"1":{"pNext":[{"sType":1000044002,)",
                                        R"("colorAttachmentFormats":[37]}])", fields, "}}}"),
                           "g", 1);
  EXPECT_TRUE(document.ok()) << document.status();
  GraphicsState state = ReadGraphicsState(document->object(), [](uint64_t) {
    ADD_FAILURE() << "asks for a render pass";
    return absl::NotFoundError("");
  });
  EXPECT_TRUE(document->status().ok()) << document->status();
  return state;
}

std::string Multisample(const std::string& fields) {
  const GraphicsState state = Read(R"(,"multisampleState":{)" + fields + "}");
  EXPECT_FALSE(state.fragment_problem.has_value());
  kiln::v1::FragmentState fragment = state.fragment;
  fragment.clear_color();
  return fragment.ShortDebugString();
}

TEST(ReadGraphicsState, SampleShadingCountsFromMoreThanOneInvocation) {
  EXPECT_EQ(Multisample(R"("rasterizationSamples":4,"sampleShadingEnable":1,)"
                        R"("minSampleShading":0.25)"),
            "samples: 4");
  EXPECT_EQ(Multisample(R"("rasterizationSamples":4,"sampleShadingEnable":1,)"
                        R"("minSampleShading":0.26)"),
            "samples: 4 sample_shading: true");
  EXPECT_EQ(Multisample(R"("rasterizationSamples":4,"sampleShadingEnable":0,)"
                        R"("minSampleShading":1.0)"),
            "samples: 4");
  EXPECT_EQ(Multisample(R"("rasterizationSamples":1,"alphaToOneEnable":1)"), "alpha_to_one: true");
}

// A pipeline without input assembly, a library's, says nothing.
TEST(ReadGraphicsState, PointsAndLinesAreNoTriangles) {
  const auto none = [](const std::string& fields) {
    return Read(R"(,"inputAssemblyState":{)" + fields + "}").no_triangles;
  };
  EXPECT_FALSE(Read("").no_triangles);
  EXPECT_FALSE(none(""));
  for (int topology = 0; topology <= 10; ++topology) {
    EXPECT_EQ(none(absl::StrCat(R"("topology":)", topology)),
              topology < 3 || topology == 6 || topology == 7)
        << topology;
  }
}

TEST(ReadGraphicsState, TrianglesThatAreNotFilledAreNoTriangles) {
  const auto none = [](int mode, const char* dynamic) {
    return Read(absl::StrCat(R"(,"rasterizationState":{"polygonMode":)", mode,
                             R"(},"inputAssemblyState":{"topology":3})", dynamic))
        .no_triangles;
  };
  EXPECT_FALSE(none(0, ""));
  EXPECT_TRUE(none(1, ""));
  EXPECT_TRUE(none(2, ""));
  EXPECT_FALSE(none(1, R"(,"dynamicState":{"dynamicState":[1000455004]})"));
}

TEST(ReadGraphicsState, BlendStateGivesMasks) {
  const std::string blend = R"(,"colorBlendState":{"attachments":[{"colorWriteMask":7}]})";
  EXPECT_EQ(Read(blend).fragment.color().ShortDebugString(),
            "attachments { write_mask: 7 precision: FLOAT_16 }");
  EXPECT_EQ(Read(blend + R"(,"dynamicState":{"dynamicState":[1000455012]})")
                .fragment.color()
                .ShortDebugString(),
            "attachments { precision: FLOAT_16 }");
}

TEST(ReadGraphicsState, AFactorWithoutBlendingReadsNothing) {
  EXPECT_EQ(Read(R"(,"colorBlendState":{"attachments":[{"srcColorBlendFactor":16}]})")
                .fragment.color()
                .ShortDebugString(),
            "attachments { precision: FLOAT_16 }");
}

// 6, 7 and 14 are SRC_ALPHA, ONE_MINUS_SRC_ALPHA and SRC_ALPHA_SATURATE.
TEST(ReadGraphicsState, FactorsOfColoursReadAlpha) {
  const auto reads = [](const std::string& blend, const std::string& more = "") {
    return Read(R"(,"colorBlendState":{"attachments":[{)" + blend + "}]}" + more)
        .fragment.color()
        .attachments(0)
        .blend_reads_alpha();
  };
  const std::string enabled = R"("blendEnable":1,)";
  EXPECT_TRUE(reads(enabled + R"("srcColorBlendFactor":6)"));
  EXPECT_TRUE(reads(enabled + R"("dstColorBlendFactor":7)"));
  EXPECT_TRUE(reads(enabled + R"("srcColorBlendFactor":14)"));
  EXPECT_FALSE(reads(enabled + R"("srcColorBlendFactor":8)")) << "the attachment's alpha";
  EXPECT_FALSE(reads(enabled + R"("srcAlphaBlendFactor":6)"));
  EXPECT_FALSE(reads(R"("srcColorBlendFactor":6)"));
  EXPECT_TRUE(
      reads(R"("srcColorBlendFactor":6)", R"(,"dynamicState":{"dynamicState":[1000455010]})"));
}

TEST(ReadGraphicsState, DiscardThatIsDynamicDiscardsNothing) {
  const std::string discard = R"(,"rasterizationState":{"rasterizerDiscardEnable":1})";
  EXPECT_EQ(Read(discard).fragment_problem->cause, CaptureCause::kRasterizerDiscard);
  EXPECT_FALSE(Read(discard + R"(,"dynamicState":{"dynamicState":[1000377001]})")
                   .fragment_problem.has_value());
}

}  // namespace
}  // namespace kiln::client
