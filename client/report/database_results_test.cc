// Results of databases, as a comparison takes them.
#include "client/report/database_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "client/database/schema.h"
#include "client/report/testing.h"

namespace kiln::client::report {
namespace {

using testing::HasSubstr;

constexpr char kRows[] = R"sql(
INSERT INTO source VALUES (1, 'a.foz', 'capture', '');
INSERT INTO pipeline VALUES (1, 1, 'compute/1', 'a.foz:compute/1', 'compute', '');
INSERT INTO stage VALUES (1, 0, 'compute', 'main', 'ab', 'fast', 'A=1', '3=uint:7', 16, '');
INSERT INTO result VALUES (5, x'01', 'tgl', 7, 1, 'ok', 'ok', '', 0, '', '1', '', '', '', '', 250);
INSERT INTO outcome VALUES (1, 0, 'tgl', 5, NULL);
INSERT INTO variant VALUES (5, 'SIMD8', 8), (5, 'SIMD16', 16);
INSERT INTO statistic VALUES (5, 'SIMD8', 'cycles', 90), (5, 'SIMD8', 'unknown', 1),
                             (5, 'SIMD16', 'spills', 0);
)sql";

std::string Database(const std::string& name, const std::string& rows) {
  const std::string path = testing::TempDir() + "/" + name + ".sqlite";
  unlink(path.c_str());
  auto db = SqlDatabase::Open(path, SqlDatabase::Mode::kCreate);
  EXPECT_TRUE(db.ok()) << db.status();
  EXPECT_TRUE(PrepareSchema(db->get()).ok());
  const absl::Status s = (*db)->Execute(rows);
  EXPECT_TRUE(s.ok()) << s;
  return path;
}

TEST(ReadDatabaseResults, ReadsKeysAndFigures) {
  const std::string path = Database("figures", kRows);
  EXPECT_TRUE(IsDatabase(path));
  const auto set = ReadDatabaseResults(path, Kinds());
  ASSERT_TRUE(set.ok()) << set.status();
  ASSERT_EQ(set->results.size(), 1u);
  const auto& [key, result] = *set->results.begin();
  EXPECT_EQ(key.file, "a.foz:compute/1");
  EXPECT_EQ(key.target + key.entry + key.stage, "tglmaincompute");
  EXPECT_EQ(key.permutation->name, "fast");
  EXPECT_EQ(key.permutation->options, "A=1; 3=uint:7; subgroup 16");
  EXPECT_EQ(result.status, "ok");
  EXPECT_EQ(result.compile_us, 250);
  Numbers numbers = NoNumbers();
  numbers[kCycles] = 90;
  EXPECT_EQ(result.variants.at("SIMD8"), numbers);
  EXPECT_EQ(result.variants.at("SIMD16")[kSpills], 0);
}

// Rows of files have the keys that their JSON lines have.
TEST(ReadDatabaseResults, StagesOfAPairHaveTheirFilesAndState) {
  const std::string rows = std::string(kRows) + R"sql(
INSERT INTO source VALUES (2, 'files', 'files', '');
INSERT INTO pipeline VALUES (2, 2, 'p', 'm.vert + m.frag', 'pair', '');
INSERT INTO stage VALUES (2, 0, 'vertex', 'main', '', '', 'B', '', 0, '{"viewMask":3}'),
                         (2, 1, 'fragment', 'main', '', '', 'B', '', 0, '{"viewMask": 3}');
INSERT INTO outcome VALUES (2, 0, 'tgl', 5, NULL), (2, 1, 'tgl', 5, NULL);
)sql";
  const auto set = ReadDatabaseResults(Database("pair", rows), Kinds());
  ASSERT_TRUE(set.ok()) << set.status();
  std::map<std::string, std::string> options;
  for (const auto& [key, result] : set->results) options[key.file] = key.permutation->options;
  EXPECT_EQ(options["m.vert"], R"(B; {"viewMask":3}; with m.frag)");
  EXPECT_EQ(options["m.frag"], R"(B; {"viewMask":3}; with m.vert)");
  EXPECT_EQ(options.size(), 3u);
}

TEST(ReadDatabaseResults, TellsWhatIsNone) {
  EXPECT_THAT(ReadDatabaseResults(Database("none", ""), Kinds()).status().message(),
              HasSubstr("has no results"));
  const std::string path = testing::TempDir() + "/lines.jsonl";
  std::ofstream(path) << "{}\n";
  EXPECT_FALSE(IsDatabase(path));
  EXPECT_FALSE(ReadDatabaseResults(path, Kinds()).ok());
  EXPECT_FALSE(IsDatabase("/no/such/file"));
}

}  // namespace
}  // namespace kiln::client::report
