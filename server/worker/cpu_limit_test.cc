// Tests the limit on processor time: when it ends a process, and by which signal.
#include "server/worker/cpu_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace kiln::worker {
namespace {

int64_t CpuMilliseconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

void Work(int64_t milliseconds) {
  for (const int64_t begin = CpuMilliseconds(); CpuMilliseconds() - begin < milliseconds;) {
  }
}

struct End {
  int signal = 0;  // 0: it ended by itself
  int64_t milliseconds = 0;
};

// Runs `body` in a child, which then works for ten seconds more.
template <typename Body>
End RunChild(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    Work(10'000);
    _exit(0);
  }
  int status = 0;
  rusage usage;
  EXPECT_EQ(wait4(child, &status, 0, &usage), child);
  End end;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  for (const timeval& t : {usage.ru_utime, usage.ru_stime}) {
    end.milliseconds += int64_t{t.tv_sec} * 1000 + t.tv_usec / 1000;
  }
  return end;
}

TEST(CpuLimit, EndsAProcessWithinItsStep) {
  for (const int64_t limit : {20, 250, 1040}) {
    const End end = RunChild([&] { ASSERT_TRUE(CpuLimit::Create()->Allow(limit)); });
    EXPECT_EQ(end.signal, SIGXCPU);
    EXPECT_GE(end.milliseconds,
              limit - 5);  // the child used some of that before the limit was set
    EXPECT_LE(end.milliseconds, limit + 60);  // the child's start, and a tick
  }
}

TEST(CpuLimit, BeginsAnewWithEachJob) {
  const End end = RunChild([] {
    const auto limit = CpuLimit::Create();
    for (int job = 0; job < 4; ++job) {
      ASSERT_TRUE(limit->Allow(200));
      Work(150);
    }
    ASSERT_TRUE(limit->Allow(100));
  });
  EXPECT_EQ(end.signal, SIGXCPU);
  EXPECT_GE(end.milliseconds, 690);
  EXPECT_LE(end.milliseconds, 780);
}

TEST(CpuLimit, SecondsBoundWithoutTheTimer) {
  const End end = RunChild([] {
    ASSERT_TRUE(CpuLimit::Create()->Allow(1000));
    itimerspec never = {};
    // The first timer of a process has this number.
    ASSERT_EQ(timer_settime(nullptr, 0, &never, nullptr), 0);
  });
  EXPECT_EQ(end.signal, SIGXCPU);
  EXPECT_GE(end.milliseconds, 1990);
}

}  // namespace
}  // namespace kiln::worker
