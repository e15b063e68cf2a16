// Landlock: the kernel's access rules that a process without privileges may put on itself.
//
// A second layer behind the filter of system calls: without any exception nothing is opened, no TCP
// port is bound or connected to, no device is accessed, and no signal or abstract socket reaches
// out. Source: linux/landlock.h and Documentation/userspace-api/landlock.rst of Linux 6.12; Debian
// 12's header is older, so the names here are ours.
#ifndef KILN_SERVER_WORKER_LANDLOCK_H_
#define KILN_SERVER_WORKER_LANDLOCK_H_

#include <cstdint>

namespace kiln::worker {

// Returns the version of the kernel's interface whose rules are in force now; 0: none are. TCP is
// covered from version 4 on, signals from 6 on. Needs no_new_privs.
uint32_t EnterLandlock();

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_LANDLOCK_H_
