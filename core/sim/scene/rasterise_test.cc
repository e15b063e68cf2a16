// Coverage: pixels on shared edges once, samples, facing; and interpolated values at a point.
#include "core/sim/scene/rasterise.h"

#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

// A vertex at a position in pixels of a render target of 8 x 8, with w.
std::array<float, 4> At(float x, float y, float z = 0.5f, float w = 1) {
  return {(x / 4 - 1) * w, (y / 4 - 1) * w, z * w, w};
}

using Vertex = std::array<float, 4>;

Triangle Of(const Vertex& a, const Vertex& b, const Vertex& c) {
  Triangle t;
  t.position = {a, b, c};
  return t;
}

Line LineOf(const Vertex& a, const Vertex& b) {
  Line line;
  line.position = {a, b};
  return line;
}

PointSprite PointAt(const Vertex& at, float size) {
  PointSprite point;
  point.position = at;
  point.size = size;
  return point;
}

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
  PointSprite point = PointAt(At(3.25f, 4.75f, 0.25f, 2), 3);
  point.values = {{5, 1, {7, 7, 7}}};
  point.built_ins = {{"clip_distance_0", 2, {9, 9, 9}}};
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
  for (const float x : {2.5f, 4.5f}) points.push_back(PointAt(At(x, 3.5f), 2));
  ASSERT_TRUE(RasterisePoints(points, in).ok());
  const auto counts = Counts(in);
  EXPECT_EQ(counts.size(), 8u);
  for (const auto& [pixel, count] : counts) EXPECT_EQ(count, 1);
  EXPECT_TRUE(counts.contains({1, 2}) && counts.contains({4, 3}));
  EXPECT_EQ(in.primitives[1].number, 1u);
}

// A plane that passes under the eye: its vertices behind the eye are clipped, and values are those
// of the whole triangle.
TEST(Rasterise, ClipsCornersOfNegativeW) {
  FragmentInputs in = Target();
  // The edges leave the screen at the bottom, where w is 0.
  const Vertex a = {-1, -1, 0.5f, 1}, b = {1, -1, 0.5f, 1}, c = {0, 5, -1.5f, -3};
  ASSERT_TRUE(Rasterise({Of(a, b, c)}, in).ok());
  ASSERT_FALSE(in.quads.empty());
  for (const auto& [pixel, count] : Counts(in)) EXPECT_EQ(count, 1);
  const Primitive& p = in.primitives[0];
  // At the projection of vertex b its weight is 1, also behind the clip.
  EXPECT_NEAR(p.Barycentrics({8, 0}, true)[0], 1, 1e-6);
  EXPECT_NEAR(p.W({8, 0}), 1, 1e-6);
  FragmentInputs behind = Target();
  ASSERT_TRUE(Rasterise({Of({0, 0, 0, -1}, {1, 0, 0, -1}, {0, 1, 0, -1})}, behind).ok());
  EXPECT_TRUE(behind.quads.empty());
}

// The same half plane from vertices far outside and from one that is near.
TEST(Rasterise, ClipsWhatIsFarOutside) {
  FragmentInputs in = Target();
  ASSERT_TRUE(Rasterise({Of(At(4, -1e9f), At(1e9f, 4), At(4, 1e9f))}, in).ok());
  EXPECT_EQ(Counts(in).size(), 32u);
  for (const auto& [pixel, count] : Counts(in)) EXPECT_GE(pixel.first, 4);
}

TEST(Rasterise, ClipDistancesExcludeSamplesAndCullDistancesPrimitives) {
  FragmentInputs in = Target();
  Triangle t = Of(At(0, 0), At(16, 0), At(0, 16));
  t.clip_distances = {{-1, 3, -1}};  // 0 at x = 4
  ASSERT_TRUE(Rasterise({t}, in).ok());
  EXPECT_EQ(Counts(in).size(), 32u);
  for (const auto& [pixel, count] : Counts(in)) EXPECT_GE(pixel.first, 4);
  FragmentInputs culled = Target();
  t.clip_distances.clear();
  t.cull_distances = {{-1, 1, -1}, {-1, -1, -1}};
  ASSERT_TRUE(Rasterise({t}, culled).ok());
  EXPECT_TRUE(culled.quads.empty());
  t.cull_distances.pop_back();
  ASSERT_TRUE(Rasterise({t}, culled).ok());
  EXPECT_EQ(Counts(culled).size(), 64u);
}

TEST(Rasterise, LinesAreParallelograms) {
  FragmentInputs in = Target();
  ASSERT_TRUE(
      RasteriseLines({LineOf(At(1, 2.5f), At(7, 2.5f)), LineOf(At(3.5f, 7), At(3.5f, 4))}, in)
          .ok());
  const auto counts = Counts(in);
  EXPECT_EQ(counts.size(), 9u);
  for (int x = 1; x < 7; ++x) EXPECT_TRUE(counts.contains({x, 2})) << x;
  for (int y = 4; y < 7; ++y) EXPECT_TRUE(counts.contains({3, y})) << y;
  // Half way along the first line.
  EXPECT_NEAR(in.primitives[0].Barycentrics({4, 2.5}, true)[0], 0.5f, 1e-6);
}

TEST(Rasterise, ThreePixelsWideLines) {
  FragmentInputs in = Target();
  in.raster.line_width = 3;
  ASSERT_TRUE(RasteriseLines({LineOf(At(1, 4.5f), At(3, 4.5f))}, in).ok());
  EXPECT_EQ(Counts(in).size(), 6u);
}

// Segments of a strip share no pixel.
TEST(Rasterise, LinesOfAStripMeetWithoutOverlap) {
  FragmentInputs in = Target();
  ASSERT_TRUE(
      RasteriseLines({LineOf(At(0, 1.5f), At(3.5f, 1.5f)), LineOf(At(3.5f, 1.5f), At(8, 4))}, in)
          .ok());
  EXPECT_EQ(Counts(in).size(), 8u);
  for (const auto& [pixel, count] : Counts(in)) EXPECT_EQ(count, 1);
}

TEST(Rasterise, PolygonModesDrawEdgesAndCorners) {
  FragmentInputs in = Target();
  in.raster.polygon_mode = PolygonMode::kPoint;
  ASSERT_TRUE(Rasterise({Of(At(1.5f, 1.5f), At(1.5f, 6.5f), At(6.5f, 1.5f, 0.75f))}, in).ok());
  EXPECT_EQ(Counts(in).size(), 3u);
  EXPECT_NEAR(in.primitives.back().Depth({6.5, 1.5}), 0.75f, 1e-6);
  EXPECT_EQ(in.primitives.back().number, 0u);
  FragmentInputs lines = Target();
  lines.raster.polygon_mode = PolygonMode::kLine;
  ASSERT_TRUE(Rasterise({Of(At(1.5f, 1.5f), At(1.5f, 6.5f), At(6.5f, 1.5f))}, lines).ok());
  const auto counts = Counts(lines);
  EXPECT_TRUE(counts.contains({1, 4}) && counts.contains({4, 1}) && counts.contains({3, 4}));
  EXPECT_FALSE(counts.contains({2, 2}));
}

// A corner behind the eye: what is left of the other two corners and of the edges.
TEST(Rasterise, PolygonModesDrawWhatClippingLeaves) {
  // From (2.5, 2.5) and (5.5, 2.5) the edges run down to the lower edge of the screen, and on to
  // where w is 0.
  const Vertex a = At(2.5f, 2.5f), b = At(5.5f, 2.5f), c = {0, 3, -0.5f, -1};
  FragmentInputs points = Target();
  points.raster.polygon_mode = PolygonMode::kPoint;
  ASSERT_TRUE(Rasterise({Of(a, b, c)}, points).ok());
  auto counts = Counts(points);
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_TRUE(counts.contains({2, 2}) && counts.contains({5, 2}));
  for (const Primitive& p : points.primitives) EXPECT_EQ(p.number, 0u);
  FragmentInputs lines = Target();
  lines.raster.polygon_mode = PolygonMode::kLine;
  ASSERT_TRUE(Rasterise({Of(a, b, c)}, lines).ok());
  counts = Counts(lines);
  // The edge between a and b, and a pixel a row for each of the others.
  EXPECT_TRUE(counts.contains({3, 2}) && counts.contains({4, 2}));
  for (int y = 3; y < 8; ++y) {
    int pixels = 0;
    for (int x = 0; x < 8; ++x) pixels += counts.contains({x, y});
    EXPECT_EQ(pixels, 2) << y;
    EXPECT_FALSE(counts.contains({3, y}) && counts.contains({4, y})) << y;
  }
  // Values are those of the triangle's corners: half way from a to c, w is 0, and at a quarter it
  // is 1/2, at the pixel (-0.28125 + 1/2) / (1/2).
  const Primitive& edge = lines.primitives.back();
  const Vertex quarter = {0.75f * a[0], 0.75f * a[1] + 0.25f * c[1], 0.25f, 0.5f};
  const Point at = {(quarter[0] / quarter[3] + 1) * 4, (quarter[1] / quarter[3] + 1) * 4};
  EXPECT_NEAR(edge.Barycentrics(at, true)[1], 0.25f, 1e-6);
  EXPECT_NEAR(edge.W(at), 0.5f, 1e-6);
  // A corner at w = 0, and all of the triangle behind the eye.
  FragmentInputs none = Target();
  none.raster.polygon_mode = PolygonMode::kPoint;
  ASSERT_TRUE(Rasterise({Of(a, b, {0, 1, 0.5f, 0})}, none).ok());
  EXPECT_EQ(Counts(none).size(), 2u);
  const size_t before = none.quads.size();
  ASSERT_TRUE(Rasterise({Of({0, 0, 0, -1}, {1, 0, 0, -1}, {0, 1, 0, -1})}, none).ok());
  EXPECT_EQ(none.quads.size(), before);
}

// A polygon is clipped by the view volume before its mode counts: corners and edges beside a
// viewport are not drawn, whatever their width covers, and pixels beside it that an edge inside
// covers are.
TEST(Rasterise, PolygonModesComeAfterClipping) {
  const Viewport view = {2, 2, 4, 4};
  const auto in_view = [](float x, float y) { return Vertex{x / 2 - 1, y / 2 - 1, 0.5f, 1}; };
  const Triangle t = Of(in_view(-0.25f, 2.5f), in_view(2.5f, -0.25f), in_view(2.5f, 2.5f));
  FragmentInputs points = Target();
  points.raster.viewport = view;
  points.raster.polygon_mode = PolygonMode::kPoint;
  ASSERT_TRUE(Rasterise({t}, points).ok());
  EXPECT_EQ(Counts(points).size(), 1u);
  EXPECT_TRUE(Counts(points).contains({4, 4}));
  FragmentInputs lines = Target();
  lines.raster.viewport = view;
  lines.raster.polygon_mode = PolygonMode::kLine;
  lines.raster.line_width = 3;
  ASSERT_TRUE(Rasterise({Of(in_view(-0.5f, -2), in_view(-0.5f, 6), in_view(3.5f, 2))}, lines).ok());
  const auto counts = Counts(lines);
  EXPECT_FALSE(counts.contains({2, 4}));  // of the edge at x = -0.5, which would cover 0
  EXPECT_TRUE(counts.contains({4, 4}));   // of the others
  EXPECT_TRUE(counts.contains({3, 1}));   // beside the viewport, of an edge in it
}

// Pixels whose values are those of the plane through three vertices in clip space.
void ExpectPlane(const std::array<Vertex, 3>& v, const FragmentInputs& in,
                 const std::string& what) {
  ASSERT_FALSE(in.quads.empty()) << what;
  const Primitive& p = in.primitives.back();
  for (const auto& [pixel, count] : Counts(in)) {
    const Point at = {pixel.first + 0.5, pixel.second + 0.5};
    const auto b = p.Barycentrics(at, true);
    const std::array<double, 3> share = {1.0 - b[0] - b[1], b[0], b[1]};
    std::array<double, 4> sum{};
    for (size_t k = 0; k < 3; ++k) {
      for (size_t c = 0; c < 4; ++c) sum[c] += share[k] * v[k][c];
    }
    EXPECT_NEAR((sum[0] / sum[3] + 1) * 4, at.x, 1e-4) << what;
    EXPECT_NEAR((sum[1] / sum[3] + 1) * 4, at.y, 1e-4) << what;
    EXPECT_NEAR(p.Depth(at), sum[2] / sum[3], 1e-4) << what;
    EXPECT_NEAR(p.W(at) / sum[3], 1, 1e-4) << what;
  }
}

// Corners at and near w = 0, in front of the eye and behind it.
TEST(Rasterise, ValuesOfCornersNearTheEye) {
  for (const float w :
       {0.0f, -0.0f, 1e-30f, -1e-30f, 1e-12f, -1e-12f, 1e-6f, -1e-6f, 0.01f, -0.01f}) {
    const std::array<Vertex, 3> v = {{{-1, -1, 0.25f, 1}, {1, -1, 0.5f, 1}, {0.125f, 2, 0.5f, w}}};
    FragmentInputs in = Target();
    ASSERT_TRUE(Rasterise({Of(v[0], v[1], v[2])}, in).ok());
    ExpectPlane(v, in, absl::StrCat("w ", w));
    // Two such corners: an end of the plane far away.
    const std::array<Vertex, 3> two = {{{0, -1, 0.25f, 1}, {2, 1, 0.5f, w}, {-2, 1, 0.5f, w}}};
    FragmentInputs far = Target();
    ASSERT_TRUE(Rasterise({Of(two[0], two[1], two[2])}, far).ok());
    ExpectPlane(two, far, absl::StrCat("two of w ", w));
  }
}

// Clip space has no unit: a triangle whose numbers are all smaller by a factor is the same one.
TEST(Rasterise, ClipSpaceHasNoUnit) {
  const Vertex a = {-1, -1, 0.5f, 1}, b = {1, -1, 0.5f, 1}, c = {0, 5, -1.5f, -3};
  FragmentInputs one = Target();
  ASSERT_TRUE(Rasterise({Of(a, b, c)}, one).ok());
  for (const float scale : {0x1p-30f, 0x1p-60f, 0x1p60f}) {
    const auto scaled = [scale](Vertex v) {
      for (float& x : v) x *= scale;
      return v;
    };
    FragmentInputs in = Target();
    ASSERT_TRUE(Rasterise({Of(scaled(a), scaled(b), scaled(c))}, in).ok());
    EXPECT_EQ(Counts(in), Counts(one)) << scale;
  }
}

// The weights of lines: an end at or near w = 0.
TEST(Rasterise, ValuesOfLinesThatEndNearTheEye) {
  for (const float w : {0.0f, 1e-30f, -1e-30f, 1e-9f, -1e-9f, -0.5f}) {
    for (const bool swapped : {false, true}) {
      const Vertex a = At(2.5f, 2.5f, 0.25f), b = {0.5f, 3, 0.5f, w};
      FragmentInputs in = Target();
      ASSERT_TRUE(RasteriseLines({swapped ? LineOf(b, a) : LineOf(a, b)}, in).ok());
      ASSERT_FALSE(in.quads.empty()) << w;
      const Primitive& p = in.primitives[0];
      for (const auto& [pixel, count] : Counts(in)) {
        const Point at = {pixel.first + 0.5, pixel.second + 0.5};
        const double t = p.Barycentrics(at, true)[0], share = swapped ? 1 - t : t;
        const double y = a[1] + share * (b[1] - a[1]), on_w = a[3] + share * (w - a[3]);
        EXPECT_NEAR((y / on_w + 1) * 4, at.y, 1e-4) << w;
        EXPECT_NEAR(p.W(at) / on_w, 1, 1e-4) << w;
        EXPECT_NEAR(p.Depth(at), (a[2] + share * (b[2] - a[2])) / on_w, 1e-4) << w;
      }
    }
  }
}

TEST(Rasterise, TheViewportMovesAndClips) {
  FragmentInputs in = Target();
  in.raster.viewport = Viewport{2, 4, 4, 2, 0.5f, 1};
  ASSERT_TRUE(Rasterise({Of(At(-8, -8), At(24, -8), At(-8, 24))}, in).ok());
  const auto counts = Counts(in);
  EXPECT_EQ(counts.size(), 8u);
  EXPECT_TRUE(counts.contains({2, 4}) && counts.contains({5, 5}));
  EXPECT_NEAR(in.primitives[0].Depth({3, 5}), 0.75f, 1e-6);
}

TEST(Rasterise, CullsByFacing) {
  for (const bool clockwise : {false, true}) {
    FragmentInputs in = Target();
    in.raster.front_is_clockwise = clockwise;
    in.raster.cull_back = true;
    ASSERT_TRUE(Rasterise({Of(At(0, 0), At(8, 0), At(0, 8))}, in).ok());
    EXPECT_EQ(in.quads.empty(), !clockwise);
  }
}

// Vulkan's formula: the slope of depth by x is 1/64 a pixel here, by y 0.
TEST(Rasterise, DepthBias) {
  FragmentInputs in = Target();
  in.raster.depth_bias = DepthBias{4, 0, 2};
  in.raster.depth_bits = 16;
  const Triangle t = Of(At(0, 0, 0.25f), At(16, 0, 0.5f), At(0, 16, 0.25f));
  ASSERT_TRUE(Rasterise({t}, in).ok());
  EXPECT_NEAR(in.primitives[0].depth_bias, 2.0 / 64 + 4.0 / 65536, 1e-9);
  in.raster.depth_bits = 0;  // 2^-1 is the power of two of the largest depth
  in.raster.depth_bias = DepthBias{4, 0, 0};
  ASSERT_TRUE(Rasterise({t}, in).ok());
  EXPECT_EQ(in.primitives[1].depth_bias, 4 * 0x1p-24);
  in.raster.depth_bias = DepthBias{4, 0x1p-25f, 0};
  ASSERT_TRUE(Rasterise({t}, in).ok());
  EXPECT_EQ(in.primitives[2].depth_bias, 0x1p-25);
  // The unit of a clipped triangle comes from the depths that are left, here up to 1.
  in.raster.depth_bias = DepthBias{1, 0, 0};
  const Triangle far = Of({-1, -1, 0.25f, 1}, {1, -1, 0.25f, 1}, {0, 2, 0.5f, 1e-9f});
  ASSERT_TRUE(Rasterise({far}, in).ok());
  EXPECT_EQ(in.primitives[3].depth_bias, 0x1p-23);
}

// 1,000 small triangles in a large target: the cost is that of their tiles.
TEST(Rasterise, VisitsOnlyTheTilesOfATriangle) {
  FragmentInputs in;
  in.width = in.height = 4096;
  std::vector<Triangle> many;
  for (int i = 0; i < 20000; ++i) {
    const float x = static_cast<float>(i % 100) / 100 - 1,
                y = static_cast<float>(i / 100) / 100 - 1;
    many.push_back(Of({x, y, 0, 1}, {x + 0.002f, y, 0, 1}, {x, y + 0.002f, 0, 1}));
  }
  ASSERT_TRUE(Rasterise(many, in).ok());
  EXPECT_GT(in.quads.size(), 20000u);
}

TEST(Rasterise, RefusesSizesThatDoNotExist) {
  FragmentInputs in = Target();
  EXPECT_EQ(RasterisePoints({PointAt(At(1, 1), 0)}, in).code(), absl::StatusCode::kInvalidArgument);
  FragmentInputs three = Target(3);
  EXPECT_EQ(Rasterise({}, three).code(), absl::StatusCode::kInvalidArgument);
}

// Positions and viewports of infinite or undefined numbers, in any coordinate, cover nothing; the
// primitive keeps its number.
TEST(Rasterise, CoordinatesThatAreNotFiniteCoverNothing) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const float bad : {kInf, -kInf, std::numeric_limits<float>::quiet_NaN()}) {
    for (size_t c = 0; c < 4; ++c) {
      Vertex v = At(1, 1);
      v[c] = bad;
      FragmentInputs in = Target();
      ASSERT_TRUE(Rasterise({Of(v, At(8, 0), At(0, 8))}, in).ok());
      ASSERT_TRUE(RasteriseLines({LineOf(At(7, 7), v)}, in).ok());
      ASSERT_TRUE(RasterisePoints({PointAt(v, 2)}, in).ok());
      EXPECT_TRUE(in.quads.empty()) << bad << " in coordinate " << c;
      EXPECT_EQ(in.primitives.size(), 3u);
    }
    FragmentInputs in = Target();
    in.raster.viewport = Viewport{0, 0, bad, 8};
    ASSERT_TRUE(Rasterise({Of(At(0, 0), At(8, 0), At(0, 8))}, in).ok());
    EXPECT_TRUE(in.quads.empty());
  }
}

// The largest and smallest floats: what is left of them after rounding is on the screen or nothing,
// and nothing if no vertex is in front of the eye.
TEST(Rasterise, CoordinatesOfAnySizeAreClipped) {
  std::mt19937 rng(2);
  const auto any = [&rng] {
    const float big[] = {0, 1, -1, 3e38f, -3e38f, 1e-38f, -1e-38f, 1e20f, -1e20f, 0x1p-126f};
    return big[rng() % std::size(big)];
  };
  for (int run = 0; run < 20000; ++run) {
    FragmentInputs in = Target();
    const bool behind = run % 2 == 0;
    const auto vertex = [&any, behind] {
      const float w = any();
      return Vertex{any(), any(), any(), behind ? -std::fabs(w) : w};
    };
    ASSERT_TRUE(Rasterise({Of(vertex(), vertex(), vertex())}, in).ok());
    ASSERT_TRUE(RasteriseLines({LineOf(vertex(), vertex())}, in).ok());
    ASSERT_TRUE(RasterisePoints({PointAt(vertex(), 2)}, in).ok());
    if (behind) {
      ASSERT_TRUE(in.quads.empty());
    }
    for (const auto& [pixel, count] : Counts(in)) {
      ASSERT_TRUE(pixel.first < 8 && pixel.second < 8);
    }
  }
}

// A line from the middle of a viewport of 4 x 4 pixels to its right, twice as far as its edge.
TEST(Rasterise, LinesEndAtTheViewport) {
  FragmentInputs in = Target();
  in.raster.viewport = Viewport{0, 2, 4, 4};
  ASSERT_TRUE(RasteriseLines({LineOf({0, 0.25f, 0.5f, 1}, {2, 0.25f, 0.5f, 1})}, in).ok());
  const auto counts = Counts(in);
  EXPECT_EQ(counts.size(), 2u);
  EXPECT_TRUE(counts.contains({2, 4}) && counts.contains({3, 4}));
  // Values are those of the whole line, which ends at x = 6.
  EXPECT_NEAR(in.primitives[0].Barycentrics({3, 4.5}, true)[0], 0.25f, 1e-6);
  // The plane clips the line, not what its width covers: an end at the lower edge, 3 pixels wide.
  FragmentInputs wide = Target();
  wide.raster = in.raster;
  wide.raster.line_width = 3;
  ASSERT_TRUE(RasteriseLines({LineOf({0, 1, 0.5f, 1}, {0.5f, 1, 0.5f, 1})}, wide).ok());
  EXPECT_TRUE(Counts(wide).contains({2, 6}));
  // Beside the viewport, and behind the eye.
  FragmentInputs none = Target();
  none.raster = in.raster;
  ASSERT_TRUE(RasteriseLines({LineOf({-1, 1.5f, 0.5f, 1}, {1, 1.5f, 0.5f, 1}),
                              LineOf({0, 0, 0, -1}, {1, 0, 0, -1})},
                             none)
                  .ok());
  EXPECT_TRUE(none.quads.empty());
}

// Only the part in front of the eye is drawn of a line that passes it.
TEST(Rasterise, LinesOfNegativeWAreClipped) {
  FragmentInputs in = Target();
  ASSERT_TRUE(RasteriseLines({LineOf({0, 0.125f, 0.1f, 1}, {1, 0.125f, 0.1f, -1})}, in).ok());
  // Inside are w = 1 - 2 t >= x = t, up to t = 1/3, where y / w is 3/8: from (4, 4.5) to (8, 5.5).
  EXPECT_EQ(Counts(in).size(), 4u);
  for (const auto& [pixel, count] : Counts(in)) EXPECT_GE(pixel.first, 4);
}

// Neither many primitives nor one large one outlast the draw's time, whether they cover something
// or not.
TEST(Rasterise, EndsWithTheTimeOfTheDraw) {
  const auto code = [](const auto& draw) {
    FragmentInputs in;
    in.width = in.height = 4096;
    in.limit = TimeLimit(1e-9);
    return draw(in).code();
  };
  const Triangle beyond = Of({-1, -1, 2, 1}, {3, -1, 2, 1}, {-1, 3, 2, 1}),
                 none = Of({0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 1});
  EXPECT_EQ(code([&](auto& in) { return Rasterise({beyond}, in); }),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(code([&](auto& in) { return Rasterise(std::vector<Triangle>(5000, none), in); }),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(
      code([&](auto& in) {
        return RasteriseLines(std::vector<Line>(5000, LineOf({2, 0, 0, 1}, {3, 0, 0, 1})), in);
      }),
      absl::StatusCode::kDeadlineExceeded);
}

TEST(Rasterise, RefusesMoreQuadsThanTheDrawMayHave) {
  FragmentInputs in = Target();
  const Triangle whole = Of(At(0, 0), At(16, 0), At(0, 16));
  in.max_quads = 32;
  EXPECT_TRUE(Rasterise({whole, whole}, in).ok());
  const absl::Status s = Rasterise({whole}, in);
  EXPECT_EQ(s.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(s.message(), "more than 32 quads of 2 x 2 pixels are covered");
  EXPECT_EQ(in.quads.size(), 32u);
  EXPECT_FALSE(RasteriseLines({LineOf(At(1, 2.5f), At(7, 2.5f))}, in).ok());
  EXPECT_FALSE(RasterisePoints({PointAt(At(3, 3), 2)}, in).ok());
}

}  // namespace
}  // namespace kiln::sim::scene
