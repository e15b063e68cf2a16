#include "core/front/spirv/spirv_image_types.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/front/testing/testing.h"

namespace kiln::front {
namespace {

// %1 float, %2 int, %3 uint, %4 half, %5 bool.
constexpr char kComponents[] = R"(
    %1 = OpTypeFloat 32
    %2 = OpTypeInt 32 1
    %3 = OpTypeInt 32 0
    %4 = OpTypeFloat 16
    %5 = OpTypeBool
)";

SpirvModule Read(const std::string& text) {
  auto module = ParseSpirv(Assemble(kComponents + text));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : SpirvModule();
}

TEST(SpirvImageTypes, SampledAndStored) {
  const SpirvModule module = Read(R"(
    %6 = OpTypeImage %1 2D 0 1 0 1 Rgba8
    %7 = OpTypeImage %2 3D 0 0 0 2 R32i
    %8 = OpTypeImage %3 2D 0 0 1 1 Unknown
    %9 = OpTypeSampler
    %10 = OpTypeSampledImage %6
  )");
  const SpirvType& sampled = *module.Type(6);
  EXPECT_EQ(sampled.kind, SpirvType::kImage);
  EXPECT_EQ(sampled.image.dim, mir::ImageDim::k2D);
  EXPECT_TRUE(sampled.image.arrayed && !sampled.image.multisampled && !sampled.storage_image);
  EXPECT_EQ(sampled.image.component, mir::ComponentType::kFloat);
  // without meaning for sampled images
  EXPECT_EQ(sampled.image.format, mir::ImageFormat::kUnknown);
  const SpirvType& stored = *module.Type(7);
  EXPECT_TRUE(stored.storage_image);
  EXPECT_EQ(stored.image.dim, mir::ImageDim::k3D);
  EXPECT_EQ(stored.image.component, mir::ComponentType::kSint);
  EXPECT_EQ(stored.image.format, mir::ImageFormat::kR32i);
  EXPECT_TRUE(module.Type(8)->image.multisampled);
  EXPECT_EQ(module.Type(8)->image.component, mir::ComponentType::kUint);
  EXPECT_EQ(module.Type(9)->kind, SpirvType::kSampler);
  EXPECT_EQ(module.Type(10)->kind, SpirvType::kSampledImage);
  EXPECT_TRUE(module.Type(10)->image.arrayed);
  for (const uint32_t id : {6, 7, 8, 9, 10}) {
    EXPECT_EQ(module.Type(id)->unsupported, "image_values") << id;
    EXPECT_EQ(module.Type(id)->image_unsupported, "") << id;
  }
}

// Unsupported ones may be declared; accesses are refused.
TEST(SpirvImageTypes, OutsideKilnsReach) {
  const SpirvModule module = Read(R"(
    %6 = OpTypeImage %1 Rect 0 0 0 1 Unknown
    %7 = OpTypeImage %1 2D 0 0 0 0 Unknown
    %8 = OpTypeImage %4 2D 0 0 0 1 Unknown
    %9 = OpTypeImage %5 2D 0 0 0 1 Unknown
    %10 = OpTypeImage %1 2D 0 0 0 2 Rgba8
    %11 = OpTypeSampledImage %10
    %12 = OpTypeSampledImage %6
  )");
  for (const uint32_t id : {6, 7, 8, 9, 11, 12}) {
    EXPECT_EQ(module.Type(id)->image_unsupported, "images") << id;
  }
  EXPECT_EQ(module.Type(10)->image_unsupported, "");
}

TEST(SpirvImageTypes, WhatIsNoImage) {
  const std::vector<std::pair<const char*, const char*>> rows = {
      {"%9 = OpTypeImage %10 2D 0 0 0 1 Unknown", "sampled type of an image is not a type (%9)"},
      {"%9 = OpTypeImage %1 3D 0 1 0 1 Unknown",
       "arrayed image of a dimension without layers (%9)"},
      {"%9 = OpTypeImage %1 Buffer 0 1 0 1 Unknown",
       "arrayed image of a dimension without layers (%9)"},
      {"%9 = OpTypeImage %1 Cube 0 0 1 1 Unknown", "multisampled image is not 2D (%9)"},
      {"%9 = OpTypeSampledImage %1", "sampled-image type of an id that is not an image type (%9)"},
      {"%9 = OpTypeSampledImage %10", "sampled-image type of an id that is not an image type (%9)"},
  };
  for (const auto& [text, error] : rows) {
    EXPECT_EQ(ReadError(kComponents + std::string(text)), error) << text;
  }
}

}  // namespace
}  // namespace kiln::front
