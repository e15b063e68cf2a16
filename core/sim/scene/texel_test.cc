// Texel formats: every format's texels survive decoding and encoding; known values.
#include "core/sim/scene/texel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/float_bits.h"
#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

constexpr const char* kNames[] = {"r8",
                                  "rg8",
                                  "rgba8",
                                  "r8_snorm",
                                  "rgba8_snorm",
                                  "rgba8_srgb",
                                  "bgra8",
                                  "r16",
                                  "rgba16",
                                  "rg16_snorm",
                                  "r8ui",
                                  "rgba16ui",
                                  "rg32ui",
                                  "rgba8i",
                                  "r16i",
                                  "rgba32i",
                                  "r16f",
                                  "rgba16f",
                                  "r32f",
                                  "rgba32f",
                                  "d32f",
                                  "rgb10a2",
                                  "rgb10a2ui",
                                  "r11g11b10f",
                                  "r8_srgb",
                                  "rg8_srgb",
                                  "bgra8_snorm",
                                  "bgra8_srgb",
                                  "bgra8ui",
                                  "bgra8i",
                                  "rgb8",
                                  "rgb8_snorm",
                                  "rgb8_srgb",
                                  "rgb8ui",
                                  "rgb8i",
                                  "bgr8",
                                  "bgr8_snorm",
                                  "bgr8_srgb",
                                  "bgr8ui",
                                  "bgr8i",
                                  "rgb16",
                                  "rgb16_snorm",
                                  "rgb16ui",
                                  "rgb16i",
                                  "rgb16f",
                                  "rgb32ui",
                                  "rgb32i",
                                  "rgb32f",
                                  "rgb10a2_snorm",
                                  "rgb10a2i",
                                  "bgr10a2",
                                  "bgr10a2_snorm",
                                  "bgr10a2ui",
                                  "bgr10a2i",
                                  "r4g4",
                                  "r4g4b4a4",
                                  "b4g4r4a4",
                                  "r5g6b5",
                                  "b5g6r5",
                                  "r5g5b5a1",
                                  "b5g5r5a1",
                                  "a1r5g5b5",
                                  "d16",
                                  "d24"};

TexelFormat Named(const char* name) { return TexelFormatNamed(name).value(); }

bool IsSnorm(std::string_view name) { return name.find("snorm") != std::string_view::npos; }

// Any texel that a format can hold is decoded and encoded to the same bits, except the second code
// of -1 in normalised integers and NaNs.
TEST(TexelTest, EncodeUndoesDecode) {
  for (const char* name : kNames) {
    const TexelFormat f = Named(name);
    uint32_t state = 12345;
    for (int round = 0; round < 200; ++round) {
      uint8_t bytes[16], back[16] = {};
      for (uint8_t& b : bytes) {
        state = state * 1664525 + 1013904223;
        b = static_cast<uint8_t>(state >> 24);
        if (IsSnorm(name) && b == 0x80) b = 0x81;
        if (std::string_view(name).find('f') != std::string_view::npos) b &= 0x7b;
        if (std::string_view(name) == "d24" && &b == &bytes[3]) b = 0;
      }
      EncodeTexel(f, DecodeTexel(f, bytes), back);
      if (IsSnorm(name) && std::string_view(name).find("10a2") != std::string_view::npos) {
        ASSERT_EQ(DecodeTexel(f, back), DecodeTexel(f, bytes)) << name;
        continue;
      }
      ASSERT_EQ(std::memcmp(bytes, back, TexelBytes(f)), 0) << name;
    }
  }
}

TEST(TexelTest, AbsentComponentsAreZeroAndAlphaIsOne) {
  const uint8_t byte[1] = {255};
  EXPECT_EQ(DecodeTexel(Named("r8"), byte), (Texel{AsBits(1), 0, 0, AsBits(1)}));
  EXPECT_EQ(DecodeTexel(Named("r8i"), byte), (Texel{0xffffffff, 0, 0, 1}));
}

TEST(TexelTest, EncodingClampsAndRounds) {
  uint8_t out[4];
  EncodeTexel(Named("rgba8"), {AsBits(2), AsBits(-1), AsBits(0.4f / 255), AsBits(1.6f / 255)}, out);
  EXPECT_EQ(out[0], 255);
  EXPECT_EQ(out[1], 0);
  EXPECT_EQ(out[2], 0);
  EXPECT_EQ(out[3], 2);
  EncodeTexel(Named("rgba8i"), {127, 128, static_cast<uint32_t>(-200), 3}, out);
  EXPECT_EQ(out[1], 127);
  EXPECT_EQ(out[2], 0x80);
}

TEST(TexelTest, ChannelsOfPackedFormatsStandFromTheLowestBit) {
  const uint32_t word = 1023u | 512u << 20 | 3u << 30;
  uint8_t bytes[4];
  std::memcpy(bytes, &word, 4);
  EXPECT_EQ(DecodeTexel(Named("rgb10a2ui"), bytes), (Texel{1023, 0, 512, 3}));
  EncodeTexel(Named("r11g11b10f"), {AsBits(1.0f), AsBits(-1.0f), AsBits(0.5f), 0}, bytes);
  uint32_t packed;
  std::memcpy(&packed, bytes, 4);
  EXPECT_EQ(packed, (15u << 6) | (14u << 5) << 22);
}

TEST(TexelTest, BgraSwapsAndSrgbIsLinearised) {
  const uint8_t bytes[4] = {0, 0, 255, 128};
  EXPECT_EQ(DecodeTexel(Named("bgra8"), bytes)[0], AsBits(1));
  const uint8_t grey[4] = {188, 10, 0, 188};
  const Texel t = DecodeTexel(Named("rgba8_srgb"), grey);
  EXPECT_NEAR(AsFloat(t[0]), 0.5029f, 1e-3);
  EXPECT_NEAR(AsFloat(t[1]), 10 / 255.0 / 12.92, 1e-7);
  EXPECT_NEAR(AsFloat(t[3]), 188 / 255.0, 1e-7);
}

// Vulkan 1.3, "Formats", packed formats: fields are named from the highest bit down.
TEST(TexelTest, PackedFormatsOfSixteenBits) {
  const auto decode = [](const char* name, uint16_t word) {
    uint8_t bytes[2];
    std::memcpy(bytes, &word, 2);
    const Texel t = DecodeTexel(Named(name), bytes);
    return std::array<float, 4>{AsFloat(t[0]), AsFloat(t[1]), AsFloat(t[2]), AsFloat(t[3])};
  };
  using Components = std::array<float, 4>;
  EXPECT_EQ(decode("r5g6b5", 0xf800), (Components{1, 0, 0, 1}));
  EXPECT_EQ(decode("b5g6r5", 0xf800), (Components{0, 0, 1, 1}));
  EXPECT_EQ(decode("r4g4b4a4", 0xf00f), (Components{1, 0, 0, 1}));
  EXPECT_EQ(decode("b4g4r4a4", 0xf000), (Components{0, 0, 1, 0}));
  EXPECT_EQ(decode("r5g5b5a1", 0xf801), (Components{1, 0, 0, 1}));
  EXPECT_EQ(decode("a1r5g5b5", 0x7c00), (Components{1, 0, 0, 0}));
}

TEST(TexelTest, DepthFormats) {
  const uint8_t bytes[4] = {0xff, 0xff, 0xff, 0xaa};
  EXPECT_EQ(TexelBytes(Named("d24")), 4);
  EXPECT_EQ(DecodeTexel(Named("d24"), bytes)[0], AsBits(1));
  EXPECT_EQ(DecodeTexel(Named("d16"), bytes)[0], AsBits(1));
  EXPECT_EQ(TexelBytes(Named("rgb8")), 3);
  EXPECT_EQ(TexelBytes(Named("rgb16f")), 6);
}

TEST(Texel, LogicalOperationsAndDepth) {
  for (const char* name : {"rgba8", "rgba8_snorm", "r32ui", "r8i", "rgb10a2", "r5g6b5"}) {
    EXPECT_TRUE(HasLogicOps(*TexelFormatNamed(name))) << name;
  }
  for (const char* name : {"rgba8_srgb", "r16f", "r32f", "r11g11b10f", "bgr8_srgb"}) {
    EXPECT_FALSE(HasLogicOps(*TexelFormatNamed(name))) << name;
  }
  for (const char* name : {"d16", "d24", "d32f"}) {
    EXPECT_TRUE(IsDepthFormat(*TexelFormatNamed(name))) << name;
  }
  for (const char* name : {"r16", "r32f", "rgba8"}) {
    EXPECT_FALSE(IsDepthFormat(*TexelFormatNamed(name))) << name;
  }
}

TEST(Texel, ComponentsAreEncodedEachByItself) {
  uint8_t bytes[4] = {0x80, 0x80, 0x80, 0x80};
  const Texel texel = {AsBits(1), AsBits(1), AsBits(1), AsBits(1)};
  EncodeComponents(TexelFormat::kBgra8Snorm, texel, 0b1001, bytes);
  EXPECT_EQ(bytes[0], 0x80);
  EXPECT_EQ(bytes[2], 0x7f);
  EXPECT_EQ(bytes[3], 0x7f);
  uint8_t depth[4] = {1, 2, 3, 4};
  EncodeComponents(TexelFormat::kD24, texel, 1, depth);
  EXPECT_EQ(depth[2], 0xff);
  EXPECT_EQ(depth[3], 4);
  EncodeTexel(TexelFormat::kD24, texel, depth);
  EXPECT_EQ(depth[3], 0);
}

// Each field by itself: a texel whose only component that is not 0 is the one that the order names
// has bits in that field alone, and fields ascend.
TEST(Texel, ComponentOrderNamesTheFields) {
  for (const char* name : kNames) {
    const TexelFormat format = Named(name);
    const std::array<uint8_t, 4> order = ComponentOrder(format);
    int highest = -1;
    for (size_t field = 0; field < static_cast<size_t>(ComponentCount(format)); ++field) {
      Texel texel{};
      texel[order[field]] = IsIntegerFormat(format) ? 1 : AsBits(1.0f);
      std::array<uint8_t, 16> bytes{};
      EncodeTexel(format, texel, bytes.data());
      int low = 128, high = -1;
      for (int bit = 0; bit < 128; ++bit) {
        if ((bytes[static_cast<size_t>(bit / 8)] >> bit % 8 & 1) == 0) continue;
        low = std::min(low, bit);
        high = bit;
      }
      EXPECT_GT(low, highest) << name << " field " << field;
      EXPECT_GE(high, low) << name;
      highest = high;
    }
  }
  EXPECT_EQ(ComponentOrder(TexelFormat::kBgra8), (std::array<uint8_t, 4>{2, 1, 0, 3}));
  EXPECT_EQ(ComponentOrder(TexelFormat::kRg8), (std::array<uint8_t, 4>{0, 1, 0, 0}));
}

}  // namespace
}  // namespace kiln::sim::scene
