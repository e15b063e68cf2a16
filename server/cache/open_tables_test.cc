// The disk tier keeps to the descriptors that it is given, however many tables it has.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "server/cache/disk_tier.h"

namespace kiln::cache {
namespace {

namespace fs = std::filesystem;

int Tables(const std::string& directory) {
  int count = 0;
  for (const auto& file : fs::recursive_directory_iterator(directory)) {
    count += file.path().extension() == ".sst";
  }
  return count;
}

int OpenTables() {
  int count = 0;
  std::error_code error;
  for (const auto& fd : fs::directory_iterator("/proc/self/fd")) {
    count += fs::read_symlink(fd.path(), error).extension() == ".sst";
  }
  return count;
}

TEST(OpenTablesTest, TablesOverTheBoundAreOpenedAndClosedAsNeeded) {
  DiskOptions options;
  options.directory = testing::TempDir() + "/open_tables";
  fs::remove_all(options.directory);
  options.limit_bytes = 4 << 20;
  options.open_tables = 60;  // the least: ten for each of six databases
  auto tier = DiskTier::Open(options);
  ASSERT_TRUE(tier.ok()) << tier.status();
  std::mt19937 random(1);
  std::string noise(16 << 10, '\0');
  int most = 0;
  constexpr int kRecords = 400;
  for (int i = 0; i < kRecords; ++i) {
    for (char& c : noise) c = static_cast<char>(random());
    ASSERT_TRUE((*tier)->Put(absl::StrCat("key", i), noise).ok());
    if (i % 20 == 0) most = std::max(most, OpenTables());
  }
  int served = 0;
  for (int i = 0; i < kRecords; ++i) {
    std::string value;
    served += (*tier)->Get(absl::StrCat("key", i), true, &value) == DiskTier::Found::kHit;
    if (i % 20 == 0) most = std::max(most, OpenTables());
  }
  EXPECT_GT(Tables(options.directory), 70);
  EXPECT_LE(most, options.open_tables);
  EXPECT_GT(served, kRecords / 2);
}

}  // namespace
}  // namespace kiln::cache
