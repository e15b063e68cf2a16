// A pool of worker processes: a bounded queue, one thread and one worker each, a watchdog.
//
// Which job is next, and which gives way when the queue is full, is decided by what its owners have
// used of the workers' time (fair_queue.h). At most `workers` jobs run, and beside them as many
// express jobs as there are `spare_workers`: a short job of an owner that has nothing running and
// is not ahead of the others need not wait until one of them is over. Which process is the spare
// one is not fixed: it is the one that is left. An express job that turns out to be long is ended
// when another owner has an express job and all workers are busy: its owner is charged for what it
// had, and it begins again when its turn comes.
//
// Invariants: a job is in exactly one of queue, running, done, and its callback is called exactly
// once, from a thread of the pool or from Cancel. Which job a worker has is recorded before it is
// sent, so that whatever happens to the worker is that job's outcome and no other's. A worker
// whose job was cut short is never used again. Workers are started before they are needed, and
// replaced after a death, after `jobs_per_worker` jobs or above `resident_bytes_per_worker`.
//
// A worker may be stopped, or gone, without the pool's doing. One that was idle is asked by a ping
// before it is given a job, and a job that no worker began goes to another: whose fault it was is
// seen from the board, where a worker writes that it has a job before it looks into it.
//
// A worker may have been taken over by the shader that it compiled. It sees the jobs that it is
// given and answers them; it cannot answer others (ids are random and made when a job is sent), nor
// answer a job with what it was not asked (answer.h), nor leave anything behind for the next one:
// bytes after the last answer are its end. It cannot hold up the pool either: a job is sent as the
// worker takes it, under the job's deadline.
//
// Cancellation is a flag on the board that the core polls between passes; a worker that has not
// stopped `cancel_grace` later is killed. Cost of a job beside the work itself: two thread wake-ups
// here, one in the worker.
//
// The owner of a job is charged the processor time that it took. Where the worker did not survive
// it is at least half of the time that the job kept it, so that one which sleeps until its time is
// over is not had for nothing, and what starting a worker costs.
#ifndef KILN_SERVER_WORKER_POOL_H_
#define KILN_SERVER_WORKER_POOL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/compile.pb.h"
#include "proto/worker.pb.h"
#include "server/worker/board.h"
#include "server/worker/owner.h"
#include "server/worker/process.h"

namespace kiln::worker {

struct PoolOptions {
  std::string executable;  // kiln_worker; empty: FindWorkerExecutable
  int workers = 1;
  int spare_workers = 0;      // processes beyond those, for express jobs
  size_t queue_limit = 1024;  // jobs that wait; more are refused
  WorkerLimits limits;
  int64_t jobs_per_worker = 1000;
  int64_t resident_bytes_per_worker = int64_t{512} << 20;
  absl::Duration start_timeout = absl::Seconds(10);
  absl::Duration cancel_grace = absl::Milliseconds(250);
  // A worker idle for longer is pinged. Without an answer in `ping_grace` the job goes to another,
  // after `ping_timeout` the worker is replaced.
  absl::Duration ping_after = absl::Milliseconds(100);
  absl::Duration ping_grace = absl::Milliseconds(50);
  absl::Duration ping_timeout = absl::Seconds(2);
  // One that has not begun with its job, or not even started, because it is stopped (SIGSTOP),
  // which the kernel tells, is replaced after so long.
  absl::Duration stopped_timeout = absl::Seconds(1);
  // Told of every worker that leaves, with Exit::reason, from the pool's threads. May be empty.
  std::function<void(std::string_view reason)> on_worker_exit;
  // And before that of each that left while it had no job and was not told to. May be empty.
  std::function<void(const Exit& exit)> on_idle_death;
};

// What became of a job.
struct JobOutcome {
  // OK: the worker did the job, and `results` or `translation` say with what result. CRASHED,
  // TIMED_OUT, MEMORY_LIMIT: it did not survive. CANCELLED: cancelled, before or while it ran.
  kiln::v1alpha::TargetResult::Status status = kiln::v1alpha::TargetResult::OK;
  std::string cause;
  std::string message;
  std::string last_pass;
  // The worker did not survive, and what it worked on has its part in that: it was not killed from
  // outside, and where it ran out of wall-clock time it had at least half of that as processor time
  // (else the machine was starved, or the worker stopped).
  bool blames_job = false;
  // The target whose compile did not survive; -1: what is done once for all.
  int blamed_target = -1;
  // One for each target of a CompileJob; empty where it was not finished.
  std::vector<std::optional<kiln::v1alpha::TargetResult>> results;
  std::optional<Translation> translation;
  // Finished passes, of killed workers too.
  std::vector<PassEvent> passes;
  uint32_t lost_passes = 0;
  // It was never begun: others, who had less, needed its place in a full queue. Then nothing else
  // here says anything but `owner`: whose job it was.
  bool displaced = false;
  Owner owner;
  absl::Duration queued;
  absl::Duration ran;
  // The worker process that had it, told from all others of the pool's life; 0: none had.
  uint64_t worker = 0;
  pid_t worker_pid = 0;
};

class Pool {
 public:
  using Done = std::function<void(JobOutcome outcome)>;

  // Opaque; identifies a job for Cancel.
  struct Entry;
  using Handle = std::shared_ptr<Entry>;

  struct Load {
    size_t queued = 0;
    int busy = 0;
    uint64_t express = 0;      // express jobs that there have been
    uint64_t displaced = 0;    // jobs that gave way in a full queue
    size_t owners = 0;         // groups of owners with a job that waits or runs
    double busiest_share = 0;  // FairQueue::busiest_share
    int workers = 0;           // that are alive
    // Resident memory of the workers: of all, and of the largest.
    int64_t resident_bytes = 0;
    int64_t largest_resident_bytes = 0;
    // Processor time of all workers that there have been: until each was ready, and since.
    absl::Duration start_cpu;
    absl::Duration jobs_cpu;
  };

  // Starts all workers and waits until they are ready.
  static absl::StatusOr<std::unique_ptr<Pool>> Start(PoolOptions options);
  // Cancels what is queued or running and stops the workers.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // What the workers said of themselves; `sandbox` is of the first.
  const Hello& hello() const;

  // Queues a job, which is not to be changed until it is done. Never blocks, and copies no job.
  // Unavailable: the queue is full or the pool is being destroyed.
  // Where the queue is full and another owner has more than its share of it, that one's last job
  // gives way instead: it is in `displaced` and to be given to EndDisplaced, when the caller holds
  // no lock that a job's callback may want. With null none gives way.
  absl::StatusOr<Handle> Submit(std::shared_ptr<const Job> job, Done done, const Owner& owner = {},
                                Handle* displaced = nullptr);
  absl::StatusOr<Handle> Submit(Job job, Done done, const Owner& owner = {},
                                Handle* displaced = nullptr) {
    return Submit(std::make_shared<const Job>(std::move(job)), std::move(done), owner, displaced);
  }
  void EndDisplaced(const Handle& handle);

  // These are all the owners that want the job. While it waits it is the job of the one of them
  // that is served first. Does nothing to a job that does not wait.
  void Adopt(const Handle& handle, const std::vector<Owner>& owners);

  // The job's outcome will be CANCELLED unless it is finished before. Never blocks; may call the
  // job's callback.
  void Cancel(const Handle& handle);

  // Ends that worker, whatever it does: a job that it has goes to another. Nothing where it is gone
  // already. Never blocks.
  void Distrust(uint64_t worker);

  // Starts what this pool's workers are, whatever has become of the file since.
  std::string executable() const;

  Load load() const;
  // The queue is filled to less than three quarters.
  bool HasRoom() const;

  // How all workers that are alive are locked in; where there is none, how the last one was.
  Hello::Sandbox sandbox() const;

  class Impl;

 private:
  explicit Pool(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_POOL_H_
