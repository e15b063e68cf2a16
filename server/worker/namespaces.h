// Namespaces: a worker's own view of users, mounts, network and shared memory, with nothing in it.
#ifndef KILN_SERVER_WORKER_NAMESPACES_H_
#define KILN_SERVER_WORKER_NAMESPACES_H_

#include "proto/worker.pb.h"

namespace kiln::worker {

// Enters each namespace that the kernel allows: in containers often none is allowed, and a system
// may allow user namespaces but nothing inside them. The calling process has one thread and no open
// directory. Records in `achieved` which ones it entered.
void EnterNamespaces(Hello::Sandbox* achieved);

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_NAMESPACES_H_
