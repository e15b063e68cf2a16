// Installs the filter of system calls: see system_call_filter.h.
#include "server/worker/system_call_filter.h"

#include <linux/futex.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

#include "server/worker/worker_main.h"

namespace kiln::worker {
namespace {

// Allowed with any arguments: own memory, own signals, clocks, the end. A worker at work makes
// (strace over 150 modules) clock_gettime, read, sendto, timer_settime, prlimit64, getrusage, and
// now and then mmap, munmap, madvise and futex; the others belong to a death, to a stop by a
// signal, and to the tests' faults (clock_nanosleep).
constexpr int kAllowed[] = {
    SCMP_SYS(munmap),          SCMP_SYS(mremap),          SCMP_SYS(brk),
    SCMP_SYS(madvise),         SCMP_SYS(clock_gettime),   SCMP_SYS(gettimeofday),
    SCMP_SYS(getrusage),       SCMP_SYS(clock_nanosleep), SCMP_SYS(exit),
    SCMP_SYS(exit_group),      SCMP_SYS(rt_sigreturn),    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),  SCMP_SYS(getpid),          SCMP_SYS(gettid),
    SCMP_SYS(restart_syscall),
};

// Refused with an error: libraries may try these in passing, and cope without.
constexpr int kRefused[] = {
    SCMP_SYS(open),       SCMP_SYS(openat),
    SCMP_SYS(access),     SCMP_SYS(faccessat),
    SCMP_SYS(stat),       SCMP_SYS(lstat),
    SCMP_SYS(newfstatat), SCMP_SYS(fstat),
    SCMP_SYS(statx),      SCMP_SYS(ioctl),
    SCMP_SYS(readlink),   SCMP_SYS(uname),
    SCMP_SYS(sysinfo),    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(lseek),      SCMP_SYS(fcntl),
    SCMP_SYS(write),      SCMP_SYS(writev),  // last words on standard error
    SCMP_SYS(close),      SCMP_SYS(poll),
    SCMP_SYS(nanosleep),  SCMP_SYS(sched_yield),
    SCMP_SYS(getrandom),
};

// Compares the lower half of an argument: for an int the kernel looks at nothing else.
scmp_arg_cmp Int(unsigned argument, uint32_t value, uint32_t mask = UINT32_MAX) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

template <typename... Conditions>
bool Allow(scmp_filter_ctx ctx, int call, Conditions... conditions) {
  return seccomp_rule_add(ctx, SCMP_ACT_ALLOW, call, sizeof...(conditions), conditions...) == 0;
}

bool AllowByArguments(scmp_filter_ctx ctx) {
  const auto self = static_cast<uint32_t>(getpid());
  bool ok = true;
  // Reads from and sends to the parent only.
  ok = ok && Allow(ctx, SCMP_SYS(read), Int(0, kSocketFd));
  ok = ok && Allow(ctx, SCMP_SYS(sendto), Int(0, kSocketFd));
  // Memory is never executable.
  for (int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)})
    ok = ok && Allow(ctx, call, Int(2, 0, PROT_EXEC));
  // abort() and raise(): this process and its only thread; otherwise every process of this user
  // could be reached. Only signals that do not make its end look like another process's doing
  // (Exit::blames_job).
  for (uint32_t signal : {SIGABRT, SIGSEGV}) {
    ok = ok && Allow(ctx, SCMP_SYS(tgkill), Int(0, self), Int(1, self), Int(2, signal));
  }
  // The limit on the processor time of a job (cpu_limit.h).
  ok = ok && Allow(ctx, SCMP_SYS(timer_settime));
  // Own limits only: the CPU limit changes with every job, below the hard limit.
  ok = ok && Allow(ctx, SCMP_SYS(prlimit64), Int(0, 0), Int(1, RLIMIT_CPU));
  // Only waiting and waking; the rest of futex (requeueing, priorities) had holes.
  constexpr uint32_t kOperation = ~static_cast<uint32_t>(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  for (uint32_t operation : {FUTEX_WAIT, FUTEX_WAKE, FUTEX_WAIT_BITSET, FUTEX_WAKE_BITSET}) {
    ok = ok && Allow(ctx, SCMP_SYS(futex), Int(1, operation, kOperation));
  }
  return ok;
}

}  // namespace

bool FilterSystemCalls() {
  scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_KILL_PROCESS);
  if (ctx == nullptr) return false;
  // Calls of the 32-bit and x32 interfaces have other numbers, so no rule could allow them.
  bool ok = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0;
  for (int call : kAllowed) ok = ok && Allow(ctx, call);
  for (int call : kRefused) ok = ok && seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EACCES), call, 0) == 0;
  ok = ok && AllowByArguments(ctx) && seccomp_load(ctx) == 0;
  seccomp_release(ctx);
  return ok;
}

}  // namespace kiln::worker
