// The filter of system calls: see system_call_filter.h.
#include "server/worker/system_call_filter.h"

#include <seccomp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace kiln::worker {
namespace {

constexpr int kAllowed[] = {
    SCMP_SYS(read),         SCMP_SYS(write),          SCMP_SYS(readv),
    SCMP_SYS(writev),       SCMP_SYS(sendto),         SCMP_SYS(recvfrom),
    SCMP_SYS(munmap),       SCMP_SYS(mremap),         SCMP_SYS(brk),
    SCMP_SYS(madvise),      SCMP_SYS(futex),          SCMP_SYS(clock_gettime),
    SCMP_SYS(gettimeofday), SCMP_SYS(nanosleep),      SCMP_SYS(clock_nanosleep),
    SCMP_SYS(exit),         SCMP_SYS(exit_group),     SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(sigaltstack),
    SCMP_SYS(getpid),       SCMP_SYS(gettid),         SCMP_SYS(restart_syscall),
    SCMP_SYS(sched_yield),  SCMP_SYS(getrandom),      SCMP_SYS(getrusage),
    SCMP_SYS(close),        SCMP_SYS(poll),
};

constexpr int kRefused[] = {
    SCMP_SYS(open),       SCMP_SYS(openat),
    SCMP_SYS(access),     SCMP_SYS(faccessat),
    SCMP_SYS(stat),       SCMP_SYS(lstat),
    SCMP_SYS(newfstatat), SCMP_SYS(fstat),
    SCMP_SYS(statx),      SCMP_SYS(ioctl),
    SCMP_SYS(readlink),   SCMP_SYS(uname),
    SCMP_SYS(sysinfo),    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(lseek),      SCMP_SYS(fcntl),
};

}  // namespace

bool FilterSystemCalls() {
  scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_KILL_PROCESS);
  if (ctx == nullptr) return false;
  // Calls of the 32-bit and x32 interfaces have other numbers: there is nothing to allow by.
  bool ok = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0;
  for (int call : kAllowed) ok = ok && seccomp_rule_add(ctx, SCMP_ACT_ALLOW, call, 0) == 0;
  for (int call : kRefused) ok = ok && seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EACCES), call, 0) == 0;
  for (int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)}) {
    ok = ok && seccomp_rule_add(ctx, SCMP_ACT_ALLOW, call, 1,
                                SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) == 0;
  }
  // abort() and raise(); by number, or every process of this user could be reached.
  ok = ok && seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                              SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid()))) == 0;
  // Own limits only: the CPU limit moves with every job, downwards of the hard one.
  ok = ok && seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2, SCMP_A0(SCMP_CMP_EQ, 0),
                              SCMP_A1(SCMP_CMP_EQ, RLIMIT_CPU)) == 0;
  ok = ok && seccomp_load(ctx) == 0;
  seccomp_release(ctx);
  return ok;
}

}  // namespace kiln::worker
