// How the kernel's scheduler ranks kilnd's threads and its workers.
//
// Problem: on a machine whose processors all run workers, a thread of kilnd that wakes up to answer
// a hit waits for the running worker's time slice (milliseconds) to end, although the answer needs
// 0.1 ms. Niceness decides shares, not who runs first.
//
// So kilnd asks for short slices, which give a thread that wakes up an early deadline, and workers
// run under SCHED_BATCH, whose wake-ups preempt nothing.
// Source: sched(7); Linux 6.12's EEVDF scheduler takes a slice (100 us to 100 ms) from
// sched_runtime of sched_setattr(2). Older kernels ignore it for SCHED_OTHER.
//
// These are hints: where the system refuses them, nothing else changes.
#ifndef KILN_SERVER_WORKER_SCHEDULING_H_
#define KILN_SERVER_WORKER_SCHEDULING_H_

namespace kiln::worker {

// Gives the calling thread, and the threads and processes that it starts later, slices of 100 us.
void UseShortSlices();

// Makes the calling thread a worker's: default slices and, unless `niceness` is 0, SCHED_BATCH and
// a niceness that is higher by that (19 at most). For a process that has one thread.
void RunInBackground(int niceness);

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_SCHEDULING_H_
