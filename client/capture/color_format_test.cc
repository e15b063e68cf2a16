// Numeric types of formats, by numbers of the Vulkan specification.
#include "client/capture/color_format.h"

#include <gtest/gtest.h>

namespace kiln::client {
namespace {

using kiln::v1::ColorAttachment;

TEST(TypeOfFormat, ByNumber) {
  EXPECT_EQ(TypeOfFormat(37), ColorAttachment::FLOAT);          // R8G8B8A8_UNORM
  EXPECT_EQ(TypeOfFormat(43), ColorAttachment::FLOAT);          // R8G8B8A8_SRGB
  EXPECT_EQ(TypeOfFormat(39), ColorAttachment::FLOAT);          // R8G8B8A8_USCALED
  EXPECT_EQ(TypeOfFormat(41), ColorAttachment::UINT);           // R8G8B8A8_UINT
  EXPECT_EQ(TypeOfFormat(42), ColorAttachment::SINT);           // R8G8B8A8_SINT
  EXPECT_EQ(TypeOfFormat(13), ColorAttachment::UINT);           // R8_UINT
  EXPECT_EQ(TypeOfFormat(98), ColorAttachment::UINT);           // R32_UINT
  EXPECT_EQ(TypeOfFormat(99), ColorAttachment::SINT);           // R32_SINT
  EXPECT_EQ(TypeOfFormat(100), ColorAttachment::FLOAT);         // R32_SFLOAT
  EXPECT_EQ(TypeOfFormat(120), ColorAttachment::SINT);          // R64G64B64A64_SINT
  EXPECT_EQ(TypeOfFormat(121), ColorAttachment::FLOAT);         // R64G64B64A64_SFLOAT
  EXPECT_EQ(TypeOfFormat(122), ColorAttachment::FLOAT);         // B10G11R11_UFLOAT
  EXPECT_EQ(TypeOfFormat(1000470001), ColorAttachment::FLOAT);  // A8_UNORM
}

TEST(TypeOfFormat, OthersAreUnknown) {
  for (const uint32_t format : {0u, 124u, 127u, 131u, 1000156000u, 0xffffffffu}) {
    EXPECT_EQ(TypeOfFormat(format), std::nullopt) << format;
  }
}

TEST(PrecisionOfFormat, IsTheNarrowestThatKeepsAll) {
  const auto of = [](uint32_t format) { return PrecisionOfFormat(format, false); };
  EXPECT_EQ(of(37), ColorAttachment::FLOAT_16);          // R8G8B8A8_UNORM
  EXPECT_EQ(of(43), ColorAttachment::FLOAT_16);          // R8G8B8A8_SRGB
  EXPECT_EQ(of(41), ColorAttachment::INT_16);            // R8G8B8A8_UINT
  EXPECT_EQ(of(58), ColorAttachment::FLOAT_16);          // A2R10G10B10_UNORM_PACK32
  EXPECT_EQ(of(69), ColorAttachment::INT_16);            // A2B10G10R10_SINT_PACK32
  EXPECT_EQ(of(70), ColorAttachment::UNORM_16);          // R16_UNORM
  EXPECT_EQ(of(92), ColorAttachment::SNORM_16);          // R16G16B16A16_SNORM
  EXPECT_EQ(of(93), ColorAttachment::BITS_32);           // R16G16B16A16_USCALED
  EXPECT_EQ(of(95), ColorAttachment::INT_16);            // R16G16B16A16_UINT
  EXPECT_EQ(of(97), ColorAttachment::FLOAT_16);          // R16G16B16A16_SFLOAT
  EXPECT_EQ(of(98), ColorAttachment::BITS_32);           // R32_UINT
  EXPECT_EQ(of(109), ColorAttachment::BITS_32);          // R32G32B32A32_SFLOAT
  EXPECT_EQ(of(122), ColorAttachment::FLOAT_16);         // B10G11R11_UFLOAT_PACK32
  EXPECT_EQ(of(124), ColorAttachment::BITS_32);          // D16_UNORM: no colour format
  EXPECT_EQ(of(1000470001), ColorAttachment::FLOAT_16);  // A8_UNORM
  EXPECT_EQ(of(1000156007), ColorAttachment::BITS_32);   // R10X6_UNORM_PACK16
}

TEST(PrecisionOfFormat, BlendedNormalisedComponentsOf16BitsTake32) {
  EXPECT_EQ(PrecisionOfFormat(70, true), ColorAttachment::BITS_32);
  EXPECT_EQ(PrecisionOfFormat(92, true), ColorAttachment::BITS_32);
  EXPECT_EQ(PrecisionOfFormat(97, true), ColorAttachment::FLOAT_16);
  EXPECT_EQ(PrecisionOfFormat(37, true), ColorAttachment::FLOAT_16);
}

}  // namespace
}  // namespace kiln::client
