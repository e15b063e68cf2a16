// Tests memory_rules.h: the tables are whole, and looked up by their columns.
#include "core/sim/rdna2/memory_rules.h"

#include "gtest/gtest.h"

namespace kiln::sim::rdna2 {
namespace {

TEST(MemoryRules, EveryPairOfEachPathHasOneRow) {
  ASSERT_EQ(OrderRules().size(), size_t{kPaths} * kPairs);
  for (int path = 0; path < kPaths; ++path) {
    for (int pair = 0; pair < kPairs; ++pair) {
      const OrderRule& rule = OrderRules()[static_cast<size_t>(path * kPairs + pair)];
      EXPECT_EQ(static_cast<int>(rule.path), path);
      EXPECT_EQ(static_cast<int>(rule.pair), pair);
      EXPECT_EQ(OrderKept(rule.path, rule.pair), rule.kept);
    }
  }
}

TEST(MemoryRules, BitsOfLoads) {
  for (const LoadRule& rule : LoadRules()) EXPECT_EQ(NearestOf(rule.glc, rule.dlc), rule.nearest);
  EXPECT_EQ(NearestOf(false, false), Nearest::kOwn);
  EXPECT_EQ(NearestOf(true, true), Nearest::kL2);
}

TEST(MemoryRules, BitsOfStores) {
  for (const StoreRule& rule : StoreRules()) {
    EXPECT_EQ(CountedUntilL2(rule.glc, rule.whole_line), rule.counted);
  }
  EXPECT_FALSE(CountedUntilL2(false, true));
}

}  // namespace
}  // namespace kiln::sim::rdna2
