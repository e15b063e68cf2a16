// Statements and their errors.
#include "client/database/sql.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace kiln::client {
namespace {

using testing::HasSubstr;

std::unique_ptr<SqlDatabase> Memory() {
  auto db = SqlDatabase::Open(":memory:", SqlDatabase::Mode::kCreate);
  EXPECT_TRUE(db.ok()) << db.status();
  return *std::move(db);
}

TEST(SqlStatement, BindsAndReadsValues) {
  const auto db = Memory();
  ASSERT_TRUE(db->Execute("CREATE TABLE t (a, b, c, d)").ok());
  auto insert = db->Prepare("INSERT INTO t VALUES (?, ?, ?, ?)");
  ASSERT_TRUE(insert.ok()) << insert.status();
  const std::string bytes("a\0b", 3);
  ASSERT_TRUE(insert->Run(int64_t{1} << 40, bytes, SqlBlob{bytes}, nullptr).ok());
  ASSERT_TRUE(insert->Run(int64_t{2}, absl::string_view(), SqlBlob{{}}, "x").ok());
  auto query = db->Prepare("SELECT a, b, c, d, typeof(b), typeof(c) FROM t ORDER BY a DESC");
  ASSERT_TRUE(query.ok()) << query.status();
  query->Start();
  ASSERT_EQ(*query->Next(), true);
  EXPECT_EQ(query->Int(0), int64_t{1} << 40);
  EXPECT_EQ(query->Text(1), bytes);
  EXPECT_EQ(query->Text(2), bytes);
  EXPECT_TRUE(query->IsNull(3));
  EXPECT_EQ(query->Text(4) + query->Text(5), "textblob");
  ASSERT_EQ(*query->Next(), true);
  EXPECT_EQ(query->Text(1), "");
  EXPECT_EQ(query->Text(4), "text");
  EXPECT_EQ(*query->Next(), false);
}

TEST(SqlDatabase, TellsErrors) {
  const auto db = Memory();
  EXPECT_THAT(db->Execute("SELECT nothing").message(), HasSubstr("nothing"));
  EXPECT_FALSE(db->Prepare("SELEC").ok());
  EXPECT_TRUE(absl::IsNotFound(db->IntOf("SELECT 1 WHERE false").status()));
  EXPECT_EQ(*db->TextOf("SELECT 'x'"), "x");
}

TEST(SqlDatabase, AnotherFileIsNoDatabase) {
  const std::string path = testing::TempDir() + "/text.sqlite";
  std::ofstream(path) << std::string(2000, 'x');
  EXPECT_TRUE(absl::IsInvalidArgument(SqlDatabase::Open(path, SqlDatabase::Mode::kRead).status()));
  EXPECT_FALSE(SqlDatabase::Open("/no/such/file", SqlDatabase::Mode::kRead).ok());
}

}  // namespace
}  // namespace kiln::client
