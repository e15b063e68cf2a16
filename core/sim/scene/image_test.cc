#include "core/sim/scene/image.h"

#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

TEST(Image, LevelsFollowEachOther) {
  ClientImage image;
  image.format = TexelFormat::kRg8;
  image.width = 5;
  image.height = 2;
  image.layers = 3;
  image.levels = 3;
  EXPECT_EQ(image.Size(1), (std::array<uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(image.Offset(0, 1, 2, 1, 0), 2u * (10 + 7));
  EXPECT_EQ(image.Offset(1, 2, 1, 0, 0), 2u * (30 + 5));
  EXPECT_EQ(image.Bytes(), 2u * (30 + 6 + 3));
}

TEST(Image, SamplesOfATexelAreTogether) {
  ClientImage image;
  image.format = TexelFormat::kR32ui;
  image.width = 2;
  image.samples = 4;
  EXPECT_EQ(image.Offset(0, 0, 1, 0, 0, 3), 4u * 7);
}

// 2^64 texels and more: the size does not begin again at 0.
TEST(Image, BytesOfSizesBeyond64BitsAreTheLargestNumber) {
  ClientImage image;
  image.format = TexelFormat::kR8;
  image.width = image.height = image.depth = image.layers = 65536;
  EXPECT_EQ(image.Bytes(), ~uint64_t{0});
  image.layers = 65535;
  image.samples = 16;
  EXPECT_EQ(image.Bytes(), ~uint64_t{0});
  image.samples = 1;
  image.levels = 17;
  EXPECT_EQ(image.Bytes(), ~uint64_t{0});
}

}  // namespace
}  // namespace kiln::sim::scene
