// Descriptors of this process: how many there may be and how many are open.
//
// Connections are bounded so that what the daemon needs for its work (workers, cache files, event
// queues) is never taken by clients. The soft limit is raised as far as that needs and no further:
// a limit of millions costs programs that walk over all descriptors.
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
// the hard limit allows; `wanted` 0: as many as it allows. How many connections fit.
// ResourceExhausted: fewer than a daemon needs to be of use; says what to raise.
absl::StatusOr<uint64_t> MakeRoomForConnections(uint64_t wanted, uint64_t reserved);

// Descriptors that are open; the soft limit where none is left to count them with.
uint64_t OpenDescriptors();

}  // namespace kiln::net

#endif  // KILN_SERVER_NET_DESCRIPTORS_H_
