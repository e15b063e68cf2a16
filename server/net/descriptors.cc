// Counts and bounds descriptors of this process: see descriptors.h.
#include "server/net/descriptors.h"

#include <dirent.h>
#include <sys/resource.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace kiln::net {
namespace {

// With fewer connections the daemon does not start.
constexpr uint64_t kFewestConnections = 8;
// Bound for `wanted` 0 if the hard limit is "infinity" (containers).
constexpr uint64_t kMaxDescriptors = uint64_t{1} << 17;

}  // namespace

DescriptorLimits GetDescriptorLimits() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  return {limit.rlim_cur, limit.rlim_max};
}

absl::StatusOr<uint64_t> MakeRoomForConnections(uint64_t wanted, uint64_t reserved) {
  DescriptorLimits limits = GetDescriptorLimits();
  uint64_t most = std::min(limits.hard, std::max(kMaxDescriptors, limits.soft));
  uint64_t target =
      wanted == 0 || wanted > most - std::min(most, reserved) ? most : wanted + reserved;
  if (target > limits.soft) {
    rlimit raised = {target, limits.hard};
    if (setrlimit(RLIMIT_NOFILE, &raised) != 0) target = limits.soft;
  }
  uint64_t room = target - std::min(target, reserved);
  uint64_t fit = wanted == 0 ? room : std::min(wanted, room);
  if (fit < std::min(kFewestConnections, wanted == 0 ? kFewestConnections : wanted)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("this process may have at most ", target,
                     " open files (ulimit -n), and workers and cache need ", reserved,
                     "; raise the limit to at least ", reserved + kFewestConnections));
  }
  return fit;
}

uint64_t OpenDescriptors() {
  DIR* list = opendir("/proc/self/fd");
  if (list == nullptr) return GetDescriptorLimits().soft;
  uint64_t count = 0;
  while (dirent* entry = readdir(list)) count += entry->d_name[0] != '.';
  closedir(list);
  return count - 1;  // without the one that lists the directory
}

}  // namespace kiln::net
