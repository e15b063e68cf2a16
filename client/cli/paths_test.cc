// Paths as text, files with bounds.
#include "client/cli/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>

namespace kiln::client {
namespace {

using testing::HasSubstr;

TEST(Paths, Text) {
  EXPECT_EQ(FolderOf("a/b.h"), "a");
  EXPECT_EQ(FolderOf("b.h"), "");
  EXPECT_EQ(FolderOf("/b.h"), "/");
  EXPECT_EQ(NameOf("a/b.h"), "b.h");
  EXPECT_EQ(JoinPath("a", "b"), "a/b");
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(JoinPath("a", "/b"), "/b");
  EXPECT_EQ(NormalPath("a/./b//../c"), "a/c");
  EXPECT_EQ(NormalPath("../../a"), "../../a");
  EXPECT_EQ(NormalPath("/../a"), "/a");
  EXPECT_EQ(NormalPath("a/.."), ".");
}

TEST(Paths, RelativeAndConfined) {
  EXPECT_EQ(RelativeTo("/c", "/c/spirv/a.spv"), "spirv/a.spv");
  EXPECT_EQ(RelativeTo("/c/", "/cc/a.spv"), "/cc/a.spv");
  EXPECT_EQ(RelativeTo(".", "./a.spv"), "a.spv");
  EXPECT_EQ(RelativeTo("/", "/a.spv"), "a.spv");
  EXPECT_EQ(ConfinedPath("../../etc/x"), "__/__/etc/x");
  EXPECT_EQ(ConfinedPath("/etc/x"), "etc/x");
  EXPECT_EQ(ConfinedPath(".."), "__");
  EXPECT_EQ(ConfinedPath("/"), "_");
}

TEST(Utf8, InvalidBytesAreReplaced) {
  for (const char* good :
       {"", "abc", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\x9f\xbf"}) {
    EXPECT_EQ(ValidUtf8(good), good);
  }
  const std::string r = "\xef\xbf\xbd";
  EXPECT_EQ(ValidUtf8("a\xe9z"), "a" + r + "z");
  EXPECT_EQ(ValidUtf8("\xc0\xaf"), r + r);                  // overlong
  EXPECT_EQ(ValidUtf8("\xed\xa0\x80"), r + r + r);          // a surrogate
  EXPECT_EQ(ValidUtf8("\xf4\x90\x80\x80"), r + r + r + r);  // beyond U+10FFFF
  EXPECT_EQ(ValidUtf8("\xe2\x82"), r + r);                  // cut short
}

TEST(Paths, Files) {
  std::string folder = testing::TempDir() + "/paths_test";
  std::string file = folder + "/new/a.bin";
  ASSERT_TRUE(WriteWholeFile(file, "hello").ok());
  EXPECT_EQ(ReadWholeFile(file, 5).value(), "hello");
  EXPECT_TRUE(absl::IsResourceExhausted(ReadWholeFile(file, 4).status()));
  EXPECT_TRUE(absl::IsNotFound(ReadWholeFile(file + "x", 5).status()));
  EXPECT_TRUE(absl::IsNotFound(ReadWholeFile(file + "/x", 5).status()));
  absl::Status is_folder = ReadWholeFile(folder, 5).status();
  EXPECT_TRUE(absl::IsInvalidArgument(is_folder));
  EXPECT_THAT(std::string(is_folder.message()), HasSubstr("kiln batch"));
  EXPECT_FALSE(WriteWholeFile(file + "/below/a/file", "x").ok());
}

// A FIFO that is asked for its start is not opened: its writer would see a reader go, and who reads
// it afterwards would wait for another writer.
TEST(Paths, TheStartOfAFifoIsNotRead) {
  const std::string fifo = testing::TempDir() + "/start.fifo";
  std::filesystem::remove(fifo);
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int opened = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(inotify_add_watch(opened, fifo.c_str(), IN_OPEN), 0);
  EXPECT_THAT(ReadRegularFileStart(fifo, 16).status().message(),
              testing::HasSubstr("is not a regular file"));
  std::array<char, 4096> events;
  EXPECT_LT(read(opened, events.data(), events.size()), 0) << "it was opened";
  close(opened);
}

TEST(Paths, NamedFoldersStayBelowTheWorkingOne) {
  namespace fs = std::filesystem;
  const std::string top = testing::TempDir() + "/named";
  fs::remove_all(top);
  fs::create_directories(top + "/here/lib/deep");
  fs::create_directories(top + "/secret");
  fs::create_directory_symlink("../secret", top + "/here/out");
  fs::create_directory_symlink("lib/deep", top + "/here/in");
  const fs::path before = fs::current_path();
  fs::current_path(top + "/here");
  for (const char* good : {"", ".", "lib", "./lib/deep/..", "in", "../secret"}) {
    EXPECT_EQ(NamedFolder(good), RealFolder(good)) << good;
  }
  EXPECT_EQ(NamedFolder(top + "/here/out"), RealFolder(top + "/secret"));  // spelled by the user
  for (const char* bad : {"out", "./out", "lib/../out"}) {
    EXPECT_TRUE(absl::IsOutOfRange(NamedFolder(bad).status())) << bad;
  }
  EXPECT_TRUE(absl::IsNotFound(NamedFolder("none").status()));
  fs::current_path(before);
}

// If the folder itself cannot be written, every item would have the same error.
TEST(Paths, WhatIsInTheWayIsOfOneName) {
  const std::string folder = testing::TempDir() + "/in_the_way";
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(WriteWholeFileBelow(folder, "a", "x").ok());
  std::filesystem::create_directories(folder + "/taken/b");
  std::filesystem::create_directory_symlink("taken", folder + "/link");
  for (const std::string& name :
       {std::string("a/b"), std::string("taken"), std::string("link/c"), std::string(300, 'n')}) {
    EXPECT_TRUE(IsOfThisName(WriteWholeFileBelow(folder, name, "x"))) << name;
  }
  EXPECT_FALSE(IsOfThisName(WriteWholeFileBelow("/proc/nowhere", "a", "x")));
}

}  // namespace
}  // namespace kiln::client
