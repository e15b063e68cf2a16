#include "core/base/testing/await.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "gtest/gtest.h"

namespace kiln {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(Await, ReturnsWhenTheConditionHolds) {
  std::atomic<bool> done = false;
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(20));
    done = true;
  });
  EXPECT_TRUE(Await([&] { return done.load(); }));
  other.join();
  int asked = 0;
  EXPECT_TRUE(Await([&] { return ++asked == 3; }));
  EXPECT_EQ(asked, 3);
}

TEST(Await, ReturnsFalseWhenTheTimeIsOver) {
  int asked = 0;
  const auto begun = steady_clock::now();
  EXPECT_FALSE(Await([&] { return ++asked < 0; }, milliseconds(30)));
  EXPECT_GE(steady_clock::now() - begun, milliseconds(30));
  EXPECT_GT(asked, 1);
}

// Also if there is no time: what holds already is true.
TEST(Await, AsksAtLeastOnce) {
  EXPECT_TRUE(Await([] { return true; }, milliseconds(0)));
  EXPECT_FALSE(Await([] { return false; }, milliseconds(0)));
}

}  // namespace
}  // namespace kiln
