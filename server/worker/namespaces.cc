// Enters namespaces: see namespaces.h.
//
// The user namespace comes first: in it an unprivileged process may enter the others, and a
// privileged one gives up what it may do outside. No user is mapped into it. The root of the mount
// namespace becomes an empty, read-only file system: pivot_root(".", ".") mounts it over the old
// root, which is then detached (man 2 pivot_root, "pivot_root(".", ".")").
#include "server/worker/namespaces.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kiln::worker {
namespace {

bool Enter(int kind) { return unshare(kind) == 0; }

// To be called only in a mount namespace of this process's own.
bool EmptyRoot() {
  // The folder where the root is built; it exists, since a worker has opened /dev/null.
  constexpr char kPlace[] = "/dev";
  return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("none", kPlace, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k") ==
             0 &&
         chdir(kPlace) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 &&
         umount2(".", MNT_DETACH) == 0 && chdir("/") == 0;
}

}  // namespace

void EnterNamespaces(Hello::Sandbox* achieved) {
  achieved->set_user_namespace(Enter(CLONE_NEWUSER));
  achieved->set_network_namespace(Enter(CLONE_NEWNET));
  achieved->set_ipc_namespace(Enter(CLONE_NEWIPC));
  achieved->set_mount_namespace(Enter(CLONE_NEWNS) && EmptyRoot());
}

}  // namespace kiln::worker
