#include "core/sim/scene/assemble.h"

#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

using Primitives = std::vector<std::array<uint32_t, 3>>;

TEST(Assemble, ListsDropIncompletePrimitives) {
  EXPECT_EQ(Assemble(Topology::kTriangleList, 8), (Primitives{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(Assemble(Topology::kTriangleStrip, 2), Primitives{});
}

TEST(Assemble, StripsKeepTheOrientation) {
  EXPECT_EQ(Assemble(Topology::kTriangleStrip, 5), (Primitives{{0, 1, 2}, {1, 3, 2}, {2, 3, 4}}));
}

TEST(Assemble, FansProvokeBySecondVertex) {
  EXPECT_EQ(Assemble(Topology::kTriangleFan, 4), (Primitives{{1, 2, 0}, {2, 3, 0}}));
}

TEST(Assemble, Lines) {
  EXPECT_EQ(Assemble(Topology::kLineList, 5), (Primitives{{0, 1, 1}, {2, 3, 3}}));
  EXPECT_EQ(Assemble(Topology::kLineStrip, 3), (Primitives{{0, 1, 1}, {1, 2, 2}}));
  EXPECT_EQ(VerticesOf(Topology::kLineStrip), 2);
}

// Vulkan 1.3, "Line Lists With Adjacency" and following.
TEST(Assemble, AdjacentVerticesAreLeftOut) {
  EXPECT_EQ(Assemble(Topology::kLineListAdjacency, 8), (Primitives{{1, 2, 2}, {5, 6, 6}}));
  EXPECT_EQ(Assemble(Topology::kLineStripAdjacency, 5), (Primitives{{1, 2, 2}, {2, 3, 3}}));
  EXPECT_EQ(Assemble(Topology::kTriangleListAdjacency, 12), (Primitives{{0, 2, 4}, {6, 8, 10}}));
  EXPECT_EQ(Assemble(Topology::kTriangleStripAdjacency, 8), (Primitives{{0, 2, 4}, {2, 6, 4}}));
}

TEST(Assemble, Names) {
  EXPECT_EQ(TopologyNamed("point_list"), Topology::kPointList);
  EXPECT_FALSE(TopologyNamed("patch_list"));
}

}  // namespace
}  // namespace kiln::sim::scene
