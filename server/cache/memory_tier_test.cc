// Tests the memory tier: order of eviction, the bound, sharing, threads.
#include "server/cache/memory_tier.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace kiln::cache {
namespace {

// Allowance for a hash table of three entries: more than it takes, less than an entry.
constexpr size_t kSmallTable = 100;

MemoryKey Key(int i) { return {Sha256(std::to_string(i)), 0}; }
MemoryTier::Value Value(size_t bytes) { return MemoryTier::Value(std::string(bytes, 'v')); }

TEST(MemoryTierTest, KeepsPartsApart) {
  MemoryTier tier(1 << 20);
  tier.Put({Sha256("a"), 1}, Value(1));
  EXPECT_NE(tier.Get({Sha256("a"), 1}), nullptr);
  EXPECT_EQ(tier.Get({Sha256("a"), 2}), nullptr);
}

TEST(MemoryTierTest, EvictsTheLeastRecentlyUsed) {
  MemoryTier tier(3 * MemoryTier::Cost(Value(100)) + kSmallTable, 1);
  for (int i = 0; i < 3; ++i) tier.Put(Key(i), Value(100));
  EXPECT_NE(tier.Get(Key(0)), nullptr);
  tier.Put(Key(3), Value(100));
  EXPECT_EQ(tier.Get(Key(1)), nullptr);
  for (int i : {0, 2, 3}) EXPECT_NE(tier.Get(Key(i)), nullptr) << i;
  EXPECT_EQ(tier.usage().evicted_entries, 1u);
}

TEST(MemoryTierTest, TellsHowLongAnEvictedEntryWasNotUsed) {
  MemoryTier tier(2 * MemoryTier::Cost(Value(100)) + kSmallTable, 1);
  for (int i = 0; i < 2; ++i) tier.Put(Key(i), Value(100));
  EXPECT_LT(tier.usage().evicted_age_seconds, 0) << "nothing was evicted";
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  EXPECT_NE(tier.Get(Key(1)), nullptr);
  tier.Put(Key(2), Value(100));
  EXPECT_GE(tier.usage().evicted_age_seconds, 2) << "of key 0";
  tier.Put(Key(3), Value(100));
  EXPECT_LE(tier.usage().evicted_age_seconds, 1) << "of key 1, which was used";
}

TEST(MemoryTierTest, NeverExceedsItsBound) {
  MemoryTier tier(64 << 10);
  for (int i = 0; i < 5000; ++i) {
    tier.Put(Key(i % 700), Value(static_cast<size_t>(i) * 37 % 900));
    ASSERT_LE(tier.usage().bytes, size_t{64} << 10);
  }
  EXPECT_GT(tier.usage().entries, 20u);
}

TEST(MemoryTierTest, ReplacesAndRefusesWhatIsTooLarge) {
  MemoryTier tier(16 << 10, 1);
  tier.Put(Key(1), Value(10));
  tier.Put(Key(1), Value(20));
  EXPECT_EQ(tier.usage().entries, 1u);
  EXPECT_EQ(tier.Get(Key(1))->size(), 20u);
  tier.Put(Key(2), Value(17 << 10));
  EXPECT_EQ(tier.Get(Key(2)), nullptr);
  EXPECT_NE(tier.Get(Key(1)), nullptr);
  tier.Erase(Key(1));
  EXPECT_EQ(tier.usage().entries, 0u);
  EXPECT_LT(tier.usage().bytes, kSmallTable);
}

TEST(MemoryTierTest, ZeroBytesKeepNothing) {
  MemoryTier tier(0);
  tier.Put(Key(1), Value(1));
  EXPECT_EQ(tier.Get(Key(1)), nullptr);
}

TEST(MemoryTierTest, ManyThreads) {
  MemoryTier tier(256 << 10);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&tier, t] {
      for (int i = 0; i < 5000; ++i) {
        int k = (i * 7 + t * 13) % 500;
        if (auto v = tier.Get(Key(k))) {
          ASSERT_EQ(v->size(), static_cast<size_t>(k) + 1);
        } else {
          tier.Put(Key(k), Value(k + 1));
        }
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_LE(tier.usage().bytes, size_t{256} << 10);
}

}  // namespace
}  // namespace kiln::cache
