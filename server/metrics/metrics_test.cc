// Counters of passes, results and deaths; labels stay bounded whatever a worker says.
#include "server/metrics/metrics.h"

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <string>

namespace kiln::metrics {
namespace {

using kiln::v1alpha::TargetResult;

worker::Hello Hello() {
  worker::Hello hello;
  hello.add_targets()->set_name("tgl");
  hello.add_passes()->set_name("cse");
  hello.add_passes()->set_name("select");
  hello.set_glslang_version("12");
  return hello;
}

class MetricsTest : public testing::Test {
 protected:
  bool Has(const std::string& line) {
    auto families = metrics_.registry()->Collect();
    for (auto& family : families) {
      for (auto& metric : family.metric) {
        std::sort(metric.label.begin(), metric.label.end());
      }
    }
    std::string text = prometheus::TextSerializer().Serialize(families);
    return text.find("\n" + line + "\n") != std::string::npos;
  }
  Metrics metrics_{Hello(), "1.0"};
};

worker::PassEvent Event(const char* pass, int target, int64_t before, int64_t after) {
  worker::PassEvent e;
  e.pass = pass;
  e.target = target;
  e.changed = before != after;
  e.nanoseconds = 500'000'000;
  e.instructions_before = before;
  e.instructions_after = after;
  return e;
}

TEST_F(MetricsTest, CountsPassesRemovedAndAddedApart) {
  worker::JobOutcome outcome;
  outcome.passes = {Event("cse", -1, 100, 90), Event("cse", -1, 90, 95), Event("cse", -1, 95, 95),
                    Event("select", 0, 95, 120)};
  metrics_.Job(outcome, {"tgl"});
  EXPECT_TRUE(Has("kiln_pass_runs_total{pass=\"cse\",target=\"any\"} 3"));
  EXPECT_TRUE(Has("kiln_pass_changed_total{pass=\"cse\",target=\"any\"} 2"));
  EXPECT_TRUE(Has("kiln_pass_seconds_total{pass=\"cse\",target=\"any\"} 1.5"));
  EXPECT_TRUE(Has("kiln_pass_instructions_removed_total{pass=\"cse\",target=\"any\"} 10"));
  EXPECT_TRUE(Has("kiln_pass_instructions_added_total{pass=\"cse\",target=\"any\"} 5"));
  EXPECT_TRUE(Has("kiln_pass_runs_total{pass=\"select\",target=\"tgl\"} 1"));
}

TEST_F(MetricsTest, NamesTheDeadlyPass) {
  worker::JobOutcome outcome;
  outcome.status = TargetResult::CRASHED;
  outcome.last_pass = "select";
  outcome.blamed_target = 0;
  metrics_.Job(outcome, {"tgl"});
  EXPECT_TRUE(Has("kiln_pass_deaths_total{pass=\"select\",target=\"tgl\"} 1"));
}

TEST_F(MetricsTest, UnknownNamesDoNotBecomeLabels) {
  worker::JobOutcome outcome;
  outcome.passes = {Event("evil\n{}", 7, 0, 0), Event("worse", 0, 0, 0)};
  metrics_.Job(outcome, {"pdp11"});
  metrics_.Result("pdp11", TargetResult::OK, kiln::v1alpha::CACHE_MEMORY);
  metrics_.WorkerExit("no such reason");
  EXPECT_TRUE(Has("kiln_pass_runs_total{pass=\"other\",target=\"any\"} 1"));
  EXPECT_TRUE(Has("kiln_pass_runs_total{pass=\"other\",target=\"other\"} 1"));
  EXPECT_TRUE(Has("kiln_compile_results_total{cache=\"memory\",result=\"ok\",target=\"other\"} 1"));
}

TEST_F(MetricsTest, RequestsAndBuild) {
  metrics_.RequestBegins();
  metrics_.RequestEnds(Metrics::Method::kCompile, absl::StatusCode::kUnavailable, 0.1, false);
  EXPECT_TRUE(Has("kiln_requests_total{code=\"UNAVAILABLE\",method=\"Compile\"} 1"));
  EXPECT_TRUE(Has("kiln_requests_in_flight 0"));
  EXPECT_TRUE(Has("kiln_build_info{glslang=\"12\",version=\"1.0\"} 1"));
}

}  // namespace
}  // namespace kiln::metrics
