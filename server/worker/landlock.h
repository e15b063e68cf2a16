// Landlock: the kernel's access rules that a process without privileges may put on itself.
//
// A second wall behind the filter of system calls: without any exception nothing is opened, no TCP
// port is bound or connected to, no device is asked, and no signal or abstract socket reaches out.
// Source: linux/landlock.h and Documentation/userspace-api/landlock.rst of Linux 6.12; Debian 12's
// header is older, so names are ours.
#ifndef KILN_SERVER_WORKER_LANDLOCK_H_
#define KILN_SERVER_WORKER_LANDLOCK_H_

#include <cstdint>

namespace kiln::worker {

// The version of the kernel's interface whose rules are in force now; 0: none are. From version 4
// on TCP is among them, from 6 on signals. Needs no_new_privs.
uint32_t EnterLandlock();

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_LANDLOCK_H_
