#include "core/mid/lower/lower_gradients.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/mid/testing/testing.h"
#include "core/mir/parse.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"
#include "core/oracle/interp.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kiln::mid {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr uint32_t kLanes = 32;
constexpr uint32_t kEdge = 64;

// An image whose texels hold the number of their level: a sample blended between levels gives the
// level.
oracle::BoundImage Levels(uint32_t binding, mir::ImageDim dim, bool arrayed) {
  oracle::BoundImage image;
  image.binding = binding;
  image.format = mir::ImageFormat::kR32f;
  image.dim = dim;
  image.arrayed = arrayed;
  image.width = image.height = kEdge;
  image.layers = (dim == mir::ImageDim::kCube ? 6 : 1) * (arrayed ? 2 : 1);
  image.levels = 7;
  for (uint32_t level = 0; level < image.levels; ++level) {
    const float value = static_cast<float>(level);
    const uint32_t edge = kEdge >> level;
    for (uint32_t i = 0; i < edge * edge * image.layers; ++i) {
      const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
      image.bytes.insert(image.bytes.end(), bytes, bytes + 4);
    }
  }
  return image;
}

oracle::LaunchInputs Inputs() {
  oracle::LaunchInputs inputs;
  inputs.buffers.resize(1);
  inputs.buffers[0].bytes.resize(4 * kLanes);
  inputs.images = {Levels(1, mir::ImageDim::kCube, false), Levels(2, mir::ImageDim::kCube, true),
                   Levels(3, mir::ImageDim::k2D, false), Levels(4, mir::ImageDim::k2D, true),
                   Levels(5, mir::ImageDim::k2D, false)};
  for (uint32_t binding = 1; binding <= 17; ++binding) {
    oracle::BoundSampler sampler;
    sampler.binding = binding;
    sampler.linear_mips = true;
    inputs.samplers.push_back(sampler);
  }
  return inputs;
}

std::vector<float> Run(const mir::Module& m) {
  oracle::LaunchInputs inputs = Inputs();
  EXPECT_TRUE(oracle::Interpret(m, inputs).ok());
  std::vector<float> result(kLanes);
  std::memcpy(result.data(), inputs.buffers[0].bytes.data(), 4 * kLanes);
  return result;
}

// The level that a sample reads in each lane; %1 to %6 are numbers between -1 and 1 that differ, %7
// is between 0 and 4.
struct Outcome {
  std::vector<float> before, after;
  std::string text;
};
Outcome Judge(const std::string& sample, const std::string& more_resources = "") {
  std::string body = "%0:i32 = local_index ";
  for (int k = 1; k <= 6; ++k) {
    absl::StrAppend(&body, "%", 100 + k, ":i32 = imul %0, ", 2654435761u * k, " %", 200 + k,
                    ":i32 = ashr %", 100 + k, ", 8 %", 300 + k, ":f32 = i2f %", 200 + k, " %", k,
                    ":f32 = fmul %", 300 + k, ", 1.1920929e-07f ");
  }
  absl::StrAppend(&body, "%107:i32 = and %0, 3 %7:f32 = u2f %107 ", sample,
                  " %400:i32 = shl %0, 2 store_ssbo[0, align 4] %400, %8 return");
  const auto m =
      mir::Parse(absl::StrCat("mir 1 local_size 32, 1, 1 resource 0 ssbo 0.0.0 "
                              "resource 1 combined 0.1.0 image cube float unknown "
                              "resource 2 combined 0.2.0 image cube arrayed float unknown "
                              "resource 3 combined 0.3.0 image 2d float unknown "
                              "resource 4 combined 0.4.0 image 2d arrayed float unknown ",
                              more_resources, " body { ", body, " }"));
  EXPECT_TRUE(m.ok()) << m.status();
  mir::Module lowered = *m;
  PassContext context = PassContext::ForTest();
  EXPECT_TRUE(LowerGradients(lowered, kFewFeatures, context).ok());
  EXPECT_EQ(mir::Verify(lowered), absl::OkStatus());
  return {Run(*m), Run(lowered), mir::Print(lowered)};
}

void ExpectLowered(const std::string& sample, const std::string& more_resources = "") {
  const Outcome o = Judge(sample, more_resources);
  EXPECT_THAT(o.text, Not(HasSubstr("grad"))) << sample;
  float least = 9, most = -9;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    EXPECT_NEAR(o.before[lane], o.after[lane], 1e-4) << sample << " lane " << lane;
    least = std::min(least, o.before[lane]);
    most = std::max(most, o.before[lane]);
  }
  EXPECT_LT(least + 1, most) << "the levels hardly differ: " << sample;
}

TEST(LowerGradients, CubesTakeTheLevelThatDerivativesGive) {
  ExpectLowered(
      "%8:f32, %9:f32, %10:f32, %11:f32 = sample[1, texel grad] "
      "%1, %2, %3, %4, 0f, 0f, 0f, 0.125f, 0f");
  ExpectLowered(
      "%8:f32, %9:f32, %10:f32, %11:f32 = sample[2, texel grad] "
      "%1, %2, %3, 1f, 0.015625f, %5, %6, 0f, 0f, 0.03125f");
  // Derivatives along the direction change only its length.
  ExpectLowered(
      "%8:f32, %9:f32, %10:f32, %11:f32 = sample[1, texel grad] "
      "%1, %2, %3, %1, %2, %3, %4, 0f, %5");
}

TEST(LowerGradients, LeastLevelsOfCubesAndOfComparisons) {
  ExpectLowered(
      "%8:f32, %9:f32, %10:f32, %11:f32 = sample[1, texel grad min_lod] "
      "%1, %2, %3, %4, 0f, 0f, 0f, 0.125f, 0f, %7");
  EXPECT_THAT(Judge("%8:f32 = sample[3, texel dref grad min_lod] "
                    "%1, %2, 0.5f, %3, 0f, 0f, %4, %7")
                  .text,
              Not(HasSubstr("grad")));
  EXPECT_THAT(Judge("%8:f32 = sample[4, texel dref grad min_lod] "
                    "%1, %2, 0f, 0.5f, %3, 0f, 0f, %4, %7")
                  .text,
              Not(HasSubstr("grad")));
}

TEST(LowerGradients, LeastLevelsBesideOffsets) {
  for (const char* offset : {" at 1 0 0", " at 0 -8 0"}) {
    ExpectLowered(absl::StrCat("%8:f32, %9:f32, %10:f32, %11:f32 = sample[3, texel grad min_lod",
                               offset, "] %1, %2, %3, 0f, 0f, %4, %7"));
  }
}

TEST(LowerGradients, LeastLevelsBesideOffsetsChosenByValue) {
  EXPECT_THAT(Judge("%12:i32 = and %0, 1 %8:f32, %9:f32, %10:f32, %11:f32 = "
                    "sample[3, texel grad min_lod offsets] %1, %2, %3, 0f, 0f, %4, %7, %12, 1")
                  .text,
              Not(HasSubstr("grad")));
}

// The header names a sampler that is in no table, as it holds offsets.
TEST(LowerGradients, LeastLevelsOfSamplersInMemory) {
  const std::string flat =
      "%8:f32, %9:f32, %10:f32, %11:f32 = sample[3, texel grad min_lod] "
      "%1, %2, %3, 0f, 0f, %4, %7";
  std::string samplers;
  for (int binding = 5; binding <= 16; ++binding) {
    absl::StrAppend(&samplers, "resource ", binding, " sampler 0.", binding, ".0 ");
  }
  EXPECT_THAT(Judge(flat, samplers).text, HasSubstr("grad")) << "16 samplers";
  ExpectLowered(flat, samplers + "resource 17 sampler 0.17.0 ");
  EXPECT_THAT(
      Judge("%12:i32 = and %0, 1 %8:f32, %9:f32, %10:f32, %11:f32 = "
            "sample.nonuniform.indexed[5, texel grad min_lod] %12, %1, %2, %3, 0f, 0f, %4, %7",
            "resource 5 combined 0.5.0 array 0 image 2d float unknown")
          .text,
      Not(HasSubstr("grad")));
}

TEST(LowerGradients, OtherSamplesStay) {
  for (const char* sample : {"%8:f32 = sample[3, texel dref grad] %1, %2, 0.5f, %3, 0f, 0f, %4",
                             "%8:f32, %9:f32, %10:f32, %11:f32 = sample[3, texel grad min_lod] "
                             "%1, %2, %3, 0f, 0f, %4, %7"}) {
    EXPECT_THAT(Judge(sample).text, HasSubstr("grad")) << sample;
  }
}

}  // namespace
}  // namespace kiln::mid
