#include "core/intel/select/caches.h"

#include "gtest/gtest.h"

namespace kiln::intel {
namespace {

TEST(Caches, ABlockForgetsWhatAnotherHad) {
  Scopes scopes;
  BlockCache<int> cache(scopes);
  *cache = 7;
  EXPECT_EQ(*cache, 7);
  scopes.EnterRegion();
  EXPECT_EQ(*cache, 7) << "a region is no block";
  scopes.EnterBlock();
  EXPECT_EQ(*cache, 0);
  *cache = 8;
  scopes.EnterBlock();
  scopes.EnterBlock();
  EXPECT_EQ(*cache, 0);
}

// Inside of code that only some lanes run, and after an exit.
TEST(Caches, AThreadMayComeWithoutLanes) {
  Scopes scopes;
  scopes.EnterRegion();
  EXPECT_FALSE(scopes.MayBeEmpty());
  scopes.EnterRegion();
  EXPECT_TRUE(scopes.MayBeEmpty());
  scopes.LeaveRegion();
  EXPECT_FALSE(scopes.MayBeEmpty());
  BlockCache<int> cache(scopes);
  *cache = 7;
  scopes.Exit();
  EXPECT_TRUE(scopes.MayBeEmpty());
  EXPECT_EQ(*cache, 0);
}

TEST(Caches, WhatARegionHasHoldsInsideAndGoesWithIt) {
  Scopes scopes;
  ScopeCache<int> cache(scopes);
  const auto has = [&](int value) {
    return cache.Find([&](int v) { return v == value; }) != nullptr;
  };
  EXPECT_EQ(cache.Add(1), 1);
  scopes.EnterRegion();
  cache.Add(2);
  scopes.EnterRegion();
  cache.Add(3);
  EXPECT_TRUE(has(1) && has(2) && has(3));
  scopes.LeaveRegion();
  EXPECT_TRUE(has(1) && has(2));
  EXPECT_FALSE(has(3));
  // Another region at the same depth, entered before the first lookup.
  scopes.EnterRegion();
  cache.Add(4);
  scopes.LeaveRegion();
  scopes.EnterRegion();
  EXPECT_FALSE(has(4));
  EXPECT_TRUE(has(2));
  scopes.LeaveRegion();
  scopes.LeaveRegion();
  EXPECT_TRUE(has(1));
  EXPECT_FALSE(has(2));
}

}  // namespace
}  // namespace kiln::intel
