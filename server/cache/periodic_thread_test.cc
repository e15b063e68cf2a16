// The thread of a periodic task: runs at once, when its interval is over, and when it is woken.
#include "server/cache/periodic_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace kiln::cache {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kPatience(30);

// Waits until `runs` is `n`, for as long as a busy machine may take.
bool Await(const std::atomic<int>& runs, int n) {
  for (int i = 0; i < 30'000 && runs < n; ++i) std::this_thread::sleep_for(milliseconds(1));
  return runs >= n;
}

TEST(PeriodicThread, RunsAtOnceAndAfterEachInterval) {
  std::atomic<int> runs = 0;
  PeriodicThread thread;
  thread.Start(milliseconds(1), [&] { ++runs; });
  EXPECT_TRUE(Await(runs, 3));
}

TEST(PeriodicThread, IsWokenBeforeItsInterval) {
  std::atomic<int> runs = 0;
  PeriodicThread thread;
  thread.Start(hours(1), [&] { ++runs; });
  ASSERT_TRUE(thread.AwaitFirst(kPatience));
  EXPECT_EQ(runs, 1);
  thread.Wake();
  EXPECT_TRUE(Await(runs, 2));
}

// The request may have come too late for the run under way.
TEST(PeriodicThread, AWakeDuringARunIsAnotherRun) {
  std::atomic<int> runs = 0;
  PeriodicThread thread;
  thread.Start(hours(1), [&] {
    if (++runs == 1) thread.Wake();
  });
  EXPECT_TRUE(Await(runs, 2));
}

TEST(PeriodicThread, FirstRunIsAwaitedNoLongerThanAsked) {
  std::atomic<bool> go = false;
  PeriodicThread thread;
  thread.Start(hours(1), [&] {
    while (!go) std::this_thread::sleep_for(milliseconds(1));
  });
  EXPECT_FALSE(thread.AwaitFirst(milliseconds(5)));
  go = true;
  EXPECT_TRUE(thread.AwaitFirst(kPatience));
}

TEST(PeriodicThread, StopWaitsForTheRunUnderWay) {
  std::atomic<int> begun = 0, ended = 0;
  PeriodicThread thread;
  thread.Start(milliseconds(1), [&] {
    ++begun;
    std::this_thread::sleep_for(milliseconds(20));
    ++ended;
  });
  ASSERT_TRUE(Await(begun, 1));
  thread.Stop();
  EXPECT_EQ(begun, ended);
}

TEST(PeriodicThread, ThatWasNotStartedStops) {
  PeriodicThread thread;
  thread.Stop();
  EXPECT_FALSE(thread.AwaitFirst(milliseconds(1)));
}

}  // namespace
}  // namespace kiln::cache
