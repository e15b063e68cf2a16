// The lock of a directory: who has it, and what takes it away.
#include "server/cache/directory_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/cache/names.h"

namespace kiln::cache {
namespace {

namespace fs = std::filesystem;

class DirectoryLockTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(path_); }
  std::string LockPath() const { return absl::StrCat(path_, "/", kLockName); }

  const std::string path_ = testing::TempDir() + "/directory_lock";
  DiskCause cause_ = DiskCause::kNone;
  DirectoryLock lock_;
};

TEST_F(DirectoryLockTest, IsHeldOnceAcquired) {
  EXPECT_FALSE(lock_.IsHeld());
  EXPECT_EQ(lock_.directory(), nullptr);
  ASSERT_TRUE(lock_.Acquire(path_, &cause_).ok());
  EXPECT_TRUE(lock_.IsHeld());
  EXPECT_EQ(lock_.directory()->path(), path_);
}

TEST_F(DirectoryLockTest, AnotherIsToldWhoHoldsIt) {
  ASSERT_TRUE(lock_.Acquire(path_, &cause_).ok());
  DirectoryLock other;
  const absl::Status status = other.Acquire(path_, &cause_);
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_EQ(cause_, DiskCause::kInUse);
  EXPECT_TRUE(absl::StrContains(status.message(), absl::StrCat("(process ", getpid(), ")")))
      << status;
  EXPECT_FALSE(other.IsHeld());
}

TEST_F(DirectoryLockTest, IsNotHeldWhereTheFileOrTheDirectoryIsGone) {
  ASSERT_TRUE(lock_.Acquire(path_, &cause_).ok());
  fs::remove(LockPath());
  EXPECT_FALSE(lock_.IsHeld());
  ASSERT_TRUE(lock_.Acquire(path_, &cause_).ok());
  EXPECT_TRUE(lock_.IsHeld());
  fs::rename(path_, path_ + "-moved");
  EXPECT_FALSE(lock_.IsHeld());
  fs::remove_all(path_ + "-moved");
}

TEST_F(DirectoryLockTest, AForeignFileOfItsNameIsPutAside) {
  ASSERT_TRUE(lock_.Acquire(path_, &cause_).ok());
  fs::remove(LockPath());
  ASSERT_EQ(mkfifo(LockPath().c_str(), 0600), 0);
  DirectoryLock other;
  ASSERT_TRUE(other.Acquire(path_, &cause_).ok());
  EXPECT_TRUE(fs::is_regular_file(LockPath()));
  EXPECT_TRUE(other.IsHeld());
}

}  // namespace
}  // namespace kiln::cache
