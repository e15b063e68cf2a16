// A pool of worker processes: a bounded queue, one thread and one worker each, a watchdog.
//
// The workers' time that owners have used decides which job is next, and which gives way when the
// queue is full (fair_queue.h). At most `workers` jobs run, and beside them as many express jobs as
// there are `spare_workers`: a short job of an owner that has nothing running and is not ahead of
// the others need not wait until a running one is over. No process is reserved as the spare one: it
// is the one that is left. An express job that turns out to be long is ended when another owner has
// an express job and all workers are busy: its owner is charged for its time, and it begins again
// when its turn comes.
//
// Invariants: a job is in exactly one of queue, running, done, and its callback is called exactly
// once, from a thread of the pool or from Cancel. Which job a worker has is recorded before the job
// is sent, so that anything that happens to the worker is that job's outcome and no other's. A
// worker whose job was cut short is never used again. Workers are started before they are needed,
// and replaced after a death, after `jobs_per_worker` jobs or above `resident_bytes_per_worker`.
//
// A worker may be stopped, or die, for reasons outside the pool. An idle one is pinged before it is
// given a job, and a job that no worker began goes to another. The board shows if a job was begun:
// a worker writes there that it has a job before it looks into it.
//
// A worker may have been taken over by the shader that it compiled. It sees the jobs that it is
// given and answers them; it cannot answer others (ids are random and made when a job is sent), nor
// answer a job with what was not asked for (answer.h), nor leave anything behind for the next job:
// bytes after the last answer end the worker. It cannot hold up the pool either: a job is sent as
// fast as the worker reads it, under the job's deadline.
//
// Cancellation is a flag on the board that the core polls between passes; a worker that has not
// stopped `cancel_grace` later is killed. Cost of a job beside the work itself: two thread wake-ups
// here, one in the worker.
//
// The owner of a job is charged the processor time that it took. If the worker did not survive the
// job, the owner is charged at least half of the time for which the job kept the worker, so that a
// job that sleeps until its time is over is not free, and the cost of starting a worker.
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
#include "kiln/v1/compile.pb.h"
#include "proto/worker.pb.h"
#include "server/worker/board.h"
#include "server/worker/owner.h"
#include "server/worker/process.h"

namespace kiln::worker {

struct PoolOptions {
  std::string executable;  // kiln_worker; empty: FindWorkerExecutable
  int workers = 1;
  int spare_workers = 0;      // processes beyond `workers`, for express jobs
  size_t queue_limit = 1024;  // bound on waiting jobs; further ones are refused
  WorkerLimits limits;
  int64_t jobs_per_worker = 1000;
  int64_t resident_bytes_per_worker = int64_t{512} << 20;
  absl::Duration start_timeout = absl::Seconds(10);
  absl::Duration cancel_grace = absl::Milliseconds(250);
  // A worker idle for longer is pinged. Without an answer within `ping_grace` the job goes to
  // another one; after `ping_timeout` the worker is replaced.
  absl::Duration ping_after = absl::Milliseconds(100);
  absl::Duration ping_grace = absl::Milliseconds(50);
  absl::Duration ping_timeout = absl::Seconds(2);
  // A worker that is stopped (SIGSTOP), as the kernel reports, and has not begun its job or not
  // even started, is replaced after so long.
  absl::Duration stopped_timeout = absl::Seconds(1);
  // Called for every worker that leaves, with Exit::reason, from the pool's threads. May be empty.
  std::function<void(std::string_view reason)> on_worker_exit;
  // Called before that for each worker that left without a job and without being told to. May be
  // empty.
  std::function<void(const Exit& exit)> on_idle_death;
};

// The end of a job.
struct JobOutcome {
  // OK: the worker did the job; `results` or `translation` have the results. CRASHED, TIMED_OUT,
  // MEMORY_LIMIT: it did not survive. CANCELLED: cancelled, before or while it ran.
  kiln::v1::TargetResult::Status status = kiln::v1::TargetResult::OK;
  std::string cause;
  std::string message;
  std::string last_pass;
  // True if the worker did not survive, and its job may have caused that: it was not killed from
  // outside, and if it ran out of wall-clock time it had at least half of that as processor time
  // (otherwise the machine was starved, or the worker stopped).
  bool blames_job = false;
  // The target whose compile did not survive; -1: work done once for all.
  int blamed_target = -1;
  // One for each target of a CompileJob; empty if it was not finished.
  std::vector<std::optional<kiln::v1::TargetResult>> results;
  std::optional<Translation> translation;
  // Finished passes, also of killed workers.
  std::vector<PassEvent> passes;
  uint32_t lost_passes = 0;
  // True if it was never begun, because another owner, which had less, needed its slot in a full
  // queue. Then only `owner` is meaningful: whose job it was.
  bool displaced = false;
  Owner owner;
  bool express = false;  // it ran as an express job
  absl::Duration queued;
  absl::Duration ran;
  // Number of the worker process that had it, unique in the pool's life; 0: none had.
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
    uint64_t express = 0;      // express jobs so far
    uint64_t displaced = 0;    // jobs displaced from the full queue
    size_t owners = 0;         // groups of owners with a job that waits or runs
    double busiest_share = 0;  // FairQueue::busiest_share
    // The largest shares of the recent processor time, by group of owners.
    static constexpr size_t kLargestShares = 3;
    std::vector<double> largest_shares;
    // Jobs refused, or displaced, because the queue was full: of the group that had used most of
    // the recent processor time, and of others.
    uint64_t refused_busiest = 0, refused_others = 0;
    int workers = 0;  // that are alive
    // Resident memory of all workers, and of the largest.
    int64_t resident_bytes = 0;
    int64_t largest_resident_bytes = 0;
    // Processor time of all workers so far: until each was ready, and since.
    absl::Duration start_cpu;
    absl::Duration jobs_cpu;
  };

  // Starts all workers and waits until they are ready.
  static absl::StatusOr<std::unique_ptr<Pool>> Start(PoolOptions options);
  // Cancels what is queued or running and stops the workers.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // The workers' description of themselves; `sandbox` is the first worker's.
  const Hello& hello() const;

  // Queues a job, which must not change until it is done. Never blocks, and does not copy the job.
  // Unavailable: the queue is full or the pool is being destroyed. If the queue is full and another
  // owner has more than its share of it, that owner's last job gives way instead: it is in
  // `displaced`, and the caller must pass it to EndDisplaced, without holding a lock that a job's
  // callback may take. With `displaced` null no job gives way.
  absl::StatusOr<Handle> Submit(std::shared_ptr<const Job> job, Done done, const Owner& owner = {},
                                Handle* displaced = nullptr);
  absl::StatusOr<Handle> Submit(Job job, Done done, const Owner& owner = {},
                                Handle* displaced = nullptr) {
    return Submit(std::make_shared<const Job>(std::move(job)), std::move(done), owner, displaced);
  }
  void EndDisplaced(const Handle& handle);

  // Sets all the owners that want the job. While it waits it belongs to that one of them that is
  // served first. Does nothing to a job that does not wait.
  void Adopt(const Handle& handle, const std::vector<Owner>& owners);

  // Cancels: the outcome will be CANCELLED unless the job is finished before. Never blocks; may
  // call the job's callback.
  void Cancel(const Handle& handle);

  // Ends that worker: a job that it has goes to another. Does nothing if it is gone already. Never
  // blocks.
  void Distrust(uint64_t worker);

  // Path that starts this pool's worker executable, even if the file has been replaced since.
  std::string executable() const;

  Load load() const;
  // True if less than three quarters of the queue is in use.
  bool HasRoom() const;

  // The confinement that all live workers have; if none is alive, that of the last one.
  Hello::Sandbox sandbox() const;

  class Impl;

 private:
  explicit Pool(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_POOL_H_
