// Chooses the user that workers run as: see worker_user.h.
#include "server/worker_user.h"

#include <grp.h>
#include <pwd.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace kiln::server {
namespace {

absl::Status Wrong(const std::string& setting, const char* why) {
  return absl::InvalidArgumentError(absl::StrCat("--worker-user=", setting, ": ", why));
}

absl::StatusOr<WorkerUser> FindUnused() {
  for (uint32_t id = kFirstUnusedUser; id <= kLastUnusedUser; ++id) {
    if (getpwuid(id) == nullptr && getgrgid(id) == nullptr) return WorkerUser{id, id};
  }
  return Wrong("auto", "user ids 65520 to 65529 are all in use on this machine; name a user");
}

}  // namespace

absl::StatusOr<WorkerUser> FindWorkerUser(const std::string& setting, bool is_root) {
  if (setting == "none" || (setting == "auto" && !is_root)) return WorkerUser{};
  if (!is_root)
    return Wrong(setting,
                 "kilnd is not root, so its workers run as kilnd's own user; leave it out");
  if (setting == "auto") return FindUnused();
  WorkerUser user;
  const bool is_number = absl::SimpleAtoi(setting, &user.uid);
  const passwd* entry = is_number ? getpwuid(user.uid) : getpwnam(setting.c_str());
  if (entry == nullptr && !is_number) return Wrong(setting, "there is no such user");
  if (entry != nullptr) user.uid = entry->pw_uid;
  user.gid = entry != nullptr ? entry->pw_gid : user.uid;
  if (user.uid == 0 || user.gid == 0)
    return Wrong(setting, "this is root; --worker-user=none runs workers as root");
  if (user.uid == UINT32_MAX) return Wrong(setting, "this is not a user id");
  return user;
}

}  // namespace kiln::server
