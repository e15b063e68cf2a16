// Limits the processor time of a job: see cpu_limit.h.
#include "server/worker/cpu_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>

namespace kiln::worker {
namespace {

// Allows whole seconds from now, at least `milliseconds`.
bool AllowSeconds(int64_t milliseconds) {
  rusage usage;
  rlimit limit;
  if (getrusage(RUSAGE_SELF, &usage) != 0 || getrlimit(RLIMIT_CPU, &limit) != 0) return false;
  // 2: both terms were rounded down
  const int64_t used = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 2;
  limit.rlim_cur = static_cast<rlim_t>(used + (milliseconds + 999) / 1000);
  if (limit.rlim_max != RLIM_INFINITY) limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  return setrlimit(RLIMIT_CPU, &limit) == 0;
}

}  // namespace

std::optional<CpuLimit> CpuLimit::Create() {
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGXCPU;
  timer_t timer;
  if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0) return std::nullopt;
  return CpuLimit(timer);
}

bool CpuLimit::Allow(int64_t milliseconds) const {
  itimerspec time = {};
  time.it_value.tv_sec = milliseconds / 1000;
  time.it_value.tv_nsec = milliseconds % 1000 * 1'000'000;
  return timer_settime(timer_, 0, &time, nullptr) == 0 && AllowSeconds(milliseconds);
}

}  // namespace kiln::worker
