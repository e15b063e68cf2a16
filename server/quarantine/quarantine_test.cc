// Tests the quarantine: counting, bounds, restart, expiry.
#include "server/quarantine/quarantine.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/quarantine/admin_service.h"

namespace kiln::quarantine {
namespace {

using kiln::v1::CompileRequest;
using kiln::v1::QuarantineEntry;
using kiln::v1::TargetResult;

cache::Digest Key(uint8_t n) {
  cache::Digest key{};
  key[0] = n;
  return key;
}

class QuarantineTest : public testing::Test {
 protected:
  void SetUp() override {
    cache_ = testing::TempDir() + "/quarantine_" +
             testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(cache_);
    std::filesystem::remove_all(cache_ + ".away");
    options_.directory = cache_ + "/quarantine";
    options_.compiler = [this](const std::string& target) { return target + version_; };
    options_.limits.set_job_time_ms(60'000);
    options_.limits.set_job_cpu_time_ms(60'000);
    options_.limits.set_job_memory_bytes(uint64_t{2} << 30);
  }
  static void Die(Quarantine* quarantine, uint8_t key, int times, size_t bytes = 100,
                  TargetResult::Status status = TargetResult::CRASHED,
                  const std::string& cause = "segmentation_fault") {
    for (int i = 0; i < times; ++i) {
      QuarantineEntry death;
      death.set_target("tgl");
      death.set_status(status);
      death.set_cause(cause);
      death.set_message("ouch");
      death.set_last_pass("fold");
      quarantine->AddDeath(Key(key), death, [&] {
        CompileRequest request;
        request.set_spirv(std::string(bytes, 's'));
        return request;
      });
    }
  }
  // Makes an empty cache directory.
  void MakeCache() {
    Quarantine q(options_);
    std::filesystem::remove_all(options_.directory);
  }
  Options options_;
  std::string cache_;
  std::string version_ = "/7";

  std::string PathOf(uint8_t key) const {
    return options_.directory + "/" + cache::ToHex(Key(key));
  }
  // Returns the entry as it is on disk.
  static QuarantineEntry Kept(const std::string& path) {
    QuarantineEntry entry;
    std::ifstream in(path, std::ios::binary);
    EXPECT_TRUE(entry.ParseFromIstream(&in)) << path;
    return entry;
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(options_.directory)) {
      names.push_back(file.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  static size_t SourceBytes(const Quarantine& q, uint8_t key) {
    const std::string file = q.Show(cache::ToHex(Key(key)))->file();
    return file.empty() ? 0 : Kept(file).request().spirv().size();
  }
};

TEST_F(QuarantineTest, RefusesAfterTheLastDeathAndNotBefore) {
  Quarantine q(options_);
  Die(&q, 1, 2);
  EXPECT_FALSE(q.Refuse(Key(1)).has_value());
  Die(&q, 1, 1);
  EXPECT_FALSE(q.Refuse(Key(2)).has_value());
  auto refused = q.Refuse(Key(1));
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->status(), TargetResult::CRASHED);
  EXPECT_EQ(refused->cause(), "quarantined");
  EXPECT_EQ(refused->last_pass(), "fold");
  EXPECT_EQ(refused->key(), cache::ToHex(Key(1)));
  EXPECT_NE(refused->message().find("segmentation_fault: ouch"), std::string::npos);
  ASSERT_EQ(q.List().entries_size(), 1);
  EXPECT_EQ(q.List().entries(0).refusals(), 1u);
  EXPECT_FALSE(q.List().entries(0).has_request());
  // Only users who can read the file get its source.
  EXPECT_FALSE(q.Show(cache::ToHex(Key(1)))->has_request());
  EXPECT_EQ(q.Show(cache::ToHex(Key(1)))->file(), PathOf(1));
  EXPECT_EQ(SourceBytes(q, 1), 100u);
}

TEST_F(QuarantineTest, WithoutADirectoryNoSourceIsKept) {
  options_.directory.clear();
  Quarantine q(options_);
  Die(&q, 1, 3);
  EXPECT_TRUE(q.Refuse(Key(1)).has_value());
  const QuarantineEntry entry = *q.Show(cache::ToHex(Key(1)));
  EXPECT_EQ(entry.file(), "");
  EXPECT_EQ(entry.request_bytes(), 0u);
  EXPECT_EQ(q.usage().bytes, 0u);
}

TEST_F(QuarantineTest, ASuccessInBetweenAbsolves) {
  Quarantine q(options_);
  Die(&q, 1, 2);
  q.Absolve(Key(1));
  Die(&q, 1, 2);
  EXPECT_FALSE(q.Refuse(Key(1)).has_value());
  Die(&q, 1, 1);
  EXPECT_TRUE(q.Refuse(Key(1)).has_value()) << "the third since";
}

TEST_F(QuarantineTest, NothingIsQuarantinedWhereItIsSwitchedOff) {
  options_.deaths = 0;
  Quarantine q(options_);
  Die(&q, 1, 50);
  EXPECT_FALSE(q.Refuse(Key(1)).has_value());
  EXPECT_EQ(q.List().entries_size(), 0);
  options_.deaths = 50;
  Quarantine on(options_);
  Die(&on, 1, 50);
  EXPECT_TRUE(on.Refuse(Key(1)).has_value());
}

TEST_F(QuarantineTest, SurvivesARestartAndExpiresWithTheCompiler) {
  {
    Quarantine q(options_);
    Die(&q, 1, 3);
    Die(&q, 2, 3);
    Die(&q, 3, 2);
  }
  {
    Quarantine q(options_);
    EXPECT_EQ(q.usage().entries, 2u);
    EXPECT_TRUE(q.Refuse(Key(1)).has_value());
    EXPECT_FALSE(q.Refuse(Key(3)).has_value());
    const Quarantine::Cleared cleared = q.Clear({cache::ToHex(Key(2)), "nonsense", "../1"});
    EXPECT_EQ(cleared.entries, 1u);
    EXPECT_EQ(cleared.left.size(), 0u);
  }
  {
    Quarantine q(options_);
    EXPECT_EQ(q.usage().entries, 1u);
    EXPECT_EQ(SourceBytes(q, 1), 100u);
  }
  version_ = "/8";
  Quarantine q(options_);
  EXPECT_EQ(q.usage().entries, 0u);
  EXPECT_EQ(Names(), std::vector<std::string>{"lock"});
}

// Three keys that died at a limit each, and one that only crashed.
class QuarantineLimitsTest : public QuarantineTest {
 protected:
  enum : uint8_t { kWall = 1, kCpu, kMemory, kCrash };
  void Quarantined() {
    Quarantine q(options_);
    Die(&q, kWall, 3, 100, TargetResult::TIMED_OUT, "wall_time_limit");
    Die(&q, kCpu, 3, 100, TargetResult::TIMED_OUT, "cpu_time_limit");
    Die(&q, kMemory, 3, 100, TargetResult::MEMORY_LIMIT, "memory_limit");
    Die(&q, kCrash, 3);
  }
  std::vector<int> Left() {
    Quarantine q(options_);
    std::vector<int> left;
    for (uint8_t key : {kWall, kCpu, kMemory, kCrash}) {
      if (q.Refuse(Key(key)).has_value()) left.push_back(key);
    }
    EXPECT_EQ(q.usage().dropped.limits, 4 - left.size());
    return left;
  }
  using Keys = std::vector<int>;
};

TEST_F(QuarantineLimitsTest, StayWithTheSameAndWithLess) {
  Quarantined();
  EXPECT_EQ(Left(), (Keys{kWall, kCpu, kMemory, kCrash}));
  options_.limits.set_job_time_ms(1000);
  options_.limits.set_job_cpu_time_ms(1000);
  options_.limits.set_job_memory_bytes(uint64_t{1} << 30);
  EXPECT_EQ(Left(), (Keys{kWall, kCpu, kMemory, kCrash}));
}

TEST_F(QuarantineLimitsTest, GoWithMoreOfTheirs) {
  Quarantined();
  options_.limits.set_job_time_ms(60'001);
  EXPECT_EQ(Left(), (Keys{kCpu, kMemory, kCrash}));
  Quarantined();
  options_.limits.set_job_cpu_time_ms(120'000);
  EXPECT_EQ(Left(), (Keys{kWall, kMemory, kCrash}));
  Quarantined();
  options_.limits.set_job_memory_bytes(0);  // no limit
  EXPECT_EQ(Left(), (Keys{kWall, kCpu}));
}

// Raising any limit at which one of the deaths happened drops the entry.
TEST_F(QuarantineLimitsTest, OfDeathsOfSeveralKindsEachCounts) {
  {
    Quarantine q(options_);
    Die(&q, 1, 1, 100, TargetResult::TIMED_OUT, "wall_time_limit");
    Die(&q, 1, 2, 100, TargetResult::TIMED_OUT, "cpu_time_limit");
    const QuarantineEntry entry = *q.Show(cache::ToHex(Key(1)));
    EXPECT_EQ(entry.limits().job_time_ms(), 60'000);
    EXPECT_EQ(entry.limits().job_cpu_time_ms(), 60'000);
    EXPECT_FALSE(entry.limits().has_job_memory_bytes());
  }
  options_.limits.set_job_time_ms(120'000);
  Quarantine q(options_);
  EXPECT_FALSE(q.Refuse(Key(1)).has_value());
}

TEST_F(QuarantineTest, FilesOfAnotherFormatAreDroppedAndCounted) {
  {
    Quarantine q(options_);
    for (uint8_t i = 1; i <= 3; ++i) Die(&q, i, 3);
  }
  for (uint32_t format : {0, 3}) {
    const std::string path = PathOf(static_cast<uint8_t>(format == 0 ? 1 : 2));
    QuarantineEntry entry;
    std::ifstream in(path, std::ios::binary);
    ASSERT_TRUE(entry.ParseFromIstream(&in));
    entry.set_format(format);
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    ASSERT_TRUE(entry.SerializeToOstream(&out));
  }
  Quarantine q(options_);
  EXPECT_EQ(q.usage().entries, 1u);
  EXPECT_EQ(q.usage().dropped.format, 2u);
  EXPECT_EQ(q.usage().dropped.damaged, 0u);
}

// Sources belong to clients.
TEST_F(QuarantineTest, OthersCannotReadTheFiles) {
  MakeCache();
  std::filesystem::create_directories(options_.directory);
  std::filesystem::permissions(options_.directory, std::filesystem::perms::all);
  Quarantine q(options_);
  Die(&q, 1, 3);
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(options_.directory).permissions(), perms::owner_all);
  EXPECT_EQ(std::filesystem::status(PathOf(1)).permissions(),
            perms::owner_read | perms::owner_write);
}

TEST_F(QuarantineTest, ALinkInPlaceOfTheDirectoryIsNotFollowed) {
  MakeCache();
  const std::string victim = options_.directory + "_victim";
  std::filesystem::create_directories(victim);
  std::ofstream(victim + "/precious") << "text";
  std::filesystem::create_directory_symlink(victim, options_.directory);
  Quarantine q(options_);
  Die(&q, 1, 3);
  EXPECT_TRUE(q.Refuse(Key(1)).has_value());
  EXPECT_EQ(q.usage().write_errors, 1u);
  EXPECT_EQ(q.usage().unwritten, 1u);
  EXPECT_NE(q.usage().trouble.find(options_.directory + " is a symbolic link"), std::string::npos)
      << q.usage().trouble;
  EXPECT_EQ(q.Show(cache::ToHex(Key(1)))->file(), "");
  EXPECT_TRUE(std::filesystem::exists(victim + "/precious"));
  EXPECT_FALSE(std::filesystem::exists(victim + "/" + cache::ToHex(Key(1))));
}

// While a file is written, or a source put together, other compiles go on.
TEST_F(QuarantineTest, CompilesDoNotWaitForTheDisk) {
  Quarantine* quarantine = nullptr;
  int writes = 0;
  options_.before_write = [&] {
    ++writes;
    EXPECT_FALSE(quarantine->Refuse(Key(9)).has_value());
    quarantine->Absolve(Key(9));
    (void)quarantine->usage();
  };
  Quarantine q(options_);
  quarantine = &q;
  Die(&q, 2, 1);  // a suspect, so that Absolve looks
  Die(&q, 1, 3);
  EXPECT_EQ(writes, 1);
  EXPECT_EQ(q.ClearAll().entries, 1u);
  EXPECT_EQ(writes, 2);
}

TEST_F(QuarantineTest, ManyThreadsLeaveOnDiskWhatIsInMemory) {
  options_.max_entries = 8;
  options_.max_bytes = 4000;
  {
    Quarantine q(options_);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 30; ++i) {
          const auto key = static_cast<uint8_t>((t * 5 + i) % 16);
          Die(&q, key, 3, 1000);
          if (i % 3 == t % 3) q.Clear({cache::ToHex(Key(key))});
        }
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(q.usage().write_errors, 0u);
    for (int key = 0; key < 16; ++key) {
      const auto held = q.Show(cache::ToHex(Key(static_cast<uint8_t>(key))));
      const std::string path = PathOf(static_cast<uint8_t>(key));
      ASSERT_EQ(held.has_value(), std::filesystem::exists(path)) << key;
      if (!held.has_value()) continue;
      const QuarantineEntry file = Kept(path);
      EXPECT_EQ(file.request_bytes(), held->request_bytes()) << key;
      EXPECT_EQ(file.request().ByteSizeLong(), held->request_bytes()) << key;
    }
  }
}

TEST_F(QuarantineTest, WithNothingToLookAtNothingIsLookedAt) {
  Quarantine q(options_);
  EXPECT_TRUE(q.idle());
  Die(&q, 1, 1);
  EXPECT_FALSE(q.idle());
  q.Absolve(Key(1));
  EXPECT_TRUE(q.idle());
  Die(&q, 1, 3);
  EXPECT_FALSE(q.idle());
  q.Clear({cache::ToHex(Key(1))});
  EXPECT_TRUE(q.idle());
  Die(&q, 1, 3);
  q.ClearAll();
  EXPECT_TRUE(q.idle());
}

TEST_F(QuarantineTest, DamagedFilesAreDropped) {
  {
    Quarantine q(options_);
    for (uint8_t i = 1; i <= 4; ++i) Die(&q, i, 3);
  }
  std::ofstream(PathOf(1)) << "garbage";
  std::filesystem::resize_file(PathOf(2), std::filesystem::file_size(PathOf(2)) / 2);
  std::filesystem::rename(PathOf(3), PathOf(5));
  std::filesystem::create_directory(PathOf(6));
  Quarantine q(options_);
  EXPECT_EQ(q.usage().entries, 1u);
  EXPECT_EQ(q.usage().dropped.damaged, 4u);
  EXPECT_TRUE(q.Refuse(Key(4)).has_value());
}

// It is written, with its source, as soon as there is a directory; entries there are read.
TEST_F(QuarantineTest, WithoutAUsableDirectoryItWorksInMemoryUntilThereIsOne) {
  {
    Quarantine q(options_);
    Die(&q, 1, 3);
    Die(&q, 3, 3);
  }
  std::filesystem::rename(cache_, cache_ + ".away");
  std::ofstream(cache_) << "a file";
  Quarantine q(options_);
  EXPECT_NE(q.usage().trouble.find(cache_), std::string::npos) << q.usage().trouble;
  Die(&q, 2, 3);
  Die(&q, 3, 3);
  EXPECT_TRUE(q.Refuse(Key(2)).has_value());
  EXPECT_FALSE(q.Refuse(Key(1)).has_value());
  for (int i = 0; i < 3; ++i) q.Follow();
  EXPECT_EQ(q.usage().write_errors, 2u) << "each once";
  EXPECT_EQ(q.usage().unwritten, 2u);
  std::filesystem::remove(cache_);
  std::filesystem::rename(cache_ + ".away", cache_);
  q.Follow();
  EXPECT_TRUE(q.Refuse(Key(1)).has_value());
  EXPECT_EQ(q.usage().entries, 3u);
  EXPECT_EQ(q.usage().bytes, 3 * q.Show(cache::ToHex(Key(1)))->request_bytes());
  EXPECT_EQ(q.usage().unwritten, 0u);
  EXPECT_EQ(q.usage().trouble, "");
  for (uint8_t key : {1, 2, 3}) EXPECT_EQ(SourceBytes(q, key), 100u) << int{key};
}

TEST_F(QuarantineTest, FollowsADirectoryThatIsRemovedOrExchanged) {
  Quarantine q(options_);
  Die(&q, 1, 3);
  for (int round = 0; round < 3; ++round) {
    if (round == 0) std::filesystem::remove_all(cache_);
    if (round == 1) std::filesystem::remove_all(options_.directory);
    if (round == 2) {  // a copy, as from a backup
      std::filesystem::copy(cache_, cache_ + ".away", std::filesystem::copy_options::recursive);
      std::filesystem::remove_all(cache_);
      std::filesystem::rename(cache_ + ".away", cache_);
    }
    // A change finds the new directory by itself.
    const auto next = static_cast<uint8_t>(2 + round);
    Die(&q, next, 3);
    for (uint8_t key = 1; key <= next; ++key) {
      EXPECT_EQ(Kept(PathOf(key)).key(), cache::ToHex(Key(key))) << round;
    }
    EXPECT_EQ(SourceBytes(q, next), 100u);
  }
  EXPECT_EQ(SourceBytes(q, 1), 0u) << "its only copy was removed";
  EXPECT_EQ(SourceBytes(q, 3), 100u) << "the copy has it";
  EXPECT_EQ(q.usage().write_errors, 0u);
  EXPECT_EQ(q.usage().bytes, 2 * q.Show(cache::ToHex(Key(3)))->request_bytes());
}

TEST_F(QuarantineTest, AThreadFollows) {
  options_.follow_interval = absl::Milliseconds(5);
  Quarantine q(options_);
  Die(&q, 1, 3);
  for (int i = 0; i < 20; ++i) {
    std::filesystem::remove_all(cache_);
    for (int wait = 0; wait < 2000 && !std::filesystem::exists(PathOf(1)); ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_TRUE(std::filesystem::exists(PathOf(1)));
  }
}

// The write fails as on a full disk.
TEST_F(QuarantineTest, AnEntryThatCouldNotBeWrittenIsWrittenLater) {
  Quarantine q(options_);
  const std::string in_the_way = PathOf(1) + ".new";
  std::filesystem::create_directory(in_the_way);
  Die(&q, 1, 3);
  EXPECT_EQ(q.usage().unwritten, 1u);
  EXPECT_NE(q.usage().trouble, "");
  for (int i = 0; i < 3; ++i) q.Follow();
  EXPECT_EQ(q.usage().write_errors, 1u);
  std::filesystem::remove(in_the_way);
  q.Follow();
  EXPECT_EQ(SourceBytes(q, 1), 100u);
  EXPECT_EQ(q.usage().trouble, "");
}

TEST_F(QuarantineTest, SaysWhichFilesStay) {
  Quarantine q(options_);
  for (uint8_t key : {1, 2}) Die(&q, key, 3);
  std::filesystem::remove(PathOf(1));
  std::filesystem::create_directory(PathOf(1));
  Quarantine::Cleared cleared = q.Clear({cache::ToHex(Key(1)), cache::ToHex(Key(2))});
  EXPECT_EQ(cleared.entries, 2u);
  EXPECT_EQ(cleared.left, std::vector<std::string>{cache::ToHex(Key(1))});
  Die(&q, 3, 3);
  std::filesystem::rename(cache_, cache_ + ".away");
  std::ofstream(cache_) << "a file";  // the moved files cannot be reached
  EXPECT_EQ(q.ClearAll().left, std::vector<std::string>{cache::ToHex(Key(3))});
  EXPECT_FALSE(q.Refuse(Key(3)).has_value());
}

// Two daemons would remove each other's entries.
TEST_F(QuarantineTest, TheDirectoryHasOneUser) {
  auto first = std::make_unique<Quarantine>(options_);
  Die(first.get(), 1, 3);
  version_ = "/8";
  Quarantine second(options_);
  EXPECT_NE(second.usage().trouble.find("is in use by another kilnd"), std::string::npos);
  Die(&second, 2, 3);
  EXPECT_TRUE(std::filesystem::exists(PathOf(1)));
  EXPECT_FALSE(std::filesystem::exists(PathOf(2)));
  first = nullptr;
  second.Follow();
  EXPECT_FALSE(std::filesystem::exists(PathOf(1))) << "of another version";
  EXPECT_EQ(SourceBytes(second, 2), 100u);
}

// Nothing is made in a directory that is no cache directory, or that all users can write to.
TEST_F(QuarantineTest, OnlyInACacheDirectory) {
  std::filesystem::create_directory(cache_);
  std::ofstream(cache_ + "/thesis.tex") << "words";
  Quarantine q(options_);
  Die(&q, 1, 3);
  EXPECT_FALSE(std::filesystem::exists(options_.directory));
  EXPECT_NE(q.usage().trouble.find("thesis.tex"), std::string::npos) << q.usage().trouble;
  std::filesystem::remove(cache_ + "/thesis.tex");
  q.Follow();
  EXPECT_EQ(SourceBytes(q, 1), 100u);
  std::filesystem::permissions(cache_, std::filesystem::perms::all);
  Die(&q, 2, 3);
  EXPECT_FALSE(std::filesystem::exists(PathOf(2)));
}

// Opening a hostile file does not block, and no other file is read instead.
TEST_F(QuarantineTest, FilesThatAreNoneAreDropped) {
  {
    Quarantine q(options_);
    for (uint8_t key : {1, 2, 3}) Die(&q, key, 3);
  }
  const std::string outside = cache_ + ".away";
  std::filesystem::rename(PathOf(1), outside);
  std::filesystem::create_symlink(outside, PathOf(1));
  std::ofstream(PathOf(2)) << "dear";
  std::filesystem::remove(PathOf(3));
  ASSERT_EQ(mkfifo(PathOf(3).c_str(), 0600), 0);
  Quarantine q(options_);
  EXPECT_EQ(q.usage().entries, 0u);
  EXPECT_TRUE(std::filesystem::exists(outside));
}

// After `cp -al` of the cache directory, or with another program's file of the same name.
TEST_F(QuarantineTest, ALockWithTwoNamesHoldsOthersOff) {
  Quarantine first(options_);
  Die(&first, 1, 3);
  std::filesystem::create_hard_link(options_.directory + "/lock", cache_ + ".lock");
  Quarantine second(options_);
  EXPECT_NE(second.usage().trouble.find("in use by another kilnd"), std::string::npos)
      << second.usage().trouble;
  EXPECT_EQ(std::filesystem::hard_link_count(options_.directory + "/lock"), 2u);
}

TEST_F(QuarantineTest, SecondNamesDoNoHarmAndOthersFilesStay) {
  {
    Quarantine q(options_);
    Die(&q, 1, 3);
  }
  std::filesystem::create_hard_link(PathOf(1), cache_ + ".away");
  std::filesystem::remove(cache_ + ".lock");
  std::filesystem::create_hard_link(options_.directory + "/lock", cache_ + ".lock");
  const std::string stays[] = {"virus-1", cache::ToHex(Key(1)) + "x", std::string(64, 'g'),
                               "a.new"};
  for (const std::string& name : stays) std::ofstream(options_.directory + "/" + name) << "bytes";
  Quarantine q(options_);
  EXPECT_EQ(q.usage().dropped.damaged, 0u);
  EXPECT_TRUE(q.Refuse(Key(1)).has_value());
  EXPECT_EQ(SourceBytes(q, 1), 100u);
  q.ClearAll();
  EXPECT_EQ(Names().size(), std::size(stays) + 1);
  EXPECT_EQ(Kept(cache_ + ".away").key(), cache::ToHex(Key(1)));
}

// A file restored by root, or a disk that cannot be read for a moment, is no reason to remove it.
TEST_F(QuarantineTest, WhatCannotBeReadStaysAndIsReadLater) {
  {
    Quarantine q(options_);
    Die(&q, 1, 3);
    Die(&q, 2, 3);
  }
  const bool root = geteuid() == 0;
  const auto hide = [&](bool hidden) {
    return root ? chown(PathOf(1).c_str(), hidden ? 12345 : 0, 0)
                : chmod(PathOf(1).c_str(), hidden ? 0 : 0600);
  };
  ASSERT_EQ(hide(true), 0);
  Quarantine q(options_);
  EXPECT_EQ(q.usage().entries, 1u);
  EXPECT_EQ(q.usage().dropped.damaged, 0u);
  EXPECT_NE(q.usage().trouble.find(PathOf(1)), std::string::npos) << q.usage().trouble;
  for (int i = 0; i < 100; ++i) q.Follow();
  EXPECT_TRUE(std::filesystem::exists(PathOf(1)));
  EXPECT_NE(q.usage().trouble, "");
  ASSERT_EQ(hide(false), 0);
  for (int i = 0; i < 100; ++i) q.Follow();
  EXPECT_TRUE(q.Refuse(Key(1)).has_value());
  EXPECT_TRUE(q.Refuse(Key(2)).has_value());
  EXPECT_EQ(q.usage().trouble, "");
  EXPECT_EQ(SourceBytes(q, 1), 100u);
  EXPECT_EQ(SourceBytes(q, 2), 100u);
}

TEST_F(QuarantineTest, WhatIsHeldAndCannotBeReadKeepsItsSource) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give a file away";
  Quarantine q(options_);
  Die(&q, 1, 3);
  Die(&q, 2, 3);
  ASSERT_EQ(chown(PathOf(1).c_str(), 12345, 0), 0);
  std::filesystem::rename(options_.directory, cache_ + ".away");
  q.Follow();  // another directory, with neither entry
  std::filesystem::remove_all(options_.directory);
  std::filesystem::rename(cache_ + ".away", options_.directory);
  for (int i = 0; i < 3; ++i) q.Follow();
  ASSERT_EQ(chown(PathOf(1).c_str(), 0, 0), 0);
  for (int i = 0; i < 100; ++i) q.Follow();
  EXPECT_EQ(SourceBytes(q, 2), 100u);
  EXPECT_TRUE(q.Refuse(Key(1)).has_value());
}

TEST_F(QuarantineTest, BoundedInNumberAndBytes) {
  options_.max_entries = 4;
  options_.max_bytes = 2500;
  Quarantine q(options_);
  for (uint8_t i = 1; i <= 4; ++i) Die(&q, i, 3, 1000);
  EXPECT_EQ(q.usage().entries, 4u);
  EXPECT_LE(q.usage().bytes, 2500u);
  EXPECT_EQ(SourceBytes(q, 1), 0u);
  EXPECT_FALSE(Kept(PathOf(1)).has_request());
  EXPECT_EQ(SourceBytes(q, 4), 1000u);
  EXPECT_TRUE(q.Refuse(Key(1)).has_value());  // asked for, so no longer the oldest
  Die(&q, 5, 3, 1000);
  EXPECT_EQ(q.usage().entries, 4u);
  EXPECT_TRUE(q.Refuse(Key(1)).has_value());
  EXPECT_FALSE(q.Refuse(Key(2)).has_value());
  EXPECT_LE(q.usage().bytes, 2500u);
  EXPECT_EQ(q.ClearAll().entries, 4u);
  EXPECT_EQ(q.usage().bytes, 0u);
  EXPECT_EQ(Names(), std::vector<std::string>{"lock"});
}

TEST_F(QuarantineTest, SuspectsAreBounded) {
  options_.max_entries = 2;
  Quarantine q(options_);
  for (uint8_t i = 1; i <= 3; ++i) Die(&q, i, 2);
  Die(&q, 1, 1);  // forgotten before: this is its first
  EXPECT_FALSE(q.Refuse(Key(1)).has_value());
  Die(&q, 3, 1);
  EXPECT_TRUE(q.Refuse(Key(3)).has_value());
}

TEST(AdminPeerTest, OnlyTheOwnMachine) {
  for (const char* own :
       {"unix:/run/kilnd", "fd:7", "ipv4:127.0.0.1:99", "ipv6:[::1]:99", "ipv6:%5B::1%5D:99"}) {
    EXPECT_TRUE(server::IsOwnMachine(own)) << own;
  }
  for (const char* other :
       {"", "ipv4:10.0.0.1:127", "ipv4:12.7.0.1:1", "ipv6:[::12]:1", "ipv6:[2001::1]:1"}) {
    EXPECT_FALSE(server::IsOwnMachine(other)) << other;
  }
}

}  // namespace
}  // namespace kiln::quarantine
