#include "core/sim/scene/fragment.h"

#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

FragmentInputs Draw() {
  FragmentInputs draw;
  draw.width = draw.height = 2;
  draw.layers = 2;
  draw.samples = 4;
  draw.targets = {{0, std::vector<uint32_t>(4 * 2 * 2 * 2 * 4)}};
  draw.depth.assign(2 * 2 * 2 * 4, 1.0f);
  draw.stencil.assign(draw.depth.size(), 7);
  draw.sample_mask.assign(2 * 2 * 2, 0);
  return draw;
}

// A shape of depth x / 2 everywhere.
Primitive Sloped() {
  Primitive p;
  p.layer = 1;
  p.weight = {{{0, 0, 1}, {0.5, 0, 0}, {0, 0, 0}}};
  p.depth = {0, 1, 0};
  return p;
}

TEST(Fragment, WritesItsSamplesInItsLayer) {
  FragmentInputs draw = Draw();
  FragmentResult result;
  result.samples = 0b0101;
  result.target = &draw.targets[0];
  result.color = {1, 2, 3, 4};
  WriteFragment(Sloped(), {1, 0}, result, draw);
  const size_t first = draw.At(1, 2, 0);
  for (size_t s = 0; s < 4; ++s) {
    EXPECT_EQ(draw.targets[0].texels[4 * (first + s) + 3], s % 2 == 0 ? 4u : 0u);
    EXPECT_EQ(draw.stencil[first + s], 7);
  }
  EXPECT_EQ(draw.depth[first], (1 + 6 / 16.0f) / 2);
  EXPECT_EQ(draw.depth[first + 1], 1.0f);
  EXPECT_EQ(draw.sample_mask[5], 0b0101u);
}

TEST(Fragment, ComputedDepthAndStencilReplaceThoseOfThePrimitive) {
  FragmentInputs draw = Draw();
  FragmentResult result;
  result.samples = 1;
  result.depth = 0.25f;
  result.stencil = 9;
  WriteFragment(Sloped(), {0, 0}, result, draw);
  EXPECT_EQ(draw.depth[draw.At(0, 2, 0)], 0.25f);
  EXPECT_EQ(draw.stencil[draw.At(0, 2, 0)], 9);
}

TEST(Fragment, CentroidIsACoveredSampleOfPartlyCoveredPixels) {
  EXPECT_EQ(Centroid(0b1111, 4).x, 0.5);
  EXPECT_EQ(Centroid(0, 4).x, 0.5);
  EXPECT_EQ(Centroid(0b0110, 4).x, 14 / 16.0);
}

TEST(Fragment, ChecksSizes) {
  FragmentInputs draw = Draw();
  EXPECT_TRUE(CheckDraw(draw).ok());
  draw.depth.pop_back();
  EXPECT_FALSE(CheckDraw(draw).ok());
  draw = Draw();
  draw.primitives = {Sloped()};
  draw.quads = {{0, 2, 0, {1, 0, 0, 0}}};
  EXPECT_FALSE(CheckDraw(draw).ok());
}

}  // namespace
}  // namespace kiln::sim::scene
