// Tests the pool with workers that a shader has taken over (testing/hostile_worker.cc).
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "core/base/testing/await.h"
#include "server/worker/pool.h"

namespace kiln::worker {
namespace {

using kiln::v1::TargetResult;

class HostileTest : public testing::Test {
 protected:
  PoolOptions Options() {
    PoolOptions options;
    options.executable = "server/worker/testing/hostile_worker";
    options.workers = 1;
    options.limits.fault_injection = true;
    options.on_worker_exit = [this](std::string_view reason) {
      absl::MutexLock lock(&mutex_);
      ++exits_[std::string(reason)];
    };
    return options;
  }
  void Start(PoolOptions options) {
    auto pool = Pool::Start(std::move(options));
    ASSERT_TRUE(pool.ok()) << pool.status();
    pool_ = *std::move(pool);
  }
  static Job Compile(const std::string& attempt, size_t bytes = 100) {
    Job job;
    job.mutable_compile()->set_spirv(std::string(bytes, 's'));
    job.mutable_compile()->add_targets("tgl");
    job.mutable_compile()->add_targets("skl");
    job.mutable_fault()->set_attempt(attempt);
    return job;
  }
  JobOutcome Do(Job job) {
    absl::Notification done;
    JobOutcome outcome;
    auto handle = pool_->Submit(std::move(job), [&](JobOutcome o) {
      outcome = std::move(o);
      done.Notify();
    });
    EXPECT_TRUE(handle.ok()) << handle.status();
    EXPECT_TRUE(done.WaitForNotificationWithTimeout(absl::Seconds(60)));
    return outcome;
  }
  static bool IsRight(const JobOutcome& outcome) {
    if (outcome.status != TargetResult::OK) return false;
    for (const auto& result : outcome.results) {
      if (!result.has_value() || result->variants(0).code() != "right") return false;
    }
    return true;
  }
  int Exits(const std::string& reason) {
    absl::MutexLock lock(&mutex_);
    return exits_[reason];
  }

  absl::Mutex mutex_;
  std::map<std::string, int> exits_;
  std::unique_ptr<Pool> pool_;
};

class HostileAnswerTest : public HostileTest, public testing::WithParamInterface<const char*> {};

TEST_P(HostileAnswerTest, IsNoAnswerAndTheWorkersEnd) {
  Start(Options());
  EXPECT_TRUE(IsRight(Do(Compile(""))));
  const JobOutcome outcome = Do(Compile(GetParam()));
  EXPECT_EQ(outcome.status, TargetResult::CRASHED);
  EXPECT_EQ(outcome.cause, "worker_protocol");
  EXPECT_TRUE(outcome.blames_job);
  // None of its earlier results is used.
  for (const auto& result : outcome.results) EXPECT_FALSE(result.has_value());
  EXPECT_EQ(Exits("killed"), 1);
  EXPECT_TRUE(IsRight(Do(Compile(""))));
}

INSTANTIATE_TEST_SUITE_P(All, HostileAnswerTest,
                         testing::Values("other_target", "other_status", "other_id", "twice",
                                         "incomplete", "never_last", "ahead", "hang_up"),
                         [](const auto& info) { return std::string(info.param); });

// Knowing one id does not help to guess the next.
TEST_F(HostileTest, WhatIsSentAheadAnswersNoLaterJob) {
  PoolOptions options = Options();
  options.ping_after = absl::InfiniteDuration();
  Start(std::move(options));
  for (int i = 0; i < 5; ++i) {
    Do(Compile("ahead"));
    const JobOutcome next = Do(Compile(""));
    EXPECT_TRUE(IsRight(next)) << next.cause;
  }
}

TEST_F(HostileTest, ASlowReaderIsHeldToTheTimeOfAJob) {
  PoolOptions options = Options();
  options.limits.wall_time = absl::Seconds(1);
  Start(std::move(options));
  EXPECT_TRUE(IsRight(Do(Compile("slow_reader"))));
  const absl::Time start = absl::Now();
  EXPECT_TRUE(IsRight(Do(Compile("", 16 << 20))));  // by the next worker
  EXPECT_LT(absl::Now() - start, absl::Seconds(20));
  EXPECT_EQ(Exits("unresponsive"), 1);
}

TEST_F(HostileTest, ASlowReaderDoesNotKeepThePoolFromEnding) {
  PoolOptions options = Options();
  options.limits.wall_time = absl::Seconds(600);
  options.limits.begin_time = absl::Seconds(600);
  Start(std::move(options));
  EXPECT_TRUE(IsRight(Do(Compile("slow_reader"))));
  absl::Notification done;
  JobOutcome outcome;
  auto handle = pool_->Submit(Compile("", 16 << 20), [&](JobOutcome o) {
    outcome = std::move(o);
    done.Notify();
  });
  ASSERT_TRUE(handle.ok());
  ASSERT_TRUE(Await([&] { return pool_->load().busy != 0; }));
  absl::SleepFor(absl::Milliseconds(100));
  const absl::Time start = absl::Now();
  pool_.reset();
  EXPECT_LT(absl::Now() - start, absl::Seconds(20));
  ASSERT_TRUE(done.HasBeenNotified());
  EXPECT_EQ(outcome.status, TargetResult::CANCELLED);
}

TEST_F(HostileTest, AnUnfinishedFrameIsHeldToTheTimeOfAJob) {
  PoolOptions options = Options();
  options.limits.wall_time = absl::Seconds(1);
  Start(std::move(options));
  EXPECT_EQ(Do(Compile("announce_much")).cause, "wall_time_limit");
  EXPECT_TRUE(IsRight(Do(Compile(""))));
}

// Covers the layers that every kernel has.
TEST_F(HostileTest, AWorkerWithoutFilterOrLimitsIsNotUsed) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "workers of sanitised builds have none of them";
#endif
  for (const auto& [bytes, what] :
       {std::pair(1, "seccomp"), {2, "--job-memory=0"}, {3, "resources"}}) {
    PoolOptions options = Options();
    options.limits.address_space_bytes = static_cast<uint64_t>(bytes);
    auto pool = Pool::Start(std::move(options));
    EXPECT_TRUE(absl::IsFailedPrecondition(pool.status())) << pool.status();
    EXPECT_NE(pool.status().message().find(what), std::string::npos) << pool.status();
  }
}

// Not by what its last job left on the board.
TEST_F(HostileTest, TheEndOfAnIdleWorkerIsDescribedByItself) {
  PoolOptions options = Options();
  options.ping_after = absl::InfiniteDuration();
  Start(std::move(options));
  EXPECT_TRUE(IsRight(Do(Compile("soil_board"))));
  absl::SleepFor(absl::Seconds(1));
  EXPECT_TRUE(IsRight(Do(Compile(""))));
  EXPECT_EQ(Exits("oom"), 0);
  EXPECT_EQ(Exits("exited"), 1);
}

}  // namespace
}  // namespace kiln::worker
