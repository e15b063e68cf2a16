// Tests that the disk tier keeps to the descriptors that the daemon sets aside for it, however much
// it holds.
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

// Returns how many descriptors of this process are for files in the directory.
int OpenFiles(const std::string& directory) {
  int count = 0;
  std::error_code error;
  const std::string path = fs::canonical(directory);
  for (const auto& fd : fs::directory_iterator("/proc/self/fd")) {
    count += fs::read_symlink(fd.path(), error).string().starts_with(path);
  }
  return count;
}

TEST(OpenTablesTest, FilesOfAllGenerationsTogether) {
  DiskOptions options;
  options.directory = testing::TempDir() + "/open_tables";
  fs::remove_all(options.directory);
  options.limit_bytes = 8 << 20;
  options.open_tables = 60;  // the minimum: ten for each of six databases
  auto tier = DiskTier::Open(options);
  ASSERT_TRUE(tier.ok()) << tier.status();
  std::mt19937 random(1);
  std::string noise(16 << 10, '\0');
  int most = 0;
  constexpr int kRecords = 1200;
  constexpr int kOthers = 36;  // logs, locks, MANIFESTs, notes: six of each
  for (int i = 0; i < kRecords; ++i) {
    for (char& c : noise) c = static_cast<char>(random());
    ASSERT_TRUE((*tier)->Put(absl::StrCat("key", i), noise).ok());
    if (i % 20 == 0) most = std::max(most, OpenFiles(options.directory));
  }
  int served = 0;
  for (int i = 0; i < kRecords; ++i) {
    std::string value;
    served += (*tier)->Get(absl::StrCat("key", i), true, &value) == DiskTier::Found::kHit;
    if (i % 20 == 0) most = std::max(most, OpenFiles(options.directory));
  }
  EXPECT_GE((*tier)->usage().generations, 3);
  EXPECT_LE(most, options.open_tables + kOthers);
  EXPECT_GT(most, kOthers);
  EXPECT_GT(served, kRecords / 4);
}

}  // namespace
}  // namespace kiln::cache
