// Tests flipped bits in the files of the disk tier: each costs two records at most, in whichever
// file it is, and the remaining records are right.
#include <gtest/gtest.h>
#include <rocksdb/cache.h>
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/testing/await.h"
#include "server/cache/disk_tier.h"
#include "server/cache/generation.h"
#include "server/cache/note.h"

namespace kiln::cache {
namespace {

namespace fs = std::filesystem;

// With write buffers of 256 and 64 KiB.
constexpr uint32_t kRecords = 1200, kFewRecords = 200;
constexpr uint64_t kLimit = 16 << 20, kSmallLimit = 4 << 20;

// Returns 100 to 1,900 bytes that do not compress.
std::string Noise(uint32_t seed) {
  std::mt19937 random(seed);
  std::string s(100 + random() % 1800, '\0');
  for (char& c : s) c = static_cast<char>(random());
  return s;
}
std::string Key(uint32_t i) { return absl::StrCat("the name of record ", i); }

std::unique_ptr<DiskTier> OpenTier(const std::string& directory, uint64_t limit) {
  DiskOptions options;
  options.directory = directory;
  options.limit_bytes = limit;
  options.probe_interval = absl::Milliseconds(20);
  auto tier = DiskTier::Open(options);
  EXPECT_TRUE(tier.ok()) << tier.status();
  return tier.ok() ? *std::move(tier) : nullptr;
}

// Names one bit of a file.
struct BitPosition {
  fs::path file;
  uint64_t bit = 0;
};

class DiskFlipTest : public testing::Test {
 protected:
  // Writes `records` records, to tables and a log.
  void Write(uint32_t records, uint64_t limit) {
    records_ = records;
    limit_ = limit;
    base_ = testing::TempDir() + "/flip_base";
    fs::remove_all(base_);
    auto tier = OpenTier(base_, limit_);
    ASSERT_NE(tier, nullptr);
    for (uint32_t i = 0; i < records_; ++i) ASSERT_TRUE(tier->Put(Key(i), Noise(i)).ok());
    // Tables are written in the background.
    ASSERT_TRUE(Await([&] { return Files(base_, ".sst").size() >= 2; }));
    ASSERT_GE(Files(base_, ".log").size(), 1u);
  }
  static std::vector<fs::path> Files(const std::string& directory, const std::string& part) {
    std::vector<fs::path> files;
    for (const auto& e : fs::recursive_directory_iterator(directory)) {
      std::error_code gone;  // the tier removes a log once its table is written
      if (e.is_regular_file(gone) && !gone && e.file_size(gone) > 0 && !gone &&
          absl::StrContains(e.path().filename().string(), part)) {
        files.push_back(e.path());
      }
    }
    std::sort(files.begin(), files.end());
    return files;
  }
  // Copies what was written; returns the copy's directory.
  std::string Copy() {
    std::string directory = testing::TempDir() + "/flip_copy";
    fs::remove_all(directory);
    fs::copy(base_, directory, fs::copy_options::recursive);
    return directory;
  }
  static void Flip(const BitPosition& position) {
    std::fstream f(position.file, std::ios::in | std::ios::out | std::ios::binary);
    f.seekg(static_cast<int64_t>(position.bit / 8));
    const auto byte = static_cast<char>(f.get() ^ (1 << position.bit % 8));
    f.seekp(static_cast<int64_t>(position.bit / 8));
    f.put(byte);
    ASSERT_TRUE(f.good()) << position.file;
  }
  // Waits until the tier serves again, as far as it can.
  static bool AwaitServing(DiskTier& tier) {
    return Await([&] { return tier.status().state == DiskState::kServing; });
  }
  static bool IsThere(DiskTier& tier, uint32_t i) {
    std::string value;
    if (tier.Get(Key(i), true, &value) != DiskTier::Found::kHit) return false;
    EXPECT_EQ(value, Noise(i)) << i;
    return true;
  }
  // Returns how many records are gone once the tier has healed; those that are there are right.
  uint32_t Lost(const std::string& directory) {
    auto tier = OpenTier(directory, limit_);
    if (tier == nullptr) return records_;
    EXPECT_TRUE(AwaitServing(*tier)) << Describe(tier->status());
    std::vector<uint32_t> missed;
    for (uint32_t i = 0; i < records_; ++i) {
      if (!IsThere(*tier, i)) missed.push_back(i);
    }
    // A look-up that meets damage may have a generation repaired; its records are misses meanwhile.
    EXPECT_TRUE(AwaitServing(*tier)) << Describe(tier->status());
    uint32_t lost = 0;
    for (uint32_t i : missed) lost += IsThere(*tier, i) ? 0 : 1;
    return lost;
  }
  // Flips `bits` at a time in the files whose name contains `part`, `rounds` times. `choose`:
  // returns one of a file's bits.
  void FlipMany(const char* what, const std::string& part, int bits, int rounds,
                const std::function<uint64_t(std::mt19937_64&, uint64_t)>& choose) {
    ASSERT_NO_FATAL_FAILURE(Write(kRecords, kLimit));
    std::mt19937_64 random(7);
    uint64_t lost = 0, most = 0;
    for (int round = 0; round < rounds; ++round) {
      SCOPED_TRACE(absl::StrCat(what, ", round ", round));
      const std::string directory = Copy();
      const std::vector<fs::path> files = Files(directory, part);
      ASSERT_FALSE(files.empty());
      uint64_t sum = 0;
      for (const auto& file : files) sum += fs::file_size(file);
      for (int i = 0; i < bits; ++i) {
        uint64_t at = random() % sum;
        size_t n = 0;
        while (at >= fs::file_size(files[n])) at -= fs::file_size(files[n++]);
        Flip({files[n], choose(random, fs::file_size(files[n]))});
      }
      const uint64_t gone = Lost(directory);
      EXPECT_LE(gone, static_cast<uint64_t>(2 * bits));
      lost += gone;
      most = std::max(most, gone);
    }
    printf("%-28s %2d bits at a time, %2d rounds: %.3f records a bit, %lu of %d at most\n", what,
           bits, rounds, static_cast<double>(lost) / (bits * rounds),
           static_cast<unsigned long>(most), bits);
  }
  std::string base_;
  uint32_t records_ = 0;
  uint64_t limit_ = 0;
};

uint64_t Anywhere(std::mt19937_64& random, uint64_t bytes) { return random() % (bytes * 8); }
// Chooses a bit in a table's index, filter, properties or footer; data lies before them.
uint64_t InTheTail(std::mt19937_64& random, uint64_t bytes) {
  const uint64_t tail = std::min<uint64_t>(bytes, 8000);
  return (bytes - tail) * 8 + random() % (tail * 8);
}

TEST_F(DiskFlipTest, AllFiles) { FlipMany("all files", "", 49, 12, Anywhere); }
TEST_F(DiskFlipTest, OneBitOfATable) { FlipMany("tables", ".sst", 1, 30, Anywhere); }
// A table's filter lets one key in a hundred through that the table does not have. If that leads to
// a damaged block, the table that has the record is still read.
TEST_F(DiskFlipTest, DamagedBlocksCostNoRecordOfAnotherTable) {
  ASSERT_NO_FATAL_FAILURE(Write(kRecords, kLimit));
  const std::string directory = Copy();
  const fs::path newest = Files(directory, ".sst").back();
  std::set<std::string> damaged;
  uint64_t data_bytes = 0;
  {
    rocksdb::SstFileReader table(DatabaseOptions({}));
    ASSERT_TRUE(table.Open(newest).ok());
    data_bytes = table.GetTableProperties()->data_size;
    const std::unique_ptr<rocksdb::Iterator> it(table.NewIterator(rocksdb::ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) damaged.insert(it->key().ToString());
  }
  ASSERT_GT(damaged.size(), 20u);
  for (uint64_t at = 0; at < data_bytes; at += 50) Flip({newest, at * 8});
  auto tier = OpenTier(directory, limit_);
  ASSERT_NE(tier, nullptr);
  ASSERT_TRUE(AwaitServing(*tier)) << Describe(tier->status());
  size_t lost = 0;
  for (uint32_t i = 0; i < records_; ++i) {
    const bool there = IsThere(*tier, i);
    if (damaged.contains(Key(i))) {
      lost += there ? 0 : 1;
    } else {
      EXPECT_TRUE(there) << i;
    }
  }
  EXPECT_GT(lost, 20u);
}

// A note from before an erasure (a crash, or a disk that did not take the later one) does not let a
// look-up past the damaged erasure find the erased record.
TEST(Erasures, ADamagedOneIsNotPassedOverByAnOldNote) {
  const std::string path = testing::TempDir() + "/erasures";
  fs::remove_all(path);
  DiskCause cause = DiskCause::kNone;
  GenerationOptions options;
  options.directory = *CacheDirectory::Open(path, &cause);
  options.write_buffer_bytes = 64 << 10;
  options.block_cache = rocksdb::NewLRUCache(1 << 20);
  std::shared_ptr<Generation> generation;
  const auto open = [&] {
    generation = nullptr;
    return Generation::Open(options, 1, Generation::Mode::kReadWrite, &generation);
  };
  ASSERT_TRUE(open().ok());
  ASSERT_TRUE(generation->Put("key", Noise(1)).ok());
  generation->Flush();
  const fs::path note = fs::path(GenerationPath(*options.directory, 1)) / kNoteName;
  const fs::path old_note = path + "/old_note";
  fs::copy_file(note, old_note);
  ASSERT_TRUE(generation->Delete("key").ok());
  generation->Flush();
  generation = nullptr;
  fs::copy_file(old_note, note, fs::copy_options::overwrite_existing);
  std::vector<fs::path> tables;
  for (const auto& e : fs::directory_iterator(note.parent_path())) {
    if (e.path().extension() == ".sst") tables.push_back(e.path());
  }
  std::sort(tables.begin(), tables.end());
  ASSERT_EQ(tables.size(), 2u);
  std::fstream file(tables.back(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(10);
  const auto byte = static_cast<char>(file.get() ^ 4);
  file.seekp(10);
  file.put(byte);
  file.close();
  ASSERT_TRUE(open().ok());
  StoredRecord stored;
  EXPECT_TRUE(generation->Get("key", /*may_block=*/true, &stored).IsCorruption());
}

TEST_F(DiskFlipTest, ManyBitsOfTables) { FlipMany("tables", ".sst", 49, 6, Anywhere); }
TEST_F(DiskFlipTest, OneBitOfATablesTail) { FlipMany("tables' ends", ".sst", 1, 40, InTheTail); }
TEST_F(DiskFlipTest, ManyBitsOfTablesTails) { FlipMany("tables' ends", ".sst", 10, 6, InTheTail); }
TEST_F(DiskFlipTest, OneBitOfTheLog) { FlipMany("logs", ".log", 1, 30, Anywhere); }
TEST_F(DiskFlipTest, ManyBitsOfTheLog) { FlipMany("logs", ".log", 20, 6, Anywhere); }

// Covers every byte of every file that is neither a table nor a log, by one bit each: the highest,
// which in a length makes all that follows look like the torn end of the file.
TEST_F(DiskFlipTest, AnyByteOfASmallFile) {
  ASSERT_NO_FATAL_FAILURE(Write(kFewRecords, kSmallLimit));
  uint32_t bits = 0;
  for (const fs::path& file : Files(base_, "")) {
    if (file.extension() == ".sst" || file.extension() == ".log") continue;
    const std::string name = fs::relative(file, base_);
    uint32_t most = 0;
    const uint64_t bytes = fs::file_size(file);
    // OPTIONS files are long, and not read.
    const uint64_t step = absl::StrContains(name, "OPTIONS") ? 500 : 1;
    for (uint64_t at = 0; at < bytes; at += step, ++bits) {
      const std::string directory = Copy();
      Flip({fs::path(directory) / name, at * 8 + 7 - at % 3});
      const uint32_t gone = Lost(directory);
      ASSERT_LE(gone, 2u) << name << ", byte " << at;
      most = std::max(most, gone);
    }
    printf("%-40s %5lu bytes: %u records at most\n", name.c_str(),
           static_cast<unsigned long>(bytes), most);
  }
  EXPECT_GT(bits, 100u);
}

}  // namespace
}  // namespace kiln::cache
