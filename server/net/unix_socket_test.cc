// Tests socket files: which users reach them, what is replaced and what never is.
#include "server/net/unix_socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "server/net/address.h"

namespace kiln::net {
namespace {

namespace fs = std::filesystem;

std::string Error(const std::string& path) {
  return std::string(Listen("listen", "unix:" + path).status().message());
}
bool Says(const std::string& error, const std::string& part) {
  return error.find(part) != std::string::npos;
}

int ModeOf(const std::string& path) {
  struct stat is;
  return lstat(path.c_str(), &is) == 0 ? static_cast<int>(is.st_mode & 07777) : -1;
}

// Uses short directory names: a socket's path is bounded.
class UnixSocketTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all("u");
    fs::create_directory("u");
    chmod("u", 0700);
  }
  void TearDown() override { fs::remove_all("u"); }

  // Leaves a socket file behind like a daemon that was killed.
  static void LeaveStale(const std::string& path) {
    auto sockets = Listen("listen", "unix:" + path);
    ASSERT_TRUE(sockets.ok()) << sockets.status();
    sockets->file = {};
  }
};

TEST_F(UnixSocketTest, ADeadDaemonsFileIsReplacedALiveOnesIsNot) {
  {
    auto sockets = Listen("listen", "unix:u/s");
    ASSERT_TRUE(sockets.ok()) << sockets.status();
    EXPECT_EQ(sockets->address, "unix:u/s");
    EXPECT_TRUE(Says(Error("u/s"), "another program listens on it"));
    EXPECT_TRUE(fs::exists("u/s"));
  }
  EXPECT_FALSE(fs::exists("u/s")) << "removed at the end";
  LeaveStale("u/s");
  EXPECT_TRUE(fs::exists("u/s"));
  EXPECT_EQ(Error("u/s"), "");
}

// The umask does not matter, from the first moment: there is no later chmod.
TEST_F(UnixSocketTest, OnlyItsUserConnects) {
  mode_t before = umask(0);
  auto sockets = Listen("listen", "unix:u/new/s");
  umask(before);
  ASSERT_TRUE(sockets.ok()) << sockets.status();
  EXPECT_EQ(ModeOf("u/new/s"), 0600);
  EXPECT_EQ(ModeOf("u/new"), 0700) << "made";
  EXPECT_TRUE(Says(Error("u/no/new/s"), "u/no/new: No such file or directory"));
}

TEST_F(UnixSocketTest, ADirectoryThatOthersCanWriteToIsRefused) {
  for (mode_t mode : {0777, 0770, 0722, 0720}) {
    chmod("u", mode);
    EXPECT_TRUE(Says(Error("u/s"), "other users can write to the directory u (mode 0"))
        << Error("u/s");
    EXPECT_FALSE(fs::exists("u/s"));
    EXPECT_EQ(ModeOf("u"), static_cast<int>(mode)) << "is not ours to change";
  }
  for (mode_t mode : {0700, 0755, 01777}) {
    chmod("u", mode);
    EXPECT_EQ(Error("u/s"), "");
  }
  if (geteuid() != 0) GTEST_SKIP() << "the rest needs root";
  chmod("u", 0700);
  ASSERT_EQ(chown("u", 12345, 12345), 0);
  EXPECT_TRUE(Says(Error("u/s"), "belongs to another user (12345)")) << Error("u/s");
}

TEST_F(UnixSocketTest, WhatIsNoStaleSocketOfOursStays) {
  std::ofstream("u/file") << "precious";
  EXPECT_TRUE(Says(Error("u/file"), "the file is not a socket"));
  LeaveStale("u/stale");
  fs::create_symlink("stale", "u/link");
  EXPECT_TRUE(Says(Error("u/link"), "the file is not a socket"));
  EXPECT_TRUE(fs::is_symlink("u/link"));
  EXPECT_TRUE(fs::exists("u/stale"));
  fs::create_symlink("nothing", "u/dangling");
  EXPECT_TRUE(Says(Error("u/dangling"), "the file is not a socket"));
  EXPECT_FALSE(fs::exists("u/nothing"));
  ASSERT_EQ(mkfifo("u/fifo", 0600), 0);
  EXPECT_TRUE(Says(Error("u/fifo"), "the file is not a socket"));
  EXPECT_TRUE(Says(Error("u"), "the file is not a socket"));
  EXPECT_TRUE(Says(Error("u/file/s"), "Not a directory")) << Error("u/file/s");
  if (geteuid() != 0) GTEST_SKIP() << "the rest needs root";
  ASSERT_EQ(lchown("u/stale", 12345, 12345), 0);
  EXPECT_TRUE(Says(Error("u/stale"), "belongs to another user (12345)"));
  EXPECT_TRUE(fs::exists("u/stale"));
}

// A datagram socket: a connect is not refused there, though no program listens.
TEST_F(UnixSocketTest, ADatagramSocketStays) {
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un to = {AF_UNIX, "u/d"};
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  EXPECT_TRUE(Says(Error("u/d"), "another program listens on it"));
  EXPECT_TRUE(fs::exists("u/d"));
  close(fd);
}

TEST_F(UnixSocketTest, AtTheEndOnlyItsOwnFileIsRemoved) {
  auto first = Listen("listen", "unix:u/s");
  ASSERT_TRUE(first.ok());
  fs::remove("u/s");
  auto second = Listen("listen", "unix:u/s");
  ASSERT_TRUE(second.ok()) << second.status();
  *first = ListeningSockets();
  EXPECT_TRUE(fs::exists("u/s")) << "the second one's";
}

TEST_F(UnixSocketTest, OfManyThatStartOneListens) {
  for (int round = 0; round < 60; ++round) {
    LeaveStale("u/s");
    std::atomic<int> listening = 0;
    std::vector<absl::StatusOr<ListeningSockets>> held(8);
    std::vector<std::thread> all;
    for (auto& one : held) {
      all.emplace_back([&] {
        one = Listen("listen", "unix:u/s");
        listening += one.ok();
      });
    }
    for (std::thread& t : all) t.join();
    EXPECT_EQ(listening, 1) << round;
  }
}

// Any user who can open a directory can lock it, and would keep every daemon from starting there.
TEST_F(UnixSocketTest, ALockOnTheDirectoryHasNoEffect) {
  for (mode_t mode : {0700, 0755, 01777}) {
    chmod("u", mode);
    const int held = open("u", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ASSERT_EQ(flock(held, LOCK_EX | LOCK_NB), 0);
    EXPECT_EQ(Error("u/s"), "");
    close(held);
    EXPECT_TRUE(fs::is_empty("u")) << "nothing is left behind";
  }
}

// A planted lock file is not followed, waited for or written to.
TEST_F(UnixSocketTest, WhatIsPlantedAsTheLockIsNotOpened) {
  chmod("u", 01777);
  std::ofstream("u/victim") << "precious";
  fs::create_symlink("victim", "u/s.lock");
  EXPECT_TRUE(Says(Error("u/s"), "u/s.lock")) << Error("u/s");
  fs::remove("u/s.lock");
  fs::create_hard_link("u/victim", "u/s.lock");
  EXPECT_TRUE(Says(Error("u/s"), "u/s.lock")) << Error("u/s");
  fs::remove("u/s.lock");
  ASSERT_EQ(mkfifo("u/s.lock", 0600), 0);
  EXPECT_TRUE(Says(Error("u/s"), "u/s.lock")) << Error("u/s");
  fs::remove("u/s.lock");
  std::ofstream("u/s.lock") << "left by one that was killed";
  chmod("u/s.lock", 0600);
  EXPECT_EQ(Error("u/s"), "");
  EXPECT_FALSE(fs::exists("u/s.lock"));
  if (geteuid() != 0) GTEST_SKIP() << "the rest needs root";
  std::ofstream("u/s.lock") << "another's";
  ASSERT_EQ(chown("u/s.lock", 12345, 12345), 0);
  EXPECT_TRUE(Says(Error("u/s"), "belongs to user 12345")) << Error("u/s");
  EXPECT_TRUE(fs::exists("u/s.lock"));
}

TEST_F(UnixSocketTest, PathsThatNoSocketHas) {
  EXPECT_TRUE(Says(Error(""), "must have 1 to 107 bytes"));
  EXPECT_TRUE(Says(Error("u/"), "must have 1 to 107 bytes"));
  EXPECT_TRUE(Says(Error("u/" + std::string(106, 'a')), "--listen=unix:u/aaa"));
  EXPECT_TRUE(Says(Error("u/" + std::string(106, 'a')), "must have 1 to 107 bytes"));
  EXPECT_EQ(Error("u/" + std::string(105, 'a')), "");
}

}  // namespace
}  // namespace kiln::net
