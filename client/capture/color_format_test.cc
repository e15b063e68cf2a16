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

}  // namespace
}  // namespace kiln::client
