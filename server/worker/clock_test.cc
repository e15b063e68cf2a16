// Tests that deadlines in the pool follow elapsed time while the machine's clock is set.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <ctime>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "core/base/testing/await.h"
#include "server/worker/pool.h"
#include "server/worker/testing/fake_backend.h"

namespace {
std::atomic<time_t> g_set_forward = 0;  // seconds
}  // namespace

// Replaces the C library's function in the whole process.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += g_set_forward.load();
  return static_cast<int>(result);
}

namespace kiln::worker {
namespace {

using kiln::v1::TargetResult;

// Returns the outcome of a job during whose run the clock is set forward by `seconds`.
JobOutcome OutcomeWhileClockIsSet(time_t seconds) {
  PoolOptions options;
  options.executable = "server/worker/testing/fake_worker";
  options.limits.fault_injection = true;
  options.limits.wall_time = absl::Minutes(10);
  auto pool = Pool::Start(std::move(options));
  EXPECT_TRUE(pool.ok()) << pool.status();
  Job job;
  job.mutable_compile()->set_spirv(FakeModule(1));
  job.mutable_compile()->add_targets("tgl");
  job.mutable_fault()->set_kind(Fault::SLOW);
  job.mutable_fault()->set_milliseconds(700);
  absl::Notification done;
  JobOutcome outcome;
  EXPECT_TRUE((*pool)
                  ->Submit(std::move(job),
                           [&](JobOutcome o) {
                             outcome = std::move(o);
                             done.Notify();
                           })
                  .ok());
  EXPECT_TRUE(Await([&] { return (*pool)->load().busy != 0; }));
  usleep(100'000);
  g_set_forward = seconds;
  EXPECT_TRUE(Await([&] { return done.HasBeenNotified(); }));
  g_set_forward = 0;
  return outcome;
}

TEST(ClockTest, IsTheMachinesThatIsSetHere) {
  const absl::Time before = absl::Now();
  g_set_forward = 7200;
  EXPECT_GE(absl::Now() - before, absl::Hours(1));
  g_set_forward = 0;
}

TEST(ClockTest, SetForwardEndsNoJob) {
  const JobOutcome outcome = OutcomeWhileClockIsSet(3600);
  EXPECT_EQ(outcome.status, TargetResult::OK) << outcome.message;
}

TEST(ClockTest, SetBackMakesNoTimesNegative) {
  const JobOutcome outcome = OutcomeWhileClockIsSet(-3600);
  EXPECT_EQ(outcome.status, TargetResult::OK) << outcome.message;
  EXPECT_GE(outcome.ran, absl::Milliseconds(500));
  EXPECT_GE(outcome.queued, absl::ZeroDuration());
}

}  // namespace
}  // namespace kiln::worker
