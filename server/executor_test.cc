// The queue in front of what may block: its bound, its length and the time spent in it.
#include "server/executor.h"

#include <gtest/gtest.h>

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
  ASSERT_TRUE(executor.TryRun([&] {
    begun.Notify();
    go.WaitForNotification();
  }));
  begun.WaitForNotification();
  EXPECT_EQ(executor.queued(), 0u) << "it runs";
  EXPECT_TRUE(executor.TryRun([] {}));
  EXPECT_TRUE(executor.TryRun([] {}));
  EXPECT_FALSE(executor.TryRun([] {})) << "over the bound";
  executor.Run([] {});
  EXPECT_EQ(executor.queued(), 3u);
  absl::SleepFor(absl::Milliseconds(20));
  go.Notify();
  executor.Stop();
  EXPECT_EQ(executor.queued(), 0u);
  ASSERT_EQ(waits.size(), 4u);
  for (size_t i = 1; i < waits.size(); ++i) EXPECT_GE(waits[i], absl::Milliseconds(20));
}

}  // namespace
}  // namespace kiln::server
