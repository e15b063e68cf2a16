// Counts of a batch as table and JSON.
#include "client/batch/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln::client {
namespace {

using kiln::v1::TargetResult;

TargetResult Result(TargetResult::Status status, const char* cause, const char* key,
                    kiln::v1::CacheTier tier) {
  TargetResult result;
  result.set_status(status);
  result.set_cause(cause);
  result.set_key(key);
  result.set_cache(tier);
  return result;
}

Summary Sample() {
  Summary summary;
  for (int i = 0; i < 3; ++i) {
    summary.Add(Result(TargetResult::OK, "ok", "k", kiln::v1::CACHE_MEMORY));
  }
  summary.Add(Result(TargetResult::REFUSED, "subgroup_operations", "k", kiln::v1::CACHE_MISS));
  summary.Add(Result(TargetResult::INVALID, "cannot_read", "", kiln::v1::CACHE_MISS));
  return summary;
}

TEST(Summary, Table) {
  EXPECT_EQ(Sample().Table(5, absl::Seconds(2), false),
            "5 modules, 5 results in 2.0 s (2.5/s)\n"
            "  ok                                  3\n"
            "  invalid  cannot_read                1\n"
            "  refused  subgroup_operations        1\n"
            "  cache: 1 miss, 3 memory\n");
}

TEST(Summary, Json) {
  EXPECT_EQ(Sample().ToJson(5, absl::Seconds(2), true),
            R"({"modules":5,"results":5,"seconds":2.0,"modules_per_second":2.5,)"
            R"("interrupted":true,"outcomes":[{"status":"ok","cause":"ok","count":3},)"
            R"({"status":"invalid","cause":"cannot_read","count":1},)"
            R"({"status":"refused","cause":"subgroup_operations","count":1}],)"
            R"("cache":{"miss":1,"memory":3}})");
}

TEST(Summary, JsonWithABudget) {
  Summary summary = Sample();
  summary.SetBudget(7, 2);
  EXPECT_NE(
      summary.ToJson(5, absl::Seconds(2), false).find(R"(,"budget":{"variants":7,"over":2}})"),
      std::string::npos);
}

TEST(Summary, ExitCode) {
  Summary summary = Sample();
  EXPECT_EQ(summary.failed(), 2);
  EXPECT_EQ(summary.exit_code(), kExitSomeFailed);
  summary.Add(Result(TargetResult::CRASHED, "segv", "k", kiln::v1::CACHE_MISS));
  EXPECT_EQ(summary.exit_code(), kExitInternal);
  EXPECT_EQ(Summary().exit_code(), kExitOk);
}

TEST(Summary, AllowedCausesLeaveTheExitCode) {
  Summary summary;
  summary.Allow({"float64", "signal"});
  const auto add = [&](TargetResult::Status status, const char* cause) {
    TargetResult result;
    result.set_status(status);
    result.set_cause(cause);
    summary.Add(result);
    return summary.exit_code();
  };
  EXPECT_EQ(add(TargetResult::REFUSED, "float64"), kExitOk);
  EXPECT_EQ(summary.failed(), 1);
  EXPECT_EQ(add(TargetResult::REFUSED, "float16"), kExitSomeFailed);
  EXPECT_EQ(add(TargetResult::CRASHED, "signal"), kExitInternal);
}

}  // namespace
}  // namespace kiln::client
