// Tests of refusals.h.
#include "server/engine/refusals.h"

#include <gtest/gtest.h>

#include <atomic>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"

namespace kiln::server {
namespace {

const worker::Owner kOwner{"192.0.2.1", "1"};

class RefusalsTest : public testing::Test {
 protected:
  // Uses up the burst, so that the next refusal is held.
  void Exhaust() {
    for (int i = 0; i < RefusalQueue::kBurst; ++i) {
      Refusals::Tell tell = [] {};
      if (refusals.Hold(kOwner, nullptr, absl::InfiniteDuration(), &tell)) return;
    }
  }
  bool Hold(const void* caller) {
    Refusals::Tell tell = [this] { ++told; };
    return refusals.Hold(kOwner, caller, absl::InfiniteDuration(), &tell);
  }

  Refusals refusals;
  std::atomic<int> told = 0;
};

TEST_F(RefusalsTest, TellsAtTheTurn) {
  Exhaust();
  absl::Notification done;
  Refusals::Tell tell = [&] { done.Notify(); };
  ASSERT_TRUE(refusals.Hold(kOwner, nullptr, absl::InfiniteDuration(), &tell));
  done.WaitForNotification();
}

TEST_F(RefusalsTest, TellsAllWhenTheQueueHasRoom) {
  Exhaust();
  for (int i = 0; i < 2000; ++i) Hold(nullptr);  // the last one's turn is in 10 s
  const absl::Time begun = absl::Now();
  while (refusals.held() > 0) {
    refusals.HasRoom(100);
    absl::SleepFor(absl::Milliseconds(1));
  }
  EXPECT_LT(absl::Now() - begun, absl::Seconds(8));
}

TEST_F(RefusalsTest, WhoLeavesAndWhoStopsWaitsNoMore) {
  Exhaust();
  const int caller = 0, other = 0;
  for (int i = 0; i < 500; ++i) Hold(&other);
  EXPECT_TRUE(Hold(&caller));
  told = 0;
  refusals.Leave(&caller);
  EXPECT_GE(told, 1);
  refusals.Stop();
  EXPECT_EQ(refusals.held(), 0u);
  EXPECT_FALSE(Hold(&caller)) << "it is told at once now";
}

}  // namespace
}  // namespace kiln::server
