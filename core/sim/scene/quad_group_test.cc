#include "core/sim/scene/quad_group.h"

#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

// Three quads of primitive 0 and one of primitive 1, of two samples.
FragmentInputs Draw() {
  FragmentInputs draw;
  draw.width = 8;
  draw.height = 2;
  draw.samples = 2;
  draw.primitives.resize(2);
  draw.quads = {{0, 0, 0, {3, 3, 3, 3}},
                {0, 2, 0, {0, 1, 0, 0}},
                {0, 4, 0, {2, 0, 0, 2}},
                {1, 0, 0, {3, 3, 3, 3}}};
  return draw;
}

TEST(QuadGroup, PrimitivesAreRanges) {
  const FragmentInputs draw = Draw();
  EXPECT_EQ(QuadsOfPrimitive(draw, 0).end, 3u);
  EXPECT_EQ(QuadsOfPrimitive(draw, 3).first, 3u);
  EXPECT_EQ(QuadsOfPrimitive(draw, 3).end, 4u);
}

TEST(QuadGroup, PrimitivesAtOtherPlacesShareGroups) {
  FragmentInputs draw = Draw();
  EXPECT_EQ(QuadsOfPrimitives(draw, 0).end, 3u) << "the last quad is where the first one is";
  draw.quads[3].x = 6;
  EXPECT_EQ(QuadsOfPrimitives(draw, 0).end, 4u);
  const std::vector<QuadGroup> groups = GroupQuads(16, false, false, {0, 4}, draw);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(&groups[0].ShapeOf(11), &draw.primitives[0]);
  EXPECT_EQ(&groups[0].ShapeOf(12), &draw.primitives[1]);
  EXPECT_EQ(&groups[0].ShapeOf(16), &draw.primitives[0]) << "behind the last quad";
  draw.primitives[1].layer = 1;
  EXPECT_EQ(QuadsOfPrimitives(draw, 0).end, 3u);
  draw.primitives[1] = {};
  draw.primitives[1].vertices = 2;
  EXPECT_EQ(QuadsOfPrimitives(draw, 0).end, 3u);
}

TEST(QuadGroup, LanesOfTwoQuads) {
  FragmentInputs draw = Draw();
  const std::vector<QuadGroup> groups = GroupQuads(8, false, false, {0, 3}, draw);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].covered, 0x2fu);
  EXPECT_EQ(groups[0].quads, 0xffu);
  EXPECT_EQ(groups[1].covered, 0x9u);
  EXPECT_EQ(groups[1].Corner(3).x, 5);
  EXPECT_EQ(groups[1].Corner(3).y, 1);
  const std::vector<QuadGroup> reversed = GroupQuads(8, false, true, {0, 3}, draw);
  ASSERT_EQ(reversed.size(), 2u);
  EXPECT_EQ(reversed[0].covered, 0x9u);
}

TEST(QuadGroup, SixtyFourLanes) {
  FragmentInputs draw = Draw();
  const std::vector<QuadGroup> groups = GroupQuads(64, true, false, {0, 3}, draw);
  ASSERT_EQ(groups.size(), 1u);
  // Sample 1 of the third quad: its pixels 0 and 3 are lanes 20 and 23.
  EXPECT_EQ(groups[0].covered >> 20, 0x9u);
  EXPECT_EQ(groups[0].Samples(20), 2u);
  EXPECT_EQ(groups[0].SamplePlace(20).x, 0.25);
}

TEST(QuadGroup, GroupsWithoutCoverageDoNotExist) {
  FragmentInputs draw = Draw();
  draw.quads = {{0, 0, 0, {1, 0, 0, 0}}};
  EXPECT_EQ(GroupQuads(4, true, false, {0, 1}, draw).size(), 1u);
}

}  // namespace
}  // namespace kiln::sim::scene
