// Compares lane sets that are counted with sets of the ranges that are left.
#include "core/lir/ra/lane_sets.h"

#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace kiln::lir::ra {
namespace {

struct Range {
  uint32_t first, n;
  LaneLayout layout;
};

constexpr LaneLayout kLayouts[] = {{true, 0, 0}, {false, 4, 0}, {false, 2, 0}, {false, 4, 1}};

void ExpectSame(const LaneSets& counted, const LaneSets& fresh) {
  EXPECT_EQ(counted.all(), fresh.all());
  EXPECT_EQ(counted.has_lanes(), fresh.has_lanes());
  for (const LaneLayout& layout : kLayouts) {
    UnitSet a, b;
    counted.AddConflicts(layout, &a);
    fresh.AddConflicts(layout, &b);
    EXPECT_EQ(a, b);
  }
}

TEST(LaneCounts, HoldWhatIsLeft) {
  std::mt19937 random(5);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  std::vector<Range> ranges;
  LaneSets sets;
  LaneCounts counts;
  for (int round = 0; round < 2000; ++round) {
    // Grows to about a hundred ranges, of few units so that they share them, and is emptied.
    const bool grows = round / 200 % 2 == 0;
    if (grows || ranges.empty()) {
      const Range r = {below(60), 1 + below(8), kLayouts[below(4)]};
      counts.Insert(r.first, r.n, r.layout, &sets);
      ranges.push_back(r);
    } else {
      std::swap(ranges[below(static_cast<uint32_t>(ranges.size()))], ranges.back());
      const Range r = ranges.back();
      counts.Erase(r.first, r.n, r.layout, &sets);
      ranges.pop_back();
    }
    LaneSets fresh;
    for (const Range& r : ranges) fresh.insert(r.first, r.n, r.layout);
    ExpectSame(sets, fresh);
  }
  EXPECT_TRUE(ranges.empty());
}

}  // namespace
}  // namespace kiln::lir::ra
