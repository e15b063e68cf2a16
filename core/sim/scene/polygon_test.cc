#include "core/sim/scene/polygon.h"

#include "gtest/gtest.h"

namespace kiln::sim::scene {
namespace {

ScreenPoint At(int64_t x, int64_t y) { return {x * kUnit, y * kUnit}; }

TEST(Polygon, OwnsUpperAndLeftEdges) {
  for (const bool reversed : {false, true}) {
    std::vector<ScreenPoint> corners = {At(0, 0), At(4, 0), At(4, 4), At(0, 4)};
    if (reversed) corners = {At(0, 4), At(4, 4), At(4, 0), At(0, 0)};
    const Polygon square(corners);
    EXPECT_EQ(square.area(), (reversed ? -1 : 1) * 32 * kUnit * kUnit);
    EXPECT_TRUE(square.Covers(At(0, 0)));
    EXPECT_TRUE(square.Covers(At(2, 0)) && square.Covers(At(0, 2)));
    EXPECT_FALSE(square.Covers(At(4, 2)) || square.Covers(At(2, 4)));
  }
}

TEST(Polygon, OverlapsOfRectangles) {
  const ScreenPoint corners[] = {At(0, 0), At(64, 0), At(0, 64)};
  const Polygon triangle(corners);
  EXPECT_EQ(triangle.OverlapOf({2, 2, 18, 18}), Overlap::kAll);
  EXPECT_EQ(triangle.OverlapOf({16, 32, 48, 48}), Overlap::kPart);
  EXPECT_EQ(triangle.OverlapOf({48, 48, 64, 64}), Overlap::kNone);
  const PixelRect bounds = triangle.Bounds();
  EXPECT_TRUE(bounds.x0 == 0 && bounds.x1 >= 64 && bounds.x1 <= 65);
}

TEST(Polygon, DegenerateOnesCoverNothing) {
  const ScreenPoint line[] = {At(0, 0), At(2, 2), At(4, 4)};
  EXPECT_EQ(Polygon(line).area(), 0);
  EXPECT_FALSE(Polygon(line).Covers(At(2, 2)));
  EXPECT_TRUE(Polygon(absl::Span<const ScreenPoint>()).Bounds().Empty());
}

}  // namespace
}  // namespace kiln::sim::scene
