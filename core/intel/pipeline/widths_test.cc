#include "core/intel/pipeline/widths.h"

#include <vector>

#include "core/base/cause.h"
#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

WidthCosts Made(int width, int64_t cycles, int64_t registers = 40, bool spills = false) {
  return {.width = width, .cycles = cycles, .registers = registers, .spills = spills};
}

constexpr mir::Stage kCompute = mir::Stage::kCompute, kFragment = mir::Stage::kFragment;

TEST(Widths, WorkgroupsThatFit16LanesHaveNo32) {
  EXPECT_TRUE(WorthTrying(kCompute, 16, {Made(8, 100)}).ok());
  EXPECT_TRUE(WorthTrying(kCompute, 32, {}).ok());
  const absl::Status s = WorthTrying(kCompute, 32, {Made(8, 100), Made(16, 110)});
  EXPECT_EQ(s.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(CauseOf(s), "width_loses");
}

TEST(Widths, FragmentsAreTriedUnlessHalfTheLanesSpill) {
  EXPECT_TRUE(WorthTrying(kFragment, 32, {Made(16, 100, 128)}).ok());
  EXPECT_EQ(WorthTrying(kFragment, 32, {Made(8, 100)}).message(),
            "half as many lanes as 32 did not fit; it is compiled if requested");
  EXPECT_EQ(WorthTrying(kFragment, 32, {Made(16, 100, 40, true)}).message(),
            "SIMD16 spills already; it is compiled if requested");
}

TEST(Widths, AWidthThatSpillsLosesToOneThatDoesNot) {
  EXPECT_FALSE(MaySpill({Made(8, 100)}));
  EXPECT_FALSE(MaySpill({Made(8, 100, 128, true), Made(16, 100)}));
  EXPECT_TRUE(MaySpill({Made(8, 100, 128, true)}));
  EXPECT_TRUE(MaySpill({}));
}

TEST(Widths, FragmentsOf32LanesMustFinishAsManyLanesAsEachNarrower) {
  const std::vector<WidthCosts> narrower = {Made(8, 100), Made(16, 190)};  // 80 and 84.2
  EXPECT_TRUE(WorthKeeping(kFragment, Made(32, 379), narrower).ok());
  EXPECT_EQ(
      WorthKeeping(kFragment, Made(32, 381), narrower).message(),
      "84.0 lanes in a thousand cycles by the model, SIMD16 84.2; it is compiled if requested");
  const std::vector<WidthCosts> slow16 = {Made(8, 100), Made(16, 300)};
  EXPECT_EQ(
      WorthKeeping(kFragment, Made(32, 401), slow16).message(),
      "79.8 lanes in a thousand cycles by the model, SIMD8 80.0; it is compiled if requested");
  EXPECT_TRUE(WorthKeeping(kFragment, Made(16, 1000), {Made(8, 100)}).ok());
}

// Also if the rate has no exact representation.
TEST(Widths, OfEqualsTheWiderOneIsKept) {
  EXPECT_TRUE(WorthKeeping(kFragment, Made(32, 380), {Made(8, 100), Made(16, 190)}).ok());
  EXPECT_TRUE(WorthKeeping(kFragment, Made(32, 400), {Made(8, 100), Made(16, 300)}).ok());
  for (int64_t cycles = 1; cycles < 2000; ++cycles) {
    EXPECT_TRUE(WorthKeeping(kFragment, Made(32, 2 * cycles), {Made(16, cycles)}).ok()) << cycles;
    EXPECT_FALSE(WorthKeeping(kFragment, Made(32, 2 * cycles + 1), {Made(16, cycles)}).ok());
  }
}

// Threads that do little but write wait for the render target at any width.
TEST(Widths, AUnitThatIsBusyCountsForThreadsThatHaveEnded) {
  WidthCosts narrow = Made(16, 100);
  narrow.busiest_cycles = 900;
  WidthCosts wide = Made(32, 1000);
  wide.busiest_cycles = 1700;
  EXPECT_TRUE(WorthKeeping(kFragment, wide, {narrow}).ok());
  wide.busiest_cycles = 1800;
  EXPECT_TRUE(WorthKeeping(kFragment, wide, {narrow}).ok());
  wide.busiest_cycles = 1801;
  EXPECT_FALSE(WorthKeeping(kFragment, wide, {narrow}).ok());
}

}  // namespace
}  // namespace kiln::intel
