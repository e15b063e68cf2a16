// Tests rechecks without the engine: which worker is believed, what is forgotten, bounds, the end.
#include "server/engine/recheck.h"

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <filesystem>
#include <memory>
#include <string>

#include "absl/synchronization/notification.h"
#include "core/base/testing/await.h"
#include "server/worker/testing/fake_backend.h"

namespace kiln::server {
namespace {

using kiln::v1::TargetResult;

class RecheckTest : public testing::Test {
 protected:
  void SetUp() override {
    auto pool = worker::Pool::Start(Workers());
    ASSERT_TRUE(pool.ok()) << pool.status();
    pool_ = *std::move(pool);
    metrics_ = std::make_unique<metrics::Metrics>(pool_->hello(), "test");
    Begin(Workers());
  }
  void TearDown() override {
    recheck_->Stop();
    pool_.reset();
  }
  static worker::PoolOptions Workers() {
    worker::PoolOptions options;
    options.executable = "server/worker/testing/fake_worker";
    options.workers = 1;
    options.limits.fault_injection = true;
    return options;
  }
  void Begin(const worker::PoolOptions& workers) {
    recheck_ = std::make_unique<Recheck>(Recheck::Options{1, workers, nullptr}, pool_.get(),
                                         &cache_, metrics_.get());
  }
  static worker::Job Compile(uint32_t seed, worker::Fault::Kind fault, int words = 16) {
    worker::Job job;
    job.mutable_compile()->set_spirv(worker::FakeModule(seed, words));
    job.mutable_compile()->add_targets("tgl");
    job.mutable_compile()->add_targets("skl");
    job.mutable_fault()->set_kind(fault);
    return job;
  }
  static cache::Digest Key(uint32_t seed, size_t target) {
    return {static_cast<uint8_t>(seed), static_cast<uint8_t>(target)};
  }
  // Has a worker do `job`, and stores its result as the engine does.
  Recheck::Answer Make(uint32_t seed, worker::Job job) {
    absl::Notification done;
    worker::JobOutcome outcome;
    EXPECT_TRUE(pool_
                    ->Submit(job,
                             [&](worker::JobOutcome o) {
                               outcome = std::move(o);
                               done.Notify();
                             })
                    .ok());
    EXPECT_TRUE(done.WaitForNotificationWithTimeout(absl::Seconds(60)));
    Recheck::Answer answer;
    answer.job = std::move(job);
    answer.worker = outcome.worker;
    answer.worker_pid = outcome.worker_pid;
    for (size_t i = 0; i < outcome.results.size(); ++i) {
      answer.keys.push_back(Key(seed, i));
      answer.fingerprints.push_back(Fingerprint(outcome.results[i].value()));
      recheck_->Add(outcome.worker, {Key(seed, i), false});
      EXPECT_TRUE(cache_.Store(Key(seed, i), outcome.results[i].value()).ok());
    }
    return answer;
  }
  bool IsCached(uint32_t seed, size_t target) {
    cache::Ready ready;
    return cache_.Find(Key(seed, target), cache::Outputs({}), true, &ready) ==
           cache::Lookup::kMemory;
  }
  bool Counted(const std::string& line) {
    const std::string text =
        prometheus::TextSerializer().Serialize(metrics_->registry()->Collect());
    return text.find(line + "\n") != std::string::npos;
  }
  // Number of rechecks that ended with `result`.
  int Ended(const std::string& result) {
    const std::string text =
        prometheus::TextSerializer().Serialize(metrics_->registry()->Collect());
    const std::string name = "kiln_rechecks_total{result=\"" + result + "\"} ";
    const size_t at = text.find(name);
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + name.size()));
  }
  int AllEnded() {
    return Ended("same") + Ended("different") + Ended("unfinished") + Ended("dropped");
  }
  // Checks `answer` so many times; returns how many of them then wait or are under way.
  int LeftOf(int many, const Recheck::Answer& answer) {
    const int before = AllEnded();
    for (int i = 0; i < many; ++i) recheck_->Check(answer);
    return many - (AllEnded() - before);
  }
  bool AwaitCounted(const std::string& line) {
    return Await([&] { return Counted(line); });
  }

  cache::ResultCache cache_{1 << 20, nullptr};
  std::unique_ptr<worker::Pool> pool_;
  std::unique_ptr<metrics::Metrics> metrics_;
  std::unique_ptr<Recheck> recheck_;
};

TEST_F(RecheckTest, AnHonestWorkerStays) {
  for (uint32_t seed = 0; seed < 5; ++seed) {
    recheck_->Check(Make(seed, Compile(seed, worker::Fault::NONE)));
  }
  ASSERT_TRUE(AwaitCounted("kiln_rechecks_total{result=\"same\"} 5"));
  EXPECT_TRUE(Counted("kiln_rechecks_total{result=\"different\"} 0"));
  EXPECT_TRUE(IsCached(0, 1));
}

TEST_F(RecheckTest, OnlyALiarsResultsAreForgotten) {
  const auto before = Make(1, Compile(1, worker::Fault::NONE));
  pool_->Distrust(before.worker);  // the other worker makes the rest: it is to be the liar
  Recheck::Answer first;
  ASSERT_TRUE(Await([&] {
    first = Make(2, Compile(2, worker::Fault::NONE));
    return first.worker != before.worker;
  }));
  const auto lie = Make(3, Compile(3, worker::Fault::LIE));
  ASSERT_EQ(lie.worker, first.worker);
  recheck_->Check(lie);
  ASSERT_TRUE(AwaitCounted("kiln_rechecks_total{result=\"different\"} 1"));
  EXPECT_EQ(recheck_->differences(), 1u);
  EXPECT_FALSE(recheck_->Trusts(lie.worker));
  EXPECT_TRUE(recheck_->Trusts(before.worker));
  for (uint32_t seed : {2, 3}) {
    EXPECT_FALSE(IsCached(seed, 0)) << seed;
    EXPECT_FALSE(IsCached(seed, 1)) << seed;
  }
  EXPECT_TRUE(IsCached(1, 0));
  const auto after = Make(3, Compile(3, worker::Fault::NONE));
  EXPECT_NE(after.worker_pid, lie.worker_pid);
  EXPECT_NE(after.fingerprints, lie.fingerprints);
  EXPECT_TRUE(recheck_->Trusts(after.worker));
}

// Otherwise a liar could keep its lie about one target from being compared by a crash in another.
TEST_F(RecheckTest, ACrashThatAWorkerLivesToTellIsComparedToo) {
  auto answer = Make(1, Compile(1, worker::Fault::NONE));
  ASSERT_EQ(answer.fingerprints.size(), 2u);
  answer.fingerprints[1] = std::nullopt;
  recheck_->Check(answer);
  ASSERT_TRUE(AwaitCounted("kiln_rechecks_total{result=\"different\"} 1"));
  EXPECT_FALSE(IsCached(1, 0));
}

// Such an end does not show that the first answer was wrong.
TEST_F(RecheckTest, AnEndWithoutAResultIsNoDifference) {
  recheck_->Stop();
  worker::PoolOptions workers = Workers();
  workers.limits.wall_time = absl::Nanoseconds(1);
  Begin(workers);
  const auto answer = Make(1, Compile(1, worker::Fault::LIE));
  recheck_->Check(answer);
  ASSERT_TRUE(AwaitCounted("kiln_rechecks_total{result=\"unfinished\"} 1"));
  EXPECT_TRUE(Counted("kiln_rechecks_total{result=\"different\"} 0"));
  EXPECT_TRUE(recheck_->Trusts(answer.worker));
  EXPECT_TRUE(IsCached(1, 0));
}

TEST_F(RecheckTest, WhatWaitsIsBoundedAndDroppedAtTheEnd) {
  const auto small = Make(1, Compile(1, worker::Fault::NONE));
  constexpr int kMany = 1000;
  EXPECT_LE(LeftOf(kMany, small), int{Recheck::kMaxWaiting} + 1) << "one is under way";
  EXPECT_GE(kMany - Ended("dropped"), int{Recheck::kMaxWaiting});
  const auto large = Make(2, Compile(2, worker::Fault::NONE, 4 << 20));  // 16 MiB
  ASSERT_TRUE(Await([&] { return AllEnded() >= kMany; }));
  EXPECT_LE(LeftOf(50, large), 4 + 1) << "64 MiB wait";
  recheck_->Stop();
  const int dropped = Ended("dropped");
  EXPECT_GT(dropped, 0);
  recheck_->Check(large);
  EXPECT_EQ(Ended("dropped"), dropped + 1);
}

TEST_F(RecheckTest, TimesAreNotCompared) {
  TargetResult a;
  a.set_status(TargetResult::OK);
  a.add_variants()->set_code("code");
  a.add_passes()->set_pass("cse");
  TargetResult b = a;
  b.mutable_passes(0)->set_nanoseconds(5);
  b.mutable_timings()->set_compile_ns(5);
  EXPECT_EQ(Fingerprint(a), Fingerprint(b));
  b.mutable_variants(0)->set_code("cods");
  EXPECT_NE(Fingerprint(a), Fingerprint(b));
  b = a;
  b.mutable_variants(0)->set_assembly("text");
  EXPECT_NE(Fingerprint(a), Fingerprint(b));
  b = a;
  b.set_status(TargetResult::REFUSED);
  EXPECT_NE(Fingerprint(a), Fingerprint(b));
}

TEST_F(RecheckTest, NoneAndAllAreDrawn) {
  EXPECT_TRUE(recheck_->Draws());
  Recheck none(Recheck::Options{}, pool_.get(), &cache_, metrics_.get());
  EXPECT_FALSE(none.Draws());
  Recheck half(Recheck::Options{2, Workers(), nullptr}, pool_.get(), &cache_, metrics_.get());
  int drawn = 0;
  for (int i = 0; i < 1000; ++i) drawn += half.Draws() ? 1 : 0;
  EXPECT_GT(drawn, 300);
  EXPECT_LT(drawn, 700);
}

}  // namespace
}  // namespace kiln::server
