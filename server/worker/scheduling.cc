// Hints for the kernel's scheduler: see scheduling.h.
#include "server/worker/scheduling.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace kiln::worker {
namespace {

constexpr uint64_t kShortSliceNanoseconds = 100'000;
constexpr int kMaxNiceness = 19;

// The first version of the kernel's struct sched_attr (sched_setattr(2)): every kernel takes it.
// The C library of Debian 12 does not declare it.
struct SchedulingAttributes {
  uint32_t size = sizeof(SchedulingAttributes);
  uint32_t policy = SCHED_OTHER;
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime = 0;  // nanoseconds; 0: the system's slice
  uint64_t deadline = 0, period = 0;
};
static_assert(sizeof(SchedulingAttributes) == 48);

// Changes the calling thread's attributes. A thread with another policy (SCHED_FIFO, SCHED_IDLE),
// which its starter chose, keeps it. Returns false if the system has no such call or refuses it.
template <typename Change>
bool Alter(const Change& change) {
  SchedulingAttributes attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return false;
  if (attributes.policy != SCHED_OTHER && attributes.policy != SCHED_BATCH) return true;
  attributes.size = sizeof attributes;
  change(&attributes);
  return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0;
}

}  // namespace

void UseShortSlices() {
  Alter([](SchedulingAttributes* a) { a->runtime = kShortSliceNanoseconds; });
}

void RunInBackground(int niceness) {
  const bool altered = Alter([&](SchedulingAttributes* a) {
    a->runtime = 0;
    if (niceness == 0) return;
    a->policy = SCHED_BATCH;
    a->nice = std::min(a->nice + niceness, kMaxNiceness);
  });
  // The older call, which stops at 19 by itself.
  if (!altered && nice(niceness) == -1) errno = 0;
}

}  // namespace kiln::worker
