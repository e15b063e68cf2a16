// Tests the OpenMetrics serialiser line by line. Foreign parsers judge it too
// (tests/service/metrics_test.py).
#include "server/metrics/open_metrics.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace kiln::metrics {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

MetricFamily Family(const char* name, MetricType type, std::vector<ClientMetric> metrics) {
  MetricFamily family;
  family.name = name;
  family.type = type;
  family.metric = std::move(metrics);
  return family;
}

ClientMetric Counter(std::vector<ClientMetric::Label> labels, double value) {
  ClientMetric metric;
  metric.label = std::move(labels);
  metric.counter.value = value;
  return metric;
}

TEST(OpenMetricsTest, ACounterHasItsCreation) {
  const std::string text =
      OpenMetrics({Family("kiln_pass_seconds_total", MetricType::Counter,
                          {Counter({{"pass", "a\"b\\c\nd"}, {"target", "tgl"}}, 1.5)})},
                  {}, 1700000000.25);
  EXPECT_EQ(text,
            "# TYPE kiln_pass_seconds counter\n"
            "# UNIT kiln_pass_seconds seconds\n"
            "# HELP kiln_pass_seconds CPU seconds spent in a pass\n"
            "kiln_pass_seconds_total{pass=\"a\\\"b\\\\c\\nd\",target=\"tgl\"} 1.5\n"
            "kiln_pass_seconds_created{pass=\"a\\\"b\\\\c\\nd\",target=\"tgl\"} 1700000000.250\n"
            "# EOF\n");
}

TEST(OpenMetricsTest, GaugesAndInfos) {
  ClientMetric gauge, info;
  gauge.gauge.value = 7;
  info.label = {{"version", "1"}};
  info.gauge.value = 1;
  const std::string text =
      OpenMetrics({Family("process_resident_memory_bytes", MetricType::Gauge, {gauge}),
                   Family("kiln_build_info", MetricType::Gauge, {info})},
                  {}, 0);
  EXPECT_NE(text.find("# UNIT process_resident_memory_bytes bytes\n"), std::string::npos);
  EXPECT_NE(text.find("\nprocess_resident_memory_bytes 7\n# TYPE kiln_build info\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nkiln_build_info{version=\"1\"} 1\n# EOF\n"), std::string::npos);
}

TEST(OpenMetricsTest, AnExemplarIsAtItsBucket) {
  ClientMetric metric;
  metric.label = {{"class", "compile"}, {"queue", "worker"}};
  metric.histogram.sample_count = 3;
  metric.histogram.sample_sum = 5.5;
  metric.histogram.bucket = {{1, 0.00005}, {1, 1}, {3, std::numeric_limits<double>::infinity()}};
  Exemplars exemplars;
  exemplars.Note(KeyOf("kiln_queue_wait_seconds", metric.label), {0.00005, 1}, 3.25, "id-1");
  exemplars.Note(KeyOf("kiln_queue_wait_seconds", metric.label), {0.00005, 1}, 0.5, "");
  exemplars.Note(KeyOf("kiln_queue_wait_seconds", metric.label), {0.00005, 1}, 0.5,
                 std::string(Exemplars::kMaxId + 1, 'x'));
  const std::string text = OpenMetrics(
      {Family("kiln_queue_wait_seconds", MetricType::Histogram, {metric})}, exemplars.Read(), 5);
  const std::string series =
      "kiln_queue_wait_seconds_bucket{class=\"compile\",queue=\"worker\",le=";
  EXPECT_NE(text.find(series + "\"5e-05\"} 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find(series + "\"1.0\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find(series + "\"+Inf\"} 3 # {request_id=\"id-1\"} 3.25 "), std::string::npos);
  EXPECT_NE(text.find("kiln_queue_wait_seconds_sum{class=\"compile\",queue=\"worker\"} 5.5\n"),
            std::string::npos);
  EXPECT_NE(text.find("_created{class=\"compile\",queue=\"worker\"} 5.000\n"), std::string::npos);
}

TEST(OpenMetricsTest, NumbersAreAsGoHasThem) {
  EXPECT_EQ(CanonicalNumber(0.0001), "0.0001");
  EXPECT_EQ(CanonicalNumber(0.00005), "5e-05");
  EXPECT_EQ(CanonicalNumber(62.5), "62.5");
  EXPECT_EQ(CanonicalNumber(100000), "100000.0");
  EXPECT_EQ(CanonicalNumber(0), "0.0");
  EXPECT_EQ(CanonicalNumber(-std::numeric_limits<double>::infinity()), "-Inf");
}

}  // namespace
}  // namespace kiln::metrics
