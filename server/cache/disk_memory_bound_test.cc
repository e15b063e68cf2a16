// Tests that the disk tier's bound of memory bounds memory: resident memory of the process, with
// kilnd's allocator, while records are written and all of them read.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "server/cache/disk_tier.h"
#include "server/cache/resident_bytes.h"

namespace kiln::cache {
namespace {

TEST(DiskMemoryBoundTest, HoldsForResidentMemory) {
  if (kSanitised) GTEST_SKIP() << "a sanitiser has memory of its own";
  DiskOptions options;
  options.directory = testing::TempDir() + "/memory_bound";
  std::filesystem::remove_all(options.directory);
  options.limit_bytes = uint64_t{512} << 20;
  options.memory_bytes = DiskTier::LeastMemory(options.limit_bytes);
  const double before = ResidentBytes();
  auto opened = DiskTier::Open(options);
  ASSERT_TRUE(opened.ok()) << opened.status();
  const std::unique_ptr<DiskTier> tier = *std::move(opened);
  const double bound = static_cast<double>(options.memory_bytes);
  // Does not compress; the generator is the same on every system.
  std::mt19937_64 random(1);
  std::string value(1000, '\0');
  constexpr int kRecords = 200'000;
  uint64_t most = 0;
  for (int i = 0; i < kRecords; ++i) {
    for (size_t at = 0; at < value.size(); at += 8) {
      const uint64_t word = random();
      value.replace(at, 8, reinterpret_cast<const char*>(&word), 8);
    }
    ASSERT_TRUE(tier->Put(std::to_string(i), value).ok());
    most = std::max(most, tier->memory_usage());
  }
  EXPECT_LE(ResidentBytes() - before, 1.2 * bound);
  int found = 0;
  for (int i = 0; i < kRecords; ++i) {
    found += tier->Get(std::to_string(i), true, &value) == DiskTier::Found::kHit;
    most = std::max(most, tier->memory_usage());
  }
  EXPECT_EQ(found, kRecords);
  EXPECT_LE(static_cast<double>(most), 1.1 * bound);
  // Blocks were kept, and the bound was in use.
  EXPECT_GE(static_cast<double>(tier->memory_usage()), 0.5 * bound);
  EXPECT_LE(ResidentBytes() - before, 1.2 * bound);
}

}  // namespace
}  // namespace kiln::cache
