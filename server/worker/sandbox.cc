// Confines a worker before its first job: see sandbox.h.
//
// Order: the user first, then steps that need privileges or files (limits, namespaces), then
// privileges are dropped, then the two layers that need none (landlock, the filter). Reports the
// state that was found afterwards.
#include "server/worker/sandbox.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "server/worker/landlock.h"
#include "server/worker/namespaces.h"
#include "server/worker/other_user.h"
#include "server/worker/system_call_filter.h"

namespace kiln::worker {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// Shadow memory and the sanitisers' own system calls do not fit in.
constexpr bool kSanitised = true;
#else
constexpr bool kSanitised = false;
#endif

// Limits to at most `n`; keeps a smaller limit with which the daemon was started.
bool Limit(int what, rlim_t n) {
  const auto resource = static_cast<__rlimit_resource>(what);
  rlimit limit;
  if (getrlimit(resource, &limit) != 0) return false;
  limit.rlim_max = std::min(limit.rlim_max, n);
  limit.rlim_cur = limit.rlim_max;
  return setrlimit(resource, &limit) == 0;
}

bool LimitResources() {
  return Limit(RLIMIT_CORE, 0) && Limit(RLIMIT_FSIZE, 0) && Limit(RLIMIT_NOFILE, rlim_t{16}) &&
         Limit(RLIMIT_NPROC, 0);
}

// Dies with `parent`. The kernel forgets this setting when a process changes its credentials.
bool DieWith(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A parent that died before the call above sends no signal.
  if (getppid() != parent) _exit(0);
  int armed = 0;
  return prctl(PR_GET_PDEATHSIG, &armed) == 0 && armed == SIGKILL;
}

// Drops all of them, in every set: also root's, and those that an executable could give back.
bool DropCapabilities() {
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (int cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; ++cap) {
    prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
  }
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  if (syscall(SYS_capset, &header, sets) != 0 || syscall(SYS_capget, &header, sets) != 0)
    return false;
  for (const auto& set : sets) {
    if ((set.effective | set.permitted | set.inheritable) != 0) return false;
  }
  return true;
}

}  // namespace

void LeaveRoot(const SandboxOptions& options, Hello::Sandbox* achieved) {
  achieved->set_not_root(BecomeUser(options.uid, options.gid));
}

void DetachFromParent(int last_fd, Hello::Sandbox* achieved) {
  achieved->set_parent_death_signal(DieWith(getppid()));
  if (syscall(SYS_close_range, last_fd + 1, ~0U, 0) != 0) {
    for (int fd = last_fd + 1; fd < 1024; ++fd) close(fd);
  }
}

void EnterSandbox(const SandboxOptions& options, Hello::Sandbox* achieved) {
  const pid_t parent = getppid();
  Limit(RLIMIT_CORE, 0);
  if (!kSanitised) EnterNamespaces(achieved);
  achieved->set_capabilities_dropped(DropCapabilities());
  achieved->set_not_root(achieved->not_root() && !CanBecomeRoot());
  achieved->set_no_new_privileges(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  prctl(PR_SET_DUMPABLE, 0);
  achieved->set_parent_death_signal(DieWith(parent));
  if (kSanitised) return;
  achieved->set_landlock(EnterLandlock());
  achieved->set_resource_limits(LimitResources());
  achieved->set_address_space_limit(options.address_space_bytes != 0 &&
                                    Limit(RLIMIT_AS, options.address_space_bytes));
  achieved->set_seccomp(options.seccomp && FilterSystemCalls());
}

}  // namespace kiln::worker
