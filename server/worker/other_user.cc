// Makes a worker that root starts another user: see other_user.h.
#include "server/worker/other_user.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>

namespace kiln::worker {
namespace {

// Kept capabilities are permitted but no longer effective. A failure shows in the namespaces.
void UseKeptCapabilities() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  if (syscall(SYS_capget, &header, sets) != 0) return;
  for (auto& set : sets) set.effective = set.permitted;
  syscall(SYS_capset, &header, sets);
}

// More groups than fit here count as having root's.
bool HasRootsGroup() {
  gid_t groups[256];
  const int count = getgroups(256, groups);
  return count < 0 || std::find(groups, groups + count, gid_t{0}) != groups + count;
}

bool Change(uid_t uid, gid_t gid) {
  prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
  const bool changed =
      setgroups(0, nullptr) == 0 && setresgid(gid, gid, gid) == 0 && setresuid(uid, uid, uid) == 0;
  prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0);
  UseKeptCapabilities();
  return changed && getgroups(0, nullptr) == 0;
}

}  // namespace

bool BecomeUser(uint32_t uid, uint32_t gid) {
  if (uid != 0 && !Change(uid, gid)) return false;
  uid_t user[3];
  gid_t group[3];
  if (getresuid(&user[0], &user[1], &user[2]) != 0) return false;
  if (getresgid(&group[0], &group[1], &group[2]) != 0) return false;
  if (HasRootsGroup()) return false;
  for (int i = 0; i < 3; ++i) {
    if (user[i] == 0 || group[i] == 0 || (uid != 0 && (user[i] != uid || group[i] != gid)))
      return false;
  }
  return true;
}

bool CanBecomeRoot() {
  return setresuid(0, 0, 0) == 0 || setuid(0) == 0 || seteuid(0) == 0 || setresgid(0, 0, 0) == 0 ||
         setgroups(0, nullptr) == 0;
}

}  // namespace kiln::worker
