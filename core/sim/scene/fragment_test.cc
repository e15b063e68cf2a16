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
