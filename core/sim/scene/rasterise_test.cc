// Coverage: pixels on shared edges once, samples, facing; and interpolated values at a point.
#include "core/sim/scene/rasterise.h"

#include <bit>
#include <map>
#include <random>

#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

// A vertex at a position in pixels of a render target of 8 x 8, with w.
std::array<float, 4> At(float x, float y, float z = 0.5f, float w = 1) {
  return {(x / 4 - 1) * w, (y / 4 - 1) * w, z * w, w};
}

using Vertex = std::array<float, 4>;

Triangle Of(const Vertex& a, const Vertex& b, const Vertex& c) { return {{a, b, c}, {}}; }

FragmentInputs Target(uint32_t samples = 1) {
  FragmentInputs in;
  in.width = in.height = 8;
  in.samples = samples;
  return in;
}

// Pixel -> how often one of its samples is covered.
std::map<std::pair<int, int>, int> Counts(const FragmentInputs& in) {
  std::map<std::pair<int, int>, int> counts;
  for (const Quad& q : in.quads) {
    for (int p = 0; p < kQuadPixels; ++p) {
      const int n = std::popcount(q.coverage[p]);
      if (n != 0) counts[{q.x + p % 2, q.y + p / 2}] += n;
    }
  }
  return counts;
}

TEST(Rasterise, ATriangleCoversPixelsWhoseCentresAreInside) {
  FragmentInputs in = Target();
  ASSERT_TRUE(Rasterise({Of(At(1, 1), At(4, 1), At(1, 4))}, in).ok());
  const auto counts = Counts(in);
  // Centres (1.5, 1.5), (2.5, 1.5), (1.5, 2.5) are inside; (3.5, 1.5) and others are on the long
  // edge, which is a right one: not owned.
  EXPECT_EQ(counts.size(), 3u);
  EXPECT_TRUE(counts.contains({1, 1}) && counts.contains({2, 1}) && counts.contains({1, 2}));
}

TEST(Rasterise, SharedEdgesBelongToOneTriangle) {
  std::mt19937 rng(1);
  for (int run = 0; run < 200; ++run) {
    // A fan around a point in the middle, with corners on half pixels: centres are often on edges.
    const auto half = [&rng](int low, int high) {
      return static_cast<float>(low + static_cast<int>(rng() % (high - low + 1))) / 2;
    };
    const auto centre = At(half(6, 10), half(6, 10));
    const std::array<std::array<float, 4>, 4> corners = {At(0, 0), At(8, 0), At(8, 8), At(0, 8)};
    for (uint32_t samples : {1u, 4u}) {
      FragmentInputs in = Target(samples);
      std::vector<Triangle> fan;
      for (int k = 0; k < 4; ++k) {
        // Half of them reversed: the rule does not depend on the direction.
        const auto &a = corners[k], &b = corners[(k + 1) % 4];
        fan.push_back(rng() % 2 ? Of(centre, a, b) : Of(b, a, centre));
      }
      ASSERT_TRUE(Rasterise(fan, in).ok());
      const auto counts = Counts(in);
      EXPECT_EQ(counts.size(), 64u);
      for (const auto& [pixel, count] : counts) EXPECT_EQ(count, static_cast<int>(samples));
    }
  }
}

TEST(Rasterise, SamplesAreCoveredEachByItself) {
  FragmentInputs in = Target(4);
  // Left of x = 0.5: samples 0 (6/16) and 2 (2/16) of the first column.
  ASSERT_TRUE(
      Rasterise({Of(At(0, -8), At(0.5f, -8), At(0.5f, 16)), Of(At(0, -8), At(0.5f, 16), At(0, 16))},
                in)
          .ok());
  uint32_t all = 0;
  for (const Quad& q : in.quads) {
    EXPECT_EQ(q.x, 0);
    EXPECT_EQ(q.coverage[1] | q.coverage[3], 0u);
    all |= q.coverage[0];
  }
  EXPECT_EQ(all, 0b0101u);
}

TEST(Rasterise, ClockwiseTrianglesFaceTheBack) {
  FragmentInputs in = Target();
  ASSERT_TRUE(
      Rasterise({Of(At(0, 0), At(8, 0), At(0, 8)), Of(At(0, 0), At(0, 8), At(8, 0))}, in).ok());
  ASSERT_EQ(in.primitives.size(), 2u);
  EXPECT_TRUE(in.primitives[0].back_facing);
  EXPECT_FALSE(in.primitives[1].back_facing);
  EXPECT_EQ(in.primitives[1].number, 1u);
}

TEST(Rasterise, DepthOutsideOfTheViewCoversNothing) {
  FragmentInputs in = Target();
  ASSERT_TRUE(Rasterise({Of(At(0, 0, -1), At(16, 0, 1.25f), At(0, 16, -1))}, in).ok());
  for (const auto& [pixel, count] : Counts(in)) EXPECT_GE(pixel.first, 7);
  EXPECT_EQ(Counts(in).size(), 8u);
}

TEST(Rasterise, WeightsAreThoseOfTheVertices) {
  FragmentInputs in = Target();
  ASSERT_TRUE(Rasterise({Of(At(1, 1, 0.25f, 1), At(7, 2, 0.5f, 4), At(2, 6, 1, 2))}, in).ok());
  const Primitive& p = in.primitives[0];
  const Point places[] = {{1, 1}, {7, 2}, {2, 6}};
  const float depth[] = {0.25f, 0.5f, 1}, w[] = {1, 4, 2};
  for (int k = 0; k < 3; ++k) {
    for (bool perspective : {false, true}) {
      const auto b = p.Barycentrics(places[k], perspective);
      EXPECT_NEAR(b[0], k == 1, 1e-6);
      EXPECT_NEAR(b[1], k == 2, 1e-6);
    }
    EXPECT_NEAR(p.Depth(places[k]), depth[k], 1e-6);
    EXPECT_NEAR(p.W(places[k]), w[k], 1e-5);
  }
  // Half way between vertices 0 and 1 the share of the nearer one is larger: (1/2)/1 : (1/2)/4.
  EXPECT_NEAR(p.Barycentrics({4, 1.5}, true)[0], 0.2f, 1e-6);
  EXPECT_NEAR(p.Barycentrics({4, 1.5}, false)[0], 0.5f, 1e-6);
}

// A square of three pixels around (3.25, 4.75): samples from 1.75 and 3.25 on.
TEST(Rasterise, APointIsASquareAroundItsVertex) {
  FragmentInputs in = Target();
  PointSprite point{
      At(3.25f, 4.75f, 0.25f, 2), 3, {{5, 1, {7, 7, 7}}}, {{"clip_distance_0", 2, {9, 9, 9}}}};
  point.layer = 3;
  ASSERT_TRUE(RasterisePoints({point}, in).ok());
  const auto counts = Counts(in);
  EXPECT_EQ(counts.size(), 9u);
  for (const auto& [pixel, count] : counts) {
    EXPECT_TRUE(pixel.first >= 2 && pixel.first <= 4 && pixel.second >= 3 && pixel.second <= 5);
  }
  const Primitive& p = in.primitives[0];
  EXPECT_FALSE(p.back_facing);
  EXPECT_EQ(p.layer, 3u);
  EXPECT_EQ(p.values[0].bits[2], 7u);
  EXPECT_NEAR(p.Depth({2.5, 3.5}), 0.25f, 1e-6);
  EXPECT_NEAR(p.W({4.5, 5.5}), 2, 1e-6);
  ASSERT_EQ(p.built_ins.size(), 3u);
  EXPECT_EQ(p.built_ins[0].component, 2u);
  // PointCoord, Vulkan's formula: 1/2 + (x - x of the vertex) / size, and beyond the square
  // likewise.
  for (const Point at : {Point{2.5, 3.5}, Point{4.5, 4.5}, Point{0.5, 6.5}}) {
    for (bool perspective : {false, true}) {
      const auto b = p.Barycentrics(at, perspective);
      for (int c = 0; c < 2; ++c) {
        const auto corner = [&](int k) { return std::bit_cast<float>(p.built_ins[1 + c].bits[k]); };
        const float value =
            corner(0) + b[0] * (corner(1) - corner(0)) + b[1] * (corner(2) - corner(0));
        const double from = c == 0 ? at.x - 3.25 : at.y - 4.75;
        EXPECT_NEAR(value, 0.5 + from / 3, 1e-6) << c;
      }
    }
  }
}

// Edges on centres: the left and the upper one belong to the point.
TEST(Rasterise, PointsSideBySideShareNoPixel) {
  FragmentInputs in = Target();
  std::vector<PointSprite> points;
  for (const float x : {2.5f, 4.5f}) points.push_back({At(x, 3.5f), 2, {}, {}});
  ASSERT_TRUE(RasterisePoints(points, in).ok());
  const auto counts = Counts(in);
  EXPECT_EQ(counts.size(), 8u);
  for (const auto& [pixel, count] : counts) EXPECT_EQ(count, 1);
  EXPECT_TRUE(counts.contains({1, 2}) && counts.contains({4, 3}));
  EXPECT_EQ(in.primitives[1].number, 1u);
}

TEST(Rasterise, RefusesWhatItWouldHaveToClip) {
  FragmentInputs in = Target();
  EXPECT_EQ(Rasterise({Of(At(0, 0), At(8, 0), {0, 0, 0, 0})}, in).code(),
            absl::StatusCode::kUnimplemented);
  EXPECT_EQ(Rasterise({Of(At(0, 0), At(8, 0), At(1e9f, 0))}, in).code(),
            absl::StatusCode::kUnimplemented);
  EXPECT_EQ(RasterisePoints({{At(1, 1), 0, {}, {}}}, in).code(),
            absl::StatusCode::kInvalidArgument);
  FragmentInputs three = Target(3);
  EXPECT_EQ(Rasterise({}, three).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace kiln::sim::scene
