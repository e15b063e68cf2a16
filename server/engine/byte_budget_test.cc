// Tests the shares of a bound on bytes: how much one client leaves for others, and how much a
// single request may have.
#include "server/engine/byte_budget.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <thread>
#include <vector>

namespace kiln::server {
namespace {

constexpr uint64_t kLimit = uint64_t{1} << 30;

// Takes shares of `bytes` until one is refused.
std::vector<ByteBudget::Share> TakeAll(ByteBudget* budget, const worker::Owner& owner,
                                       uint64_t bytes) {
  std::vector<ByteBudget::Share> shares;
  for (uint64_t taken = 0; taken <= kLimit; taken += bytes) {
    auto share = budget->Take(owner, bytes);
    if (!share) return shares;
    shares.push_back(std::move(share));
  }
  ADD_FAILURE() << "more than there is";
  return shares;
}

double PartOf(const std::vector<ByteBudget::Share>& shares) {
  double bytes = 0;
  for (const auto& share : shares) bytes += static_cast<double>(share.bytes());
  return bytes / static_cast<double>(kLimit);
}

TEST(ByteBudgetTest, AClientLeavesRoomForOthers) {
  ByteBudget budget(kLimit);
  const uint64_t bytes = kLimit / 4096;
  const auto one = TakeAll(&budget, {"a", "1"}, bytes);
  EXPECT_NEAR(PartOf(one), 1.0 / 4, 0.01) << "one connection";
  const auto more = TakeAll(&budget, {"a", "2"}, bytes);
  EXPECT_NEAR(PartOf(more), 1.0 / 8, 0.01) << "another of its address";
  EXPECT_TRUE(budget.Take({"b", "3"}, kLimit / 2)) << "another address";
}

TEST(ByteBudgetTest, AnAddressGainsNothingByMoreConnections) {
  ByteBudget budget(kLimit);
  std::vector<std::vector<ByteBudget::Share>> held;
  for (int i = 0; i < 64; ++i) {
    held.push_back(TakeAll(&budget, {"a", std::to_string(i)}, kLimit / 4096));
  }
  EXPECT_NEAR(static_cast<double>(budget.used()) / static_cast<double>(kLimit), 1.0 / 2, 0.01);
}

// The order of arrival does not matter: shares are even once the first requests are answered.
TEST(ByteBudgetTest, AddressesComeToHaveTheSame) {
  constexpr size_t kAddresses = 20, kShares = 2048;
  ByteBudget budget(kLimit);
  std::vector<std::deque<ByteBudget::Share>> held(kAddresses);
  const auto take_all = [&](size_t address) {
    const std::string name = std::to_string(address);
    for (uint64_t i = 0; i < 16 + kShares; ++i) {
      auto share = budget.Take({name, std::to_string(i % 16)}, kLimit / kShares);
      if (!share && i >= 16) return;
      if (share) held[address].push_back(std::move(share));
    }
    ADD_FAILURE() << "more than there is";
  };
  for (size_t i = 0; i < kAddresses; ++i) take_all(i);
  for (int round = 0; round < 3000; ++round) {
    for (size_t i = 0; i < kAddresses; ++i) {
      if (held[i].size() > 1) held[i].pop_front();
      take_all(i);
    }
  }
  for (const auto& shares : held) {
    EXPECT_NEAR(static_cast<double>(shares.size()) / kShares, 1.0 / (kAddresses + 1), 0.01);
  }
  EXPECT_TRUE(budget.Take({"newcomer", "1"}, kLimit / 32));
}

TEST(ByteBudgetTest, ARequestThatIsAloneMayHaveAllThereIs) {
  ByteBudget budget(kLimit);
  auto all = budget.Take({"a", "1"}, kLimit);
  ASSERT_TRUE(all);
  EXPECT_FALSE(budget.Take({"b", "1"}, 1));
  all.Release();
  EXPECT_TRUE(budget.Take({"b", "1"}, kLimit));
  EXPECT_FALSE(budget.Take({"b", "1"}, kLimit + 1));
  EXPECT_EQ(budget.Refusal(kLimit + 1).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(budget.Refusal(kLimit).code(), absl::StatusCode::kUnavailable);
}

// A client whose one large request exceeds its share can still ask by digest.
TEST(ByteBudgetTest, SmallRequestsNeedRoomOnly) {
  ByteBudget budget(kLimit);
  const auto large = budget.Take({"a", "1"}, kLimit - ByteBudget::kSmall);
  ASSERT_TRUE(large);
  EXPECT_TRUE(budget.Take({"a", "1"}, ByteBudget::kSmall));
  const auto last = budget.Take({"a", "1"}, ByteBudget::kSmall / 2 + 1);
  ASSERT_TRUE(last);
  EXPECT_FALSE(budget.Take({"a", "1"}, ByteBudget::kSmall / 2));
}

TEST(ByteBudgetTest, WhatIsGivenBackLeavesNothing) {
  ByteBudget budget(kLimit);
  {
    std::vector<ByteBudget::Share> shares;
    for (int i = 0; i < 100; ++i) {
      shares.push_back(budget.Take({std::to_string(i % 7), std::to_string(i)}, 10));
      ASSERT_TRUE(shares.back());
    }
    shares.push_back(budget.Take({"empty", "1"}, 0));
    ASSERT_TRUE(shares.back());
    EXPECT_EQ(budget.accounts(), 7u + 100u + 2u);
    ByteBudget::Share moved = std::move(shares[0]);
    moved = budget.Take({"other", "1"}, 5);
    EXPECT_EQ(budget.used(), 99u * 10 + 5);
  }
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_EQ(budget.accounts(), 0u);
}

TEST(ByteBudgetTest, ManyThreadsTakeAndGiveBack) {
  ByteBudget budget(kLimit);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&budget, t] {
      for (int i = 0; i < 20'000; ++i) {
        const auto first = budget.Take({std::to_string(t % 2), std::to_string(i % 3)}, 2000);
        const auto second = budget.Take({std::to_string(t % 2), std::to_string(t)}, 100);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(budget.used(), 0u);
  EXPECT_EQ(budget.accounts(), 0u);
}

}  // namespace
}  // namespace kiln::server
