// Counts and bounds descriptors of this process.
//
// Connections are bounded so that clients never take the descriptors that the daemon needs for its
// work (workers, cache files, event queues). The soft limit is raised as far as that needs and no
// further: a limit of millions slows programs that walk over all descriptors.
#ifndef KILN_SERVER_NET_DESCRIPTORS_H_
#define KILN_SERVER_NET_DESCRIPTORS_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace kiln::net {

// RLIMIT_NOFILE now.
struct DescriptorLimits {
  uint64_t soft = 0;
  uint64_t hard = 0;
};
DescriptorLimits GetDescriptorLimits();

// Raises the soft limit so that `wanted` connections fit besides `reserved` descriptors, as far as
// the hard limit allows; `wanted` 0: as many as it allows. Returns how many connections fit.
// ResourceExhausted: fewer than a useful daemon needs; says which limit to raise.
absl::StatusOr<uint64_t> MakeRoomForConnections(uint64_t wanted, uint64_t reserved);

// Returns the number of open descriptors; the soft limit if none is left to count them with.
uint64_t OpenDescriptors();

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_DESCRIPTORS_H_
