// Tests counters of passes, results and deaths, and that labels stay bounded whatever a worker
// says.
#include "server/metrics/metrics.h"

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "server/metrics/open_metrics.h"

namespace kiln::metrics {
namespace {

using kiln::v1::TargetResult;

worker::Hello Hello() {
  worker::Hello hello;
  hello.add_targets()->set_name("tgl");
  hello.mutable_targets(0)->set_code_generation_version(7);
  hello.add_passes()->set_name("cse");
  hello.add_passes()->set_name("select");
  hello.add_stages("compute");
  hello.add_stages("fragment");
  hello.set_glslang_version("12");
  hello.add_causes("ray_queries");
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

TEST_F(MetricsTest, CompilesAreByStage) {
  worker::JobOutcome outcome;
  outcome.ran = absl::Seconds(2);
  outcome.results.emplace_back(TargetResult())->set_stage("fragment");
  metrics_.Job(outcome, {"tgl"});
  outcome.results[0]->set_stage("no such stage");
  metrics_.Job(outcome, {"tgl"});
  outcome.results[0].reset();
  metrics_.Job(outcome, {"tgl"});
  const std::string line = "kiln_compile_duration_seconds_sum{stage=";
  EXPECT_FALSE(Has(line + "\"compute\",target=\"tgl\"} 0"));  // made when first needed
  EXPECT_TRUE(Has(line + "\"fragment\",target=\"tgl\"} 2"));
  EXPECT_TRUE(Has(line + "\"other\",target=\"tgl\"} 4"));
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
  metrics_.Result("pdp11", TargetResult::OK, Metrics::Source::kMemory);
  metrics_.RequestTook(Metrics::Method::kItem, {"pdp11"}, Metrics::Source::kMiss, 0.3);
  metrics_.WorkerExit("no such reason");
  EXPECT_TRUE(Has("kiln_pass_runs_total{pass=\"other\",target=\"any\"} 1"));
  EXPECT_TRUE(Has("kiln_pass_runs_total{pass=\"other\",target=\"other\"} 1"));
  EXPECT_TRUE(Has("kiln_compile_results_total{cache=\"memory\",result=\"ok\",target=\"other\"} 1"));
}

TEST_F(MetricsTest, MethodsAreApart) {
  metrics_.RequestBegins(Metrics::Method::kCompileStream);
  metrics_.RequestBegins(Metrics::Method::kItem);
  metrics_.RequestEnds(Metrics::Method::kItem, absl::StatusCode::kDeadlineExceeded);
  metrics_.RequestTook(Metrics::Method::kItem, {"tgl"}, Metrics::Source::kProbe, 0.3);
  EXPECT_TRUE(
      Has("kiln_requests_total{code=\"DEADLINE_EXCEEDED\",method=\"CompileStream/item\"} 1"));
  EXPECT_TRUE(Has("kiln_requests_total{code=\"OK\",method=\"CompileStream\"} 0"));
  EXPECT_TRUE(Has("kiln_requests_in_flight{method=\"CompileStream\"} 1"));
  EXPECT_TRUE(Has("kiln_requests_in_flight{method=\"CompileStream/item\"} 0"));
  EXPECT_TRUE(
      Has("kiln_request_duration_seconds_sum{cache=\"probe\",method=\"CompileStream/item\","
          "target=\"tgl\"} 0.3"));
}

TEST_F(MetricsTest, LatencyIsByTargetOrOfSeveral) {
  metrics_.RequestTook(Metrics::Method::kCompile, {"tgl"}, Metrics::Source::kDisk, 0.1);
  metrics_.RequestTook(Metrics::Method::kCompile, {"tgl", "pdp11"}, Metrics::Source::kDisk, 0.2);
  const std::string line =
      "kiln_request_duration_seconds_sum{cache=\"disk\",method=\"Compile\",target=";
  EXPECT_TRUE(Has(line + "\"tgl\"} 0.1"));
  EXPECT_TRUE(Has(line + "\"several\"} 0.2"));
}

TEST_F(MetricsTest, WhatAWorkerCannotMeanIsACrash) {
  metrics_.Result("tgl", TargetResult::NOT_CACHED, Metrics::Source::kMiss);
  metrics_.Result("tgl", static_cast<TargetResult::Status>(99), Metrics::Source::kMemory);
  EXPECT_TRUE(
      Has("kiln_compile_results_total{cache=\"miss\",result=\"crashed\",target=\"tgl\"} 2"));
}

TEST_F(MetricsTest, FailuresAreByCauseAndBounded) {
  worker::JobOutcome outcome;
  outcome.results.resize(3);
  outcome.results[0].emplace().set_status(TargetResult::REFUSED);
  outcome.results[0]->set_cause("ray_queries");
  outcome.results[1].emplace().set_status(TargetResult::REFUSED);
  outcome.results[1]->set_cause("evil\n{}");
  outcome.status = TargetResult::TIMED_OUT;
  outcome.cause = "wall_time_limit";
  EXPECT_TRUE(Has("kiln_job_failures_total{cause=\"ray_queries\",result=\"refused\"} 0"));
  metrics_.Job(outcome, {"tgl", "tgl", "tgl"});
  EXPECT_TRUE(Has("kiln_job_failures_total{cause=\"ray_queries\",result=\"refused\"} 1"));
  EXPECT_TRUE(Has("kiln_job_failures_total{cause=\"other\",result=\"refused\"} 1"));
  EXPECT_TRUE(Has("kiln_job_failures_total{cause=\"wall_time_limit\",result=\"timed_out\"} 1"));
  outcome.status = static_cast<TargetResult::Status>(-3);
  metrics_.Job(outcome, {"tgl", "tgl", "tgl"});
}

// The lists that exist from the start have every name that a worker's end can have.
TEST_F(MetricsTest, EveryWayToDieIsThereFromTheStart) {
  auto board = worker::Board::Create();
  ASSERT_TRUE(board.ok());
  std::vector<int> statuses = {0, 1 << 8, 255 << 8};
  for (int signal = 1; signal < 65; ++signal) statuses.push_back(signal);
  std::vector<worker::Exit> exits;
  for (int status : statuses) exits.push_back(worker::DescribeExit(status, **board));
  (*board)->SetNote("an assertion");
  exits.push_back(worker::DescribeExit(SIGABRT, **board));
  (*board)->SetOutOfMemory();
  exits.push_back(worker::DescribeExit(1 << 8, **board));
  for (const worker::Exit& exit : exits) {
    EXPECT_TRUE(Has("kiln_worker_exits_total{reason=\"" + exit.reason + "\"} 0")) << exit.reason;
    const bool meaningless = exit.reason == "signal";
    EXPECT_TRUE(meaningless ||
                Has("kiln_job_failures_total{cause=\"" + exit.cause + "\",result=\"" +
                    absl::AsciiStrToLower(TargetResult::Status_Name(exit.status)) + "\"} 0"))
        << exit.cause;
  }
  EXPECT_TRUE(Has("kiln_pass_deaths_total{pass=\"cse\",target=\"tgl\"} 0"));
  EXPECT_TRUE(Has("kiln_pass_deaths_total{pass=\"other\",target=\"any\"} 0"));
}

size_t Series(const Metrics& metrics) {
  size_t series = 0;
  std::vector<prometheus::MetricFamily> families = metrics.registry()->Collect();
  for (auto& family : metrics.code()->Collect()) families.push_back(std::move(family));
  for (const auto& family : families) {
    for (const auto& metric : family.metric) {
      // A histogram has its buckets, its sum and its count.
      series += metric.histogram.bucket.empty() ? 1 : metric.histogram.bucket.size() + 2;
    }
  }
  return series;
}

TEST(MetricsBudgetTest, HoldsWithEverythingUsed) {
  worker::Hello hello;
  std::vector<std::string> targets = {"a", "b", "c", "d"};
  for (const std::string& target : targets) hello.add_targets()->set_name(target);
  for (int i = 0; i < 8; ++i) hello.add_stages(std::string(kShaderStages[i].name));
  for (int i = 0; i < 120; ++i) hello.add_passes()->set_name("pass" + std::to_string(i));
  for (int i = 0; i < 100; ++i) hello.add_causes("cause" + std::to_string(i));
  Metrics metrics(hello, "1.0");
  EXPECT_LT(Series(metrics), 2000u);
  targets.push_back("no such target");
  worker::JobOutcome outcome;
  for (int target = -1; target < 5; ++target) {
    for (const auto& pass : hello.passes()) {
      outcome.passes.push_back(Event(pass.name().c_str(), target, 1, 2));
    }
  }
  metrics.Job(outcome, targets);
  outcome.ran = absl::Seconds(1);
  for (const std::string& target : targets) {
    for (int i = 0; i < 9; ++i) {
      outcome.results.assign(1, TargetResult());
      outcome.results[0]->set_stage(i < 8 ? hello.stages(i) : "no such stage");
      outcome.results[0]->add_variants();
      metrics.Job(outcome, {target});
      metrics.Result(target, TargetResult::OK, Metrics::Source::kMiss,
                     cache::TagOf(*outcome.results[0]));
    }
  }
  for (auto method : {Metrics::Method::kCompile, Metrics::Method::kItem}) {
    for (int source = 0; source < 6; ++source) {
      const auto from = static_cast<Metrics::Source>(source);
      metrics.RequestTook(method, targets, from, 1);
      for (const std::string& target : targets) metrics.RequestTook(method, {target}, from, 1);
    }
  }
  // 120 passes for 6 targets (none, 4, another) are more pairs than have series of their own.
  std::vector<prometheus::MetricFamily> families = metrics.registry()->Collect();
  const auto runs = std::find_if(families.begin(), families.end(), [](const auto& family) {
    return family.name == "kiln_pass_runs_total";
  });
  EXPECT_LE(runs->metric.size(), 360u + 6u);
  EXPECT_GT(Series(metrics), 5000u);
  EXPECT_LT(Series(metrics), 5800u) << "the rest is for what is read when scraped";
}

TEST_F(MetricsTest, RequestsAndBuild) {
  metrics_.RequestBegins(Metrics::Method::kCompile);
  metrics_.RequestEnds(Metrics::Method::kCompile, absl::StatusCode::kUnavailable);
  EXPECT_TRUE(Has("kiln_requests_total{code=\"UNAVAILABLE\",method=\"Compile\"} 1"));
  EXPECT_TRUE(Has("kiln_requests_in_flight{method=\"Compile\"} 0"));
  EXPECT_TRUE(
      Has("kiln_build_info{code_generation=\"tgl:7\",commit=\"unknown\",glslang=\"12\","
          "version=\"1.0\"} 1"));
  EXPECT_TRUE(Has("kiln_target_info{abi=\"0\",code_generation=\"7\",target=\"tgl\"} 1"));
  EXPECT_TRUE(Has("kiln_draining 0"));
  metrics_.Draining();
  EXPECT_TRUE(Has("kiln_draining 1"));
}

TEST_F(MetricsTest, JobsWaitByClassWithTheRequestId) {
  worker::JobOutcome outcome;
  outcome.queued = absl::Milliseconds(3);
  outcome.ran = absl::Milliseconds(40);
  metrics_.Job(outcome, {}, "of-translation");
  metrics_.Job(outcome, {"tgl"}, "of-compile");
  outcome.express = true;
  metrics_.Job(outcome, {"tgl"}, "of-express");
  for (const char* waits : {"translate", "compile", "express"}) {
    EXPECT_TRUE(Has("kiln_queue_wait_seconds_count{class=\"" + std::string(waits) +
                    "\",queue=\"worker\"} 1"));
  }
  metrics_.RequestTook(Metrics::Method::kCompile, {"tgl"}, Metrics::Source::kMiss, 0.05, "of-call");
  metrics_.RequestTook(Metrics::Method::kCompile, {"tgl"}, Metrics::Source::kMemory, 0.05);
  const std::string text =
      OpenMetrics(metrics_.registry()->Collect(), metrics_.exemplars().Read(), 0);
  for (const char* id : {"of-translation", "of-compile", "of-express", "of-call"}) {
    EXPECT_NE(text.find(" # {request_id=\"" + std::string(id) + "\"} 0.0"), std::string::npos)
        << id;
  }
}

TEST_F(MetricsTest, CodeIsCountedWhenMadeAndWhenServed) {
  worker::JobOutcome outcome;
  auto& result = outcome.results.emplace_back(TargetResult());
  result->set_stage("compute");
  result->add_variants()->mutable_statistics()->set_instructions(12);
  metrics_.Job(outcome, {"tgl"});
  const cache::ResultTag tag = cache::TagOf(*result);
  metrics_.Result("tgl", TargetResult::OK, Metrics::Source::kMemory, tag);
  metrics_.Result("tgl", TargetResult::OK, Metrics::Source::kDisk, tag);
  metrics_.Result("tgl", TargetResult::NOT_CACHED, Metrics::Source::kProbe);
  const std::string text = prometheus::TextSerializer().Serialize(metrics_.code()->Collect());
  const std::string of = "{target=\"tgl\",stage=\"compute\",";
  for (const std::string& line : {"kiln_code_instructions_total" + of + "results=\"made\"} 12\n",
                                  "kiln_code_instructions_total" + of + "results=\"served\"} 24\n",
                                  "kiln_code_results_total" + of + "cache=\"disk\"} 1\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << text;
  }
  EXPECT_EQ(text.find("other"), std::string::npos) << "a probe is no result";
}

}  // namespace
}  // namespace kiln::metrics
