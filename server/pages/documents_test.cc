// Tests the JSON documents: their members, and that they are JSON.
#include "server/pages/documents.h"

#include <gtest/gtest.h>
#include <prometheus/counter.h>
#include <prometheus/registry.h>

#include <nlohmann/json.hpp>
#include <string>

namespace kiln::pages {
namespace {

using nlohmann::json;

worker::Hello Hello() {
  worker::Hello hello;
  hello.add_targets()->set_name("one");
  hello.mutable_targets(0)->set_code_generation_version(7);
  hello.set_glslang_version("12.0");
  auto* pass = hello.add_passes();
  pass->set_name("fold");
  pass->set_level("mid");
  pass->set_summary("Folds \"constants\".");
  return hello;
}

TEST(DocumentsTest, TheStatusHasHealthFactsAndSeriesThatAreNotZero) {
  prometheus::Registry registry;
  auto& calls = prometheus::BuildCounter().Name("kiln_requests_total").Register(registry);
  calls.Add({{"method", "Compile"}, {"code", "OK"}}).Increment(3);
  calls.Add({{"method", "Compile"}, {"code", "ABORTED"}});
  prometheus::BuildCounter().Name("kiln_pass_runs_total").Register(registry).Add({}).Increment();
  const auto families = registry.Collect();
  const Readings readings(families);
  const Facts facts = {"1.2.3", absl::FromUnixSeconds(1'000'000), 100, 200};
  const Health health = {Health::State::kDegraded, {"the disk cache is away"}};
  const json status = json::parse(StatusJson(facts, Hello(), health, readings, {1'000'060, 3}));
  EXPECT_EQ(status["health"],
            json({{"state", "degraded"}, {"reasons", {"the disk cache is away"}}}));
  EXPECT_EQ(status["version"], "1.2.3");
  EXPECT_EQ(status["started"], 1'000'000);
  EXPECT_EQ(status["targets"][0], json({{"name", "one"}, {"code_generation_version", 7}}));
  EXPECT_EQ(status["bounds"], json({{"daemon_bytes", 100}, {"workers_bytes", 200}}));
  EXPECT_EQ(status["sample"], json({1'000'060, 3}));
  const json series = json::array({json::object({{"method", "Compile"}, {"code", "OK"}}), 3});
  EXPECT_EQ(status["metrics"], json({{"kiln_requests_total", json::array({series})}}));
}

TEST(DocumentsTest, TheHistoryHasAColumnForEachNumber) {
  const Sample sample(History::Columns().size(), 1.5);
  const json history = json::parse(HistoryJson({sample, sample}));
  EXPECT_EQ(history["seconds"], 10);
  EXPECT_EQ(history["columns"][0], json({"time", "time"}));
  EXPECT_EQ(history["columns"].size(), history["samples"][1].size());
  EXPECT_EQ(history["samples"].size(), 2u);
}

TEST(DocumentsTest, PassesHaveSummariesAndRows) {
  PassTable::Row row;
  row.pass = "fold", row.target = "one", row.stage = "compute";
  row.runs = 3, row.changed = 2, row.nanoseconds = 1'500'000'000, row.removed = 5;
  const json passes = json::parse(PassesJson(Hello(), {row}));
  EXPECT_EQ(passes["passes"][0]["summary"], "Folds \"constants\".");
  EXPECT_EQ(passes["rows"][0], json({"fold", "one", "compute", 3, 2, 1.5, 5, 0, 0}));
  EXPECT_EQ(passes["columns"].size(), passes["rows"][0].size());
}

TEST(DocumentsTest, ShadersAreRowsWithTheirKeys) {
  worker::Hello hello = Hello();
  for (const char* name : {"loops", "waits"}) {
    hello.mutable_targets(0)->add_statistics()->set_name(name);
  }
  ShaderList list(hello);
  cache::Digest key{};
  key[0] = 0xAB;
  kiln::v1::TargetResult result;
  result.set_status(kiln::v1::TargetResult::TIMED_OUT);
  auto* value = result.add_variants()->mutable_statistics()->add_values();
  value->set_name("waits");
  value->set_value(3);
  list.Made(key, result, absl::Milliseconds(250), absl::FromUnixSeconds(5));
  const json shaders = json::parse(ShadersJson(list));
  const json& row = shaders["rows"][0];
  EXPECT_EQ(row[0], "ab" + std::string(62, '0'));
  EXPECT_EQ(row[3], "timed_out");
  EXPECT_EQ(row[8], 0.25);
  EXPECT_EQ(row[11], json::array({nullptr, 3}));
  EXPECT_EQ(shaders["statistics"][1]["name"], "waits");
  EXPECT_EQ(shaders["columns"].size(), row.size());
  EXPECT_EQ(shaders["most"], ShaderList::kMaxShaders);
}

TEST(DocumentsTest, TheLogsLinesAreObjects) {
  const json log = json::parse(LogJson({"{\"event\":\"started\"}\n", "{\"event\":\"stopped\"}\n"}));
  EXPECT_EQ(log["lines"][1]["event"], "stopped");
  EXPECT_TRUE(json::parse(LogJson({}))["lines"].empty());
}

}  // namespace
}  // namespace kiln::pages
