// Tests that the metrics of traces are the exporter's counts, and all there without one.
#include "server/metrics/traces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

namespace kiln::metrics {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

// {"name{label}": value} of all families.
std::map<std::string, double> Values(const trace::Exporter* exporter) {
  std::map<std::string, double> values;
  for (const prometheus::MetricFamily& family : Traces(exporter).Collect()) {
    for (const prometheus::ClientMetric& metric : family.metric) {
      std::string name = family.name;
      for (const auto& label : metric.label) name += "{" + label.value + "}";
      values[name] = family.type == prometheus::MetricType::Counter ? metric.counter.value
                                                                    : metric.gauge.value;
    }
  }
  return values;
}

// Accepts the first request, once it may answer; then there is no collector any more.
class Collector final : public trace::Transport {
 public:
  explicit Collector(absl::Notification* may_answer) : may_answer_(may_answer) {}
  Answer Post(const std::string&, absl::Duration) override {
    may_answer_->WaitForNotification();
    Answer answer;
    answer.status = posts_++ == 0 ? 200 : 400;
    return answer;
  }
  void EndBy(absl::Time) override {}

 private:
  absl::Notification* const may_answer_;
  int posts_ = 0;
};

TEST(TracesTest, TheExportersCounts) {
  absl::Notification may_answer;
  trace::Exporter::Options options;
  options.queue = 5;
  options.batch = 3;
  options.delay = absl::InfiniteDuration();
  trace::Exporter exporter(options, std::make_unique<Collector>(&may_answer));
  // Five wait and at most a batch is on its way; the others, two at least, find the queue full.
  for (int i = 0; i < 10; ++i) exporter.Add(trace::Span());
  const std::map<std::string, double> before = Values(&exporter);
  EXPECT_EQ(before.at("kiln_trace_queue_limit"), 5);
  EXPECT_GE(before.at("kiln_trace_spans_total{queue_full}"), 2);
  EXPECT_EQ(before.at("kiln_trace_spans_total{queue_full}") + before.at("kiln_trace_queue_spans"),
            10);
  may_answer.Notify();
  exporter.Stop(absl::Seconds(60));
  const std::map<std::string, double> after = Values(&exporter);
  const trace::Exporter::Counters counters = exporter.counters();
  EXPECT_EQ(counters.exported, 3u);
  EXPECT_GE(counters.rejected, 2u);
  EXPECT_GE(counters.failed_requests, 1u);
  EXPECT_THAT(after, UnorderedElementsAre(
                         Pair("kiln_trace_spans_total{exported}", 3),
                         Pair("kiln_trace_spans_total{queue_full}",
                              before.at("kiln_trace_spans_total{queue_full}")),
                         Pair("kiln_trace_spans_total{rejected}", counters.rejected),
                         Pair("kiln_trace_spans_total{unreachable}", 0),
                         Pair("kiln_trace_requests_total{accepted}", 1),
                         Pair("kiln_trace_requests_total{retried}", 0),
                         Pair("kiln_trace_requests_total{failed}", counters.failed_requests),
                         Pair("kiln_trace_queue_spans", 0), Pair("kiln_trace_queue_limit", 5)));
}

TEST(TracesTest, WithoutAnExporterAllAreThereAndZero) {
  const std::map<std::string, double> values = Values(nullptr);
  EXPECT_EQ(values.size(), 9u);
  for (const auto& [name, value] : values) EXPECT_EQ(value, 0) << name;
}

}  // namespace
}  // namespace kiln::metrics
