// Filtering: coordinates, wrapping, weights, levels, cubes, comparison.
#include "core/sim/scene/filter.h"

#include <cmath>

#include "core/base/float_bits.h"
#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

// r32f images whose texels are their own numbers in memory order.
struct Numbered {
  explicit Numbered(ClientImage shape) : image(std::move(shape)) {
    image.format = TexelFormat::kR32f;
    image.texels.resize(image.Bytes());
    for (size_t i = 0; i < image.texels.size() / 4; ++i) {
      EncodeTexel(image.format, {AsBits(static_cast<float>(i)), 0, 0, 0},
                  image.texels.data() + 4 * i);
    }
  }
  ImageView view() { return {&image, image.texels.data(), image.format}; }
  ClientImage image;
};

ClientImage Shape(ImageDim dim, uint32_t w, uint32_t h = 1, uint32_t d = 1) {
  ClientImage i;
  i.dim = dim;
  i.width = w;
  i.height = h;
  i.depth = d;
  return i;
}

float Sample(Numbered& n, const ClientSampler& s, std::array<float, 3> uvw, float lod = 0) {
  SamplePoint p;
  p.uvw = uvw;
  p.lod = lod;
  return AsFloat(SampleImage(n.view(), s, p, false)[0]);
}

TEST(FilterTest, NearestTakesTheTexelThatHoldsThePoint) {
  Numbered n(Shape(ImageDim::k2d, 4, 2));
  EXPECT_EQ(Sample(n, {}, {0.3f, 0.6f, 0}), 5);
  EXPECT_EQ(Sample(n, {}, {0.999f, 0.4f, 0}), 3);
}

TEST(FilterTest, AddressModes) {
  Numbered n(Shape(ImageDim::k1d, 4));
  ClientSampler s;
  EXPECT_EQ(Sample(n, s, {1.3f}), 3);
  s.address.fill(AddressMode::kRepeat);
  EXPECT_EQ(Sample(n, s, {1.3f}), 1);
  EXPECT_EQ(Sample(n, s, {-0.1f}), 3);
  s.address.fill(AddressMode::kMirror);
  EXPECT_EQ(Sample(n, s, {1.3f}), 2);
  EXPECT_EQ(Sample(n, s, {-0.3f}), 1);
  s.address.fill(AddressMode::kBorder);
  s.border = BorderColor::kWhite;
  EXPECT_EQ(Sample(n, s, {1.3f}), 1);
}

TEST(FilterTest, BorderColorsHaveTheComponentsOfTheFormat) {
  ClientSampler s;
  s.address.fill(AddressMode::kBorder);
  SamplePoint outside;
  outside.uvw = {2, 0.5f, 0};
  for (const TexelFormat format : {TexelFormat::kRg32f, TexelFormat::kRgba32f}) {
    ClientImage image = Shape(ImageDim::k2d, 1, 1);
    image.format = format;
    image.texels.assign(image.Bytes(), 0);
    const ImageView view{&image, image.texels.data(), format};
    const bool all = format == TexelFormat::kRgba32f;
    const uint32_t one = AsBits(1.0f);
    s.border = BorderColor::kWhite;
    EXPECT_EQ(SampleImage(view, s, outside, false), (Texel{one, one, all ? one : 0, one}));
    s.border = BorderColor::kTransparent;
    EXPECT_EQ(SampleImage(view, s, outside, false), (Texel{0, 0, 0, all ? 0 : one}));
  }
}

TEST(FilterTest, LinearWeighsTheNeighboursOfTheirCentres) {
  Numbered n(Shape(ImageDim::k2d, 4, 4));
  ClientSampler s;
  s.mag_linear = s.min_linear = true;
  // Between texels 5, 6 (x weight 0.25) and 9, 10 (y weight 0.5).
  EXPECT_FLOAT_EQ(Sample(n, s, {1.75f / 4, 2.0f / 4, 0}), 5 + 0.25f + 2);
  Numbered volume(Shape(ImageDim::k3d, 2, 2, 2));
  EXPECT_FLOAT_EQ(Sample(volume, s, {0.5f, 0.5f, 0.5f}), 3.5f);
}

TEST(FilterTest, LevelsAreChosenAndBlended) {
  ClientImage shape = Shape(ImageDim::k1d, 4);
  shape.levels = 3;  // texels 0..3, 4..5, 6
  Numbered n(shape);
  ClientSampler s;
  EXPECT_EQ(Sample(n, s, {0.9f}, 0.5f), 3);
  EXPECT_EQ(Sample(n, s, {0.9f}, 0.6f), 5);
  EXPECT_EQ(Sample(n, s, {0.9f}, 9), 6);
  s.lod_bias = 1;
  EXPECT_EQ(Sample(n, s, {0.9f}, 0), 5);
  s.max_lod = 0;
  EXPECT_EQ(Sample(n, s, {0.9f}, 0), 3);
  s = {};
  s.linear_mips = true;
  EXPECT_FLOAT_EQ(Sample(n, s, {0.9f}, 1.25f), 5.25f);
}

TEST(FilterTest, ArrayLayersRoundToEvenAndClamp) {
  ClientImage shape = Shape(ImageDim::k1d, 1);
  shape.arrayed = true;
  shape.layers = 4;
  Numbered n(shape);
  const auto layer = [&](float l) {
    SamplePoint p;
    p.layer = l;
    return AsFloat(SampleImage(n.view(), {}, p, false)[0]);
  };
  EXPECT_EQ(layer(1.4f), 1);
  EXPECT_EQ(layer(1.5f), 2);
  EXPECT_EQ(layer(2.5f), 2);
  EXPECT_EQ(layer(-3), 0);
  EXPECT_EQ(layer(77), 3);
}

TEST(FilterTest, CubeFacesByTheLargestComponent) {
  ClientImage shape = Shape(ImageDim::kCube, 1, 1);
  shape.layers = 6;
  Numbered n(shape);
  const std::array<std::array<float, 3>, 6> axes = {
      {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}};
  for (int f = 0; f < 6; ++f) EXPECT_EQ(Sample(n, {}, axes[f]), f);
  shape.width = shape.height = 4;
  Numbered large(shape);
  EXPECT_EQ(Sample(large, {}, {1, 1, 1}), 16 * 4 + 3) << "face +z, its last column, first row";
}

TEST(FilterTest, PointsOfAFaceAreThoseOfTheirDirections) {
  ClientImage shape = Shape(ImageDim::kCube, 4, 4);
  shape.layers = 12;
  Numbered n(shape);
  ClientSampler s;
  s.mag_linear = s.min_linear = true;
  for (int face = 0; face < 6; ++face) {
    for (const float t : {0.0f, 0.25f, 0.375f, 0.9375f}) {
      SamplePoint on_face, direction;
      on_face.uvw = {0.625f, t, 0};
      on_face.face = face;
      direction.uvw = CubeDirection(face, 0.625f, t);
      EXPECT_EQ(SampleImage(n.view(), s, on_face, false)[0],
                SampleImage(n.view(), s, direction, false)[0])
          << face << " " << t;
    }
  }
  SamplePoint second;
  second.uvw = {1, 1, 0};
  second.face = 2;
  n.image.arrayed = true;
  second.layer = 1;
  EXPECT_EQ(AsFloat(SampleImage(n.view(), {}, second, false)[0]), 16 * 9 - 1)
      << "the far corner belongs to the face";
}

TEST(FilterTest, ProjectsOntoTheFaceOfAnotherDirection) {
  const std::array<float, 3> axis = {0, -2, 0};
  EXPECT_EQ(ProjectOnFace({1, -4, 2}, axis), (std::array<float, 3>{0.25f, 0.125f, 0}));
  EXPECT_EQ(ProjectOnFace({4, -1, 0}, axis), (std::array<float, 3>{0, 2, 0})) << "beyond its edge";
}

// Near an edge a linear filter includes the neighbouring face: both sides give the same result.
TEST(FilterTest, LinearCubesAreSeamless) {
  ClientImage shape = Shape(ImageDim::kCube, 4, 4);
  shape.layers = 6;
  Numbered n(shape);
  ClientSampler s;
  s.mag_linear = s.min_linear = true;
  const float before = Sample(n, s, {1, 0.1f, 0.9999f}), after = Sample(n, s, {0.9999f, 0.1f, 1});
  EXPECT_NEAR(before, after, 0.05f);
  EXPECT_GT(std::fabs(Sample(n, {}, {1, 0.1f, 0.9999f}) - Sample(n, {}, {0.9999f, 0.1f, 1})), 1);
}

TEST(FilterTest, ComparisonIsFilteredNotTheTexels) {
  Numbered n(Shape(ImageDim::k1d, 4));
  ClientSampler s;
  s.mag_linear = s.min_linear = true;
  s.compare = CompareFunction::kLessEqual;
  SamplePoint p;
  p.uvw = {1.75f / 4, 0, 0};  // texels 1 and 2
  p.reference = 1.5f;
  EXPECT_FLOAT_EQ(AsFloat(SampleImage(n.view(), s, p, true)[0]), 0.25f);
}

TEST(FilterTest, GatherOrder) {
  Numbered n(Shape(ImageDim::k2d, 4, 4));
  SamplePoint p;
  p.uvw = {0.5f, 0.5f, 0};
  const Texel t = GatherImage(n.view(), {}, p, 0, false);
  EXPECT_EQ(AsFloat(t[0]), 9);
  EXPECT_EQ(AsFloat(t[1]), 10);
  EXPECT_EQ(AsFloat(t[2]), 6);
  EXPECT_EQ(AsFloat(t[3]), 5);
}

TEST(FilterTest, FetchesOutsideGiveATexelOfZeros) {
  Numbered n(Shape(ImageDim::k2d, 4, 4));
  EXPECT_EQ(AsFloat(FetchTexel(n.view(), {1, 2, 0, 0, 0})[0]), 9);
  const Texel outside = {0, 0, 0, AsBits(1.0f)};
  EXPECT_EQ(FetchTexel(n.view(), {4, 2, 0, 0, 0}), outside);
  EXPECT_EQ(FetchTexel(n.view(), {-1, 2, 0, 0, 0}), outside);
  EXPECT_EQ(FetchTexel(n.view(), {1, 2, 0, 0, 1}), outside);
  EXPECT_EQ(FetchTexel(n.view(), {1, 2, 0, 1, 0}), outside);
}

// Vulkan 1.3, "Wrapping Operation": mirror clamp to edge, -1 - i below 0, then clamped.
TEST(FilterTest, MirrorClampAndModesOfEachAxis) {
  ClientImage image;
  image.format = TexelFormat::kR32ui;
  image.width = 4;
  image.height = 4;
  image.texels.resize(image.Bytes());
  for (uint32_t i = 0; i < 16; ++i) image.texels[4 * i] = static_cast<uint8_t>(i);
  const ImageView view{&image, image.texels.data(), image.format};
  ClientSampler s;
  s.address = {AddressMode::kMirrorClamp, AddressMode::kRepeat, AddressMode::kClamp};
  const auto at = [&](float x, float y) {
    SamplePoint p;
    p.uvw = {(x + 0.5f) / 4, (y + 0.5f) / 4, 0};
    return SampleImage(view, s, p, false)[0];
  };
  EXPECT_EQ(at(-1, 0), 0u);
  EXPECT_EQ(at(-3, 0), 2u);
  EXPECT_EQ(at(-7, 0), 3u);
  EXPECT_EQ(at(6, 0), 3u);
  EXPECT_EQ(at(0, 5), 4u);
}

TEST(FilterTest, MagnifiesUpToLevelOfDetail0) {
  ClientImage image;
  image.format = TexelFormat::kR8;
  image.width = 2;
  image.texels = {0, 255};
  const ImageView view{&image, image.texels.data(), image.format};
  ClientSampler s;
  s.min_linear = true;
  SamplePoint p;
  p.uvw = {0.5f, 0, 0};
  EXPECT_EQ(AsFloat(SampleImage(view, s, p, false)[0]), 1.0f);
  p.lod = 0.25f;
  EXPECT_EQ(AsFloat(SampleImage(view, s, p, false)[0]), 0.5f);
}

// Vulkan 1.3, "Depth Compare Operation": a fixed-point format clamps the reference to 0..1.
TEST(FilterTest, FixedPointDepthClampsTheReference) {
  ClientImage image;
  image.texels = {0xff, 0xff, 0xff, 0xff};
  ClientSampler s;
  SamplePoint p;
  const auto passes = [&](TexelFormat format, CompareFunction f, float reference) {
    image.format = format;
    s.compare = f;
    p.reference = reference;
    const ImageView view{&image, image.texels.data(), format};
    return AsFloat(SampleImage(view, s, p, true)[0]) == 1.0f;
  };
  for (const TexelFormat format : {TexelFormat::kD16, TexelFormat::kD24}) {
    EXPECT_TRUE(passes(format, CompareFunction::kEqual, 1.5f));
    EXPECT_FALSE(passes(format, CompareFunction::kGreater, 1.5f));
  }
  image.texels = {0, 0, 0x80, 0x3f};  // 1.0f
  EXPECT_FALSE(passes(TexelFormat::kD32f, CompareFunction::kEqual, 1.5f));
  EXPECT_TRUE(passes(TexelFormat::kD32f, CompareFunction::kGreater, 1.5f));
  image.texels = {0, 0, 0, 0};
  EXPECT_TRUE(passes(TexelFormat::kD16, CompareFunction::kEqual, -0.5f));
}

}  // namespace
}  // namespace kiln::sim::scene
