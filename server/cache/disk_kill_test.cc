// Tests kill -9 at random points: acknowledged records are there and right, and no record is
// reported lost that was not.
//
// 24 rounds in the suite. For hundreds:
//   bazel test -c opt //server/cache:disk_kill_test --test_env=KILN_KILL_ROUNDS=500
//       --test_timeout=3600 --test_output=all
// KILN_KILL_SEED=N repeats the moments of a run (the scheduler is not repeated).
#include <fcntl.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/cache/disk_tier.h"

namespace kiln::cache {
namespace {

namespace fs = std::filesystem;

// Small write buffers and generations, so that flushes, rotations and drops fall into every round.
constexpr uint64_t kLimit = 24 << 20;
// Bytes written in one round at most: half the bound, so that records acknowledged in a round
// cannot have been dropped by its end.
constexpr uint64_t kRoundBytes = 12 << 20;

std::string Noise(uint64_t seed) {
  std::mt19937_64 random(seed);
  std::string s(100 + random() % 12'000, '\0');
  for (char& c : s) c = static_cast<char>(random());
  return s;
}

std::string Key(uint64_t seed) { return absl::StrCat("key", seed); }

DiskOptions Options(const std::string& directory) {
  DiskOptions options;
  options.directory = directory;
  options.limit_bytes = kLimit;
  options.probe_interval = absl::Milliseconds(10);
  return options;
}

// Not a test: the process that is killed. (RocksDB's threads do not survive a fork, so it is
// executed anew.) Every number written to kAcknowledgeFd acknowledges a record; two threads write,
// as with two workers' results.
constexpr int kAcknowledgeFd = 99;
TEST(DiskKillWriter, DISABLED_WriteUntilKilled) {
  auto tier = DiskTier::Open(Options(getenv("KILN_WRITER_DIRECTORY")));
  ASSERT_TRUE(tier.ok()) << tier.status();
  uint64_t first = std::strtoull(getenv("KILN_WRITER_FIRST"), nullptr, 10);
  std::atomic<uint64_t> bytes = 0;
  auto write_records = [&](uint64_t from) {
    for (uint64_t i = from; bytes < kRoundBytes; i += 2) {
      std::string value = Noise(i);
      bytes += value.size();
      ASSERT_TRUE((*tier)->Put(Key(i), value).ok());
      ASSERT_EQ(write(kAcknowledgeFd, &i, sizeof i), static_cast<ssize_t>(sizeof i));
    }
  };
  std::thread other([&] { write_records(first + 1); });
  write_records(first);
  other.join();
  pause();
}

pid_t StartWriter(const std::string& directory, uint64_t first, int acknowledge_fd) {
  pid_t child = fork();
  if (child != 0) return child;
  dup2(acknowledge_fd, kAcknowledgeFd);
  setenv("KILN_WRITER_DIRECTORY", directory.c_str(), 1);
  setenv("KILN_WRITER_FIRST", absl::StrCat(first).c_str(), 1);
  execl("/proc/self/exe", "writer", "--gtest_also_run_disabled_tests",
        "--gtest_filter=DiskKillWriter.*WriteUntil*", nullptr);
  _exit(1);
}

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(DiskKillTest, LosesNothingAcknowledged) {
  std::string directory = testing::TempDir() + "/disk_kill";
  fs::remove_all(directory);
  uint64_t rounds = FromEnvironment("KILN_KILL_ROUNDS", 24);
  std::mt19937_64 random(FromEnvironment("KILN_KILL_SEED", std::random_device()()));
  uint64_t first = 1, total = 0;
  // On a busy machine writers are often killed before they have written: then there are more
  // rounds.
  const uint64_t least = 10 * rounds, most_rounds = 20 * rounds;
  for (uint64_t round = 0; round < rounds || (total <= least && round < most_rounds); ++round) {
    int pipe_fd[2];
    ASSERT_EQ(pipe2(pipe_fd, O_CLOEXEC), 0);
    pid_t child = StartWriter(directory, first, pipe_fd[1]);
    close(pipe_fd[1]);
    // Any time from the middle of opening to the end of the writing, more often early.
    uint64_t reach = random() % 4 == 0 ? 400'000 : 60'000;
    absl::SleepFor(absl::Microseconds(random() % reach));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer failed by itself in round " << round;
    std::vector<uint64_t> acknowledged;
    uint64_t n = 0, most = first;
    while (read(pipe_fd[0], &n, sizeof n) == sizeof n) {
      acknowledged.push_back(n);
      most = std::max(most, n);
    }
    close(pipe_fd[0]);
    auto tier = DiskTier::Open(Options(directory));
    ASSERT_TRUE(tier.ok()) << tier.status();
    EXPECT_EQ((*tier)->usage().lost_records, 0u) << "round " << round;
    EXPECT_EQ((*tier)->usage().damaged_generations, 0u) << "round " << round;
    std::string value;
    for (uint64_t i : acknowledged) {
      ASSERT_EQ((*tier)->Get(Key(i), true, &value), DiskTier::Found::kHit) << i << " of " << round;
      ASSERT_EQ(value, Noise(i));
    }
    // Some records of earlier rounds may have been dropped; those that are there are right.
    for (int k = 0; k < 50; ++k) {
      uint64_t i = 1 + random() % most;
      if ((*tier)->Get(Key(i), true, &value) == DiskTier::Found::kHit) {
        ASSERT_EQ(value, Noise(i));
      }
    }
    total += acknowledged.size();
    first = most + 10;
  }
  printf("%lu rounds, %lu records acknowledged, none lost\n", static_cast<unsigned long>(rounds),
         static_cast<unsigned long>(total));
  EXPECT_GT(total, least) << "it was always killed before it wrote";
}

// Ends its process with SIGKILL before the `fatal`-th change to the directory.
class FatalFileSystem : public rocksdb::FileSystemWrapper {
 public:
  explicit FatalFileSystem(uint64_t fatal)
      : FileSystemWrapper(rocksdb::FileSystem::Default()), left_(fatal) {}
  const char* Name() const override { return "FatalFileSystem"; }
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* context) override {
    Count();
    return target()->NewWritableFile(name, options, file, context);
  }
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override {
    Count();
    return target()->RenameFile(from, to, options, context);
  }
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override {
    Count();
    return target()->DeleteFile(name, options, context);
  }

 private:
  void Count() {
    if (--left_ == 0) kill(getpid(), SIGKILL);
  }
  std::atomic<uint64_t> left_;
};

bool AwaitServing(const DiskTier& tier) {
  for (int i = 0; i < 2000 && tier.status().state != DiskState::kServing; ++i) {
    absl::SleepFor(absl::Milliseconds(5));
  }
  return tier.status().state == DiskState::kServing;
}

// Not a test: the process that is killed while it repairs.
TEST(DiskKillWriter, DISABLED_HealUntilKilled) {
  auto disk =
      std::make_shared<FatalFileSystem>(std::strtoull(getenv("KILN_HEALER_FATAL"), nullptr, 10));
  std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(disk);
  DiskOptions options = Options(getenv("KILN_WRITER_DIRECTORY"));
  options.env = env.get();
  auto tier = DiskTier::Open(options);
  ASSERT_TRUE(tier.ok()) << tier.status();
  ASSERT_TRUE(AwaitServing(**tier));
}

// Its status.
int RunHealer(const std::string& directory, uint64_t fatal) {
  pid_t child = fork();
  if (child == 0) {
    setenv("KILN_WRITER_DIRECTORY", directory.c_str(), 1);
    setenv("KILN_HEALER_FATAL", absl::StrCat(fatal).c_str(), 1);
    execl("/proc/self/exe", "healer", "--gtest_also_run_disabled_tests",
          "--gtest_filter=DiskKillWriter.*Heal*", nullptr);
    _exit(1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

// A lost MANIFEST costs nothing, whenever its repair is cut off.
TEST(DiskKillTest, ARepairCutOffAnywhereLosesNothing) {
  constexpr uint64_t kRecords = 500;
  std::string base = testing::TempDir() + "/disk_repair_base", directory = base + ".cut";
  fs::remove_all(base);
  {
    auto tier = DiskTier::Open(Options(base));
    ASSERT_TRUE(tier.ok()) << tier.status();
    for (uint64_t i = 0; i < kRecords; ++i) ASSERT_TRUE((*tier)->Put(Key(i), Noise(i)).ok());
  }
  for (const auto& e : fs::directory_iterator(base + "/generation-000000000001")) {
    if (e.path().filename().string().starts_with("MANIFEST")) fs::remove(e.path());
  }
  uint64_t cuts = 0;
  for (int status = -1; status != 0; ++cuts) {
    fs::remove_all(directory);
    fs::copy(base, directory, fs::copy_options::recursive);
    status = RunHealer(directory, cuts + 1);
    ASSERT_TRUE(status == 0 || WIFSIGNALED(status)) << "the healer failed by itself";
    auto tier = DiskTier::Open(Options(directory));
    ASSERT_TRUE(tier.ok()) << tier.status();
    ASSERT_TRUE(AwaitServing(**tier));
    std::string value;
    for (uint64_t i = 0; i < kRecords; ++i) {
      ASSERT_EQ((*tier)->Get(Key(i), true, &value), DiskTier::Found::kHit) << i << " cut " << cuts;
      ASSERT_EQ(value, Noise(i));
    }
  }
  EXPECT_GT(cuts, 8u);
}

}  // namespace
}  // namespace kiln::cache
