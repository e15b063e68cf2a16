#include "core/sim/scene/clip.h"

#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

TEST(Clip, KeepsWhatIsInside) {
  const Homogeneous corners[] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  EXPECT_EQ(Clip(corners, 10).size(), 3u);
}

TEST(Clip, CutsOffCornersOfNegativeW) {
  const Homogeneous corners[] = {{0, 0, 1}, {1, 0, 1}, {0, 1, -1}};
  const std::vector<Homogeneous> left = Clip(corners, 10);
  ASSERT_EQ(left.size(), 5u);  // at w = 0 the planes x = 10 w and y = 10 w meet
  for (const Homogeneous& p : left) {
    EXPECT_GT(p[2], 0);
    EXPECT_LE(p[0], 10 * p[2] + 1e-9);
    EXPECT_LE(p[1], 10 * p[2] + 1e-9);
  }
}

TEST(Clip, LinesStayLines) {
  const Homogeneous line[] = {{0, 0, 1}, {100, 0, 1}};
  const std::vector<Homogeneous> left = Clip(line, 10);
  ASSERT_EQ(left.size(), 2u);
  EXPECT_NEAR(left[1][0], 10, 1e-9);
  const Homogeneous outside[] = {{20, 0, 1}, {100, 0, 1}};
  EXPECT_TRUE(Clip(outside, 10).empty());
}

}  // namespace
}  // namespace kiln::sim::scene
