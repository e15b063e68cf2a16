// What a worker puts on itself before its first job: limits, namespaces of its own, no
// capabilities, landlock, a filter of system calls.
//
// A compile needs memory, its two inherited descriptors and a clock: no files, network, processes
// or threads. The filter and the limits are always there: a pool takes no worker without them (that
// on memory is switched off by its name, --job-memory=0). The others are layers behind it, for the
// day when the filter or the kernel has a hole; a container or an old kernel may not allow them.
// That is reported, not fatal: kilnd shows it as kiln_sandbox_level, `kiln health
// --local` in words, and an operator decides. A sanitiser build has neither filter nor namespaces.
#ifndef KILN_SERVER_WORKER_SANDBOX_H_
#define KILN_SERVER_WORKER_SANDBOX_H_

#include <cstdint>

#include "proto/worker.pb.h"

namespace kiln::worker {

struct SandboxOptions {
  uint64_t address_space_bytes = uint64_t{2} << 30;  // 0: no limit
  bool seccomp = true;
  // Who a worker of root becomes (other_user.h); 0: it stays root.
  uint32_t uid = 0;
  uint32_t gid = 0;
};

// First of all: see other_user.h.
void LeaveRoot(const SandboxOptions& options, Hello::Sandbox* achieved);

// Dies with the parent; closes every descriptor above `last_fd`.
void DetachFromParent(int last_fd, Hello::Sandbox* achieved);

// After both. Cannot be undone. After it, opening anything fails and forbidden calls kill (SIGSYS).
void EnterSandbox(const SandboxOptions& options, Hello::Sandbox* achieved);

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_SANDBOX_H_
