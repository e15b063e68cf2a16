// Tests a bound that a restart made smaller: it is kept soon, without a write, and at the cost of
// the oldest records; and how much the usual turnover keeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/cache/disk_tier.h"

namespace kiln::cache {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kValueBytes = 5000;
// Includes the key and the record's and table's overhead.
constexpr uint64_t kRecordBytes = kValueBytes + 100;

// Does not compress.
std::string Noise(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string s(kValueBytes, '\0');
  for (size_t at = 0; at + 8 <= s.size(); at += 8) {
    const uint64_t word = random();
    s.replace(at, 8, reinterpret_cast<const char*>(&word), 8);
  }
  return s;
}

// Returns the bytes of all files, as `du` would count them.
uint64_t BytesOf(const std::string& directory) {
  uint64_t bytes = 0;
  std::error_code error;
  fs::recursive_directory_iterator it(directory, error), end;
  for (; !error && it != end; it.increment(error)) {
    std::error_code gone;
    const uint64_t size = it->is_regular_file(gone) ? it->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
}

class DiskBoundTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = testing::TempDir() + "/bound_" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(dir_);
  }
  void TearDown() override {
    tier_ = nullptr;
    fs::remove_all(dir_);
  }
  void Open(uint64_t limit) {
    tier_ = nullptr;
    DiskOptions options;
    options.directory = dir_;
    options.limit_bytes = limit;
    auto tier = DiskTier::Open(options);
    ASSERT_TRUE(tier.ok()) << tier.status();
    tier_ = *std::move(tier);
  }
  void Fill(uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; ++i) {
      ASSERT_TRUE(tier_->Put(absl::StrCat("key", i), Noise(i)).ok()) << i;
    }
  }
  // Returns how many of [from, to) a client finds; those found in an older generation move.
  uint64_t Found(uint64_t from, uint64_t to) {
    uint64_t present = 0;
    for (uint64_t i = from; i < to; ++i) {
      std::string value;
      if (tier_->Get(absl::StrCat("key", i), true, &value) != DiskTier::Found::kHit) continue;
      EXPECT_EQ(value, Noise(i)) << i;
      ++present;
    }
    return present;
  }
  // Returns how many of [from, to) are on the disk. Ends the tier.
  uint64_t Stored(uint64_t from, uint64_t to) {
    tier_ = nullptr;
    const std::string copy = dir_ + ".copy";
    fs::remove_all(copy);
    fs::copy(dir_, copy, fs::copy_options::recursive);
    std::string original = std::exchange(dir_, copy);
    Open(uint64_t{1} << 34);  // large enough that nothing is dropped
    const uint64_t present = Found(from, to);
    EXPECT_EQ(tier_->usage().lost_records, 0u);
    tier_ = nullptr;
    fs::remove_all(copy);
    dir_ = std::move(original);
    return present;
  }
  // Writes `written` MiB under the bound `before`, then starts with the bound `after`, all in MiB.
  void Shrink(uint64_t before, uint64_t written, uint64_t after) {
    SCOPED_TRACE(absl::StrCat(written, " of ", before, " MiB, then ", after));
    uint64_t records = written * kMiB / kRecordBytes;
    const uint64_t fit = std::min(records, std::min(before, after) * kMiB / kRecordBytes);
    ASSERT_NO_FATAL_FAILURE(Open(before * kMiB));
    ASSERT_NO_FATAL_FAILURE(Fill(0, records));
    ASSERT_NO_FATAL_FAILURE(Open(after * kMiB));
    const absl::Time start = absl::Now();
    // While records are rewritten the size falls and rises: it is under the bound once it stays
    // there.
    absl::Time under = absl::InfiniteFuture();
    uint64_t bytes = 0;
    while (absl::Now() < start + absl::Seconds(10) &&
           absl::Now() < under + absl::Milliseconds(500)) {
      absl::SleepFor(absl::Milliseconds(20));
      bytes = BytesOf(dir_);
      under = bytes > after * kMiB ? absl::InfiniteFuture() : std::min(under, absl::Now());
    }
    const absl::Duration took = std::min(under, absl::Now()) - start;
    EXPECT_LE(bytes, after * kMiB);
    uint64_t stored = Stored(records - fit, records);
    EXPECT_GE(stored * 100, fit * 80);
    const auto share = [&] {
      return 100.0 * static_cast<double>(stored) / static_cast<double>(fit);
    };
    printf("%lu MiB of %lu, bound now %lu: after %.2f s %.1f MiB, %.1f %% of the newest that fit",
           static_cast<unsigned long>(written), static_cast<unsigned long>(before),
           static_cast<unsigned long>(after), absl::ToDoubleSeconds(took),
           static_cast<double>(bytes) / kMiB, share());
    // The tier takes records, and the oldest ones make room.
    ASSERT_NO_FATAL_FAILURE(Open(after * kMiB));
    ASSERT_NO_FATAL_FAILURE(Fill(records, records + 300));
    EXPECT_EQ(Found(records, records + 300), 300u);
    records += 300;
    EXPECT_LE(BytesOf(dir_), after * kMiB);
    stored = Stored(records - fit, records);
    EXPECT_GE(stored * 100, fit * 80);
    printf(", %.1f %% after 300 writes", share());
    ASSERT_NO_FATAL_FAILURE(Open(after * kMiB));
    stored = Found(records - fit, records);
    EXPECT_EQ(tier_->usage().lost_records, 0u);
    printf(", %.1f %% by look-ups from old to new\n", share());
  }
  std::string dir_;
  std::unique_ptr<DiskTier> tier_;
};

TEST_F(DiskBoundTest, OneGenerationOfSmallTables) { Shrink(1024, 80, 32); }
TEST_F(DiskBoundTest, TablesAsLargeAsTheNewBound) { Shrink(4096, 100, 16); }
TEST_F(DiskBoundTest, AllInTheLog) { Shrink(4096, 20, 8); }
TEST_F(DiskBoundTest, ManyGenerations) { Shrink(64, 100, 16); }
TEST_F(DiskBoundTest, ALittleSmaller) { Shrink(64, 100, 56); }
TEST_F(DiskBoundTest, Larger) { Shrink(16, 100, 64); }

// A table that cannot be read whole is repaired before its records are moved. (By RocksDB's numbers
// they are then the newest, so only their number is tested here.)
TEST_F(DiskBoundTest, AFlippedBitCostsNoMoreThere) {
  constexpr uint64_t kRecords = 14 * kMiB / kRecordBytes;
  ASSERT_NO_FATAL_FAILURE(Open(4096 * kMiB));
  ASSERT_NO_FATAL_FAILURE(Fill(0, kRecords));
  ASSERT_NO_FATAL_FAILURE(Open(1024 * kMiB));
  ASSERT_NO_FATAL_FAILURE(Fill(kRecords, 2 * kRecords));
  const auto table = [&] {  // from the first generation's log, written in the background
    for (const auto& e : fs::recursive_directory_iterator(dir_)) {
      if (e.path().extension() == ".sst" && e.file_size() > 10 * kMiB) return e.path();
    }
    return fs::path();
  };
  for (int i = 0; i < 500 && table().empty(); ++i) absl::SleepFor(absl::Milliseconds(20));
  tier_ = nullptr;
  const fs::path largest = table();
  ASSERT_FALSE(largest.empty());
  std::fstream file(largest, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(5 * kMiB);
  const auto byte = static_cast<char>(file.get() ^ 4);
  file.seekp(5 * kMiB);
  file.put(byte);
  file.close();
  constexpr uint64_t kBound = 24 * kMiB;
  ASSERT_NO_FATAL_FAILURE(Open(kBound));
  for (int i = 0; i < 500 && BytesOf(dir_) > kBound; ++i) absl::SleepFor(absl::Milliseconds(20));
  EXPECT_LE(BytesOf(dir_), kBound);
  const uint64_t fit = kBound / kRecordBytes;
  EXPECT_GE(Stored(0, 2 * kRecords) * 100, fit * 90);
}

// Measures how much of an unchanged bound is filled in the worst case, once it was reached.
TEST_F(DiskBoundTest, TurnoverKeepsNearlyAllOfTheBound) {
  constexpr uint64_t kLimit = 32 * kMiB;
  ASSERT_NO_FATAL_FAILURE(Open(kLimit));
  uint64_t least = kLimit, most = 0, i = 0;
  for (; i < 5 * kLimit / kRecordBytes; ++i) {
    ASSERT_TRUE(tier_->Put(absl::StrCat("key", i), Noise(i)).ok()) << i;
    if (i % 50 != 0 || i < kLimit / kRecordBytes * 11 / 10) continue;
    const uint64_t bytes = BytesOf(dir_);
    least = std::min(least, bytes);
    most = std::max(most, bytes);
  }
  printf("between %.3f and %.3f of the bound\n", static_cast<double>(least) / kLimit,
         static_cast<double>(most) / kLimit);
  EXPECT_GE(least, kLimit / 100 * 90);
  EXPECT_LE(most, kLimit);
  const uint64_t fit = kLimit / kRecordBytes;
  EXPECT_GE(Stored(i - fit, i) * 100, fit * 90);
}

}  // namespace
}  // namespace kiln::cache
