// Namespaces: a worker's own view of users, mounts, network and shared memory, with nothing in it.
#ifndef KILN_SERVER_WORKER_NAMESPACES_H_
#define KILN_SERVER_WORKER_NAMESPACES_H_

#include "proto/worker.pb.h"

namespace kiln::worker {

// Enters what the kernel allows, each for itself: in containers often nothing is, and a system may
// allow user namespaces but nothing inside them. The calling process has one thread and no open
// directory. Says in `achieved` what it entered.
void EnterNamespaces(Hello::Sandbox* achieved);

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_NAMESPACES_H_
