// Tests the log as a file: its bound, across restarts, and when its name is changed from outside.
#include "server/log/log_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/log/log.h"

namespace kiln::log {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kBytes = 4096;
constexpr uid_t kAnother = 12345;

class LogFileTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = testing::TempDir() + "/log_file_" +
           testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(dir_);
    fs::create_directories(dir_);
    path_ = dir_ + "/kilnd.log";
    options_.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    options_.interval = absl::ZeroDuration();
    options_.queue_bytes = size_t{1} << 30;
  }
  void TearDown() override { close(options_.fd); }
  static std::string Read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  // Writes lines with the numbers [from, to), about 100 bytes each.
  static void Lines(Log* log, int from, int to) {
    for (int i = from; i < to; ++i) log->Write(Event::kStarted, {{"n", absl::StrCat("<", i, ">")}});
    ASSERT_TRUE(log->Drain(absl::Seconds(60)));
  }
  static bool Has(const std::string& text, int n) {
    return text.find(absl::StrCat("<", n, ">")) != std::string::npos;
  }
  uintmax_t AllBytes() const {
    uintmax_t all = 0;
    for (const auto& entry : fs::directory_iterator(dir_)) {
      if (entry.is_regular_file()) all += entry.file_size();
    }
    return all;
  }

  std::string dir_, path_;
  Options options_;
};

TEST_F(LogFileTest, NeverTakesMoreThanTwiceItsBoundAndKeepsTheLatest) {
  Log log(options_);
  ASSERT_TRUE(log.WriteToFile(path_, kBytes).ok());
  for (int i = 0; i < 2000; i += 20) {
    Lines(&log, i, i + 20);
    ASSERT_LE(AllBytes(), 2 * kBytes);
    const std::string both = Read(path_ + ".1") + Read(path_);
    // All recent lines are there, in order and without a gap.
    for (int n = std::max(0, i - 5); n < i + 20; ++n) EXPECT_TRUE(Has(both, n)) << n;
  }
  EXPECT_GT(fs::file_size(path_ + ".1"), kBytes / 2);
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms(0600));
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_), fs::directory_iterator()), 2);
}

TEST_F(LogFileTest, AnotherStartGoesOn) {
  for (int i = 0; i < 200; i += 4) {
    Log log(options_);
    ASSERT_TRUE(log.WriteToFile(path_, kBytes).ok());
    Lines(&log, i, i + 4);
    ASSERT_LE(AllBytes(), 2 * kBytes);
  }
  const std::string both = Read(path_ + ".1") + Read(path_);
  for (int n = 180; n < 200; ++n) EXPECT_TRUE(Has(both, n)) << n;
}

TEST_F(LogFileTest, WhatOthersWriteToTheDescriptorCounts) {
  Log log(options_);
  ASSERT_TRUE(log.WriteToFile(path_, kBytes).ok());
  const std::string words(3000, 'w');
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(write(options_.fd, words.data(), words.size()), ssize_t(words.size()));
    Lines(&log, i, i + 1);
    ASSERT_LE(AllBytes(), 2 * (kBytes + words.size()));
  }
}

TEST_F(LogFileTest, ALineThatIsTooLongStandsAlone) {
  Log log(options_);
  ASSERT_TRUE(log.WriteToFile(path_, 10).ok());
  Lines(&log, 0, 3);
  EXPECT_TRUE(Has(Read(path_), 2) && !Has(Read(path_), 1));
  EXPECT_TRUE(Has(Read(path_ + ".1"), 1) && !Has(Read(path_ + ".1"), 0));
}

TEST_F(LogFileTest, TheBoundHoldsWhateverBecomesOfTheNames) {
  Log log(options_);
  ASSERT_TRUE(log.WriteToFile(path_, kBytes).ok());
  Lines(&log, 0, 10);
  // Removed: the open file is not renamed over another one, and there is a file again.
  fs::remove(path_);
  Lines(&log, 10, 11);
  EXPECT_TRUE(Has(Read(path_), 10));
  Lines(&log, 11, 100);
  // Moved away, as log rotation does: the next line is under the expected name.
  fs::rename(path_, dir_ + "/kept");
  Lines(&log, 100, 101);
  EXPECT_TRUE(Has(Read(path_), 100));
  fs::remove(dir_ + "/kept");
  // Replaced by a link to another's file: not followed, not renamed.
  std::ofstream(dir_ + "/theirs") << "theirs";
  fs::remove(path_);
  fs::create_symlink("theirs", path_);
  Lines(&log, 100, 300);
  EXPECT_EQ(Read(dir_ + "/theirs"), "theirs");
  EXPECT_TRUE(fs::is_symlink(path_));
  ASSERT_LE(AllBytes(), 2 * kBytes);
  struct stat info;
  ASSERT_EQ(fstat(options_.fd, &info), 0);
  EXPECT_LE(uint64_t(info.st_size), kBytes);
  // Opening a FIFO does not block.
  fs::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  Lines(&log, 300, 400);
  fs::remove(path_);
  Lines(&log, 400, 500);
  EXPECT_TRUE(Has(Read(path_), 499));
  // If it cannot be renamed, it is emptied.
  fs::remove(path_ + ".1");
  fs::create_directories(path_ + ".1/taken");
  for (int i = 500; i < 700; i += 10) {
    Lines(&log, i, i + 10);
    ASSERT_LE(AllBytes(), 2 * kBytes);
  }
  EXPECT_TRUE(Has(Read(path_), 699));
}

TEST_F(LogFileTest, TwoWithTheSameFileKeepTheBound) {
  Options other = options_;
  other.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
  {
    Log a(options_), b(other);
    ASSERT_TRUE(a.WriteToFile(path_, kBytes).ok());
    ASSERT_TRUE(b.WriteToFile(path_, kBytes).ok());
    std::thread more([&] { Lines(&a, 0, 3000); });
    Lines(&b, 0, 3000);
    more.join();
    for (const int fd : {options_.fd, other.fd}) {
      struct stat info;
      ASSERT_EQ(fstat(fd, &info), 0);
      EXPECT_LE(uint64_t(info.st_size), kBytes + 1000);
    }
    EXPECT_LE(AllBytes(), 2 * kBytes + 2000);
  }
  close(other.fd);
}

TEST_F(LogFileTest, OnlyRegularFilesAreOpened) {
  std::ofstream(dir_ + "/theirs") << "theirs";
  fs::create_symlink("theirs", dir_ + "/link");
  fs::create_symlink("nothing", dir_ + "/dangling");
  ASSERT_EQ(mkfifo((dir_ + "/fifo").c_str(), 0600), 0);
  Log log(options_);
  for (const char* name : {"/link", "/dangling", "/fifo", ""}) {
    const absl::Status status = log.WriteToFile(dir_ + name, kBytes);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << name << status;
  }
  EXPECT_TRUE(absl::IsInvalidArgument(log.WriteToFile("/dev/null", kBytes)));
  EXPECT_FALSE(log.WriteToFile(dir_ + "/none/log", kBytes).ok());
  EXPECT_FALSE(fs::exists(dir_ + "/nothing"));
  Lines(&log, 0, 1);
  EXPECT_EQ(Read(dir_ + "/theirs"), "theirs");
}

// The log is for this user only. Another user who made the file, or has it under a second name,
// could read it.
TEST_F(LogFileTest, OnlyFilesOfThisUserAreOpened) {
  std::ofstream(dir_ + "/theirs") << "theirs";
  fs::create_hard_link(dir_ + "/theirs", path_);
  Log log(options_);
  absl::Status status = log.WriteToFile(path_, kBytes);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_NE(status.message().find(path_ + " has 2 names"), std::string::npos) << status;
  fs::remove(dir_ + "/theirs");
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path_.c_str(), kAnother, kAnother), 0);
    status = log.WriteToFile(path_, kBytes);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_NE(status.message().find("belongs to user 12345"), std::string::npos) << status;
    ASSERT_EQ(chown(path_.c_str(), 0, 0), 0);
  }
  Lines(&log, 0, 1);
  EXPECT_EQ(Read(path_), "theirs") << "nothing was written, nor cut";
  EXPECT_TRUE(log.WriteToFile(path_, kBytes).ok());
}

TEST_F(LogFileTest, ThatNothingWillBeKeptIsTheFirstLine) {
  {
    Log log(options_);
    ASSERT_TRUE(log.WriteToFile(path_, kBytes).ok());
    Lines(&log, 0, 1);
    EXPECT_EQ(Read(path_).find("log_not_kept"), std::string::npos);
  }
  fs::create_directory(path_ + ".1");
  Log log(options_);
  ASSERT_TRUE(log.WriteToFile(path_, kBytes).ok());
  Lines(&log, 1, 2);
  EXPECT_NE(Read(path_).find("event=log_not_kept message=\"" + path_ + ".1 is a directory"),
            std::string::npos)
      << Read(path_);
}

// As in /var/log, which is root's: the file is the user's, the directory is not.
TEST_F(LogFileTest, ADirectoryThatTakesNoOtherFileIsToldOf) {
  char dir[] = "/tmp/log_file_testXXXXXX";  // other users can reach it
  ASSERT_NE(mkdtemp(dir), nullptr);
  const std::string path = std::string(dir) + "/kilnd.log";
  std::ofstream(path) << "";
  const bool root = geteuid() == 0;
  chmod(dir, root ? 0755 : 0500);
  if (root) {
    ASSERT_EQ(chown(path.c_str(), kAnother, kAnother), 0);
    ASSERT_EQ(seteuid(kAnother), 0);
  }
  {
    Log log(options_);
    EXPECT_TRUE(log.WriteToFile(path, kBytes).ok());
    Lines(&log, 0, 1);
  }
  ASSERT_EQ(root ? seteuid(0) : 0, 0);
  EXPECT_NE(Read(path).find("kilnd.log.1 cannot be created: Permission denied"), std::string::npos)
      << Read(path);
  chmod(dir, 0700);
  fs::remove_all(dir);
}

}  // namespace
}  // namespace kiln::log
