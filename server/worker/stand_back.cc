// How a worker lets others go before it: see stand_back.h.
#include "server/worker/stand_back.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace kiln::worker {
namespace {

// struct sched_attr of the kernel, as of its first version: the C library has none before 2.41.
struct SchedAttributes {
  uint32_t size = sizeof(SchedAttributes);
  uint32_t policy = 0;  // SCHED_OTHER
  uint64_t flags = 0;
  int32_t nice = 0;
  uint32_t priority = 0;
  uint64_t runtime = 0;
  uint64_t deadline = 0;
  uint64_t period = 0;
};
static_assert(sizeof(SchedAttributes) == 48);

bool Get(SchedAttributes* attributes) {
  return syscall(SYS_sched_getattr, 0, attributes, sizeof *attributes, 0) == 0;
}

}  // namespace

void StandBack(int niceness) {
  if (niceness == 0) return;
  // More than it has, which is allowed always, and not less than kilnd has where that was niced.
  setpriority(PRIO_PROCESS, 0, std::min(19, getpriority(PRIO_PROCESS, 0) + niceness));
  SchedAttributes own;
  // Another policy is whoever started the daemon's choice.
  if (!Get(&own) || own.policy != 0) return;
  own.flags = 0;
  own.runtime = kWorkerSliceNanoseconds;
  syscall(SYS_sched_setattr, 0, &own, 0);
}

uint64_t SliceNanoseconds() {
  SchedAttributes own;
  return Get(&own) && own.policy == 0 ? own.runtime : 0;
}

}  // namespace kiln::worker
