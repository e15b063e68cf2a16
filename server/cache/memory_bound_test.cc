// Tests that the tiers' bounds bound memory: resident memory of the process, with kilnd's
// allocator. The memory tier while it is full and after ten turnovers, at results of several sizes;
// the disk tier while records are written and all of them read.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/cache/disk_tier.h"
#include "server/cache/result_cache.h"

namespace kiln::cache {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitised = true;  // shadow memory and quarantines are resident too
#else
constexpr bool kSanitised = false;
#endif

constexpr size_t kBound = size_t{48} << 20;

// Returns this process's resident bytes, after the allocator has given back what has been free long
// enough.
double ResidentBytes() {
  absl::SleepFor(absl::Milliseconds(2500));
  uint64_t total = 0, resident = 0;  // in pages
  std::ifstream("/proc/self/statm") >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

class MemoryBoundTest : public testing::TestWithParam<size_t> {};

// Stores a result as the engine does.
void MakeOne(uint64_t number, ResultCache* cache) {
  kiln::v1::TargetResult result;
  result.set_status(kiln::v1::TargetResult::OK);
  result.add_variants()->set_code(std::string(MemoryBoundTest::GetParam(), 'c'));
  kiln::v1::OutputMask mask;
  mask.set_binary(true);
  const Outputs outputs(mask);
  cache->Remember(Sha256(std::to_string(number)), outputs,
                  ResultCache::Prepare(outputs, std::move(result)));
}

TEST_P(MemoryBoundTest, HoldsForResidentMemory) {
  if (kSanitised) GTEST_SKIP() << "a sanitiser has memory of its own";
  const double before = ResidentBytes();
  ResultCache cache(kBound, nullptr);
  uint64_t made = 0;
  while (cache.memory_usage().evicted_entries == 0) {
    ASSERT_LT(made * (GetParam() + 1), 2 * kBound) << "nothing is evicted";
    MakeOne(made++, &cache);
  }
  const uint64_t full = made;
  EXPECT_LE(ResidentBytes() - before, 1.2 * kBound) << full << " results";
  while (made < 11 * full) MakeOne(made++, &cache);
  EXPECT_LE(ResidentBytes() - before, 1.2 * kBound) << made << " results";
  // And the bound is used: bookkeeping takes little, unless results are tiny.
  const MemoryTier::Usage usage = cache.memory_usage();
  EXPECT_GE(static_cast<double>(usage.bytes), 0.9 * kBound);
  EXPECT_GE(static_cast<double>(usage.entries * GetParam()), 0.35 * kBound);
}

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

INSTANTIATE_TEST_SUITE_P(Sizes, MemoryBoundTest, testing::Values(100, 1000, 100'000));

}  // namespace
}  // namespace kiln::cache
