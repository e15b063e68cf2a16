// Rows for tests of the database.
#ifndef KILN_CLIENT_DATABASE_TESTING_H_
#define KILN_CLIENT_DATABASE_TESTING_H_

#include <unistd.h>

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "client/database/results_database.h"
#include "proto/statistics.h"

namespace kiln::client {

// Returns the path of a database that does not exist.
inline std::string NewDatabasePath(const std::string& name) {
  const std::string path = testing::TempDir() + "/" + name + ".sqlite";
  unlink(path.c_str());
  return path;
}

inline kiln::v1::Capabilities CapabilitiesOf(uint32_t code_generation) {
  kiln::v1::Capabilities capabilities;
  auto* target = capabilities.add_targets();
  target->set_name("tgl");
  target->set_code_generation_version(code_generation);
  for (const char* name : {"cycles", "spills"}) {
    auto* row = target->add_statistics();
    row->set_name(name);
    row->set_unit("things");
    row->set_better(kiln::v1::Capabilities::StatisticInfo::LOWER);
  }
  return capabilities;
}

// A compiled result with one variant.
inline kiln::v1::TargetResult Compiled(int64_t cycles, int64_t spills,
                                       uint32_t code_generation = 7) {
  kiln::v1::TargetResult result;
  result.set_target("tgl");
  result.set_status(kiln::v1::TargetResult::OK);
  result.set_version("1");
  result.set_code_generation_version(code_generation);
  auto* variant = result.add_variants();
  variant->set_name("SIMD8");
  variant->set_width(8);
  *variant->mutable_statistics() = PackStatistics({{"cycles", cycles}, {"spills", spills}});
  auto* sums = result.mutable_pass_sums();
  sums->set_names("tidy");
  sums->add_name_bytes(4);
  sums->add_runs(2);
  sums->add_changed(1);
  sums->add_nanoseconds(10);
  sums->add_instructions_delta(-3);
  return result;
}

inline kiln::v1::TargetResult Failed(kiln::v1::TargetResult::Status status,
                                     const std::string& cause, bool by_compiler) {
  kiln::v1::TargetResult result;
  result.set_target("tgl");
  result.set_status(status);
  result.set_cause(cause);
  if (by_compiler) {
    result.set_version("1");
    result.set_code_generation_version(7);
  }
  return result;
}

// A pipeline of one stage. `unit`: a number that stands for the digest.
inline PipelineRow OneStage(int64_t source, const std::string& name, uint8_t unit,
                            const kiln::v1::TargetResult& result) {
  PipelineRow row;
  row.source = source;
  row.name = name;
  row.file = "a.foz:" + name;
  row.kind = "compute";
  StageRow& stage = row.stages.emplace_back();
  stage.stage = "compute";
  stage.entry = "main";
  stage.module = "ab";
  OutcomeRow& outcome = stage.outcomes.emplace_back();
  outcome.target = result.target();
  outcome.unit[0] = unit;
  outcome.status = result.status();
  outcome.result = std::make_shared<const kiln::v1::TargetResult>(result);
  return row;
}

// Opens a database for target tgl.
inline std::unique_ptr<ResultsDatabase> OpenResults(const std::string& path,
                                                    uint32_t code_generation = 7) {
  auto database = ResultsDatabase::Open(path);
  EXPECT_TRUE(database.ok()) << database.status();
  EXPECT_TRUE((*database)->SetTargets(CapabilitiesOf(code_generation), {"tgl"}).ok());
  return *std::move(database);
}

// Writes pipelines as a run does.
inline void WriteAll(ResultsDatabase* database, const std::vector<PipelineRow>& rows) {
  auto known = database->Results();
  ASSERT_TRUE(known.ok()) << known.status();
  ASSERT_TRUE(database->Begin().ok());
  for (const PipelineRow& row : rows) {
    const absl::Status s = database->Write(row, "options", &*known);
    ASSERT_TRUE(s.ok()) << s;
  }
  ASSERT_TRUE(database->Commit().ok());
}

inline int64_t Count(ResultsDatabase* database, const std::string& what) {
  const auto count = database->sql()->IntOf("SELECT count(*) FROM " + what);
  EXPECT_TRUE(count.ok()) << count.status();
  return count.ok() ? *count : -1;
}

}  // namespace kiln::client

#endif  // KILN_CLIENT_DATABASE_TESTING_H_
