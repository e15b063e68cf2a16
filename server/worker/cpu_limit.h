// Limits the processor time of a job.
//
// A timer on the process' own processor clock ends it with SIGXCPU, to the millisecond. RLIMIT_CPU
// counts whole seconds, so that a job may by chance get up to one second more; it is the second
// line of defence, in case the process disarms the timer.
#ifndef KILN_SERVER_WORKER_CPU_LIMIT_H_
#define KILN_SERVER_WORKER_CPU_LIMIT_H_

#include <cstdint>
#include <ctime>
#include <optional>

namespace kiln::worker {

class CpuLimit {
 public:
  // Needs timer_create, which the sandbox forbids. Nothing: the kernel has no such timer.
  static std::optional<CpuLimit> Create();

  // Allows this process `milliseconds` (at least 1) of processor time from now on; replaces an
  // earlier allowance. Returns false if the limit could not be set.
  bool Allow(int64_t milliseconds) const;

 private:
  explicit CpuLimit(timer_t timer) : timer_(timer) {}

  timer_t timer_;
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_CPU_LIMIT_H_
