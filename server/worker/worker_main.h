// The worker process: reads jobs, does them, answers.
//
// Inherited: descriptor 3, a stream socket to the parent; descriptor 4, the board. Arguments set
// the limits. Exits with 0 when the parent closes the socket, kExitOutOfMemory when memory ran out.
#ifndef KILN_SERVER_WORKER_WORKER_MAIN_H_
#define KILN_SERVER_WORKER_WORKER_MAIN_H_

#include "server/worker/backend.h"
#include "server/worker/job_sink.h"

namespace kiln::worker {

inline constexpr int kSocketFd = 3;
inline constexpr int kBoardFd = 4;
inline constexpr int kExitOutOfMemory = 121;
inline constexpr int kExitProtocol = 122;

// main() of a worker executable. `inject`: for test builds only; without it no job has a fault and
// the sandbox cannot be weakened.
int WorkerMain(int argc, char** argv, Backend* backend, FaultInjector inject = nullptr);

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_WORKER_MAIN_H_
