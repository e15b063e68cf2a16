#include "client/run/picture.h"

#include <png.h>

#include <limits>
#include <vector>

#include "core/base/float_bits.h"
#include "gtest/gtest.h"

namespace kiln::client::run {
namespace {

// Reads a PNG back with libpng.
std::vector<uint8_t> Read(const std::string& png, uint32_t* width, uint32_t* height) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, png.data(), png.size()) == 0) return {};
  EXPECT_EQ(image.format, PNG_FORMAT_RGBA);
  *width = image.width;
  *height = image.height;
  std::vector<uint8_t> bytes(PNG_IMAGE_SIZE(image));
  png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr);
  return bytes;
}

TEST(Picture, ClampsAndKeepsTheOrder) {
  sim::scene::FragmentInputs draw;
  draw.width = 3;
  draw.height = 1;
  draw.targets = {
      {2,
       {AsBits(0), AsBits(0.5f), AsBits(1), AsBits(1),                                          //
        AsBits(-3), AsBits(7), AsBits(std::numeric_limits<float>::quiet_NaN()), AsBits(0.25f),  //
        AsBits(0.1f), AsBits(0.2f), AsBits(0.3f), AsBits(0)}}};
  const auto png = PngOf(draw, 2);
  ASSERT_TRUE(png.ok()) << png.status();
  uint32_t width = 0, height = 0;
  EXPECT_EQ(Read(*png, &width, &height),
            (std::vector<uint8_t>{0, 128, 255, 255, 0, 255, 0, 64, 26, 51, 77, 0}));
  EXPECT_EQ(width, 3u);
  EXPECT_EQ(height, 1u);
}

TEST(Picture, AveragesSamples) {
  sim::scene::FragmentInputs draw;
  draw.width = draw.height = 1;
  draw.samples = 2;
  draw.targets = {{0,
                   {AsBits(0), AsBits(1), AsBits(0), AsBits(1), AsBits(1), AsBits(1), AsBits(0.5f),
                    AsBits(1)}}};
  const auto png = PngOf(draw, 0);
  ASSERT_TRUE(png.ok()) << png.status();
  uint32_t width = 0, height = 0;
  EXPECT_EQ(Read(*png, &width, &height), (std::vector<uint8_t>{128, 255, 64, 255}));
}

TEST(Picture, SaysWhichTargetsThereAre) {
  sim::scene::FragmentInputs draw;
  EXPECT_EQ(PngOf(draw, 0).status().message(),
            "the shader writes no colour to location 0; it writes none");
  draw.targets = {{1, {}}, {3, {}}};
  EXPECT_EQ(PngOf(draw, 0).status().message(),
            "the shader writes no colour to location 0; it writes 1, 3");
}

}  // namespace
}  // namespace kiln::client::run
