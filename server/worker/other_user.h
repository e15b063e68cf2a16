// A worker that root starts becomes a user that nobody else is.
//
// Namespaces, landlock and the filter of system calls keep a worker from files and processes;
// should one of them have a hole, what is behind it is at least not root's. The worker changes
// before it reads or opens anything, after exec: its executable need not be that user's to read.
// Capabilities are kept for the namespaces, which they let a worker enter on systems that allow no
// others; they go right after (sandbox.cc). Of the parent's doings none needs the same user: root
// sends signals to any process, reads its /proc and its clocks.
#ifndef KILN_SERVER_WORKER_OTHER_USER_H_
#define KILN_SERVER_WORKER_OTHER_USER_H_

#include <cstdint>

namespace kiln::worker {

// Becomes that user and group, for good, with no other groups. `uid` 0: stays who it is. True: it
// is who it is asked to be, as the system says afterwards, and neither user nor group is root.
bool BecomeUser(uint32_t uid, uint32_t gid);

// Tries what it takes to be root again; to be asked without capabilities.
bool CanBecomeRoot();

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_OTHER_USER_H_
