// Formats against the values of Vulkan's formulas; filtering against sums computed by hand.
#include "core/oracle/sampling.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <set>

#include "core/base/float_bits.h"
#include "gtest/gtest.h"

namespace kiln::oracle {
namespace {

using mir::ImageDim;
using mir::ImageFormat;

Texel Floats(float r, float g, float b, float a) {
  return {AsBits(r), AsBits(g), AsBits(b), AsBits(a)};
}

std::vector<uint8_t> Encoded(ImageFormat format, const Texel& texel) {
  std::vector<uint8_t> bytes(static_cast<size_t>(FormatOf(format).Bytes()));
  EncodeTexel(FormatOf(format), texel, bytes.data());
  return bytes;
}

TEST(TexelFormat, EveryValueOfSmallFormatsSurvives) {
  for (int f = 1; f <= static_cast<int>(ImageFormat::kD32f); ++f) {
    const TexelFormat& format = FormatOf(static_cast<ImageFormat>(f));
    EXPECT_EQ(FormatByName(format.name), static_cast<ImageFormat>(f));
    // sRGB images are not written.
    if (format.bits[0] > 16 || format.numeric == NumericFormat::kSrgb) continue;
    const int bytes = format.Bytes();
    for (uint32_t x = 0; x < 65536; ++x) {
      std::vector<uint8_t> texel(static_cast<size_t>(bytes));
      for (int b = 0; b < bytes; ++b) texel[b] = static_cast<uint8_t>(x >> (8 * (b % 2)));
      const Texel value = DecodeTexel(format, texel.data());
      std::vector<uint8_t> again(texel.size());
      EncodeTexel(format, value, again.data());
      const Texel same = DecodeTexel(format, again.data());
      for (int c = 0; c < 4; ++c) {
        if (!format.IsInteger() && std::isnan(AsFloat(value[c]))) continue;
        ASSERT_EQ(same[c], value[c]) << format.name << " " << x;
      }
    }
  }
}

TEST(TexelFormat, Reads) {
  const uint8_t half[] = {0x00, 0x3c, 0x01, 0x00, 0x00, 0xfc, 0xff, 0x7b};
  EXPECT_EQ(DecodeTexel(FormatOf(ImageFormat::kRgba16f), half),
            Floats(1, std::ldexp(1.0f, -24), -INFINITY, 65504));
  const uint8_t snorm[] = {0x80, 0x81, 0x7f, 0x40};
  EXPECT_EQ(DecodeTexel(FormatOf(ImageFormat::kRgba8Snorm), snorm), Floats(-1, -1, 1, 64.0f / 127));
  const uint8_t bgra[] = {255, 51, 0, 102};
  EXPECT_EQ(DecodeTexel(FormatOf(ImageFormat::kBgra8), bgra), Floats(0, 0.2f, 1, 0.4f));
  // 1.0 is exponent 15 in all three channels.
  const uint32_t small = 15u << 6 | 15u << 17 | 15u << 27;
  EXPECT_EQ(
      DecodeTexel(FormatOf(ImageFormat::kR11g11b10f), reinterpret_cast<const uint8_t*>(&small)),
      Floats(1, 1, 1, 1));
  const uint32_t packed = 1023u | 0u << 10 | 341u << 20 | 2u << 30;
  EXPECT_EQ(DecodeTexel(FormatOf(ImageFormat::kRgb10a2), reinterpret_cast<const uint8_t*>(&packed)),
            Floats(1, 0, 341.0f / 1023, 2.0f / 3));
  const uint8_t srgb[] = {0, 255, 128, 128};
  const Texel t = DecodeTexel(FormatOf(ImageFormat::kRgba8Srgb), srgb);
  EXPECT_NEAR(AsFloat(t[2]), 0.21586f, 1e-5);
  EXPECT_EQ(AsFloat(t[3]), 128.0f / 255);
  const uint8_t negative[] = {0xfe};
  EXPECT_EQ(DecodeTexel(FormatOf(ImageFormat::kR8i), negative), (Texel{0xfffffffe, 0, 0, 1}));
}

TEST(TexelFormat, Writes) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(Encoded(ImageFormat::kRgba8, Floats(-1, 2, nan, 0.5f)),
            (std::vector<uint8_t>{0, 255, 0, 128}));
  EXPECT_EQ(Encoded(ImageFormat::kRgba8Snorm, Floats(-2, 1, nan, -0.5f)),
            (std::vector<uint8_t>{0x81, 0x7f, 0, 0xc0}));
  EXPECT_EQ(Encoded(ImageFormat::kR16f, Floats(65520, 0, 0, 0)), (std::vector<uint8_t>{0, 0x7c}));
  EXPECT_EQ(Encoded(ImageFormat::kR16f, Floats(65519, 0, 0, 0)),
            (std::vector<uint8_t>{0xff, 0x7b}));
  // Half way between 1 and the next half rounds to even, subnormals count.
  EXPECT_EQ(Encoded(ImageFormat::kR16f, Floats(1 + std::ldexp(1.0f, -11), 0, 0, 0)),
            (std::vector<uint8_t>{0, 0x3c}));
  EXPECT_EQ(Encoded(ImageFormat::kR16f, Floats(-std::ldexp(1.5f, -24), 0, 0, 0)),
            (std::vector<uint8_t>{2, 0x80}));
  EXPECT_EQ(Encoded(ImageFormat::kR8i, {static_cast<uint32_t>(-300), 0, 0, 0}),
            (std::vector<uint8_t>{0x80}));
  EXPECT_EQ(Encoded(ImageFormat::kR8ui, {300, 0, 0, 0}), (std::vector<uint8_t>{255}));
}

// A row of floats, or an image of several.
BoundImage Image(ImageDim dim, uint32_t width, uint32_t height, const std::vector<float>& texels) {
  BoundImage image;
  image.format = ImageFormat::kR32f;
  image.dim = dim;
  image.width = width;
  image.height = height;
  for (float x : texels) {
    for (int b = 0; b < 4; ++b) image.bytes.push_back(static_cast<uint8_t>(AsBits(x) >> (8 * b)));
  }
  return image;
}

float At(const BoundImage& image, const BoundSampler& sampler, float u, float v = 0, float w = 0,
         float lod = 0) {
  SamplePoint p;
  p.coordinates = {u, v, w};
  return AsFloat(Sample(image, sampler, p, lod)[0]);
}

TEST(Sampling, AddressModes) {
  const BoundImage row = Image(ImageDim::k1D, 4, 1, {10, 20, 30, 40});
  BoundSampler s;
  EXPECT_EQ(At(row, s, 0.49f), 20);
  EXPECT_EQ(At(row, s, 0.5f), 30);
  EXPECT_EQ(At(row, s, -3), 10);
  EXPECT_EQ(At(row, s, 5), 40);
  s.address = AddressMode::kRepeat;
  EXPECT_EQ(At(row, s, -0.1f), 40);
  EXPECT_EQ(At(row, s, 2.3f), 20);
  s.address = AddressMode::kMirror;
  EXPECT_EQ(At(row, s, -0.1f), 10);
  EXPECT_EQ(At(row, s, 1.3f), 30);
  s.address = AddressMode::kBorder;
  s.border = BorderColor::kWhite;
  EXPECT_EQ(At(row, s, -0.1f), 1);
  s.linear = true;
  EXPECT_EQ(At(row, s, 0), 5.5f);
  s.unnormalized = true;
  EXPECT_EQ(At(row, s, 1.25f), 10 + 0.75f * 10);
}

// The values are those of Vulkan's tables "Border Texel Components After Replacement" and "Texel
// Color After Conversion To RGBA".
TEST(Sampling, BordersHaveTheComponentsOfTheFormat) {
  struct Case {
    ImageFormat format;
    BorderColor border;
    Texel want;
  };
  const Case cases[] = {
      {ImageFormat::kRgba32f, BorderColor::kWhite, Floats(1, 1, 1, 1)},
      {ImageFormat::kRgba32f, BorderColor::kTransparent, Floats(0, 0, 0, 0)},
      {ImageFormat::kR11g11b10f, BorderColor::kTransparent, Floats(0, 0, 0, 1)},
      {ImageFormat::kRg32f, BorderColor::kWhite, Floats(1, 1, 0, 1)},
      {ImageFormat::kRg32f, BorderColor::kTransparent, Floats(0, 0, 0, 1)},
      {ImageFormat::kR16, BorderColor::kWhite, Floats(1, 0, 0, 1)},
      {ImageFormat::kD32f, BorderColor::kWhite, Floats(1, 0, 0, 1)},
      {ImageFormat::kRg8ui, BorderColor::kWhite, {1, 1, 0, 1}},
      {ImageFormat::kR32i, BorderColor::kTransparent, {0, 0, 0, 1}},
      {ImageFormat::kRgba8i, BorderColor::kBlack, {0, 0, 0, 1}},
  };
  SamplePoint outside;
  outside.coordinates = {2, 0.5f, 0};
  for (const Case& c : cases) {
    const TexelFormat& format = FormatOf(c.format);
    BoundImage image;
    image.format = c.format;
    image.bytes.assign(static_cast<size_t>(format.Bytes()), 0x3c);
    BoundSampler s;
    s.address = AddressMode::kBorder;
    s.border = c.border;
    EXPECT_EQ(Sample(image, s, outside, 0), c.want) << format.name;
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(Gather(image, s, outside, k)[0], c.want[k]) << format.name << " " << k;
    }
    s.linear = true;
    EXPECT_EQ(Sample(image, s, outside, 0), c.want) << format.name;
  }
}

TEST(Sampling, LinearBlendsFourTexelsOfAPlane) {
  const BoundImage image = Image(ImageDim::k2D, 2, 2, {0, 4, 8, 16});
  BoundSampler s;
  s.linear = true;
  EXPECT_EQ(At(image, s, 0.5f, 0.5f), 7);
  EXPECT_EQ(At(image, s, 0.375f, 0.25f), 1);
  SamplePoint p;
  p.coordinates = {0.5f, 0.5f, 0};
  p.offset = {1, 0, 0};
  EXPECT_EQ(AsFloat(Sample(image, s, p, 0)[0]), 10);
  EXPECT_EQ(Gather(image, s, SamplePoint{.coordinates = {0.5f, 0.5f, 0}}, 0), Floats(8, 16, 4, 0));
}

TEST(Sampling, Levels) {
  // 4, 2 and 1 texels.
  BoundImage row = Image(ImageDim::k1D, 4, 1, {1, 1, 1, 1, 2, 2, 4});
  row.levels = 3;
  BoundSampler s;
  EXPECT_EQ(At(row, s, 0.5f, 0, 0, 0.4f), 1);
  EXPECT_EQ(At(row, s, 0.5f, 0, 0, 0.6f), 2);
  EXPECT_EQ(At(row, s, 0.5f, 0, 0, 9), 4);
  s.linear_mips = true;
  EXPECT_EQ(At(row, s, 0.5f, 0, 0, 0.25f), 1.25f);
  s.lod_bias = 1;
  EXPECT_EQ(At(row, s, 0.5f, 0, 0, 0.25f), 2.5f);
  s.max_lod = 0.5f;
  EXPECT_EQ(At(row, s, 0.5f, 0, 0, 0.25f), 1.5f);
  EXPECT_EQ(LodOfDerivatives(row, {0, 0, 0}, {0.5f, 0, 0}, {1, 0, 0}), 2);
}

// On a face of 64 texels at distance 2, half a unit along it is an eighth of the face, 8 texels. A
// step towards the face changes nothing in its middle, and moves points beside the middle inwards.
TEST(Sampling, DerivativesOfDirectionsAreThoseOnTheFace) {
  BoundImage cube = Image(ImageDim::kCube, 64, 64, {});
  const std::array<float, 3> none = {0, 0, 0};
  EXPECT_EQ(LodOfDerivatives(cube, {2, 0, 0}, {0, 0.5f, 0}, none), 3);
  EXPECT_EQ(LodOfDerivatives(cube, {-2, 0, 0}, none, {0, 0, 0.5f}), 3);
  EXPECT_EQ(LodOfDerivatives(cube, {0, 2, 0}, {0, 7, 0}, {0.25f, 0, 0}), 2);
  EXPECT_EQ(LodOfDerivatives(cube, {0, 1, -2}, {0, 0, 1}, none), 3);  // 0.5 * 1 * 1 / 4 of the face
  EXPECT_EQ(LodOfDerivatives(cube, {0, 1, -2}, {0, 0.5f, -1}, none), -INFINITY);
}

TEST(Sampling, ComparisonComesBeforeTheBlend) {
  const BoundImage image = Image(ImageDim::k2D, 2, 1, {0.25f, 0.75f});
  BoundSampler s;
  s.linear = true;
  s.compare = CompareFunction::kLess;
  SamplePoint p;
  p.coordinates = {0.625f, 0.5f, 0};
  p.reference = 0.5f;
  EXPECT_EQ(AsFloat(Sample(image, s, p, 0)[0]), 0.75f);
  EXPECT_EQ(Gather(image, s, p, 0), Floats(0, 1, 1, 0));
  p.coordinates[0] = 0.9f;
  EXPECT_EQ(Gather(image, s, p, 0), Floats(1, 1, 1, 1));  // both at the right edge
}

TEST(Sampling, LayersRoundToEven) {
  BoundImage image = Image(ImageDim::k1D, 1, 1, {1, 2, 3});
  image.arrayed = true;
  image.layers = 3;
  for (const auto& [layer, value] :
       {std::pair(0.5f, 1.0f), {1.5f, 3.0f}, {-7.0f, 1.0f}, {9.0f, 3.0f}}) {
    EXPECT_EQ(AsFloat(Sample(image, {}, SamplePoint{.layer = layer}, 0)[0]), value);
  }
}

TEST(Sampling, CubeFacesAndTheirEdges) {
  // Each face holds one number in all four texels.
  BoundImage cube = Image(ImageDim::kCube, 2, 2, {});
  cube.layers = 6;
  for (int face = 0; face < 6; ++face) {
    const BoundImage one =
        Image(ImageDim::k2D, 2, 2, std::vector<float>(4, static_cast<float>(face)));
    cube.bytes.insert(cube.bytes.end(), one.bytes.begin(), one.bytes.end());
  }
  BoundSampler s;
  for (int face = 0; face < 6; ++face) {
    std::array<float, 3> d = {0.3f, -0.2f, 0.1f};
    d[face / 2] = face % 2 == 0 ? 1.0f : -1.0f;
    EXPECT_EQ(At(cube, s, d[0], d[1], d[2]), face);
  }
  s.linear = true;
  // Exactly between two faces, and at the corner of three.
  EXPECT_EQ(At(cube, s, 1, 0, 1), (0 + 4) / 2.0f);
  EXPECT_NEAR(At(cube, s, 1, 1, 1), (0 + 2 + 4) / 3.0f, 1e-6);
  EXPECT_NEAR(At(cube, s, -1, -1, -1), (1 + 3 + 5) / 3.0f, 1e-6);
}

// Neighbouring texels across every edge are those whose directions are close. The corner of a
// gather has no mean of integers: one of the three texels there replaces it.
TEST(Sampling, CornersOfIntegerCubes) {
  BoundImage cube;
  cube.format = ImageFormat::kR32ui;
  cube.dim = ImageDim::kCube;
  cube.layers = 6;
  for (uint32_t face = 0; face < 6; ++face) {
    for (int byte = 0; byte < 4; ++byte) cube.bytes.push_back(byte == 0 ? 10 + face : 0);
  }
  SamplePoint p;
  p.coordinates = {1, 1, 1};  // between the faces +x, +y and +z
  std::set<Texel> seen;
  for (double noise : {0.0, 0.25, -0.25}) {
    p.noise[0] = noise;
    Texel t = Gather(cube, {}, p, 0);
    seen.insert(t);
    std::sort(t.begin(), t.end());
    EXPECT_TRUE(std::unique(t.begin(), t.end()) == t.end() - 1) << "one of three twice";
    for (uint32_t x : t) EXPECT_TRUE(x == 10 || x == 12 || x == 14) << x;
  }
  EXPECT_GT(seen.size(), 1u);
}

TEST(Sampling, CubesAreSeamless) {
  constexpr int kSize = 4;
  BoundImage cube = Image(ImageDim::kCube, kSize, kSize, {});
  cube.layers = 6;
  cube.bytes.resize(6 * kSize * kSize * 4);
  // A smooth function of the direction: the filtered result must not jump anywhere.
  for (int axis = 0; axis < 3; ++axis) {
    BoundSampler nearest;
    for (int face = 0; face < 6; ++face) {
      for (int y = 0; y < kSize; ++y) {
        for (int x = 0; x < kSize; ++x) {
          const float sc = (2 * x + 1.0f) / kSize - 1, tc = (2 * y + 1.0f) / kSize - 1;
          const float directions[6][3] = {{1, -tc, -sc}, {-1, -tc, sc}, {sc, 1, tc},
                                          {sc, -1, -tc}, {sc, -tc, 1},  {-sc, -tc, -1}};
          const float value = directions[face][axis];
          cube.Write(*cube.Find(0, face, x, y, 0, 0), Floats(value, 0, 0, 0));
        }
      }
    }
    BoundSampler linear;
    linear.linear = true;
    for (int i = 0; i < 2000; ++i) {
      const float a = static_cast<float>(i % 50) / 25 - 0.99f,
                  b = static_cast<float>(i / 50) / 20 - 0.99f;
      // Both sides of the edges of the face +x.
      EXPECT_NEAR(At(cube, linear, 1, 0.9999f, a), At(cube, linear, 0.9999f, 1, a), 0.01) << a;
      EXPECT_NEAR(At(cube, linear, -1, a, 0.9999f), At(cube, linear, -0.9999f, a, 1), 0.01) << a;
      EXPECT_NEAR(At(cube, linear, a, b, 1), axis == 0 ? a : axis == 1 ? b : 1, 0.26);
    }
  }
}

}  // namespace
}  // namespace kiln::oracle
