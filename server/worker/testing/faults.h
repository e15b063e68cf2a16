// Makes faults happen in a worker when a test's job asks for them.
//
// Linked into test workers only. A release worker has none of this code, says so in its Hello, and
// a parent that wants faults refuses it.
#ifndef KILN_SERVER_WORKER_TESTING_FAULTS_H_
#define KILN_SERVER_WORKER_TESTING_FAULTS_H_

#include "proto/worker.pb.h"
#include "server/worker/board.h"

namespace kiln::worker {

// A FaultInjector. Returns after SLOW and LIE, and if a forbidden system call was survived; other
// faults do not return.
void InjectFault(const Fault& fault, Board* board);

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_TESTING_FAULTS_H_
