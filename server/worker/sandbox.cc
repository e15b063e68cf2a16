// The limits and the system-call filter that a worker puts on itself. See sandbox.h.
//
// The filter allows by name and kills otherwise. Calls that open something fail with EACCES instead
// of killing: library code asks for optional files (locale, time zone) and copes without.
// mmap and mprotect are allowed only without PROT_EXEC.
#include "server/worker/sandbox.h"

#include <fcntl.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace kiln::worker {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitised = true;  // shadow memory and their own system calls do not fit in
#else
constexpr bool kSanitised = false;
#endif

bool Limit(int what, rlim_t n) {
  rlimit limit = {n, n};
  return setrlimit(static_cast<__rlimit_resource>(what), &limit) == 0;
}

constexpr int kAllowed[] = {
    SCMP_SYS(read),         SCMP_SYS(write),          SCMP_SYS(readv),
    SCMP_SYS(writev),       SCMP_SYS(sendto),         SCMP_SYS(recvfrom),
    SCMP_SYS(munmap),       SCMP_SYS(mremap),         SCMP_SYS(brk),
    SCMP_SYS(madvise),      SCMP_SYS(futex),          SCMP_SYS(clock_gettime),
    SCMP_SYS(gettimeofday), SCMP_SYS(nanosleep),      SCMP_SYS(clock_nanosleep),
    SCMP_SYS(exit),         SCMP_SYS(exit_group),     SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(sigaltstack),
    SCMP_SYS(getpid),       SCMP_SYS(gettid),         SCMP_SYS(tgkill),
    SCMP_SYS(sched_yield),  SCMP_SYS(getrandom),      SCMP_SYS(restart_syscall),
    SCMP_SYS(getrusage),    SCMP_SYS(close),          SCMP_SYS(poll),
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

bool Filter() {
  scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_KILL_PROCESS);
  if (ctx == nullptr) return false;
  bool ok = true;
  for (int call : kAllowed) ok = ok && seccomp_rule_add(ctx, SCMP_ACT_ALLOW, call, 0) == 0;
  for (int call : kRefused) ok = ok && seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EACCES), call, 0) == 0;
  for (int call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)}) {
    ok = ok && seccomp_rule_add(ctx, SCMP_ACT_ALLOW, call, 1,
                                SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) == 0;
  }
  // Own limits only: the CPU limit moves with every job, downwards of the hard one.
  ok = ok && seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2, SCMP_A0(SCMP_CMP_EQ, 0),
                              SCMP_A1(SCMP_CMP_EQ, RLIMIT_CPU)) == 0;
  ok = ok && seccomp_load(ctx) == 0;
  seccomp_release(ctx);
  return ok;
}

}  // namespace

void DetachFromParent(int last_fd, Hello::Sandbox* achieved) {
  pid_t parent = getppid();
  bool armed = prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
  // A parent that died before the call above sends nothing.
  if (getppid() != parent) _exit(0);
  achieved->set_parent_death_signal(armed);
  if (syscall(SYS_close_range, last_fd + 1, ~0U, 0) != 0) {
    for (int fd = last_fd + 1; fd < 1024; ++fd) close(fd);
  }
}

void EnterSandbox(const SandboxOptions& options, Hello::Sandbox* achieved) {
  Limit(RLIMIT_CORE, 0);
  prctl(PR_SET_DUMPABLE, 0);
  achieved->set_no_new_privileges(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  if (kSanitised) return;
  Limit(RLIMIT_FSIZE, 0);
  Limit(RLIMIT_NOFILE, static_cast<rlim_t>(16));
  Limit(RLIMIT_NPROC, 0);
  achieved->set_address_space_limit(options.address_space_bytes != 0 &&
                                    Limit(RLIMIT_AS, options.address_space_bytes));
  achieved->set_seccomp(options.seccomp && Filter());
}

void AllowCpuSeconds(int64_t seconds) {
  rusage usage;
  rlimit limit;
  if (getrusage(RUSAGE_SELF, &usage) != 0 || getrlimit(RLIMIT_CPU, &limit) != 0) return;
  int64_t used = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1;
  limit.rlim_cur = static_cast<rlim_t>(used + seconds);
  if (limit.rlim_max != RLIM_INFINITY && limit.rlim_cur > limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
  }
  setrlimit(RLIMIT_CPU, &limit);
}

}  // namespace kiln::worker
