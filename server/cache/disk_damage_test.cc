// Tests damage to the disk tier: only damaged records are lost, and they are counted; the tier goes
// on serving and heals itself. disk_flip_test tests the cost of flipped bits.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "server/cache/disk_tier.h"

namespace {
std::atomic<int64_t> set_back_seconds = 0;
}  // namespace

// Replaces the C library's function, so that tests can set the clock back. Waits in the kernel are
// not affected.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  int status = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  if (clock == CLOCK_REALTIME) time->tv_sec -= set_back_seconds;
  return status;
}

namespace kiln::cache {
namespace {

namespace fs = std::filesystem;

// Does not compress.
std::string Noise(uint32_t seed, size_t bytes) {
  std::mt19937 random(seed);
  std::string s(bytes, '\0');
  for (char& c : s) c = static_cast<char>(random());
  return s;
}

// A file system that can be made full: half of an append is written, and no file can be made.
class FullDisk : public rocksdb::FileSystemWrapper {
 public:
  FullDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "FullDisk"; }
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* context) override {
    if (full || (no_tables && absl::EndsWith(name, ".sst"))) {
      ++refused;
      return rocksdb::IOStatus::NoSpace("full");
    }
    if (first_denied && absl::StrContains(name, "generation-000000000001/")) {
      return rocksdb::IOStatus::IOError("denied");
    }
    rocksdb::IOStatus s = target()->NewWritableFile(name, options, file, context);
    if (s.ok()) *file = std::make_unique<File>(this, std::move(*file));
    return s;
  }

  rocksdb::IOStatus NewRandomAccessFile(const std::string& name,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* context) override {
    if (absl::EndsWith(name, ".sst") && unreadable > 0) {
      --unreadable;
      return rocksdb::IOStatus::IOError("not now");
    }
    return target()->NewRandomAccessFile(name, options, file, context);
  }

  std::atomic<bool> full = false;
  std::atomic<bool> no_tables = false;     // full when a table is begun
  std::atomic<int> refused = 0;            // files, for that
  std::atomic<bool> first_denied = false;  // the first generation cannot be written
  std::atomic<int> unreadable = 0;         // number of opened tables that cannot be read

 private:
  class File : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(FullDisk* disk, std::unique_ptr<rocksdb::FSWritableFile> file)
        : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk) {}
    using FSWritableFileOwnerWrapper::Append;
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* context) override {
      if (!disk_->full) return target()->Append(data, options, context);
      rocksdb::IOStatus half =
          target()->Append(rocksdb::Slice(data.data(), data.size() / 2), options, context);
      return half.ok() ? rocksdb::IOStatus::NoSpace("full") : half;
    }

   private:
    FullDisk* disk_;
  };
};

class DiskDamageTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = testing::TempDir() + "/damage_" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(dir_);
  }
  void Open(uint64_t limit = 64 << 20) {
    tier_ = nullptr;
    DiskOptions options;
    options.env = env_.get();
    options.full_patience = full_patience_;
    options.open_tables = open_tables_;
    options.observer = [this](const DiskEvent& event) { Observe(event); };
    options.directory = dir_;
    options.limit_bytes = limit;
    options.probe_interval = probe_interval_;
    auto tier = DiskTier::Open(options);
    ASSERT_TRUE(tier.ok()) << tier.status();
    tier_ = *std::move(tier);
  }
  // Writes records `from` to `to`, of 3000 bytes each.
  void Fill(uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; ++i) {
      ASSERT_TRUE(tier_->Put(absl::StrCat("key", i), Noise(i, 3000)).ok()) << i;
    }
  }
  // Returns how many of them are there; each has to be right.
  int Present(uint32_t from, uint32_t to) {
    int present = 0;
    for (uint32_t i = from; i < to; ++i) {
      std::string value;
      if (tier_->Get(absl::StrCat("key", i), true, &value) != DiskTier::Found::kHit) continue;
      EXPECT_EQ(value, Noise(i, 3000)) << i;
      ++present;
    }
    return present;
  }
  // Returns the non-empty files below the directory whose name contains `part`, oldest first.
  std::vector<fs::path> Files(const std::string& part) const {
    std::vector<fs::path> files;
    std::error_code error;
    fs::recursive_directory_iterator it(dir_, error), end;
    while (!error && it != end) {
      std::error_code gone;  // a running tier may remove files and directories meanwhile
      const fs::directory_entry& e = *it;
      if (e.is_regular_file(gone) && e.file_size(gone) > 0 && !gone &&
          absl::StrContains(e.path().filename().string(), part)) {
        files.push_back(e.path());
      }
      it.increment(error);
    }
    if (error && fs::exists(dir_)) return Files(part);
    std::sort(files.begin(), files.end());
    return files;
  }
  static fs::path Largest(const std::vector<fs::path>& files) {
    return *std::max_element(files.begin(), files.end(), [](const auto& a, const auto& b) {
      return fs::file_size(a) < fs::file_size(b);
    });
  }
  static void Flip(const fs::path& file, uint64_t at, size_t bytes = 4) {
    std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
    f.seekg(static_cast<int64_t>(at));
    std::string old(bytes, '\0');
    f.read(old.data(), static_cast<int64_t>(bytes));
    for (char& c : old) c = static_cast<char>(~c);
    f.seekp(static_cast<int64_t>(at));
    f.write(old.data(), static_cast<int64_t>(bytes));
    ASSERT_TRUE(f.good()) << file;
  }
  static bool Await(const std::function<bool()>& condition) {
    for (int i = 0; i < 2000; ++i) {
      if (condition()) return true;
      absl::SleepFor(absl::Milliseconds(5));
    }
    return false;
  }

  // Renamed first: the running tier may make a file in the directory during the removal.
  void RemoveAtOnce() {
    const std::string gone = dir_ + ".gone";
    fs::remove_all(gone);
    fs::rename(dir_, gone);
    fs::remove_all(gone);
  }

  void Observe(const DiskEvent& event) {
    absl::MutexLock lock(&mutex_);
    events_.push_back(event);
  }
  // Returns the number of events of a kind; the last one in `last`.
  int Told(DiskEvent::Kind kind, DiskEvent* last = nullptr) {
    absl::MutexLock lock(&mutex_);
    int count = 0;
    for (const DiskEvent& e : events_) {
      if (e.kind != kind) continue;
      if (last != nullptr) *last = e;
      ++count;
    }
    return count;
  }
  bool Takes() { return tier_->Put("any", "value").ok() && Serves(); }
  bool Serves() { return tier_->status().state == DiskState::kServing; }

  std::string dir_;
  std::shared_ptr<FullDisk> disk_ = std::make_shared<FullDisk>();
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(disk_);
  int open_tables_ = 4096;
  absl::Duration full_patience_ = absl::Hours(1);
  absl::Duration probe_interval_ = absl::Milliseconds(20);
  absl::Mutex mutex_;
  std::vector<DiskEvent> events_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<DiskTier> tier_;
};

TEST_F(DiskDamageTest, FlippedBytesInTheLogLoseThatPlaceOnly) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 798);
  tier_ = nullptr;
  Flip(Largest(Files(".log")), 40'000);
  ASSERT_NO_FATAL_FAILURE(Open());
  // RocksDB skips a block of 32 KiB; the other records in it are found by their frames.
  int present = Present(0, 798);
  EXPECT_GE(present, 798 - 2);
  EXPECT_LT(present, 798);
  EXPECT_EQ(tier_->usage().lost_records, static_cast<uint64_t>(798 - present));
  EXPECT_EQ(tier_->usage().damaged_generations, 1u);
  DiskEvent event;
  EXPECT_EQ(Told(DiskEvent::Kind::kDamaged, &event), 1);
  EXPECT_EQ(event.records, static_cast<uint64_t>(798 - present));
  // The loss is reported once: the rest has been put into tables, and new records go to a new
  // generation.
  ASSERT_NO_FATAL_FAILURE(Open());
  EXPECT_EQ(Present(0, 798), present);
  EXPECT_EQ(tier_->usage().lost_records, 0u);
}

// Leaves two logs, the older of which was about to become a table.
TEST_F(DiskDamageTest, FlippedBytesInALogAreCountedAfterAKillDuringAFlush) {
  ASSERT_NO_FATAL_FAILURE(Open());
  disk_->no_tables = true;
  uint32_t taken = 0;
  while (tier_->Put(absl::StrCat("key", taken), Noise(taken, 3000)).ok()) ++taken;
  EXPECT_LT(taken, 2 * (1 << 20) / 3000u);  // the bound is 64 write buffers
  const std::string killed = dir_ + ".killed";
  std::error_code gone;  // `trial` comes and goes
  do {
    fs::remove_all(killed);
    fs::copy(dir_, killed, fs::copy_options::recursive, gone);
  } while (gone);
  tier_ = nullptr;
  disk_->no_tables = false;
  fs::remove_all(dir_);
  fs::rename(killed, dir_);
  Flip(Largest(Files(".log")), 400'000);
  ASSERT_NO_FATAL_FAILURE(Open());
  int present = Present(0, taken);
  EXPECT_LT(present, static_cast<int>(taken));
  EXPECT_EQ(tier_->usage().lost_records, taken - static_cast<uint64_t>(present));
}

TEST_F(DiskDamageTest, ATableWithoutItsEndLosesNothing) {
  constexpr uint64_t kLimit = 8 << 20;
  ASSERT_NO_FATAL_FAILURE(Open(kLimit));
  Fill(0, 1800);  // 5.4 MB: more than three generations
  tier_ = nullptr;
  ASSERT_GE(Files(".sst").size(), 3u);
  fs::path first = Files(".sst")[0];
  fs::resize_file(first, fs::file_size(first) - 100);  // its footer is gone
  ASSERT_NO_FATAL_FAILURE(Open(kLimit));
  ASSERT_TRUE(Await([&] { return Present(0, 1800) == 1800; }));
  Fill(2000, 2100);
  EXPECT_EQ(Present(2000, 2100), 100);
}

// RocksDB opens few tables at start: damage to the others shows when they are read.
TEST_F(DiskDamageTest, ADamagedTableThatIsOpenedLateIsRepaired) {
  open_tables_ = 60;
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 4000);
  tier_ = nullptr;
  std::vector<fs::path> tables = Files(".sst");
  ASSERT_GE(tables.size(), 6u);
  fs::path table = tables[tables.size() / 2];
  Flip(table, fs::file_size(table) - 1800, 1700);  // its index and properties
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_EQ(Told(DiskEvent::Kind::kDamaged), 0) << "it was opened at start";
  EXPECT_LT(Present(0, 4000), 4000);
  EXPECT_TRUE(Await([&] { return Told(DiskEvent::Kind::kRepaired) > 0; }));
  EXPECT_GE(Present(0, 4000), 4000 - 2);
  std::string value;
  for (int i = 0; i < 4000; ++i) {
    EXPECT_NE(tier_->Get(absl::StrCat("key", i), true, &value), DiskTier::Found::kCorrupt) << i;
  }
}

TEST_F(DiskDamageTest, AMissingTableLosesOneGenerationAtMost) {
  constexpr uint64_t kLimit = 8 << 20;
  ASSERT_NO_FATAL_FAILURE(Open(kLimit));
  Fill(0, 1800);
  tier_ = nullptr;
  ASSERT_GE(Files(".sst").size(), 3u);
  fs::remove(Files(".sst")[0]);
  ASSERT_NO_FATAL_FAILURE(Open(kLimit));
  ASSERT_TRUE(Await([&] { return Present(0, 1800) >= 1800 - 560; }));
  Fill(2000, 2100);
  EXPECT_EQ(Present(2000, 2100), 100);
}

TEST_F(DiskDamageTest, AMissingManifestIsRepaired) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 300);
  tier_ = nullptr;
  for (const auto& f : Files("MANIFEST")) fs::remove(f);
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_TRUE(Await([&] { return Present(0, 300) == 300; }));
}

TEST_F(DiskDamageTest, AMissingCurrentIsRepaired) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 300);
  tier_ = nullptr;
  for (const auto& f : Files("CURRENT")) fs::remove(f);
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_TRUE(Await([&] { return Present(0, 300) == 300; }));
}

TEST_F(DiskDamageTest, ARepairThatHasNoSpaceWaitsForIt) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 300);
  tier_ = nullptr;
  for (const auto& f : Files("MANIFEST")) fs::remove(f);
  disk_->no_tables = true;
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_TRUE(Await([&] { return tier_->status().cause == DiskCause::kFull; }));
  EXPECT_EQ(Told(DiskEvent::Kind::kRepaired), 0);
  disk_->no_tables = false;
  ASSERT_TRUE(Await([&] { return Serves() && Told(DiskEvent::Kind::kRepaired) > 0; }));
  EXPECT_EQ(Present(0, 300), 300);
  EXPECT_EQ(tier_->usage().lost_records, 0u);
}

TEST_F(DiskDamageTest, ATableThatCannotBeReadForAMomentIsNotLost) {
  constexpr uint64_t kLimit = 8 << 20;
  ASSERT_NO_FATAL_FAILURE(Open(kLimit));
  Fill(0, 500);
  tier_ = nullptr;
  ASSERT_GE(Files(".sst").size(), 1u);
  for (const auto& f : Files("MANIFEST")) fs::remove(f);
  disk_->unreadable = 1;
  ASSERT_NO_FATAL_FAILURE(Open(kLimit));
  ASSERT_TRUE(Await([&] { return Serves() && Told(DiskEvent::Kind::kRepaired) > 0; }));
  EXPECT_EQ(disk_->unreadable, 0);
  EXPECT_EQ(Present(0, 500), 500);
}

// Killed when a repair was done, before or after the damaged generation was renamed.
TEST_F(DiskDamageTest, ARepairedGenerationIsPutInItsPlaceAtStart) {
  for (bool old_there : {false, true}) {
    ASSERT_NO_FATAL_FAILURE(Open());
    Fill(0, 300);
    tier_ = nullptr;
    const std::string path = dir_ + "/generation-000000000001";
    fs::rename(path, path + ".repaired");
    if (old_there) {
      fs::create_directory(path);
      std::ofstream(path + "/000004.log") << "what is left";
    }
    ASSERT_NO_FATAL_FAILURE(Open());
    EXPECT_EQ(Present(0, 300), 300);
    EXPECT_EQ(tier_->usage().damaged_generations, 0u);
    EXPECT_TRUE(Await([&] { return Files("doomed-").empty(); }));
  }
}

TEST_F(DiskDamageTest, LogsDeletedWhileRunningLoseNothing) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 100);
  ASSERT_NO_FATAL_FAILURE(Open());  // it keeps that log
  Fill(100, 200);
  ASSERT_GE(Files(".log").size(), 2u);
  for (int from : {0, 1}) {  // the old generation, then the one that is written to
    int told = Told(DiskEvent::Kind::kDamaged);
    ASSERT_EQ(fs::remove(Files(".log")[from == 0 ? 0 : Files(".log").size() - 1]), true);
    EXPECT_TRUE(Await([&] { return Told(DiskEvent::Kind::kDamaged) > told && Takes(); }));
    Fill(200 + 100 * from, 300 + 100 * from);
  }
  ASSERT_NO_FATAL_FAILURE(Open());
  EXPECT_EQ(Present(0, 400), 400);
  EXPECT_EQ(tier_->usage().lost_records, 0u);
}

TEST_F(DiskDamageTest, ACopyInPlaceOfTheDirectoryIsWrittenToFromThenOn) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 100);
  const std::string copy = dir_ + ".copy";
  fs::remove_all(copy);
  fs::copy(dir_, copy, fs::copy_options::recursive);
  Fill(100, 200);
  ASSERT_EQ(renameat2(AT_FDCWD, copy.c_str(), AT_FDCWD, dir_.c_str(), RENAME_EXCHANGE), 0);
  EXPECT_TRUE(Await([&] { return Told(DiskEvent::Kind::kDamaged) > 0 && Takes(); }));
  Fill(200, 300);
  fs::remove_all(copy);
  ASSERT_NO_FATAL_FAILURE(Open());
  EXPECT_EQ(Present(0, 300), 300);
}

TEST_F(DiskDamageTest, AFileInPlaceOfADatabaseIsPutAside) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 10);
  tier_ = nullptr;
  for (const auto& e : fs::directory_iterator(dir_)) {
    if (!e.is_directory()) continue;
    const fs::path& path = e.path();
    fs::remove_all(path);
    std::ofstream(path) << "a file";
  }
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_TRUE(Await([&] { return tier_->Put("key", "value").ok(); }));
}

TEST_F(DiskDamageTest, FilesDeletedWhileRunningAreNoticed) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 100);
  std::error_code raced;  // races with the tier, which makes it anew
  fs::remove_all(dir_, raced);
  // If the tier has noticed the removal midway and made a file that it did not know of, the
  // directory stays, and the rest of the generation has been repaired.
  const auto noticed = [&] {
    const DiskTier::Usage usage = tier_->usage();
    return usage.lost_generations == 1 || (raced && usage.repaired_generations > 0);
  };
  EXPECT_TRUE(Await(noticed)) << raced.message();
  // From some moment on, written records survive the end of the process again.
  ASSERT_TRUE(Await([&] { return tier_->Put("after", "value").ok() && Serves(); }));
  // They were in no table yet: they are put again.
  EXPECT_EQ(tier_->usage().lost_records, 0u);
  Fill(200, 300);
  tier_ = nullptr;
  ASSERT_NO_FATAL_FAILURE(Open());
  EXPECT_EQ(Present(0, 100), 100);
  EXPECT_EQ(Present(200, 300), 100);
}

// The marker is gone but the rest is still there: it looks like another program's directory.
TEST_F(DiskDamageTest, ARemovalThatIsNoticedMidwayLosesNothingThatWasInMemory) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 100);
  std::ofstream(dir_ + "/a file") << "of others";
  fs::remove(dir_ + "/kilnd-cache");
  ASSERT_TRUE(Await([&] { return tier_->status().cause == DiskCause::kNotOurs; }));
  RemoveAtOnce();
  ASSERT_TRUE(Await([&] { return Takes(); }));
  EXPECT_EQ(tier_->usage().lost_records, 0u);
  ASSERT_NO_FATAL_FAILURE(Open());
  EXPECT_EQ(Present(0, 100), 100);
}

// Records are put again and also come back with their directory; they are not lost with it later.
TEST_F(DiskDamageTest, WhatIsPutAgainIsNotCountedWithItsFirstGeneration) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 100);
  std::ofstream(dir_ + "/a file") << "of others";
  const std::string marker = dir_ + "/kilnd-cache", away = dir_ + ".marker";
  fs::rename(marker, away);
  ASSERT_TRUE(Await([&] { return tier_->status().cause == DiskCause::kNotOurs; }));
  fs::rename(away, marker);
  ASSERT_TRUE(Await([&] { return Takes(); }));
  EXPECT_EQ(Present(0, 100), 100);
  RemoveAtOnce();
  ASSERT_TRUE(Await([&] { return tier_->usage().lost_generations > 0 && Takes(); }));
  EXPECT_EQ(tier_->usage().lost_records, 0u);
  ASSERT_NO_FATAL_FAILURE(Open());
  EXPECT_EQ(Present(0, 100), 100);
}

// Covers every record acknowledged before or after: there is no time in which records go nowhere.
TEST_F(DiskDamageTest, ARemovedDirectoryIsNoticedByTheNextWrite) {
  probe_interval_ = absl::Hours(1);
  ASSERT_NO_FATAL_FAILURE(Open());
  tier_ = nullptr;
  // Once this is removed, the check after the start is over; the next one is in an hour.
  const std::string doomed = dir_ + "/doomed-1-1";
  fs::create_directory(doomed);
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_TRUE(Await([&] { return !fs::exists(doomed); }));
  Fill(0, 100);
  RemoveAtOnce();
  const bool taken = tier_->Put("after", "value").ok();
  EXPECT_FALSE(taken && !fs::exists(dir_)) << "acknowledged, and on no disk";
  // Reported by the write, or by the maintenance thread if that came first.
  EXPECT_TRUE(taken || Await([&] {
                return Told(DiskEvent::Kind::kFailing) + Told(DiskEvent::Kind::kDamaged) > 0;
              }));
  EXPECT_TRUE(Await([&] { return Takes(); })) << "nothing looked after it";
  Fill(100, 110);
  tier_ = nullptr;
  ASSERT_NO_FATAL_FAILURE(Open());
  // Records that were only in memory are written again; those in tables are gone with them.
  EXPECT_EQ(Present(0, 110), 110);
}

TEST_F(DiskDamageTest, AFileInPlaceOfTheDirectoryIsNoEndAndHeals) {
  std::ofstream(dir_) << "a file";
  ASSERT_NO_FATAL_FAILURE(Open());
  ASSERT_NE(tier_, nullptr);
  EXPECT_FALSE(tier_->Put("key", "value").ok());
  std::string value;
  EXPECT_EQ(tier_->Get("key", true, &value), DiskTier::Found::kMiss);
  fs::remove(dir_);
  EXPECT_TRUE(Await([&] { return tier_->Put("key", "value").ok(); }));
  EXPECT_EQ(tier_->Get("key", true, &value), DiskTier::Found::kHit);
}

// Cuts off the end of a log, as a loss of power does: only the note of written records shows it.
TEST_F(DiskDamageTest, ALogCutShortIsCounted) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 100);
  tier_ = nullptr;
  fs::path log = Largest(Files(".log"));
  fs::resize_file(log, fs::file_size(log) / 2);
  ASSERT_NO_FATAL_FAILURE(Open());
  int present = Present(0, 100);
  EXPECT_GT(present, 40);
  EXPECT_LT(present, 60);
  EXPECT_EQ(tier_->usage().lost_records, static_cast<uint64_t>(100 - present));
}

TEST_F(DiskDamageTest, ACleanRestartLosesNothing) {
  constexpr uint64_t kLimit = 8 << 20;
  for (uint32_t round = 0; round < 6; ++round) {
    ASSERT_NO_FATAL_FAILURE(Open(kLimit));
    Fill(300 * round, 300 * round + 300);
    tier_->Erase("key1");
    tier_->Put("key2", Noise(2, 3000)).IgnoreError();
    EXPECT_EQ(tier_->usage().damaged_generations, 0u);
    EXPECT_EQ(tier_->usage().lost_records, 0u);
    EXPECT_TRUE(Serves());
  }
  EXPECT_EQ(Told(DiskEvent::Kind::kDamaged) + Told(DiskEvent::Kind::kFailing), 0);
}

// Files under removal (of a large generation, which takes a while, or left by a kill) do not count
// against the bound: otherwise one generation after another would be dropped for them.
TEST_F(DiskDamageTest, WhatIsBeingRemovedOrAnothersDropsNothingElse) {
  ASSERT_NO_FATAL_FAILURE(Open(8 << 20));
  Fill(0, 300);
  for (const char* other : {"/doomed-1-1", "/another's"}) {
    fs::create_directory(dir_ + other);
    std::ofstream(dir_ + other + "/ballast") << std::string(10 << 20, 'x');
  }
  Fill(300, 600);
  EXPECT_EQ(tier_->usage().dropped_generations, 0u);
  EXPECT_EQ(Present(0, 600), 600);
}

TEST_F(DiskDamageTest, ADirectoryOfAnEarlierVersionIsRemovedAndCounted) {
  fs::create_directories(dir_ + "/db");
  std::ofstream(dir_ + "/lock") << 1234;
  std::ofstream(dir_ + "/db/CURRENT") << "MANIFEST-000005\n";
  std::ofstream(dir_ + "/db/IDENTITY") << "3f5c";
  std::ofstream(dir_ + "/db/000004.sst") << std::string(5000, 'x');
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 10);
  EXPECT_EQ(tier_->usage().old_layouts_dropped, 1u);
  DiskEvent event;
  EXPECT_EQ(Told(DiskEvent::Kind::kOldLayoutDropped, &event), 1);
  EXPECT_GT(event.bytes, 5000u);
  EXPECT_TRUE(Await([&] { return Files("000004.sst").empty(); }));
  EXPECT_TRUE(Serves());
}

TEST_F(DiskDamageTest, ADiskThatWasFullTakesRecordsAgain) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 100);
  disk_->full = true;
  EXPECT_FALSE(tier_->Put("key100", Noise(100, 3000)).ok());
  EXPECT_FALSE(tier_->Put("key101", Noise(101, 3000)).ok());
  EXPECT_EQ(tier_->status().state, DiskState::kDegraded);
  EXPECT_EQ(tier_->status().cause, DiskCause::kFull);
  EXPECT_EQ(Present(0, 100), 100);
  absl::SleepFor(absl::Milliseconds(100));  // some probes
  EXPECT_EQ(tier_->status().cause, DiskCause::kFull);
  disk_->full = false;
  EXPECT_TRUE(Await([&] { return tier_->Put("key100", Noise(100, 3000)).ok(); }));
  EXPECT_TRUE(Serves());
  EXPECT_EQ(Present(0, 101), 101);
  EXPECT_EQ(tier_->usage().failures, 1u);
  EXPECT_EQ(tier_->usage().recoveries, 1u);
  EXPECT_EQ(Told(DiskEvent::Kind::kFailing), 1);
  EXPECT_EQ(Told(DiskEvent::Kind::kRecovered), 1);
  ASSERT_NO_FATAL_FAILURE(Open());
  EXPECT_EQ(Present(0, 101), 101);
  EXPECT_EQ(tier_->usage().lost_records, 0u);
}

TEST_F(DiskDamageTest, ADiskFullNowAndThenLosesNothingAcknowledged) {
  constexpr uint64_t kLimit = 64 << 20;
  ASSERT_NO_FATAL_FAILURE(Open(kLimit));
  std::mt19937 random(7);
  std::vector<uint32_t> taken;
  for (uint32_t i = 0; i < 3000; ++i) {
    if (random() % 100 == 0) {
      disk_->full = !disk_->full;
      // A loop of refusals alone would end before the tier checks again.
      ASSERT_TRUE(disk_->full || Await([&] { return Serves(); }));
    }
    if (tier_->Put(absl::StrCat("key", i), Noise(i, 3000)).ok()) taken.push_back(i);
  }
  disk_->full = false;
  EXPECT_TRUE(Await([&] { return tier_->Put("end", "value").ok() && Serves(); }));
  EXPECT_GT(taken.size(), 500u);
  EXPECT_LT(taken.size(), 3000u);
  for (int round = 0; round < 2; ++round) {
    int present = 0;
    for (uint32_t i : taken) present += Present(i, i + 1);
    EXPECT_EQ(present, static_cast<int>(taken.size()));
    EXPECT_EQ(tier_->usage().lost_records, 0u);
    ASSERT_NO_FATAL_FAILURE(Open(kLimit));
  }
}

TEST_F(DiskDamageTest, AFullDiskAtStartServesWhatThereIs) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 100);
  disk_->full = true;
  ASSERT_NO_FATAL_FAILURE(Open());
  EXPECT_EQ(tier_->status().state, DiskState::kDegraded);
  EXPECT_EQ(tier_->status().cause, DiskCause::kFull);
  EXPECT_EQ(Present(0, 100), 100);
  EXPECT_FALSE(tier_->Put("key", "value").ok());
  disk_->full = false;
  EXPECT_TRUE(Await([&] { return tier_->Put("key", "value").ok() && Serves(); }));
  EXPECT_EQ(Present(0, 100), 100);
}

TEST_F(DiskDamageTest, AFullDiskAtTheFirstStartServesNothingAndHeals) {
  disk_->full = true;
  ASSERT_NO_FATAL_FAILURE(Open());
  EXPECT_EQ(tier_->status().state, DiskState::kUnavailable);
  EXPECT_EQ(tier_->status().cause, DiskCause::kFull);
  disk_->full = false;
  EXPECT_TRUE(Await([&] { return tier_->Put("key", "value").ok() && Serves(); }));
}

TEST_F(DiskDamageTest, ADiskThatStaysFullLosesTheOldestGenerations) {
  full_patience_ = absl::Milliseconds(50);
  ASSERT_NO_FATAL_FAILURE(Open(8 << 20));
  Fill(0, 1800);
  ASSERT_GE(tier_->usage().generations, 3);
  disk_->full = true;
  EXPECT_FALSE(tier_->Put("key", "value").ok());
  // Also the last one: it may be what fills the disk.
  EXPECT_TRUE(Await([&] { return tier_->usage().generations == 0; }));
  DiskEvent event;
  EXPECT_GE(Told(DiskEvent::Kind::kDropped, &event), 3);
  EXPECT_EQ(event.cause, DiskCause::kFull);
  EXPECT_TRUE(Await([&] { return Files(".sst").empty(); }));
  disk_->full = false;
  EXPECT_TRUE(Await([&] { return Takes(); }));
}

// Each of these losses begins a generation.
TEST_F(DiskDamageTest, GenerationsAreBoundedInNumber) {
  for (uint32_t i = 0; i < 12; ++i) {
    ASSERT_NO_FATAL_FAILURE(Open());
    ASSERT_TRUE(Await([&] { return Takes(); }));
    Fill(100 * i, 100 * i + 20);
    tier_ = nullptr;
    Flip(Files(".log").back(), 40'000);
  }
  ASSERT_NO_FATAL_FAILURE(Open());
  EXPECT_GE(Told(DiskEvent::Kind::kDamaged), 10);
  EXPECT_TRUE(Await([&] { return tier_->usage().generations <= DiskTier::kMaxGenerations; }));
  EXPECT_GT(Present(1100, 1120), 0);  // some of the youngest of them
}

TEST_F(DiskDamageTest, AGenerationThatCannotBeWrittenIsReadAndToldOf) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 100);
  disk_->first_denied = true;
  ASSERT_NO_FATAL_FAILURE(Open());
  EXPECT_TRUE(Await([&] {
    return tier_->Put("any", "value").ok() && tier_->status().state == DiskState::kDegraded;
  }));
  EXPECT_EQ(tier_->status().cause, DiskCause::kInputOutput);
  // Attempts to open it for writing come in between, ever more seldom.
  EXPECT_TRUE(Await([&] { return Present(0, 100) == 100; }));
  disk_->first_denied = false;
  EXPECT_TRUE(Await([&] { return Serves(); }));
  EXPECT_EQ(Present(0, 100), 100);
}

TEST_F(DiskDamageTest, HealsThoughTheClockIsSetBack) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 100);
  tier_ = nullptr;
  for (const auto& f : Files("MANIFEST")) fs::remove(f);
  disk_->no_tables = true;
  ASSERT_NO_FATAL_FAILURE(Open());
  // The waits between attempts have grown, and one of them is under way.
  ASSERT_TRUE(Await([&] { return disk_->refused >= 5; }));
  absl::SleepFor(absl::Milliseconds(40));
  set_back_seconds = 3600;
  disk_->no_tables = false;
  EXPECT_TRUE(Await([&] { return Told(DiskEvent::Kind::kRepaired) > 0; }));
  set_back_seconds = 0;
}

// Erasing it would be a write.
TEST_F(DiskDamageTest, ARecordThatDoesNotOpenIsErasedOnlyByWhoMayBlock) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 1);
  tier_ = nullptr;
  rocksdb::DB* db = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(rocksdb::Options(), dir_ + "/generation-000000000001", &db).ok());
  EXPECT_TRUE(db->Put(rocksdb::WriteOptions(), "key0", "no record").ok());
  delete db;
  ASSERT_NO_FATAL_FAILURE(Open());
  std::string value;
  ASSERT_TRUE(Await([&] { return tier_->Get("key0", false, &value) != DiskTier::Found::kMiss; }));
  EXPECT_EQ(tier_->Get("key0", false, &value), DiskTier::Found::kWouldBlock);
  EXPECT_EQ(tier_->Get("key0", true, &value), DiskTier::Found::kCorrupt);
  EXPECT_EQ(tier_->Get("key0", true, &value), DiskTier::Found::kMiss);
}

TEST_F(DiskDamageTest, ADirectoryInPlaceOfAFileInUseIsRepaired) {
  ASSERT_NO_FATAL_FAILURE(Open());
  Fill(0, 400);
  const fs::path current = Files("CURRENT").front();
  fs::remove(current);
  fs::create_directory(current);
  EXPECT_TRUE(Await([&] { return Told(DiskEvent::Kind::kDamaged) > 0; }));
  EXPECT_TRUE(Await([&] { return tier_->Put("key", "value").ok() && Serves(); }))
      << Describe(tier_->status());
  EXPECT_EQ(Present(0, 400), 400);
}

// Any damage to any file while no tier runs: the tier opens, its answers are right, it takes
// records, and in the end it serves. For more rounds:
//   bazel test -c opt //server/cache:disk_damage_test --test_filter='*AnyDamage*'
//       --test_env=KILN_DAMAGE_ROUNDS=500 --test_env=KILN_DAMAGE_SEED=7 --test_timeout=3600
TEST_F(DiskDamageTest, AnyDamageIsSurvived) {
  const char* rounds_text = getenv("KILN_DAMAGE_ROUNDS");
  const char* seed_text = getenv("KILN_DAMAGE_SEED");
  int rounds = rounds_text == nullptr ? 12 : atoi(rounds_text);
  auto seed = static_cast<uint32_t>(seed_text == nullptr ? 1 : atoi(seed_text));
  constexpr uint64_t kLimit = 8 << 20;
  std::mt19937 random(seed);
  ASSERT_NO_FATAL_FAILURE(Open(kLimit));
  for (int round = 0; round < rounds; ++round) {
    uint32_t first = static_cast<uint32_t>(round) * 1000;
    for (uint32_t i = first; i < first + 400; ++i) {
      // Damage may be found only now, by a running tier.
      ASSERT_TRUE(Await([&] { return tier_->Put(absl::StrCat("key", i), Noise(i, 3000)).ok(); }));
    }
    bool running = random() % 4 == 0;
    if (!running) tier_ = nullptr;
    std::vector<fs::path> files = Files("");
    for (uint32_t n = 1 + random() % 3; n > 0; --n) {
      fs::path file = files[random() % files.size()];
      std::error_code error;
      uint64_t size = fs::file_size(file, error);
      if (error) continue;
      switch (random() % 6) {
        case 0: fs::remove(file, error); break;
        case 1: fs::resize_file(file, random() % size, error); break;
        case 2:
          fs::remove(file, error);
          fs::create_directory(file, error);
          break;
        case 3:
          std::ofstream(file, std::ios::app | std::ios::binary) << Noise(random(), 5000);
          break;
        case 4:
          if (size > 8) Flip(file, random() % (size - 8), 1 + random() % 8);
          break;
        case 5: std::ofstream(file, std::ios::binary) << Noise(random(), size); break;
      }
    }
    if (!running) {
      ASSERT_NO_FATAL_FAILURE(Open(kLimit));
    }
    ASSERT_TRUE(Await([&] { return tier_->Put("end", "value").ok() && Serves(); }))
        << "round " << round << ": " << Describe(tier_->status());
    Present(first, first + 400);
  }
}

// Removes, replaces by a folder, or overwrites each file of a running tier: it serves again.
TEST_F(DiskDamageTest, AnyFileOfARunningTierMayBeReplaced) {
  for (int what = 0; what < 3; ++what) {
    ASSERT_NO_FATAL_FAILURE(Open());
    Fill(0, 100);
    const std::vector<fs::path> files = Files("");
    tier_ = nullptr;
    for (size_t n = 0; n < files.size(); ++n) {
      ASSERT_NO_FATAL_FAILURE(Open());
      Fill(0, 100);
      const std::vector<fs::path> now = Files("");
      if (n >= now.size()) break;
      std::error_code error;
      const uint64_t size = fs::file_size(now[n], error);
      if (what < 2) fs::remove(now[n], error);
      if (what == 1) fs::create_directory(now[n], error);
      if (what == 2) std::ofstream(now[n], std::ios::binary) << Noise(7, size);
      EXPECT_TRUE(Await([&] { return tier_->Put("end", "value").ok() && Serves(); }))
          << what << " " << now[n] << ": " << Describe(tier_->status());
      tier_ = nullptr;
      fs::remove_all(dir_);
    }
  }
}

}  // namespace
}  // namespace kiln::cache
