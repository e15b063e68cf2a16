// Chooses the user that the workers of a daemon started as root run as (--worker-user).
//
// `auto` takes the first of ten numbers that no user and no group of this machine has. They are
// below 65536, where a container's user namespace may end, and in a range that both Debian (policy
// 9.2.2: 65000 to 65533 are reserved) and systemd (docs/UIDS-GIDS.md: 65520 to 65533 are unused)
// leave unassigned. The system's shared unprivileged account is not used: other daemons run as it
// too.
#ifndef KILN_SERVER_WORKER_USER_H_
#define KILN_SERVER_WORKER_USER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace kiln::server {

struct WorkerUser {
  uint32_t uid = 0;  // 0: the daemon's own user
  uint32_t gid = 0;
};

inline constexpr uint32_t kFirstUnusedUser = 65520;
inline constexpr uint32_t kLastUnusedUser = 65529;

// `setting`: auto, none, a user's name or number. `is_root`: the daemon runs as root; otherwise its
// workers run as its own user, and asking for another one is an error.
absl::StatusOr<WorkerUser> FindWorkerUser(const std::string& setting, bool is_root);

}  // namespace kiln::server

#endif  // KILN_SERVER_WORKER_USER_H_
