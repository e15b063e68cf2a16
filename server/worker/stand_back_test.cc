// Tests of stand_back.h, in threads of their own: what one is given it does not lose again.
#include "server/worker/stand_back.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace kiln::worker {
namespace {

int OwnNiceness() { return getpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid))); }

TEST(StandBackTest, GivesTheNicenessAndTheLongestSlice) {
  std::thread([] {
    const bool tells = SliceNanoseconds() != 0;
    StandBack(OwnNiceness() < 19 ? 19 : 0);
    EXPECT_EQ(OwnNiceness(), 19);
    // Before Linux 6.12 a slice is nothing that a thread can have.
    EXPECT_EQ(SliceNanoseconds(), tells ? kWorkerSliceNanoseconds : 0);
  }).join();
}

// A daemon that was started with `nice -n 7` is not to stand behind its workers.
TEST(StandBackTest, TheNicenessIsBeyondTheOneThatThereIs) {
  std::thread([] {
    const int before = OwnNiceness();
    StandBack(1);
    EXPECT_EQ(OwnNiceness(), std::min(19, before + 1));
    StandBack(2);
    EXPECT_EQ(OwnNiceness(), std::min(19, before + 3));
    StandBack(19);
    EXPECT_EQ(OwnNiceness(), std::min(19, before + 22));
  }).join();
}

TEST(StandBackTest, WhatItStartsLaterHasThemToo) {
  std::thread([] {
    StandBack(19);
    const uint64_t own = SliceNanoseconds();
    std::thread([own] {
      EXPECT_EQ(OwnNiceness(), 19);
      EXPECT_EQ(SliceNanoseconds(), own);
    }).join();
  }).join();
}

TEST(StandBackTest, NoNicenessIsNoChange) {
  std::thread([] {
    const int niceness = OwnNiceness();
    const uint64_t slice = SliceNanoseconds();
    StandBack(0);
    EXPECT_EQ(OwnNiceness(), niceness);
    EXPECT_EQ(SliceNanoseconds(), slice);
  }).join();
}

}  // namespace
}  // namespace kiln::worker
