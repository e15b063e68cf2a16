#include "core/sim/scene/clip.h"

#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

TEST(Clip, KeepsWhatIsInside) {
  const Homogeneous corners[] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  EXPECT_EQ(Clip(corners, 0.5, 10).size(), 3u);
}

TEST(Clip, CutsOffCornersOfNegativeW) {
  const Homogeneous corners[] = {{0, 0, 1}, {1, 0, 1}, {0, 1, -1}};
  const std::vector<Homogeneous> left = Clip(corners, 0.5, 10);
  ASSERT_EQ(left.size(), 4u);
  for (const Homogeneous& p : left) EXPECT_GE(p[2], 0.5);
}

TEST(Clip, LinesStayLines) {
  const Homogeneous line[] = {{0, 0, 1}, {100, 0, 1}};
  const std::vector<Homogeneous> left = Clip(line, 0.5, 10);
  ASSERT_EQ(left.size(), 2u);
  EXPECT_NEAR(left[1][0], 10, 1e-9);
  const Homogeneous outside[] = {{20, 0, 1}, {100, 0, 1}};
  EXPECT_TRUE(Clip(outside, 0.5, 10).empty());
}

}  // namespace
}  // namespace kiln::sim::scene
