// Tests the limits read from /proc and from control groups of several kinds.
#include "server/memory/limits.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace kiln::memory {
namespace {

class LimitsTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(root_); }
  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  Limits Read() { return ReadGroupLimits(root_ + "/proc/self", root_); }

  const std::string root_ = testing::TempDir() + "/limits";
};

constexpr char kMount2[] =
    "23 30 0:21 / /sys rw,nosuid - sysfs sysfs rw\n"
    "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST_F(LimitsTest, TheLeastOfAGroupAndThoseAboveIt) {
  Write("/proc/self/cgroup", "0::/system.slice/kilnd.service\n");
  Write("/proc/self/mountinfo", kMount2);
  EXPECT_EQ(Read().group, kUnlimited);
  Write("/sys/fs/cgroup/system.slice/kilnd.service/memory.max", "max\n");
  EXPECT_EQ(Read().group, kUnlimited);
  EXPECT_EQ(Read().group_file, "");
  Write("/sys/fs/cgroup/system.slice/memory.max", "4294967296\n");
  EXPECT_EQ(Read().group, uint64_t{4} << 30);
  EXPECT_EQ(Read().group_file, "/sys/fs/cgroup/system.slice/memory.max");
  Write("/sys/fs/cgroup/system.slice/kilnd.service/memory.max", "1073741824\n");
  EXPECT_EQ(Read().group, uint64_t{1} << 30);
  Write("/sys/fs/cgroup/memory.max", "1000000\n");
  EXPECT_EQ(Read().group, 1000000u);
  EXPECT_EQ(Read().group_file, "/sys/fs/cgroup/memory.max");
}

// With a cgroup namespace of its own a container is in "/".
TEST_F(LimitsTest, OfAContainer) {
  Write("/proc/self/cgroup", "0::/\n");
  Write("/proc/self/mountinfo", kMount2);
  Write("/sys/fs/cgroup/memory.max", "536870912\n");
  EXPECT_EQ(Read().group, uint64_t{512} << 20);
}

TEST_F(LimitsTest, OfVersionOne) {
  Write("/proc/self/cgroup",
        "5:cpu,cpuacct:/docker/f00\n4:memory:/docker/f00\n1:name=systemd:/docker/f00\n0::/\n");
  Write("/proc/self/mountinfo",
        "34 31 0:31 /docker/f00 /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "35 31 0:32 /docker/f00 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(Read().group, kUnlimited);
  Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "805306368\n");
  EXPECT_EQ(Read().group, uint64_t{768} << 20);
}

TEST_F(LimitsTest, WhatCannotBeReadLimitsNothing) {
  EXPECT_EQ(Read().group, kUnlimited);
  Write("/proc/self/cgroup", "0::\nnonsense\n");
  Write("/proc/self/mountinfo", "35 24 0:30 / \n\n - cgroup2\n");
  EXPECT_EQ(Read().group, kUnlimited);
  Write("/proc/self/mountinfo", kMount2);
  Write("/sys/fs/cgroup/memory.max", "");
  EXPECT_EQ(Read().group, kUnlimited);
}

TEST(AddressSpaceTest, IsThisProcessOwn) {
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit lower = {uint64_t{1} << 45, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &lower), 0);
  EXPECT_EQ(ReadLimits().address_space, uint64_t{1} << 45);
  setrlimit(RLIMIT_AS, &before);
}

}  // namespace
}  // namespace kiln::memory
