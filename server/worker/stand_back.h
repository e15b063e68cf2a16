// How a worker lets others go before it: by its share of the processor, and at once.
//
// A niceness is a share: who wakes up beside a worker still waits until the worker has had its
// slice (on Linux some 3 ms of two processors), and an answer from the cache takes a twentieth of a
// millisecond. From Linux 6.12 on a process may say how long its slice is (sched_setattr(2),
// sched_runtime of SCHED_OTHER, at most 100 ms), and one that wakes up takes the processor at once
// from one with a longer slice than its own. So a worker asks for the longest: it is interrupted
// sooner, runs longer when it is alone, and its share is what it was. An older kernel takes no
// notice.
#ifndef KILN_SERVER_WORKER_STAND_BACK_H_
#define KILN_SERVER_WORKER_STAND_BACK_H_

#include <cstdint>

namespace kiln::worker {

inline constexpr uint64_t kWorkerSliceNanoseconds = 100'000'000;

// Of the calling thread and what it starts from now on: its niceness is so much more, at most 19.
// 0: nothing. Needs system calls that the
// sandbox forbids, and no privileges.
void StandBack(int niceness);

// The calling thread's slice in nanoseconds; 0: the kernel does not tell.
uint64_t SliceNanoseconds();

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_STAND_BACK_H_
