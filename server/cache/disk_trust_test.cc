// Tests which directories the cache works in, and that it follows no links there.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/base/testing/await.h"
#include "server/cache/cache_directory.h"
#include "server/cache/disk_tier.h"

namespace kiln::cache {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kAnother = 12345;

class DiskTrustTest : public testing::Test {
 protected:
  void SetUp() override {
    top_ = testing::TempDir() + "/trust_" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(top_);
    fs::create_directory(top_);
    dir_ = top_ + "/cache";
    victim_ = top_ + "/victim";
    std::ofstream(victim_) << "precious";
  }
  void TearDown() override {
    tier_ = nullptr;
    EXPECT_EQ(Text(victim_), "precious");
  }
  void Open() {
    tier_ = nullptr;
    DiskOptions options;
    options.directory = dir_;
    options.limit_bytes = 8 << 20;
    options.probe_interval = absl::Milliseconds(20);
    auto tier = DiskTier::Open(options);
    ASSERT_TRUE(tier.ok()) << tier.status();
    tier_ = *std::move(tier);
  }
  // Makes a cache with one record.
  void Make() {
    ASSERT_NO_FATAL_FAILURE(Open());
    ASSERT_TRUE(tier_->Put("key", "value").ok());
  }
  bool Has() {
    std::string value;
    return tier_->Get("key", true, &value) == DiskTier::Found::kHit && value == "value";
  }
  bool Serves() { return tier_->status().state == DiskState::kServing; }
  bool AwaitServing() {
    return Await([&] { return tier_->Put("any", "value").ok() && Serves(); });
  }
  // The directory is not used, and the message says why and where.
  void ExpectRefused(const std::string& cause, const std::string& why) {
    const DiskStatus status = tier_->status();
    EXPECT_EQ(status.state, DiskState::kUnavailable);
    EXPECT_EQ(Name(status.cause), cause);
    EXPECT_TRUE(absl::StrContains(status.detail, dir_)) << status.detail;
    EXPECT_TRUE(absl::StrContains(status.detail, why)) << status.detail;
    EXPECT_FALSE(tier_->Put("key", "value").ok());
    EXPECT_FALSE(Has());
  }
  bool AwaitRefused(const std::string& cause) {
    return Await([&] {
      return tier_->status().state == DiskState::kUnavailable &&
             Name(tier_->status().cause) == cause;
    });
  }
  static std::string Text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static int ModeOf(const std::string& path) {
    struct stat is;
    return lstat(path.c_str(), &is) == 0 ? static_cast<int>(is.st_mode & 07777) : -1;
  }
  static std::vector<std::string> Names(const std::string& path) {
    std::vector<std::string> names;
    for (const auto& e : fs::directory_iterator(path)) names.push_back(e.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  // Makes it like a cache of versions without a marker.
  void LoseMarker() {
    tier_ = nullptr;
    fs::remove(dir_ + "/kilnd-cache");
    chmod(dir_.c_str(), 0755);
  }
  std::string Generation() const { return dir_ + "/generation-000000000001"; }

  std::string top_, dir_, victim_;
  std::unique_ptr<DiskTier> tier_;
};

TEST_F(DiskTrustTest, OthersCannotLookIn) {
  const mode_t before = umask(0);
  Make();
  umask(before);
  EXPECT_EQ(ModeOf(dir_), 0700);
  EXPECT_TRUE(fs::is_regular_file(dir_ + "/kilnd-cache"));
  chmod(dir_.c_str(), 0755);  // as earlier versions made it
  Open();
  EXPECT_EQ(ModeOf(dir_), 0700);
  EXPECT_TRUE(AwaitServing());
  EXPECT_TRUE(Has());
}

// Its contents may be other users'.
TEST_F(DiskTrustTest, WhereOthersCouldWriteNothingIsBelieved) {
  Make();
  for (mode_t mode : {0777, 0770, 0702, 01777}) {
    chmod(dir_.c_str(), mode);
    Open();
    ExpectRefused("open_to_others", absl::StrCat("other users can write to"));
    EXPECT_EQ(ModeOf(dir_), static_cast<int>(mode)) << "what they may have left there stays";
  }
  chmod(dir_.c_str(), 0700);
  EXPECT_TRUE(AwaitServing());
  EXPECT_TRUE(Has());
}

TEST_F(DiskTrustTest, ItIsSeenWhileRunning) {
  Make();
  chmod(dir_.c_str(), 0777);
  EXPECT_TRUE(AwaitRefused("open_to_others"));
  EXPECT_FALSE(Has());
  chmod(dir_.c_str(), 0700);
  EXPECT_TRUE(AwaitServing());
  EXPECT_TRUE(Has());
}

// Open to others but still empty: `mkdir` with a mask of 002 makes such directories.
TEST_F(DiskTrustTest, AnEmptyDirectoryIsTaken) {
  fs::create_directory(dir_);
  chmod(dir_.c_str(), 0775);
  fs::create_directory(dir_ + "/lost+found");  // every fresh file system has it
  Make();
  EXPECT_EQ(ModeOf(dir_), 0700);
  EXPECT_TRUE(Has());
}

TEST_F(DiskTrustTest, AnotherUsersDirectoryIsLeftAlone) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give a directory away";
  Make();
  tier_ = nullptr;
  ASSERT_EQ(chown(dir_.c_str(), kAnother, kAnother), 0);
  const auto before = Names(dir_);
  Open();
  ExpectRefused("not_ours", "belongs to user 12345");
  EXPECT_EQ(Names(dir_), before);
  ASSERT_EQ(chown(dir_.c_str(), 0, 0), 0);
  EXPECT_TRUE(AwaitServing());
  EXPECT_TRUE(Has());
}

// Root's cache, of which only the directory was given away.
TEST_F(DiskTrustTest, WhoseFilesKeepACacheFromBeingTakenIsSaid) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  Make();
  LoseMarker();
  for (const char* name : {"/lock", "/generation-000000000001"}) {
    ASSERT_EQ(lchown((dir_ + name).c_str(), kAnother, kAnother), 0) << name;
  }
  Open();
  ExpectRefused("not_ours", "', which belongs to user 12345: ");
}

// Folders with names like ours, in a directory that was never a cache.
TEST_F(DiskTrustTest, AnothersFilesAreLeftAlone) {
  for (const char* name : {"/db", "/doomed-1-1", "/generation-000000000001.repaired",
                           "/generation-000000000001", "/photos"}) {
    fs::create_directories(dir_ + name);
    std::ofstream(dir_ + name + "/a") << name;
  }
  std::ofstream(dir_ + "/trial") << "and error";
  auto untouched = [&](const std::string& why) {
    const auto before = Names(dir_);
    Open();
    ExpectRefused("not_ours", why);
    absl::SleepFor(absl::Milliseconds(100));
    tier_ = nullptr;
    EXPECT_EQ(Names(dir_), before);
    EXPECT_EQ(Text(dir_ + "/trial"), "and error");
    EXPECT_EQ(Text(dir_ + "/db/a"), "/db");
    EXPECT_EQ(ModeOf(dir_), 0755);
  };
  untouched("photos");
  // Nor if all names are like ours, but none is unmistakably ours.
  for (const char* name : {"/photos", "/generation-000000000001", "/doomed-1-1",
                           "/generation-000000000001.repaired"}) {
    fs::remove_all(dir_ + name);
  }
  untouched("kilnd-cache");
  std::ofstream(dir_ + "/lock") << "of a door";
  untouched("kilnd-cache");
  EXPECT_EQ(Text(dir_ + "/lock"), "of a door");
  fs::remove(dir_ + "/lock");
  fs::create_symlink("nothing", dir_ + "/lock");
  untouched("kilnd-cache");
}

// Nor if another program has a lock, a folder of databases and one that looks under removal.
TEST_F(DiskTrustTest, AnotherProgramsDatabaseIsNoEarlierCache) {
  for (const std::string lock : {"", "1234"}) {
    tier_ = nullptr;
    fs::create_directories(dir_ + "/db");
    fs::create_directories(dir_ + "/quarantine");
    std::ofstream(dir_ + "/lock") << lock;
    std::ofstream(dir_ + "/db/data.mdb") << "mail";
    Open();
    ExpectRefused("not_ours", "kilnd-cache");
    EXPECT_EQ(Text(dir_ + "/db/data.mdb"), "mail");
    EXPECT_EQ(Text(dir_ + "/lock"), lock);
  }
  // The marker makes it a cache, but `db` in it is still not ours.
  std::ofstream(dir_ + "/kilnd-cache") << "";
  EXPECT_TRUE(AwaitServing());
  EXPECT_EQ(Text(dir_ + "/db/data.mdb"), "mail");
}

// A worker lied: its results must not come back with a part that was away meanwhile.
TEST_F(DiskTrustTest, WhatIsForgottenWhileTheDiskIsAwayStaysForgotten) {
  Make();
  ASSERT_TRUE(tier_->Put("other", "value").ok());
  chmod(dir_.c_str(), 0777);
  EXPECT_TRUE(AwaitRefused("open_to_others"));
  EXPECT_FALSE(tier_->Forget("key")) << "it is not known to be gone";
  chmod(dir_.c_str(), 0700);
  EXPECT_TRUE(AwaitServing());
  EXPECT_FALSE(Has());
  std::string value;
  EXPECT_EQ(tier_->Get("other", true, &value), DiskTier::Found::kHit);
  EXPECT_TRUE(Await([&] { return tier_->Forget("other"); }));
  EXPECT_EQ(tier_->Get("other", true, &value), DiskTier::Found::kMiss);
  ASSERT_TRUE(tier_->Put("key", "value").ok());
  EXPECT_TRUE(Has());
}

TEST_F(DiskTrustTest, WhatIsForgottenWhileAGenerationIsAwayStaysForgotten) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  Make();
  tier_ = nullptr;
  const std::string path = Generation() + "/CURRENT";
  ASSERT_EQ(chown(path.c_str(), kAnother, kAnother), 0);
  Open();
  EXPECT_TRUE(Await([&] { return tier_->Put("any", "value").ok(); }));
  EXPECT_FALSE(tier_->Forget("key"));
  ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  EXPECT_TRUE(Await([&] { return Serves() && tier_->usage().generations == 2; }))
      << Describe(tier_->status());
  EXPECT_FALSE(Has());
}

TEST_F(DiskTrustTest, ALinkOfOnesOwnIsMeantAtTheStart) {
  fs::create_directory(top_ + "/private");
  const std::string real = fs::canonical(top_ + "/private");
  const std::string link = top_ + "/link";
  fs::create_directory_symlink("private", link);
  for (const char* end : {"", "/", "/."}) EXPECT_EQ(ResolvedCacheDirectory(link + end), real);
  EXPECT_EQ(ResolvedCacheDirectory(real), real);
  EXPECT_EQ(ResolvedCacheDirectory(top_ + "/none"), top_ + "/none");
  chmod(top_.c_str(), 0777);
  EXPECT_EQ(ResolvedCacheDirectory(link), link) << "others could exchange it";
  chmod(top_.c_str(), 0755);
  fs::create_directory_symlink("nowhere", top_ + "/dangling");
  EXPECT_EQ(ResolvedCacheDirectory(top_ + "/dangling"), top_ + "/dangling");
  if (geteuid() != 0) GTEST_SKIP() << "the rest needs root";
  ASSERT_EQ(lchown(link.c_str(), kAnother, kAnother), 0);
  EXPECT_EQ(ResolvedCacheDirectory(link), link) << "another's";
}

// A marker is a file that belongs to this user.
TEST_F(DiskTrustTest, WhatIsPlantedAsTheMarkerIsNone) {
  for (int kind = 0; kind < 3; ++kind) {
    tier_ = nullptr;  // otherwise it would make anew what is removed
    fs::remove_all(dir_);
    fs::create_directories(dir_ + "/db");
    const std::string marker = dir_ + "/kilnd-cache";
    if (kind == 0) fs::create_symlink(victim_, marker);
    if (kind == 1) fs::create_directory(marker);
    if (kind == 2 && mkfifo(marker.c_str(), 0600) != 0) FAIL();
    Open();
    ExpectRefused("not_ours", "kilnd-cache");
    EXPECT_TRUE(fs::exists(dir_ + "/db"));
    EXPECT_FALSE(fs::exists(dir_ + "/lock"));
  }
}

TEST_F(DiskTrustTest, ACacheOfAnEarlierVersionIsTaken) {
  Make();
  LoseMarker();
  Open();
  EXPECT_TRUE(AwaitServing());
  EXPECT_TRUE(Has());
  EXPECT_TRUE(fs::is_regular_file(dir_ + "/kilnd-cache"));
  EXPECT_EQ(ModeOf(dir_), 0700);
  LoseMarker();
  std::ofstream(dir_ + "/thesis.tex") << "words";
  Open();
  ExpectRefused("not_ours", "thesis.tex");
  std::ofstream(dir_ + "/kilnd-cache") << "";  // as the message advises
  EXPECT_TRUE(AwaitServing());
  EXPECT_TRUE(Has());
  EXPECT_EQ(Text(dir_ + "/thesis.tex"), "words");
}

TEST_F(DiskTrustTest, ALinkIsNoDirectoryOfOurs) {
  Make();
  tier_ = nullptr;
  fs::rename(dir_, top_ + "/elsewhere");
  fs::create_directory_symlink("elsewhere", dir_);
  const std::string plain = dir_;
  for (const char* end : {"", "/", "//", "/."}) {
    dir_ = plain + end;
    Open();
    dir_ = plain;
    ExpectRefused("not_a_directory", "symbolic link");
  }
}

// Exchanges the whole directory while it is used.
TEST_F(DiskTrustTest, ADirectoryExchangedForALinkIsNotFollowed) {
  Make();
  // RocksDB opens by path: a generation in its making goes to where the name leads (README).
  EXPECT_TRUE(AwaitServing());
  absl::SleepFor(absl::Milliseconds(200));
  const std::string other = top_ + "/other";
  fs::create_directories(other + "/generation-000000000001");
  fs::create_directories(other + "/doomed-1-1");
  fs::create_directories(other + "/db");
  fs::rename(dir_, top_ + "/away");
  fs::create_directory_symlink("other", dir_);
  EXPECT_TRUE(AwaitRefused("not_a_directory"));
  absl::SleepFor(absl::Milliseconds(100));
  EXPECT_EQ(Names(other),
            (std::vector<std::string>{"db", "doomed-1-1", "generation-000000000001"}));
  EXPECT_TRUE(fs::is_empty(other + "/generation-000000000001"));
  fs::remove(dir_);
  fs::rename(top_ + "/away", dir_);
  EXPECT_TRUE(AwaitServing());
  EXPECT_TRUE(Has());
}

// Files with our names in our directory that are not what we make are renamed, never followed or
// waited for.
TEST_F(DiskTrustTest, LinksUnderOurNamesAreNotFollowed) {
  Make();
  tier_ = nullptr;
  const std::string folder = top_ + "/folder";
  fs::create_directories(folder + "/mail");
  std::ofstream(folder + "/mail/letter") << "dear";
  for (const char* name : {"/lock", "/trial", "/generation-000000000001/written"}) {
    fs::remove(dir_ + name);
    fs::create_symlink(victim_, dir_ + name);
  }
  for (const char* name :
       {"/generation-000000000007", "/doomed-1-1", "/db", "/generation-000000000009.repaired"}) {
    fs::create_directory_symlink(folder, dir_ + name);
  }
  Open();
  EXPECT_TRUE(AwaitServing());
  EXPECT_TRUE(Has());
  tier_ = nullptr;
  EXPECT_EQ(Names(folder), std::vector<std::string>{"mail"});
  EXPECT_EQ(Text(folder + "/mail/letter"), "dear");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(dir_ + "/lock")));
}

TEST_F(DiskTrustTest, FifosUnderOurNamesAreNotWaitedFor) {
  Make();
  tier_ = nullptr;
  for (const char* name : {"/lock", "/trial", "/generation-000000000001/written"}) {
    fs::remove(dir_ + name);
    ASSERT_EQ(mkfifo((dir_ + name).c_str(), 0600), 0);
  }
  ASSERT_EQ(mkfifo((dir_ + "/generation-000000000005").c_str(), 0600), 0);
  Open();
  EXPECT_TRUE(AwaitServing());
  EXPECT_TRUE(Has());
}

// A write to a file in our directory does not change it under its second name.
TEST_F(DiskTrustTest, HardLinksAreParted) {
  Make();
  tier_ = nullptr;
  const std::string saved = top_ + "/saved";  // as by `cp -al`
  fs::create_directory(saved);
  std::vector<std::pair<std::string, std::string>> before;
  for (const auto& e : fs::recursive_directory_iterator(dir_)) {
    if (!e.is_regular_file()) continue;
    const std::string copy = absl::StrCat(saved, "/", before.size());
    fs::create_hard_link(e.path(), copy);
    before.emplace_back(copy, Text(copy));
  }
  ASSERT_GE(before.size(), 5u);
  fs::remove(dir_ + "/lock");
  fs::create_hard_link(victim_, dir_ + "/lock");
  fs::create_hard_link(victim_, dir_ + "/trial");
  Open();
  EXPECT_TRUE(AwaitServing());
  EXPECT_TRUE(Has());
  tier_ = nullptr;
  for (const auto& [copy, text] : before) EXPECT_EQ(Text(copy), text) << copy;
}

// After `cp -al` of a cache at work the lock has a second name, and is a lock all the same.
TEST_F(DiskTrustTest, ALockWithTwoNamesHoldsOthersOff) {
  Make();
  fs::create_hard_link(dir_ + "/lock", top_ + "/lock_saved");
  DiskOptions options;
  options.directory = dir_;
  const std::string why(DiskTier::Open(options).status().message());
  EXPECT_TRUE(absl::StrContains(why, absl::StrCat("in use by another kilnd (process ", getpid())))
      << why;
  EXPECT_EQ(fs::hard_link_count(dir_ + "/lock"), 2u);
  tier_ = nullptr;
  Open();
  EXPECT_TRUE(AwaitServing());
  EXPECT_EQ(fs::hard_link_count(dir_ + "/lock"), 1u);
}

// A generation that belonged to another user may hold anything.
TEST_F(DiskTrustTest, AnotherUsersFilesAreNotOpened) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  for (const std::string& path :
       {Generation(), Generation() + "/written", Generation() + "/CURRENT"}) {
    tier_ = nullptr;  // otherwise it would make anew what is removed
    fs::remove_all(dir_);
    Make();
    tier_ = nullptr;
    ASSERT_EQ(chown(path.c_str(), kAnother, kAnother), 0);
    Open();
    EXPECT_TRUE(Await([&] { return tier_->Put("any", "value").ok(); })) << "into another";
    EXPECT_FALSE(Has());
    EXPECT_EQ(tier_->status().state, DiskState::kDegraded);
    EXPECT_EQ(Name(tier_->status().cause), "not_ours") << Describe(tier_->status());
    EXPECT_TRUE(absl::StrContains(tier_->status().detail, path)) << tier_->status().detail;
    EXPECT_TRUE(fs::exists(path));
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
    EXPECT_TRUE(Await([&] { return Has() && Serves(); })) << Describe(tier_->status());
  }
}

TEST_F(DiskTrustTest, OnlyNamesOfOurFormAreOurs) {
  Make();
  const std::vector<std::string> others = {"generation-18446744073709551615",
                                           "generation-1",
                                           "generation-0000000000001",
                                           "generation--00000000001",
                                           "generation-00000000000a",
                                           "generation-000000000000",
                                           "doomed-",
                                           "doomed-x",
                                           "doomed-1",
                                           "doomed-1-1-1",
                                           "doomed-1-1.tar",
                                           "generation-3.repaired",
                                           "generation-000000000003.repaired2"};
  for (const std::string& name : others) {
    fs::create_directory(dir_ + "/" + name);
    std::ofstream(dir_ + "/" + name + "/file") << name;
  }
  for (int i = 0; i < 2; ++i) {
    Open();
    EXPECT_TRUE(AwaitServing());
    EXPECT_TRUE(Has());
    EXPECT_LE(Names(dir_).size(), others.size() + 5) << "each generation is begun once";
  }
  for (const std::string& name : others) EXPECT_EQ(Text(dir_ + "/" + name + "/file"), name);
}

// No number is left after the greatest: that generation is given up when another one is to be
// begun.
TEST_F(DiskTrustTest, NumbersDoNotOverflow) {
  Make();
  tier_ = nullptr;
  fs::create_directory(dir_ + "/generation-999999999999");
  Open();
  EXPECT_TRUE(Await([&] { return Has(); }));
  uint32_t noise = 1;
  for (int i = 0; i < 3000; ++i) {  // 6 MB: four generations
    std::string value(2000, '\0');
    for (char& c : value) c = static_cast<char>((noise = noise * 1664525 + 1013904223) >> 24);
    ASSERT_TRUE(tier_->Put(absl::StrCat(i), value).ok()) << Describe(tier_->status());
  }
  EXPECT_TRUE(Serves()) << Describe(tier_->status());
  for (const std::string& name : Names(dir_)) {
    EXPECT_LE(name.size(), strlen("generation-999999999999")) << name;
  }
  EXPECT_EQ(tier_->usage().lost_records, 0u);
  Open();
  EXPECT_TRUE(AwaitServing());
  std::string value;
  EXPECT_EQ(tier_->Get("2999", true, &value), DiskTier::Found::kHit);
}

}  // namespace
}  // namespace kiln::cache
