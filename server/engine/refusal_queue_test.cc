// Tests of refusal_queue.h.
#include "server/engine/refusal_queue.h"

#include <gtest/gtest.h>

namespace kiln::server {
namespace {

constexpr int kBurst = RefusalQueue::kBurst;
const absl::Duration kEach = absl::Seconds(1) / RefusalQueue::kPerSecond;

class RefusalQueueTest : public testing::Test {
 protected:
  // Returns true if the refusal is held; adds one to `told` when it is told.
  bool Hold(const std::string& address, const void* caller = nullptr,
            absl::Duration longest = absl::InfiniteDuration()) {
    RefusalQueue::Tell tell = [this] { ++told; };
    const bool held = queue.Hold(address, caller, longest, now, &tell);
    EXPECT_EQ(tell == nullptr, held) << "what is not held is the caller's to tell";
    return held;
  }
  // Returns how many refusals of `calls` are held.
  int HoldMany(const std::string& address, int calls) {
    int held = 0;
    for (int i = 0; i < calls; ++i) held += Hold(address) ? 1 : 0;
    return held;
  }
  int Tell(const std::vector<RefusalQueue::Tell>& refusals) {
    told = 0;
    for (const auto& tell : refusals) tell();
    return told;
  }

  RefusalQueue queue;
  absl::Duration now = absl::Seconds(1000);
  int told = 0;
};

TEST_F(RefusalQueueTest, SomeAreToldAtOnceAndOthersAtTheirTurn) {
  EXPECT_EQ(HoldMany("flood", kBurst), 0);
  EXPECT_EQ(HoldMany("flood", 3), 3);
  EXPECT_EQ(queue.NextDue(), now + kEach);
  EXPECT_EQ(Tell(queue.Due(now)), 0);
  EXPECT_EQ(Tell(queue.Due(now + kEach)), 1);
  EXPECT_EQ(Tell(queue.Due(now + 3 * kEach)), 2);
  EXPECT_EQ(queue.held(), 0u);
  EXPECT_FALSE(queue.NextDue().has_value());
}

// Hits are answered by the same threads, so this rate is what a flood costs other clients.
TEST_F(RefusalQueueTest, AClientThatComesAgainAtOnceIsToldItsRateAndNoMore) {
  int told_at_once = 0, told_later = 0, calls = 64;
  constexpr int kMaxTold = kBurst + 5 * RefusalQueue::kPerSecond;
  for (int tick = 0; tick < 5000; ++tick) {  // 5 s
    while (calls > 0) {
      Hold("flood") ? --calls : ++told_at_once;
      ASSERT_LE(told_at_once, kMaxTold);
    }
    now += absl::Milliseconds(1);
    calls = Tell(queue.Due(now));
    told_later += calls;
  }
  EXPECT_LE(told_at_once + told_later, kMaxTold);
  EXPECT_GE(told_at_once + told_later, 4 * RefusalQueue::kPerSecond);
}

TEST_F(RefusalQueueTest, AnAddressDoesNotWaitForAnother) {
  EXPECT_EQ(HoldMany("flood", 1000), 1000 - kBurst);
  EXPECT_FALSE(Hold("other"));
  EXPECT_TRUE(Hold("flood"));
}

TEST_F(RefusalQueueTest, WhoIsRefusedSeldomIsToldAtOnce) {
  HoldMany("client", kBurst);
  EXPECT_TRUE(Hold("client"));
  now += absl::Seconds(2);
  EXPECT_EQ(HoldMany("client", kBurst), 0);
}

TEST_F(RefusalQueueTest, NoneWaitsForLongerThanTheLongestNorThanItsCaller) {
  HoldMany("flood", 10000);
  EXPECT_TRUE(Hold("flood", nullptr, absl::Seconds(1)));
  EXPECT_FALSE(Hold("flood", nullptr, -absl::Seconds(1))) << "its deadline has passed";
  Tell(queue.Due(now + RefusalQueue::kLongest));
  EXPECT_EQ(queue.held(), 0u);
}

TEST_F(RefusalQueueTest, TheLongestWaitIsNoDebt) {
  HoldMany("flood", 10000);
  EXPECT_TRUE(Hold("flood"));
  now += RefusalQueue::kLongest + absl::Seconds(1);
  EXPECT_FALSE(Hold("flood"));
}

TEST_F(RefusalQueueTest, WhereThereIsRoomTheNextComeBeforeTheirTurn) {
  HoldMany("flood", kBurst + 5);
  EXPECT_EQ(Tell(queue.Next(2)), 2);
  EXPECT_EQ(queue.NextDue(), now + 3 * kEach);
  EXPECT_EQ(Tell(queue.Next(100)), 3);
}

TEST_F(RefusalQueueTest, WhoLeavesIsLetGo) {
  HoldMany("flood", kBurst);
  const int one = 0, other = 0;
  EXPECT_TRUE(Hold("flood", &one));
  EXPECT_TRUE(Hold("flood", &other));
  EXPECT_TRUE(Hold("flood", &one));
  EXPECT_EQ(Tell(queue.Leave(&one)), 2);
  EXPECT_EQ(Tell(queue.Leave(&one)), 0);
  EXPECT_EQ(queue.held(), 1u);
  EXPECT_EQ(Tell(queue.Leave(&other)), 1);
}

TEST_F(RefusalQueueTest, OfTooManyTheNextAreToldEarly) {
  constexpr int kMax = RefusalQueue::kMaxHeld;
  EXPECT_EQ(HoldMany("flood", kBurst + kMax + 7), kMax + 7);
  EXPECT_LE(*queue.NextDue(), now);
  EXPECT_EQ(Tell(queue.Due(now)), 7);
  EXPECT_EQ(queue.held(), RefusalQueue::kMaxHeld);
}

TEST_F(RefusalQueueTest, AddressesThatOweNothingAreForgotten) {
  for (int i = 0; i < 10000; ++i) {
    Hold("client " + std::to_string(i));
    now += kEach;
  }
  EXPECT_LE(queue.addresses(), 2 * RefusalQueue::kMaxPaid + 2);
}

}  // namespace
}  // namespace kiln::server
