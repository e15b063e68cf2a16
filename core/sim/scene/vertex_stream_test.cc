#include "core/sim/scene/vertex_stream.h"

#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

// Two instances of a triangle that covers everything.
VertexStream Stream() {
  VertexStream s;
  s.per_instance = 3;
  s.positions = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1},
                 {-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
  s.values = {{4, 1, 2, {0, 1, 10, 11, 20, 21, 30, 31, 40, 41, 50, 51}}};
  s.layers = {1, 0, 0, 2, 0, 0};
  return s;
}

FragmentInputs Draw() {
  FragmentInputs draw;
  draw.width = draw.height = 4;
  return draw;
}

TEST(VertexStream, PrimitivesOfInstances) {
  FragmentInputs draw = Draw();
  ASSERT_TRUE(AddPrimitives(Stream(), Topology::kTriangleList, draw).ok());
  ASSERT_EQ(draw.primitives.size(), 2u);
  const Primitive& second = draw.primitives[1];
  EXPECT_EQ(second.number, 0u);
  EXPECT_EQ(second.layer, 2u);
  ASSERT_EQ(second.values.size(), 2u);
  EXPECT_EQ(second.values[1].location, 4u);
  EXPECT_EQ(second.values[1].component, 2u);
  EXPECT_EQ(second.values[1].bits, (std::array<uint32_t, 3>{31, 41, 51}));
  EXPECT_EQ(draw.quads.size(), 8u);
}

TEST(VertexStream, DistancesClipAndAreAttributes) {
  FragmentInputs draw = Draw();
  VertexStream s = Stream();
  s.clip = {1, {-1, 3, -1, 1, 1, 1}};
  s.cull = {4, std::vector<float>(24, 1)};
  ASSERT_TRUE(AddPrimitives(s, Topology::kTriangleList, draw).ok());
  EXPECT_EQ(draw.quads.size(), 2u + 4u);
  ASSERT_EQ(draw.primitives[0].built_ins.size(), 5u);
  EXPECT_EQ(draw.primitives[0].built_ins[4].attribute, "clip_distance_1");
  EXPECT_EQ(draw.primitives[0].built_ins[4].component, 0u);
}

TEST(VertexStream, LinesAndPoints) {
  FragmentInputs draw = Draw();
  VertexStream s;
  s.per_instance = 2;
  s.positions = {{-0.75f, -0.75f, 0, 1}, {0.75f, -0.75f, 0, 1}};
  s.point_sizes = {1, 2};
  ASSERT_TRUE(AddPrimitives(s, Topology::kLineList, draw).ok());
  EXPECT_EQ(draw.primitives.size(), 1u);
  ASSERT_TRUE(AddPrimitives(s, Topology::kPointList, draw).ok());
  EXPECT_EQ(draw.primitives.size(), 3u);
}

TEST(VertexStream, RefusesSizesThatDoNotFit) {
  FragmentInputs draw = Draw();
  VertexStream s = Stream();
  s.values[0].bits.pop_back();
  EXPECT_FALSE(AddPrimitives(s, Topology::kTriangleList, draw).ok());
  s = Stream();
  s.per_instance = 4;
  EXPECT_FALSE(AddPrimitives(s, Topology::kTriangleList, draw).ok());
  s = Stream();
  s.clip = {9, std::vector<float>(54)};
  EXPECT_FALSE(AddPrimitives(s, Topology::kTriangleList, draw).ok());
}

TEST(VertexStream, RefusesMorePrimitivesThanTheDrawMayHave) {
  FragmentInputs draw = Draw();
  draw.max_primitives = 2;
  EXPECT_TRUE(AddPrimitives(Stream(), Topology::kTriangleList, draw).ok());
  draw.max_primitives = 5;
  const absl::Status s = AddPrimitives(Stream(), Topology::kPointList, draw);
  EXPECT_EQ(s.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(s.message(), "6 primitives; at most 5 can be drawn");
}

}  // namespace
}  // namespace kiln::sim::scene
