// The limit on the processor time of a job.
//
// A timer on the process' own processor clock ends it with SIGXCPU, to the millisecond. RLIMIT_CPU
// counts whole seconds, so that by chance a job gets up to one more; it stands behind the timer, in
// case the process disarms that.
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

  // Allows this process `milliseconds` (at least 1) of processor time from now on, whatever was
  // left of an earlier allowance. False: there is no such limit.
  bool Allow(int64_t milliseconds) const;

 private:
  explicit CpuLimit(timer_t timer) : timer_(timer) {}

  timer_t timer_;
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_CPU_LIMIT_H_
