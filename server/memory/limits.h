// How much memory this process may have: RLIMIT_AS and the memory limits of its control groups.
//
// The two count different things. RLIMIT_AS (ulimit -v) is each process' address space by itself:
// of kilnd, and, inherited, of every worker. A control group's limit (containers, systemd's
// MemoryMax) is what all its processes have resident together; the least of a group and of those
// above it holds. Sources: getrlimit(2); cgroups(7); the kernel's admin-guide/cgroup-v2.rst
// ("memory.max"), admin-guide/cgroup-v1/memory.rst ("memory.limit_in_bytes").
#ifndef KILN_SERVER_MEMORY_LIMITS_H_
#define KILN_SERVER_MEMORY_LIMITS_H_

#include <cstdint>
#include <string>

namespace kiln::memory {

inline constexpr uint64_t kUnlimited = UINT64_MAX;

struct Limits {
  uint64_t address_space = kUnlimited;  // of one process
  uint64_t group = kUnlimited;          // of all processes together
  std::string group_file;               // that says so; empty: none does
};

// Of this process. What cannot be read limits nothing: there is no /proc, or no control groups.
Limits ReadLimits();

// The control groups' part. `proc` is "/proc/self", or what stands for it in a test: the files
// `cgroup` and `mountinfo` below it are read, and those that they lead to below `root`.
Limits ReadGroupLimits(const std::string& proc, const std::string& root);

}  // namespace kiln::memory

#endif  // KILN_SERVER_MEMORY_LIMITS_H_
