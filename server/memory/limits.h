// Reads how much memory this process may have: RLIMIT_AS and the memory limits of its control
// groups.
//
// The two count different things. RLIMIT_AS (ulimit -v) bounds each process' address space by
// itself: kilnd's, and, inherited, every worker's. A control group's limit (containers, systemd's
// MemoryMax) bounds what all its processes have resident together; the smallest limit of a group
// and of those above it holds. Sources: getrlimit(2); cgroups(7); the kernel's
// admin-guide/cgroup-v2.rst ("memory.max"), admin-guide/cgroup-v1/memory.rst
// ("memory.limit_in_bytes").
#ifndef KILN_SERVER_MEMORY_LIMITS_H_
#define KILN_SERVER_MEMORY_LIMITS_H_

#include <cstdint>
#include <string>

namespace kiln::memory {

inline constexpr uint64_t kUnlimited = UINT64_MAX;

struct Limits {
  uint64_t address_space = kUnlimited;  // of one process
  uint64_t group = kUnlimited;          // for all processes together
  std::string group_file;               // the file with that limit; empty: none
};

// Returns this process's limits. A limit that cannot be read (no /proc, no control groups) is none.
Limits ReadLimits();

// Returns the control groups' limits. `proc` is "/proc/self", or a stand-in for tests: the files
// `cgroup` and `mountinfo` below it are read, and the files that they name below `root`.
Limits ReadGroupLimits(const std::string& proc, const std::string& root);

}  // namespace kiln::memory

#endif  // KILN_SERVER_MEMORY_LIMITS_H_
