// Tests the pool with real worker processes and the compiler double: results, every way to die,
// limits, cancellation, recycling.
#include "server/worker/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "core/base/testing/await.h"
#include "server/worker/testing/fake_backend.h"

namespace kiln::worker {
namespace {

using kiln::v1::TargetResult;

class PoolTest : public testing::Test {
 protected:
  PoolOptions Options() {
    PoolOptions options;
    options.executable = "server/worker/testing/fake_worker";
    options.workers = 1;
    options.limits.fault_injection = true;
    options.limits.wall_time = absl::Seconds(30);
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
  static Job Compile(uint32_t seed, const std::vector<std::string>& targets = {"tgl"}) {
    Job job;
    job.mutable_compile()->set_spirv(FakeModule(seed));
    for (auto& t : targets) job.mutable_compile()->add_targets(t);
    return job;
  }
  static Job Faulty(Fault::Kind kind, const std::string& pass = "", uint32_t milliseconds = 0) {
    Job job = Compile(1);
    job.mutable_fault()->set_kind(kind);
    job.mutable_fault()->set_pass(pass);
    job.mutable_fault()->set_milliseconds(milliseconds);
    return job;
  }
  JobOutcome Do(Job job) {
    absl::Notification done;
    JobOutcome outcome;
    auto handle = pool_->Submit(std::move(job), [&](const JobOutcome& o) {
      outcome = std::move(o);
      done.Notify();
    });
    EXPECT_TRUE(handle.ok()) << handle.status();
    EXPECT_TRUE(done.WaitForNotificationWithTimeout(absl::Seconds(60)));
    return outcome;
  }
  void ExpectHealthy() {
    JobOutcome outcome = Do(Compile(99));
    EXPECT_EQ(outcome.status, TargetResult::OK) << outcome.message;
    ASSERT_EQ(outcome.results.size(), 1u);
    ASSERT_TRUE(outcome.results[0].has_value());
    EXPECT_EQ(outcome.results[0]->status(), TargetResult::OK);
  }
  bool AwaitBusy(int busy = 1) {
    return Await([&] { return pool_->load().busy == busy; });
  }
  int Exits(const std::string& reason) {
    absl::MutexLock lock(&mutex_);
    return exits_[reason];
  }

  // Returns the live worker processes, as the kernel lists them.
  static std::vector<pid_t> Workers() {
    std::vector<pid_t> pids;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream children(thread.path() / "children");
      for (pid_t pid; children >> pid;) pids.push_back(pid);
    }
    return pids;
  }
  // Returns true once the child runs its own program: until then it is a copy of this one, which
  // waits.
  static bool HasBegunToRun(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
    std::string name;
    return std::getline(file, name, '\0') && name == "kiln_worker";
  }
  void Stop(size_t workers) {
    const std::vector<pid_t> pids = Workers();
    ASSERT_GE(pids.size(), workers);
    for (size_t i = 0; i < workers; ++i) kill(pids[i], SIGSTOP);
  }

  absl::Mutex mutex_;
  std::map<std::string, int> exits_;
  std::unique_ptr<Pool> pool_;
};

TEST_F(PoolTest, CompilesForAllTargetsAndReportsPasses) {
  Start(Options());
  JobOutcome outcome = Do(Compile(5, {"tgl", "skl"}));
  EXPECT_EQ(outcome.status, TargetResult::OK);
  ASSERT_EQ(outcome.results.size(), 2u);
  EXPECT_EQ(outcome.results[0]->target(), "tgl");
  EXPECT_EQ(outcome.results[1]->target(), "skl");
  EXPECT_NE(outcome.results[0]->variants(0).code(), outcome.results[1]->variants(0).code());
  EXPECT_EQ(outcome.results[0]->passes_size(), 5);
  ASSERT_EQ(outcome.passes.size(), 7u);
  EXPECT_EQ(outcome.passes[0].pass, "read_request");
  EXPECT_EQ(outcome.passes[2].pass, "fake_fold");
  EXPECT_EQ(outcome.passes[2].target, -1);
  EXPECT_TRUE(outcome.passes[2].changed);
  EXPECT_EQ(outcome.passes[6].target, 1);
}

// A worker's time around a job is reported with its next one, and not in results.
TEST_F(PoolTest, TimeAroundAJobHasNames) {
  Start(Options());
  Do(Compile(1));
  JobOutcome second = Do(Compile(2));
  std::vector<std::string> first_rows;
  for (size_t i = 0; i < 4 && i < second.passes.size(); ++i) {
    first_rows.push_back(second.passes[i].pass);
  }
  EXPECT_EQ(first_rows, (std::vector<std::string>{"receive_request", "send_result", "release_job",
                                                  "read_request"}));
  EXPECT_EQ(second.results[0]->passes(0).pass(), "read_request");
  EXPECT_EQ(second.results[0]->passes_size(), 5);
}

TEST_F(PoolTest, ProcessorTimeIsKnownBeyondAWorkersEnd) {
  PoolOptions options = Options();
  options.limits.wall_time = absl::Seconds(1);
  Start(std::move(options));
  const Pool::Load fresh = pool_->load();
  EXPECT_GT(fresh.start_cpu, absl::ZeroDuration());
  EXPECT_LT(fresh.start_cpu, absl::Minutes(1));
  EXPECT_EQ(Do(Faulty(Fault::SPIN)).status, TargetResult::TIMED_OUT);
  // The callback comes before the next worker exists, so that no time is missed.
  const Pool::Load spent = pool_->load();
  EXPECT_GT(spent.jobs_cpu, fresh.jobs_cpu + absl::Milliseconds(1));
  ExpectHealthy();
  const Pool::Load after = pool_->load();
  EXPECT_GE(after.jobs_cpu, spent.jobs_cpu);
  EXPECT_GT(after.start_cpu, fresh.start_cpu) << "of two workers";
}

TEST_F(PoolTest, TranslatesGlsl) {
  Start(Options());
  Job job;
  job.mutable_translate()->mutable_glsl()->set_text("void main() {}");
  JobOutcome outcome = Do(job);
  ASSERT_TRUE(outcome.translation.has_value());
  EXPECT_EQ(outcome.translation->status(), TargetResult::OK);
  EXPECT_FALSE(outcome.translation->spirv().empty());
}

TEST_F(PoolTest, HelloSaysWhatTheSandboxIs) {
  Start(Options());
  EXPECT_EQ(pool_->hello().targets_size(), 2);
  EXPECT_TRUE(pool_->hello().sandbox().parent_death_signal());
  EXPECT_TRUE(pool_->hello().sandbox().no_new_privileges());
}

struct Death {
  Fault::Kind kind;
  TargetResult::Status status;
  const char* cause;
  const char* reason;
};

class PoolDeathsTest : public PoolTest, public testing::WithParamInterface<Death> {};

TEST_P(PoolDeathsTest, IsThatJobsOutcomeWithItsLastPass) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  if (GetParam().kind == Fault::ALLOCATE || GetParam().kind == Fault::SYSCALL ||
      GetParam().kind == Fault::RECURSE || GetParam().kind == Fault::HANG_IN_ALLOCATOR) {
    GTEST_SKIP() << "sanitisers do not fit into the limits";
  }
#endif
  PoolOptions options = Options();
  // Short only if this limit is what ends the job: filling memory takes its time on a busy machine.
  bool timeout = GetParam().status == TargetResult::TIMED_OUT;
  options.limits.wall_time = timeout ? absl::Seconds(2) : absl::Seconds(60);
  options.limits.address_space_bytes = uint64_t{512} << 20;
  Start(std::move(options));
  JobOutcome outcome = Do(Faulty(GetParam().kind, "fake_select"));
  EXPECT_EQ(outcome.status, GetParam().status);
  EXPECT_EQ(outcome.cause, GetParam().cause);
  EXPECT_FALSE(outcome.message.empty());
  EXPECT_EQ(outcome.last_pass, "fake_select");
  EXPECT_EQ(outcome.blamed_target, 0);
  // Passes that ended before the death are counted all the same.
  ASSERT_EQ(outcome.passes.size(), 3u);
  EXPECT_EQ(outcome.passes[1].pass, "fake_import");
  EXPECT_EQ(Exits(GetParam().reason), 1);
  // A job that hangs without working looks like one on a starved machine, so it is not blamed.
  const bool idle = GetParam().kind == Fault::HANG || GetParam().kind == Fault::HANG_IN_ALLOCATOR;
  if (GetParam().kind != Fault::SPIN) {
    EXPECT_EQ(outcome.blames_job, !idle);
  }
  ExpectHealthy();
}

TEST(DescribeTimeoutTest, BlamesWhatHadTheProcessorForHalfOfTheTime) {
  EXPECT_TRUE(DescribeTimeout(absl::Seconds(60), absl::Seconds(30)).blames_job);
  EXPECT_FALSE(DescribeTimeout(absl::Seconds(60), absl::Seconds(29)).blames_job);
  EXPECT_FALSE(DescribeTimeout(absl::Seconds(60), absl::ZeroDuration()).blames_job);
}

// Counted from the job's beginning: earlier work of the worker does not count.
TEST_F(PoolTest, ATimeoutSaysWhatItHadOfTheProcessor) {
  PoolOptions options = Options();
  options.limits.wall_time = absl::Seconds(2);
  Start(std::move(options));
  const JobOutcome spun = Do(Faulty(Fault::SPIN));
  EXPECT_EQ(spun.message.find(" 0 of CPU time"), std::string::npos) << spun.message;
  const JobOutcome hung = Do(Faulty(Fault::HANG));
  EXPECT_EQ(hung.cause, "wall_time_limit");
  EXPECT_FALSE(hung.blames_job) << hung.message;
}

TEST_F(PoolTest, AJobKilledFromOutsideIsNotToBlame) {
  Start(Options());
  for (const int signal : {SIGKILL, SIGTERM}) {
    absl::Notification done;
    JobOutcome outcome;
    auto handle = pool_->Submit(Faulty(Fault::HANG, "fake_select"), [&](const JobOutcome& o) {
      outcome = std::move(o);
      done.Notify();
    });
    ASSERT_TRUE(handle.ok());
    ASSERT_TRUE(AwaitBusy());
    absl::SleepFor(absl::Milliseconds(200));
    for (pid_t pid : Workers()) kill(pid, signal);
    ASSERT_TRUE(done.WaitForNotificationWithTimeout(absl::Seconds(20)));
    EXPECT_EQ(outcome.last_pass, "fake_select") << signal;
    EXPECT_FALSE(outcome.blames_job) << signal;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PoolDeathsTest,
    testing::Values(
        Death{Fault::CRASH, TargetResult::CRASHED, "segmentation_fault", "segv"},
        Death{Fault::ABORT, TargetResult::CRASHED, "assertion", "abort"},
        Death{Fault::EXIT, TargetResult::CRASHED, "worker_exited", "exited"},
        Death{Fault::RECURSE, TargetResult::CRASHED, "stack_overflow", "segv"},
        Death{Fault::HANG, TargetResult::TIMED_OUT, "wall_time_limit", "timeout"},
        Death{Fault::HANG_IN_ALLOCATOR, TargetResult::TIMED_OUT, "wall_time_limit", "timeout"},
        Death{Fault::GARBAGE, TargetResult::CRASHED, "worker_protocol", "killed"},
        Death{Fault::SPIN, TargetResult::TIMED_OUT, "wall_time_limit", "timeout"},
        Death{Fault::ALLOCATE, TargetResult::MEMORY_LIMIT, "memory_limit", "oom"},
        Death{Fault::SYSCALL, TargetResult::CRASHED, "forbidden_system_call", "seccomp"}),
    [](const testing::TestParamInfo<Death>& info) { return Fault::Kind_Name(info.param.kind); });

TEST_F(PoolTest, CpuTimeIsLimitedPerJob) {
  PoolOptions options = Options();
  options.limits.cpu_time = absl::Milliseconds(300);
  Start(std::move(options));
  JobOutcome outcome = Do(Faulty(Fault::SPIN));
  EXPECT_EQ(outcome.status, TargetResult::TIMED_OUT);
  EXPECT_EQ(outcome.cause, "cpu_time_limit");
  EXPECT_TRUE(outcome.blames_job);
  EXPECT_EQ(outcome.last_pass, "fake_import");
  EXPECT_EQ(outcome.blamed_target, -1);
}

TEST_F(PoolTest, ATargetFinishedBeforeTheDeathIsDelivered) {
  Start(Options());
  Job job = Compile(3, {"tgl", "skl"});
  // A fault whose pass never comes happens at the end of the last target.
  job.mutable_fault()->set_kind(Fault::CRASH);
  job.mutable_fault()->set_pass("never");
  JobOutcome outcome = Do(job);
  EXPECT_EQ(outcome.status, TargetResult::CRASHED);
  EXPECT_EQ(outcome.blamed_target, 1);
  ASSERT_TRUE(outcome.results[0].has_value());
  EXPECT_EQ(outcome.results[0]->status(), TargetResult::OK);
  EXPECT_FALSE(outcome.results[1].has_value());
}

TEST_F(PoolTest, FaultsAreIgnoredUnlessEnabled) {
  PoolOptions options = Options();
  options.limits.fault_injection = false;
  Start(std::move(options));
  EXPECT_EQ(Do(Faulty(Fault::CRASH)).status, TargetResult::OK);
}

TEST_F(PoolTest, CancellationStopsAPoliteWorkerWithoutKillingIt) {
  PoolOptions options = Options();
  options.cancel_grace = absl::Seconds(20);
  Start(std::move(options));
  absl::Notification done;
  JobOutcome outcome;
  auto handle = pool_->Submit(Faulty(Fault::SLOW, "", 20'000), [&](const JobOutcome& o) {
    outcome = std::move(o);
    done.Notify();
  });
  ASSERT_TRUE(handle.ok());
  ASSERT_TRUE(AwaitBusy());
  pool_->Cancel(*handle);
  ASSERT_TRUE(done.WaitForNotificationWithTimeout(absl::Seconds(10)));
  ASSERT_TRUE(outcome.results[0].has_value());
  EXPECT_EQ(outcome.results[0]->status(), TargetResult::CANCELLED);
  ExpectHealthy();
  EXPECT_EQ(Exits("cancelled"), 0);
}

TEST_F(PoolTest, CancellationKillsADeafWorker) {
  Start(Options());
  absl::Notification done;
  JobOutcome outcome;
  auto handle = pool_->Submit(Faulty(Fault::HANG), [&](const JobOutcome& o) {
    outcome = std::move(o);
    done.Notify();
  });
  ASSERT_TRUE(handle.ok());
  ASSERT_TRUE(AwaitBusy());
  pool_->Cancel(*handle);
  ASSERT_TRUE(done.WaitForNotificationWithTimeout(absl::Seconds(10)));
  EXPECT_EQ(outcome.status, TargetResult::CANCELLED);
  EXPECT_EQ(Exits("cancelled"), 1);
  ExpectHealthy();
}

TEST_F(PoolTest, TheQueueIsBoundedAndCancelsWhatWaits) {
  PoolOptions options = Options();
  options.queue_limit = 2;
  Start(std::move(options));
  std::atomic<int> cancelled = 0;
  auto count = [&](const JobOutcome& o) {
    cancelled += o.status == TargetResult::CANCELLED ? 1 : 0;
  };
  auto running = pool_->Submit(Faulty(Fault::HANG), count);
  ASSERT_TRUE(running.ok());
  ASSERT_TRUE(AwaitBusy());
  auto second = pool_->Submit(Compile(2), count);
  ASSERT_TRUE(second.ok());
  ASSERT_TRUE(pool_->Submit(Compile(3), count).ok());
  EXPECT_TRUE(absl::IsUnavailable(pool_->Submit(Compile(4), count).status()));
  pool_->Cancel(*second);
  EXPECT_EQ(cancelled, 1);
  EXPECT_EQ(pool_->load().queued, 1u);
  pool_.reset();  // cancels the rest, including the unresponsive worker
  EXPECT_EQ(cancelled, 3);
}

TEST_F(PoolTest, InAFullQueueTheLastJobOfWhomMostWaitsGivesWay) {
  PoolOptions options = Options();
  options.queue_limit = 3;
  Start(std::move(options));
  const Owner many{"192.0.2.1", "1"}, few{"192.0.2.2", "2"};
  absl::Mutex mutex;
  std::string displaced;
  const auto submit = [&](const Owner& owner, const std::string& name, Pool::Handle* gives_way) {
    return pool_->Submit(
        Compile(2),
        [&, owner, name](const JobOutcome& o) {
          absl::MutexLock lock(&mutex);
          if (!o.displaced) return;
          displaced += name;
          EXPECT_EQ(o.owner, owner);
        },
        owner, gives_way);
  };
  ASSERT_TRUE(pool_
                  ->Submit(
                      Faulty(Fault::HANG), [](const JobOutcome&) {}, many)
                  .ok());
  ASSERT_TRUE(AwaitBusy());
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(submit(many, name, nullptr).ok());
  Pool::Handle gives_way;
  EXPECT_TRUE(absl::IsUnavailable(submit(few, "no", nullptr).status())) << "none is to give way";
  EXPECT_TRUE(absl::IsUnavailable(submit(many, "no", &gives_way).status())) << "it has most";
  EXPECT_EQ(gives_way, nullptr);
  ASSERT_TRUE(submit(few, "d", &gives_way).ok());
  ASSERT_NE(gives_way, nullptr);
  pool_->EndDisplaced(gives_way);
  EXPECT_EQ(displaced, "c");
  gives_way.reset();
  EXPECT_TRUE(absl::IsUnavailable(submit(few, "no", &gives_way).status())) << "both would have two";
  EXPECT_EQ(gives_way, nullptr);
  EXPECT_EQ(pool_->load().displaced, 1u);
  EXPECT_EQ(pool_->load().queued, 3u);
  pool_.reset();
  EXPECT_EQ(displaced, "c") << "what is cancelled is not displaced";
}

TEST_F(PoolTest, AQueueHasRoomBelowThreeQuarters) {
  PoolOptions options = Options();
  options.queue_limit = 4;
  Start(std::move(options));
  ASSERT_TRUE(pool_->Submit(Faulty(Fault::HANG), [](const JobOutcome&) {}).ok());
  ASSERT_TRUE(AwaitBusy());
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(pool_->HasRoom()) << i;
    ASSERT_TRUE(pool_->Submit(Compile(2), [](const JobOutcome&) {}).ok());
  }
  EXPECT_FALSE(pool_->HasRoom());
}

TEST_F(PoolTest, ASpareWorkerDoesShortJobsOfOthersWhileAllAreBusy) {
  PoolOptions options = Options();
  options.spare_workers = 1;
  Start(std::move(options));
  const Owner bulk{"192.0.2.1", "1"}, other{"192.0.2.2", "2"};
  const auto ignore = [](const JobOutcome&) {};
  ASSERT_TRUE(pool_->Submit(Faulty(Fault::HANG), ignore, bulk).ok());
  ASSERT_TRUE(AwaitBusy());
  ASSERT_TRUE(pool_->Submit(Compile(2), ignore, bulk).ok());
  for (uint32_t i = 0; i < 3; ++i) {
    absl::Notification done;
    ASSERT_TRUE(pool_
                    ->Submit(
                        Compile(3 + i), [&](const JobOutcome&) { done.Notify(); }, other)
                    .ok());
    ASSERT_TRUE(done.WaitForNotificationWithTimeout(absl::Seconds(60)));
  }
  EXPECT_EQ(pool_->load().express, 3u);
  EXPECT_EQ(pool_->load().queued, 1u) << "the spare worker is nothing for who has one";
  EXPECT_EQ(pool_->load().busy, 1);
}

TEST_F(PoolTest, OneOwnerDoesNotGetTheSpareWorkerForASecondJob) {
  PoolOptions options = Options();
  options.spare_workers = 2;
  Start(std::move(options));
  const auto ignore = [](const JobOutcome&) {};
  for (const char* address : {"192.0.2.1", "192.0.2.2"}) {
    ASSERT_TRUE(pool_->Submit(Faulty(Fault::HANG), ignore, {address, "1"}).ok());
    ASSERT_TRUE(pool_->Submit(Compile(2), ignore, {address, "1"}).ok());
  }
  ASSERT_TRUE(Await([&] { return pool_->load().busy == 2; }));
  absl::Notification done;
  ASSERT_TRUE(
      pool_->Submit(Compile(3), [&](const JobOutcome&) { done.Notify(); }, {"192.0.2.3", "1"})
          .ok());
  ASSERT_TRUE(done.WaitForNotificationWithTimeout(absl::Seconds(60)));
  EXPECT_EQ(pool_->load().queued, 2u);
  EXPECT_EQ(pool_->load().express, 2u);
}

// Outcomes of jobs that wait.
struct Late {
  absl::Notification done;
  JobOutcome outcome;
  int calls = 0;
  Pool::Done Callback() {
    return [this](const JobOutcome& o) {
      ++calls;
      outcome = std::move(o);
      done.Notify();
    };
  }
  bool Await(absl::Duration time) { return done.WaitForNotificationWithTimeout(time); }
};

class PoolSharesTest : public PoolTest {
 protected:
  static Owner Of(const std::string& group) { return {group, "1"}; }
  Pool::Handle Submit(Job job, Late* late, const std::string& owner,
                      Pool::Handle* displaced = nullptr) {
    auto handle = pool_->Submit(std::make_shared<const Job>(std::move(job)), late->Callback(),
                                Of(owner), displaced);
    EXPECT_TRUE(handle.ok()) << handle.status();
    return handle.ok() ? *handle : nullptr;
  }
};

TEST_F(PoolSharesTest, AnExpressJobThatTurnsOutLongGivesWay) {
  PoolOptions options = Options();
  options.spare_workers = 1;
  Start(std::move(options));
  Late bulk, slow, quick;
  const Pool::Handle running = Submit(Faulty(Fault::SLOW, "", 60'000), &bulk, "bulk");
  ASSERT_TRUE(AwaitBusy(1));
  Submit(Faulty(Fault::SLOW, "", 3'000), &slow, "slow");
  ASSERT_TRUE(AwaitBusy(2));
  Submit(Compile(2), &quick, "quick");
  EXPECT_TRUE(quick.Await(absl::Seconds(20)));
  EXPECT_FALSE(slow.done.HasBeenNotified());
  EXPECT_EQ(Exits("preempted"), 1);
  absl::SleepFor(absl::Milliseconds(500));
  EXPECT_EQ(pool_->load().queued, 1u) << "it is no express job again";
  pool_->Cancel(running);
  EXPECT_TRUE(slow.Await(absl::Seconds(30)));
  EXPECT_EQ(slow.outcome.status, TargetResult::OK) << slow.outcome.message;
  EXPECT_EQ(slow.outcome.results[0]->status(), TargetResult::OK);
  EXPECT_EQ(Exits("preempted"), 1);
}

// A worker is free for it all the time, but no event says when.
TEST_F(PoolSharesTest, AJobThatBecomesExpressWithTimeAloneIsBegun) {
  PoolOptions options = Options();
  options.workers = 2;
  options.spare_workers = 1;
  options.limits.cpu_time = absl::Seconds(2);
  Start(std::move(options));
  Late keeps, debt, bulk[2], quick;
  Submit(Faulty(Fault::SLOW, "", 25'000), &keeps, "keeps the others' debts");
  ASSERT_TRUE(AwaitBusy(1));
  Submit(Faulty(Fault::SPIN), &debt, "quick");  // 2 s of processor time
  ASSERT_TRUE(debt.Await(absl::Seconds(25)));
  Submit(Faulty(Fault::SLOW, "", 25'000), &bulk[0], "bulk");
  ASSERT_TRUE(AwaitBusy(2));
  ASSERT_TRUE(Await([&] { return pool_->load().workers >= 3; }));
  absl::SleepFor(absl::Milliseconds(100));  // until the idle one waits
  Submit(Compile(3), &bulk[1], "bulk");
  Job translate;
  translate.mutable_translate()->mutable_glsl()->set_text("void main() {}");
  Submit(std::move(translate), &quick, "quick");
  EXPECT_TRUE(quick.Await(absl::Seconds(10)));
  pool_.reset();
}

TEST_F(PoolSharesTest, AJobThatOnlySleepsIsNotHadForNothing) {
  PoolOptions options = Options();
  options.limits.wall_time = absl::Seconds(1);
  Start(std::move(options));
  Late sleeps, works;
  Submit(Faulty(Fault::HANG), &sleeps, "sleeps");
  ASSERT_TRUE(sleeps.Await(absl::Seconds(20)));
  Submit(Faulty(Fault::SPIN), &works, "works");
  ASSERT_TRUE(works.Await(absl::Seconds(20)));
  EXPECT_LT(pool_->load().busiest_share, 0.9);
}

TEST_F(PoolSharesTest, AJobThatIsCancelledWhileItGivesWayIsToldOnce) {
  PoolOptions options = Options();
  options.queue_limit = 2;
  Start(std::move(options));
  Late running, bulk[2], other;
  Submit(Faulty(Fault::SLOW, "", 60'000), &running, "bulk");
  ASSERT_TRUE(AwaitBusy(1));
  const Pool::Handle first = Submit(Compile(2), &bulk[0], "bulk");
  const Pool::Handle last = Submit(Compile(2), &bulk[1], "bulk");
  Pool::Handle displaced;
  Submit(Compile(3), &other, "other", &displaced);
  ASSERT_EQ(displaced, last);
  pool_->Adopt(last, {Of("third")});
  pool_->Cancel(last);
  EXPECT_EQ(bulk[1].calls, 1);
  EXPECT_FALSE(bulk[1].outcome.displaced);
  pool_->EndDisplaced(displaced);
  EXPECT_EQ(bulk[1].calls, 1);
  EXPECT_EQ(pool_->load().queued, 2u);
  pool_->Cancel(first);
  EXPECT_EQ(pool_->load().queued, 1u);
  pool_.reset();
}

TEST_F(PoolSharesTest, AJobIsTheJobOfTheOwnerThatIsServedFirst) {
  Start(Options());
  Late running, bulk[20];
  const Pool::Handle first = Submit(Faulty(Fault::SLOW, "", 60'000), &running, "bulk");
  ASSERT_TRUE(AwaitBusy(1));
  Pool::Handle last;
  for (Late& late : bulk) last = Submit(Faulty(Fault::SLOW, "", 200), &late, "bulk");
  pool_->Adopt(last, {Of("bulk"), Of("other")});
  EXPECT_EQ(pool_->load().owners, 2u);
  pool_->Cancel(first);
  EXPECT_TRUE(bulk[19].Await(absl::Seconds(30)));
  EXPECT_LE(bulk[2].calls, 0) << "it was the next";
  pool_.reset();
}

TEST_F(PoolTest, WorkersAreRecycled) {
  PoolOptions options = Options();
  options.jobs_per_worker = 2;
  Start(std::move(options));
  for (int i = 0; i < 5; ++i) ExpectHealthy();
  EXPECT_EQ(Exits("recycle"), 2);
}

// ru_maxrss of a worker begins with the peak of the process that spawned it.
TEST_F(PoolTest, WorkersAreRecycledByTheirOwnMemoryAndNotTheirParents) {
  std::vector<char> parent(256 << 20, 1);
  PoolOptions options = Options();
  options.resident_bytes_per_worker = 128 << 20;
  Start(std::move(options));
  for (int i = 0; i < 3; ++i) ExpectHealthy();
  EXPECT_EQ(Exits("recycle"), 0);
  EXPECT_EQ(parent[parent.size() / 2], 1);
}

TEST_F(PoolTest, AWorkerAboveItsMemoryIsRecycled) {
  PoolOptions options = Options();
  options.resident_bytes_per_worker = 4096;
  Start(std::move(options));
  for (int i = 0; i < 3; ++i) ExpectHealthy();
  EXPECT_GE(Exits("recycle"), 2);
}

TEST_F(PoolTest, TheLoadSaysWhatWorkersHoldOfMemory) {
  PoolOptions options = Options();
  options.workers = 2;
  Start(std::move(options));
  const Pool::Load load = pool_->load();
  EXPECT_GT(load.largest_resident_bytes, 256 << 10);
  EXPECT_GT(load.resident_bytes, load.largest_resident_bytes);
  EXPECT_LE(load.resident_bytes, 2 * load.largest_resident_bytes);
}

// Reading a job used to be paid from what the job before it had left: next to nothing here.
TEST_F(PoolTest, AJobIsReadWithinItsOwnProcessorTime) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "reading takes a multiple of the time";
#endif
  PoolOptions options = Options();
  options.limits.cpu_time = absl::Seconds(2);
  Start(std::move(options));
  ASSERT_EQ(Do(Faulty(Fault::SPIN, "fake_select", 1960)).status, TargetResult::OK);
  Job large = Compile(1);
  large.mutable_compile()->set_spirv(std::string(100 << 20, 's'));  // no module: judged at once
  const JobOutcome outcome = Do(std::move(large));
  EXPECT_EQ(outcome.status, TargetResult::OK) << outcome.message << " in " << outcome.last_pass;
  ASSERT_TRUE(outcome.results[0].has_value());
  EXPECT_EQ(outcome.results[0]->cause(), "invalid_module");
  EXPECT_EQ(Exits("timeout"), 0);
}

TEST_F(PoolTest, AStoppedIdleWorkerIsReplacedAndItsJobDone) {
  PoolOptions options = Options();
  options.workers = 2;
  options.ping_after = absl::ZeroDuration();
  options.ping_timeout = absl::Milliseconds(200);
  Start(std::move(options));
  Stop(2);
  ExpectHealthy();
  ExpectHealthy();
  EXPECT_GE(Exits("unresponsive"), 1);
}

// Such a worker has just sent something and is not pinged; it took 10 seconds before its job went
// to another.
TEST_F(PoolTest, AWorkerThatIsStoppedRightAfterItsJobIsReplacedAsSoon) {
  PoolOptions options = Options();
  options.ping_after = absl::Hours(1);
  options.ping_timeout = absl::Milliseconds(300);
  options.limits.begin_time = absl::Minutes(10);
  Start(std::move(options));
  ExpectHealthy();
  Stop(1);
  ExpectHealthy();
  EXPECT_EQ(Exits("unresponsive"), 1);
}

// Such a worker has sent nothing yet, and used to get all the time that a slow start may take.
TEST_F(PoolTest, AWorkerThatIsStoppedWhileItStartsIsReplacedAsSoon) {
  PoolOptions options = Options();
  options.ping_timeout = absl::Minutes(10);
  options.stopped_timeout = absl::Milliseconds(300);
  options.start_timeout = absl::Minutes(10);
  options.limits.begin_time = absl::Minutes(10);
  Start(std::move(options));
  std::vector<pid_t> before = Workers();
  ASSERT_EQ(before.size(), 1u);
  std::atomic<pid_t> old = before[0];
  std::atomic<bool> starts = false, stopped = false, over = false;
  std::thread stopper([&] {
    while (!stopped && !over) {
      for (const pid_t pid : Workers()) {
        if (starts && pid != old && !stopped && HasBegunToRun(pid))
          stopped = kill(pid, SIGSTOP) == 0;
      }
    }
  });
  // On a busy machine a worker may have started before it is seen: then the next one is tried.
  for (int tries = 0; !stopped && tries < 20; ++tries) {
    starts = true;
    kill(old, SIGKILL);
    ExpectHealthy();
    starts = false;
    before = Workers();
    if (!stopped && before.size() == 1) old = before[0];
  }
  over = true;
  stopper.join();
  EXPECT_TRUE(stopped);
  ExpectHealthy();
}

// After one worker that did not begin, a second gets more time, unless it is stopped.
TEST_F(PoolTest, AJobThatMeetsTwoStoppedWorkersGoesToAThird) {
  PoolOptions options = Options();
  options.workers = 2;
  options.ping_after = absl::Hours(1);
  options.ping_timeout = absl::Minutes(10);
  options.stopped_timeout = absl::Milliseconds(300);
  options.limits.begin_time = options.limits.wall_time = absl::Minutes(10);
  Start(std::move(options));
  Stop(2);
  ExpectHealthy();
  EXPECT_GE(Exits("unresponsive"), 1);
}

TEST_F(PoolTest, TheJobOfAStoppedIdleWorkerGoesToAnother) {
  PoolOptions options = Options();
  options.workers = 2;
  options.ping_after = absl::ZeroDuration();
  options.ping_timeout = absl::Seconds(600);  // the stopped one is never replaced meanwhile
  options.stopped_timeout = absl::Seconds(600);
  Start(std::move(options));
  Stop(1);
  // While one job is slow, the other can only go to the stopped worker first.
  absl::Notification slow, quick;
  auto first = pool_->Submit(Faulty(Fault::SLOW, "", 500), [&](const JobOutcome& o) {
    EXPECT_EQ(o.status, TargetResult::OK);
    slow.Notify();
  });
  auto second = pool_->Submit(Compile(2), [&](const JobOutcome& o) {
    EXPECT_EQ(o.status, TargetResult::OK);
    quick.Notify();
  });
  EXPECT_TRUE(slow.WaitForNotificationWithTimeout(absl::Seconds(20)));
  EXPECT_TRUE(quick.WaitForNotificationWithTimeout(absl::Seconds(20)));
  for (pid_t pid : Workers()) kill(pid, SIGCONT);
  ExpectHealthy();
  EXPECT_EQ(Exits("unresponsive"), 0);
}

TEST_F(PoolTest, ADistrustedWorkerIsEndedAndItsJobDoneByAnother) {
  PoolOptions options = Options();
  options.cancel_grace = absl::Seconds(600);
  Start(std::move(options));
  JobOutcome first = Do(Compile(1));
  EXPECT_NE(first.worker, 0u);
  EXPECT_EQ(Workers(), std::vector<pid_t>{first.worker_pid});
  absl::Notification done;
  JobOutcome outcome;
  ASSERT_TRUE(pool_
                  ->Submit(Faulty(Fault::SLOW, "", 1000),
                           [&](const JobOutcome& o) {
                             outcome = std::move(o);
                             done.Notify();
                           })
                  .ok());
  ASSERT_TRUE(AwaitBusy());
  pool_->Distrust(first.worker);
  ASSERT_TRUE(done.WaitForNotificationWithTimeout(absl::Seconds(60)));
  EXPECT_EQ(outcome.status, TargetResult::OK) << outcome.message;
  EXPECT_NE(outcome.worker, first.worker);
  EXPECT_NE(outcome.worker_pid, first.worker_pid);
  EXPECT_EQ(Exits("distrusted"), 1);
  // Has no effect for a worker that is gone, or for none.
  pool_->Distrust(first.worker);
  pool_->Distrust(0);
  EXPECT_EQ(Do(Compile(2)).worker, outcome.worker);
}

TEST_F(PoolTest, ADistrustedWorkerIsEndedWhileItIsIdle) {
  Start(Options());
  const JobOutcome first = Do(Compile(1));
  pool_->Distrust(first.worker);
  ASSERT_TRUE(Await([&] { return Exits("distrusted") == 1; }));
  EXPECT_NE(Do(Compile(1)).worker_pid, first.worker_pid);
}

// Such a worker had no time to answer.
TEST_F(PoolTest, AWorkerThatIsPingedWhileThePoolStopsIsNotUnresponsive) {
  PoolOptions options = Options();
  options.ping_after = absl::ZeroDuration();
  options.ping_grace = options.ping_timeout = absl::Seconds(600);
  std::atomic<int> deaths = 0;
  options.on_idle_death = [&](const Exit&) { ++deaths; };
  options.stopped_timeout = absl::Seconds(600);
  Start(std::move(options));
  Stop(1);
  JobOutcome outcome;
  ASSERT_TRUE(pool_->Submit(Compile(1), [&](const JobOutcome& o) { outcome = std::move(o); }).ok());
  ASSERT_TRUE(AwaitBusy());
  pool_.reset();
  EXPECT_EQ(outcome.status, TargetResult::CANCELLED);
  EXPECT_EQ(deaths, 0);
  EXPECT_EQ(Exits("unresponsive"), 0);
}

// Between a job and the next there is no ping: the board tells if the job was begun.
TEST_F(PoolTest, AJobThatIsNotBegunGoesToAnother) {
  PoolOptions options = Options();
  options.ping_after = absl::InfiniteDuration();
  options.limits.begin_time = absl::Seconds(1);
  Start(std::move(options));
  ExpectHealthy();
  Stop(1);
  ExpectHealthy();
  EXPECT_GE(Exits("unresponsive"), 1);
  Stop(1);
  Job job;  // more than fits into a socket: sending it blocks
  job.mutable_compile()->set_spirv(FakeModule(1, 1 << 20));
  job.mutable_compile()->add_targets("tgl");
  EXPECT_EQ(Do(job).status, TargetResult::OK);
  EXPECT_GE(Exits("unresponsive"), 2);
}

// Such a job has no pass yet, and is to blame all the same.
TEST_F(PoolTest, AJobThatDoesNotFitIntoAWorkersMemoryIsJudged) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitisers do not fit into the limits";
#endif
  PoolOptions options = Options();
  options.limits.address_space_bytes = uint64_t{128} << 20;
  Start(std::move(options));
  Job job = Compile(1);
  job.mutable_compile()->set_spirv(std::string(120 << 20, 's'));
  const JobOutcome outcome = Do(job);
  EXPECT_EQ(outcome.status, TargetResult::MEMORY_LIMIT);
  EXPECT_EQ(outcome.cause, "memory_limit");
  EXPECT_EQ(outcome.last_pass, "read_job");
  EXPECT_TRUE(outcome.blames_job);
  EXPECT_EQ(Exits("oom"), 1);
  ExpectHealthy();
}

TEST_F(PoolTest, AJobThatFitsIntoNoFrameIsRefusedOnce) {
  Start(Options());
  Job job = Compile(1);
  job.mutable_compile()->set_spirv(std::string((256 << 20) + 1, 's'));
  const JobOutcome outcome = Do(std::move(job));
  EXPECT_EQ(outcome.cause, "job_too_large");
  EXPECT_FALSE(outcome.blames_job);
  ExpectHealthy();
}

TEST_F(PoolTest, AWorkerStoppedAtWorkTimesOut) {
  PoolOptions options = Options();
  options.limits.wall_time = absl::Seconds(2);
  Start(std::move(options));
  absl::Notification done;
  JobOutcome outcome;
  auto handle = pool_->Submit(Faulty(Fault::SLOW, "fake_select", 60'000), [&](const JobOutcome& o) {
    outcome = std::move(o);
    done.Notify();
  });
  absl::SleepFor(absl::Milliseconds(500));
  Stop(1);
  ASSERT_TRUE(done.WaitForNotificationWithTimeout(absl::Seconds(20)));
  EXPECT_EQ(outcome.status, TargetResult::TIMED_OUT);
  EXPECT_EQ(outcome.last_pass, "fake_select");
  ExpectHealthy();
}

TEST_F(PoolTest, AStoppedWorkerDoesNotKeepThePoolFromEnding) {
  PoolOptions options = Options();
  options.ping_after = absl::ZeroDuration();
  options.ping_timeout = absl::Seconds(600);
  options.stopped_timeout = absl::Seconds(600);
  Start(std::move(options));
  Stop(1);
  std::atomic<int> cancelled = 0;
  const auto handle = pool_->Submit(Compile(1), [&](const JobOutcome& o) {
    cancelled += o.status == TargetResult::CANCELLED ? 1 : 0;
  });
  ASSERT_TRUE(handle.ok());
  absl::SleepFor(absl::Milliseconds(100));  // so that it is usually handed back
  const absl::Time start = absl::Now();
  pool_.reset();
  EXPECT_EQ(cancelled, 1);
  EXPECT_LT(absl::Now() - start, absl::Seconds(30));
}

TEST_F(PoolTest, ABigModuleTravels) {
  Start(Options());
  Job job;
  job.mutable_compile()->set_spirv(FakeModule(1, 4 << 20));
  job.mutable_compile()->add_targets("tgl");
  JobOutcome outcome = Do(job);
  ASSERT_TRUE(outcome.results[0].has_value());
  EXPECT_GE(outcome.results[0]->variants(0).code().size(), size_t{16} << 20);
}

TEST(PoolStartTest, NamesAMissingExecutable) {
  PoolOptions options;
  options.executable = "/nonexistent/kiln_worker";
  auto pool = Pool::Start(std::move(options));
  EXPECT_TRUE(absl::IsNotFound(pool.status()));
  EXPECT_NE(pool.status().message().find("/nonexistent/kiln_worker"), std::string::npos);
}

TEST(PoolStartTest, AnExecutableThatIsNoWorkerIsAnErrorNotAHang) {
  PoolOptions options;
  options.executable = "/bin/true";
  auto pool = Pool::Start(std::move(options));
  EXPECT_TRUE(absl::IsUnavailable(pool.status())) << pool.status();
}

}  // namespace
}  // namespace kiln::worker
