// Tests scheduling hints: each test asks the kernel for the attributes of a thread of its own.
#include "server/worker/scheduling.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <thread>

namespace kiln::worker {
namespace {

struct Attributes {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};

// Returns the attributes of a new thread after `change`.
template <typename Change>
Attributes After(const Change& change) {
  Attributes attributes = {};
  std::thread([&] {
    change();
    EXPECT_EQ(syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0), 0);
  }).join();
  return attributes;
}

// False before Linux 6.12.
bool KernelTakesSlices(uint64_t runtime) { return runtime != 0; }

TEST(Scheduling, KilndHasShortSlicesAndSoHaveItsThreads) {
  Attributes inherited = {};
  const Attributes own = After([&] {
    UseShortSlices();
    inherited = After([] {});
  });
  EXPECT_EQ(own.policy, static_cast<uint32_t>(SCHED_OTHER));
  if (!KernelTakesSlices(own.runtime)) GTEST_SKIP() << "this kernel has no slices to choose";
  EXPECT_EQ(own.runtime, 100'000u);
  EXPECT_EQ(inherited.runtime, 100'000u);
}

TEST(Scheduling, AWorkerOfKilndHasItsOwnSliceAndRunsAsABatch) {
  const uint64_t usual = After([] {}).runtime;
  const int before = getpriority(PRIO_PROCESS, 0);
  const Attributes worker = After([] {
    UseShortSlices();
    RunInBackground(3);
  });
  EXPECT_EQ(worker.policy, static_cast<uint32_t>(SCHED_BATCH));
  EXPECT_EQ(worker.nice, std::min(before + 3, 19));
  EXPECT_EQ(worker.runtime, usual);
}

TEST(Scheduling, ANicenessEndsAt19) {
  EXPECT_EQ(After([] { RunInBackground(40); }).nice, 19);
}

TEST(Scheduling, WithoutANicenessAWorkerIsLevelWithKilnd) {
  const int before = getpriority(PRIO_PROCESS, 0);
  const Attributes worker = After([] { RunInBackground(0); });
  EXPECT_EQ(worker.policy, static_cast<uint32_t>(SCHED_OTHER));
  EXPECT_EQ(worker.nice, before);
}

TEST(Scheduling, APolicyThatTheStarterChoseStays) {
  const Attributes idle = After([] {
    const sched_param none = {};
    ASSERT_EQ(sched_setscheduler(0, SCHED_IDLE, &none), 0);
    UseShortSlices();
    RunInBackground(3);
  });
  EXPECT_EQ(idle.policy, static_cast<uint32_t>(SCHED_IDLE));
}

}  // namespace
}  // namespace kiln::worker
