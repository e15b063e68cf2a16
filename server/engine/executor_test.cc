// Tests the queue in front of steps that may block: its bound, its length and the time spent in it.
#include "server/engine/executor.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"

namespace kiln::server {
namespace {

TEST(ExecutorTest, CountsWhatWaitsAndForHowLong) {
  absl::Mutex mutex;
  std::vector<absl::Duration> waits;
  absl::Notification begun, go;
  Executor executor(1, 2, [&](absl::Duration time) {
    absl::MutexLock lock(&mutex);
    waits.push_back(time);
  });
  const worker::Owner owner{"a", "1"};
  bool refused = false;
  const auto refuse = [&] { refused = true; };
  executor.TryRun(
      owner,
      [&] {
        begun.Notify();
        go.WaitForNotification();
      },
      refuse);
  begun.WaitForNotification();
  EXPECT_EQ(executor.queued(), 0u) << "it runs";
  for (int i = 0; i < 2; ++i)
    executor.TryRun(
        owner, [] {}, refuse);
  EXPECT_FALSE(refused);
  executor.TryRun(
      owner, [] {}, refuse);
  EXPECT_TRUE(refused) << "over the bound";
  executor.Run(owner, [] {});
  EXPECT_EQ(executor.queued(), 3u);
  absl::SleepFor(absl::Milliseconds(20));
  go.Notify();
  executor.Stop();
  EXPECT_EQ(executor.queued(), 0u);
  ASSERT_EQ(waits.size(), 4u);
  for (size_t i = 1; i < waits.size(); ++i) EXPECT_GE(waits[i], absl::Milliseconds(20));
}

TEST(ExecutorTest, InAFullQueueWhoHasMostGivesWay) {
  absl::Notification begun, go;
  Executor executor(1, 2, [](absl::Duration) {});
  std::string refused, ran;
  auto run = [&](const char* who) {
    executor.TryRun(
        {who, "1"}, [&ran, who] { ran += who; }, [&refused, who] { refused += who; });
  };
  executor.TryRun(
      {"x", "1"},
      [&] {
        begun.Notify();
        go.WaitForNotification();
      },
      [] {});
  begun.WaitForNotification();
  run("a");
  run("a");
  executor.Run({"a", "1"}, [&ran] { ran += "A"; });
  run("b");
  EXPECT_EQ(refused, "a") << "for b, and not what had been admitted";
  run("b");
  EXPECT_EQ(refused, "ab") << "no other has more";
  go.Notify();
  executor.Stop();
  EXPECT_EQ(ran.substr(0, 1), "A");
  EXPECT_EQ(ran.size(), 3u);
}

}  // namespace
}  // namespace kiln::server
