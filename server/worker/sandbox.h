// Confines a worker before its first job: limits, namespaces of its own, no capabilities, landlock,
// a filter of system calls.
//
// A compile needs memory, its two inherited descriptors and a clock: no files, network, processes
// or threads. The filter and the limits are always there: a pool takes no worker without them
// (except the limit on memory, which --job-memory=0 switches off). The others are further layers,
// in case the filter or the kernel has a hole; a container or an old kernel may not allow them.
// That is reported, not fatal: kilnd shows it as kiln_sandbox_level, `kiln health --local` in
// words, and an operator decides. A sanitiser build has neither filter nor namespaces.
#ifndef KILN_SERVER_WORKER_SANDBOX_H_
#define KILN_SERVER_WORKER_SANDBOX_H_

#include <cstdint>

#include "proto/worker.pb.h"

namespace kiln::worker {

struct SandboxOptions {
  uint64_t address_space_bytes = uint64_t{2} << 30;  // 0: no limit
  bool seccomp = true;
  // The user that a worker of root becomes (other_user.h); 0: it stays root.
  uint32_t uid = 0;
  uint32_t gid = 0;
};

// To be called first: see other_user.h.
void LeaveRoot(const SandboxOptions& options, Hello::Sandbox* achieved);

// Makes the process die with its parent; closes every descriptor above `last_fd`.
void DetachFromParent(int last_fd, Hello::Sandbox* achieved);

// To be called after both. Cannot be undone. From now on opening anything fails and forbidden calls
// kill (SIGSYS).
void EnterSandbox(const SandboxOptions& options, Hello::Sandbox* achieved);

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_SANDBOX_H_
