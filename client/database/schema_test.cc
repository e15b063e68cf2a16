// The schema: made once, checked, told apart; and the contract that nothing is renamed.
#include "client/database/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace kiln::client {
namespace {

using testing::HasSubstr;

std::unique_ptr<SqlDatabase> Memory() {
  auto db = SqlDatabase::Open(":memory:", SqlDatabase::Mode::kCreate);
  EXPECT_TRUE(db.ok()) << db.status();
  return *std::move(db);
}

TEST(PrepareSchema, MakesItOnce) {
  const auto db = Memory();
  EXPECT_TRUE(PrepareSchema(db.get()).ok()) << PrepareSchema(db.get());
  EXPECT_TRUE(PrepareSchema(db.get()).ok());
  EXPECT_TRUE(CheckSchema(db.get()).ok());
}

TEST(PrepareSchema, RefusesOtherDatabases) {
  const auto db = Memory();
  ASSERT_TRUE(db->Execute("CREATE TABLE mine (a)").ok());
  EXPECT_THAT(PrepareSchema(db.get()).message(), HasSubstr("not one of results"));
  EXPECT_FALSE(CheckSchema(Memory().get()).ok());
}

TEST(CheckSchema, RefusesLaterVersions) {
  const auto db = Memory();
  ASSERT_TRUE(PrepareSchema(db.get()).ok());
  ASSERT_TRUE(db->Execute(absl::StrCat("PRAGMA user_version = ", kSchemaVersion + 1)).ok());
  EXPECT_THAT(CheckSchema(db.get()).message(), HasSubstr("version 2 of the schema"));
}

// Scripts use these names: a column may be added to the end of a list, and none may be changed.
TEST(PrepareSchema, NamesStay) {
  const auto db = Memory();
  ASSERT_TRUE(PrepareSchema(db.get()).ok());
  const auto columns = [&](const std::string& table) {
    return *db->TextOf(
        absl::StrCat("SELECT group_concat(name, ' ') FROM pragma_table_info('", table, "')"));
  };
  EXPECT_EQ(columns("run"),
            "id started finished outcome version targets shard pipelines kept compiled cached "
            "shared");
  EXPECT_EQ(columns("source"), "id name kind trouble");
  EXPECT_EQ(columns("pipeline"), "id source name file kind options");
  EXPECT_EQ(columns("stage"),
            "pipeline number stage entry module name defines spec subgroup_size state");
  EXPECT_EQ(columns("result"),
            "id unit target code_generation final status cause message spirv_id last_pass version "
            "loadable_by key spirv_sha256 reads compile_us");
  EXPECT_EQ(columns("outcome"), "pipeline number target result previous");
  EXPECT_EQ(columns("cause"), "cause sentence remedy");
  EXPECT_EQ(columns("statistic_kind"), "target name number unit better counts estimated shape");
  EXPECT_EQ(columns("variant"), "result variant width");
  EXPECT_EQ(columns("statistic"), "result variant name value");
  EXPECT_EQ(columns("pass"), "result pass runs changed instructions_delta ns");
  EXPECT_EQ(columns("stage_result"),
            "source pipeline kind file number stage entry module name defines spec subgroup_size "
            "state target status cause message result previous compile_us version code_generation");
  EXPECT_EQ(columns("stage_statistic"), columns("stage_result") + " variant statistic value");
  EXPECT_EQ(columns("spilling"), "source pipeline stage entry module target variant spills");
  EXPECT_EQ(columns("worst_by_cycles"), "source pipeline stage entry module target variant cycles");
  EXPECT_EQ(columns("refused_by_cause"),
            "target status cause stages pipelines modules sentence remedy");
  EXPECT_EQ(columns("changed"),
            "source pipeline stage entry module target variant statistic before after");
  EXPECT_EQ(columns("changed_status"),
            "source pipeline stage entry module target before cause_before after cause_after");
}

}  // namespace
}  // namespace kiln::client
