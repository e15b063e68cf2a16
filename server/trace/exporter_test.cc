// Tests batches, retries, bounds and the end, with a collector that does as it is told.
#include "server/trace/exporter.h"

#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "absl/time/clock.h"
#include "core/base/testing/await.h"

namespace kiln::trace {
namespace {

using Answer = Transport::Answer;

Answer Says(int status) {
  Answer answer;
  answer.status = status;
  return answer;
}

Answer SaysNothing(const std::string& error) {
  Answer answer;
  answer.error = error;
  return answer;
}

Answer Accepts(const std::string& body) {
  Answer answer = Says(200);
  answer.body = body;
  return answer;
}

// A collector within the test: answers with `answers`, one after the other, then with success.
struct Collector {
  absl::Mutex mutex;
  std::deque<Answer> answers ABSL_GUARDED_BY(mutex);
  std::vector<size_t> batches ABSL_GUARDED_BY(mutex);  // spans of each request
  std::vector<absl::Time> times ABSL_GUARDED_BY(mutex);
  std::atomic<bool> held = false;  // requests wait until they are let go, or time out
  std::atomic<int64_t> end_ns = INT64_MAX;

  size_t requests() {
    absl::MutexLock lock(&mutex);
    return batches.size();
  }
};

class FakeTransport final : public Transport {
 public:
  explicit FakeTransport(Collector* collector) : collector_(collector) {}
  Answer Post(const std::string& body, absl::Duration timeout) override {
    const auto json = nlohmann::json::parse(body);
    const size_t spans = json["resourceSpans"][0]["scopeSpans"][0]["spans"].size();
    const absl::Time end = absl::Now() + timeout;
    {
      absl::MutexLock lock(&collector_->mutex);
      collector_->batches.push_back(spans);
      collector_->times.push_back(absl::Now());
    }
    while (collector_->held) {
      if (absl::Now() >= end || absl::ToUnixNanos(absl::Now()) >= collector_->end_ns) {
        return SaysNothing("timed out");
      }
      absl::SleepFor(absl::Milliseconds(1));
    }
    absl::MutexLock lock(&collector_->mutex);
    if (collector_->answers.empty()) return Accepts("{}");
    Answer answer = collector_->answers.front();
    collector_->answers.pop_front();
    return answer;
  }
  void EndBy(absl::Time end) override { collector_->end_ns = absl::ToUnixNanos(end); }

 private:
  Collector* collector_;
};

Exporter::Options Quick() {
  Exporter::Options options;
  options.delay = absl::Milliseconds(5);
  options.first_delay = absl::Milliseconds(1);
  return options;
}

Span Named(const std::string& name) {
  Span span;
  span.context = NewContext(true);
  span.name = name;
  span.start = span.end = absl::Now();
  return span;
}

class ExporterTest : public testing::Test {
 protected:
  std::unique_ptr<Exporter> Make(Exporter::Options options) {
    options.on_change = [this](const std::string& why) {
      absl::MutexLock lock(&mutex_);
      told_.push_back(why);
    };
    return std::make_unique<Exporter>(std::move(options),
                                      std::make_unique<FakeTransport>(&collector_));
  }
  void Answers(std::vector<Answer> answers) {
    absl::MutexLock lock(&collector_.mutex);
    collector_.answers.assign(answers.begin(), answers.end());
  }
  std::vector<std::string> told() {
    absl::MutexLock lock(&mutex_);
    return told_;
  }

  Collector collector_;
  absl::Mutex mutex_;
  std::vector<std::string> told_ ABSL_GUARDED_BY(mutex_);
};

TEST_F(ExporterTest, SendsBatchesOfAtMostTheirSize) {
  Exporter::Options options = Quick();
  options.batch = 10;
  options.delay = absl::Seconds(60);
  collector_.held = true;
  auto exporter = Make(options);
  for (int i = 0; i < 25; ++i) exporter->Add(Named("s"));
  ASSERT_TRUE(Await([&] { return collector_.requests() == 1; }));
  collector_.held = false;
  ASSERT_TRUE(Await([&] { return exporter->counters().exported == 20; }));
  EXPECT_EQ(exporter->counters().queued, 5u);  // they wait for others
  exporter->Stop(absl::Seconds(10));
  EXPECT_EQ(exporter->counters().exported, 25u);
  EXPECT_EQ(exporter->counters().queued, 0u);
  EXPECT_EQ(exporter->counters().accepted_requests, 3u);
  absl::MutexLock lock(&collector_.mutex);
  EXPECT_EQ(collector_.batches, (std::vector<size_t>{10, 10, 5}));
}

TEST_F(ExporterTest, ASpanDoesNotWaitForOthersForLongerThanTheDelay) {
  auto exporter = Make(Quick());
  exporter->Add(Named("s"));
  EXPECT_TRUE(Await([&] { return exporter->counters().exported == 1; }));
}

TEST_F(ExporterTest, TriesAgainAfterTheErrorsThatPass) {
  Answers({Says(429), Says(502), Says(503), Says(504)});
  auto exporter = Make(Quick());
  exporter->Add(Named("s"));
  ASSERT_TRUE(Await([&] { return exporter->counters().exported == 1; }));
  EXPECT_EQ(exporter->counters().retried_requests, 4u);
  EXPECT_EQ(collector_.requests(), 5u);
  EXPECT_EQ(told(), (std::vector<std::string>{"HTTP status 429", ""}));
}

TEST_F(ExporterTest, GivesUpAfterItsTries) {
  Answers(std::vector<Answer>(5, SaysNothing("refused")));
  auto exporter = Make(Quick());
  exporter->Add(Named("s"));
  ASSERT_TRUE(Await([&] { return exporter->counters().unreachable == 1; }));
  EXPECT_EQ(exporter->counters().retried_requests, 4u);
  EXPECT_EQ(exporter->counters().failed_requests, 1u);
  exporter->Add(Named("t"));  // the next batch gets its own tries
  ASSERT_TRUE(Await([&] { return exporter->counters().exported == 1; }));
  EXPECT_EQ(told(), (std::vector<std::string>{"no answer: refused", ""}));
}

TEST_F(ExporterTest, DropsWhatTheCollectorRefuses) {
  for (const int status : {400, 401, 404, 413, 500, 501, 301, 600}) {
    Answers({Says(status)});
    auto exporter = Make(Quick());
    exporter->Add(Named("s"));
    ASSERT_TRUE(Await([&] { return exporter->counters().rejected == 1; })) << status;
    EXPECT_EQ(exporter->counters().retried_requests, 0u) << status;
    EXPECT_EQ(exporter->counters().failed_requests, 1u) << status;
  }
}

TEST_F(ExporterTest, CountsAPartialSuccessWithoutAnotherTry) {
  Answers({Accepts(R"({"partialSuccess": {"rejectedSpans": "2"}})")});
  Exporter::Options options = Quick();
  options.batch = 3;
  auto exporter = Make(options);
  for (int i = 0; i < 3; ++i) exporter->Add(Named("s"));
  ASSERT_TRUE(Await([&] { return exporter->counters().queued == 0; }));
  EXPECT_EQ(exporter->counters().exported + exporter->counters().rejected, 3u);
  EXPECT_EQ(exporter->counters().rejected, 2u);
  // A number that cannot be true.
  Answers({Accepts(R"({"partialSuccess": {"rejectedSpans": 9000000000}})")});
  exporter->Add(Named("s"));
  ASSERT_TRUE(Await([&] { return exporter->counters().queued == 0; }));
  EXPECT_EQ(exporter->counters().rejected, 3u);
}

TEST_F(ExporterTest, WaitsAsLongAsTheCollectorAsks) {
  Answer busy = Says(503);
  busy.retry_after = absl::Milliseconds(300);
  Answers({busy});
  auto exporter = Make(Quick());
  exporter->Add(Named("s"));
  ASSERT_TRUE(Await([&] { return exporter->counters().exported == 1; }));
  absl::MutexLock lock(&collector_.mutex);
  EXPECT_GE(collector_.times[1] - collector_.times[0], absl::Milliseconds(300));
}

TEST_F(ExporterTest, DropsWhatFindsTheQueueFullAndNeverWaits) {
  Exporter::Options options = Quick();
  options.queue = 100;
  options.batch = 10;
  options.timeout = absl::Seconds(600);
  collector_.held = true;  // for ever: an Add that waited would hang
  auto exporter = Make(options);
  for (int i = 0; i < 10000; ++i) exporter->Add(Named("s"));
  ASSERT_TRUE(Await([&] { return collector_.requests() == 1; }));
  Exporter::Counters counters = exporter->counters();
  EXPECT_LE(counters.queued, 110u);
  EXPECT_EQ(counters.queued + counters.queue_full, 10000u);
  collector_.held = false;
  exporter->Stop(absl::Seconds(10));
  counters = exporter->counters();
  EXPECT_EQ(counters.exported + counters.queue_full, 10000u);
  EXPECT_EQ(counters.queued, 0u);
}

TEST_F(ExporterTest, BytesAreBoundedToo) {
  Exporter::Options options = Quick();
  options.queue_bytes = 100000;
  options.timeout = absl::Seconds(600);
  collector_.held = true;
  auto exporter = Make(options);
  for (int i = 0; i < 100; ++i) exporter->Add(Named(std::string(10000, 'x')));
  const Exporter::Counters counters = exporter->counters();
  EXPECT_GE(counters.queue_full, 80u);  // some may be under way
  EXPECT_GE(counters.queued, 9u);
  collector_.held = false;
  exporter->Stop(absl::Seconds(10));
  EXPECT_EQ(exporter->counters().exported, counters.queued);
}

TEST_F(ExporterTest, TheEndIsBoundedWhenTheCollectorHangs) {
  Exporter::Options options = Quick();
  options.batch = 2;
  collector_.held = true;
  auto exporter = Make(options);
  for (int i = 0; i < 9; ++i) exporter->Add(Named("s"));
  ASSERT_TRUE(Await([&] { return collector_.requests() == 1; }));
  const absl::Time begun = absl::Now();
  exporter->Stop(absl::Milliseconds(200));
  EXPECT_GE(absl::Now() - begun, absl::Milliseconds(190));
  EXPECT_EQ(exporter->counters().unreachable, 9u);
  exporter->Add(Named("late"));
  EXPECT_EQ(exporter->counters().unreachable, 10u);
}

TEST_F(ExporterTest, TheEndInterruptsADelayAndTriesOnceMore) {
  Exporter::Options options = Quick();
  options.first_delay = absl::Seconds(3600);
  options.longest_wait = absl::Seconds(3600);
  Answers({Says(503)});
  auto exporter = Make(options);
  exporter->Add(Named("s"));
  ASSERT_TRUE(Await([&] { return exporter->counters().retried_requests == 1; }));
  exporter->Stop(absl::Seconds(10));
  EXPECT_EQ(exporter->counters().exported, 1u);
}

TEST_F(ExporterTest, ManyThreadsAddWhileOneReads) {
  auto exporter = Make(Quick());
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) exporter->Add(Named("s"));
    });
  }
  for (int i = 0; i < 100; ++i) exporter->counters();
  for (std::thread& thread : threads) thread.join();
  exporter->Stop(absl::Seconds(30));
  const Exporter::Counters counters = exporter->counters();
  EXPECT_EQ(counters.exported + counters.queue_full, 1600u);
}

}  // namespace
}  // namespace kiln::trace
