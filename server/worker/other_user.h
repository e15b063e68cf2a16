// Makes a worker that root starts a user that no other process runs as.
//
// Namespaces, landlock and the filter of system calls keep a worker from files and processes; if
// one of them has a hole, a worker that gets through is at least not root. The worker changes its
// user before it reads or opens anything, after exec: that user need not be able to read the
// executable. Capabilities are kept for the namespaces, which some systems let a process enter only
// with them; they are dropped right after (sandbox.cc). The parent does nothing that needs the same
// user: root may send signals to any process and read its /proc and its clocks.
#ifndef KILN_SERVER_WORKER_OTHER_USER_H_
#define KILN_SERVER_WORKER_OTHER_USER_H_

#include <cstdint>

namespace kiln::worker {

// Becomes that user and group, for good, with no other groups. `uid` 0: stays what it is. Returns
// true if the system afterwards reports that user and group, and neither is root.
bool BecomeUser(uint32_t uid, uint32_t gid);

// Tries to become root again, in every way; to be called without capabilities.
bool CanBecomeRoot();

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_OTHER_USER_H_
