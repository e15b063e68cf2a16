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

TEST(Assemble, Names) {
  EXPECT_EQ(TopologyNamed("point_list"), Topology::kPointList);
  EXPECT_FALSE(TopologyNamed("patch_list"));
}

}  // namespace
}  // namespace kiln::sim::scene
