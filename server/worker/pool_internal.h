// The inside of the pool: the queue (pool.cc) and the slots (slot.cc).
#ifndef KILN_SERVER_WORKER_POOL_INTERNAL_H_
#define KILN_SERVER_WORKER_POOL_INTERNAL_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "server/worker/board.h"
#include "server/worker/fair_queue.h"
#include "server/worker/frame.h"
#include "server/worker/job_sink.h"
#include "server/worker/pool.h"
#include "server/worker/process.h"

namespace kiln::worker {

class Slot;

struct Pool::Entry {
  enum class State { kQueued, kRunning, kDone };
  std::shared_ptr<const Job> job;
  Done done;
  Owner owner;  // under the pool's mutex
  absl::Time queued_at;
  State state = State::kQueued;         // under the pool's mutex
  Slot* slot = nullptr;                 // where it runs; under the pool's mutex
  FairQueue<Handle>::Turn turn = 0;     // while it runs; likewise
  bool express = false;                 // it runs as an express job; written before it runs
  uint64_t id = 0;                      // its id at the worker; used by the slot's thread
  int handed_back = 0;                  // number of workers that had it and did not begin
  std::atomic<bool> cancelled = false;  // wanted
};

class Pool::Impl {
 public:
  Impl(PoolOptions options, Executable executable)
      : options_(std::move(options)), executable_(std::move(executable)) {}
  ~Impl();

  absl::Status StartSlots();
  absl::StatusOr<Handle> Submit(std::shared_ptr<const Job> job, Done done, const Owner& owner,
                                Handle* displaced);
  void EndDisplaced(const Handle& entry);
  void Adopt(const Handle& entry, const std::vector<Owner>& owners);
  void Cancel(const Handle& entry);
  void Distrust(uint64_t worker);
  Load load() const;
  bool HasRoom() const;
  const Hello& hello() const { return hello_; }

  // For slots.
  const PoolOptions& options() const { return options_; }
  const Executable& executable() const { return executable_; }
  // Blocks until there is a job, which then belongs to `slot`; returns null when the pool stops, or
  // the slot's worker is distrusted.
  Handle Next(Slot* slot);
  // `cost`: charged to the job's owner.
  void Finish(const Handle& entry, JobOutcome outcome, absl::Duration cost);
  // Reverts Next: the job is its owner's next again. `cost`: nothing if no worker has seen any of
  // it; otherwise of an express job that gave way.
  void HandBack(const Handle& entry, std::optional<absl::Duration> cost = std::nullopt);
  // Returns true if `slot` is to end its express job, which has become long, for another one.
  // Returns true to one slot at a time, until that is at Next again.
  bool GivesWay(Slot* slot);
  // Sets the worker that load() measures for a slot, once it is ready; null: none.
  void SetWorker(Slot* slot, const Process* process);
  // Checks the Hello of the slot's new worker.
  absl::Status AcceptHello(Slot* slot, Hello hello);
  Hello::Sandbox sandbox() const;
  bool stopping() const;
  // Returns early when the pool stops.
  void Sleep(absl::Duration time);

 private:
  absl::Status CheckHello(const Hello& hello) const;
  static JobOutcome CancelledOutcome(const Entry& entry);
  void Finish(const Handle& entry, JobOutcome outcome) {
    Finish(entry, std::move(outcome), absl::ZeroDuration());
  }
  // Takes the queue's next job; null: none may run now.
  Handle TakeNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Waits until the slot has something to do, or might have because time has passed.
  void AwaitNext(const Slot& slot) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  size_t workers() const { return static_cast<size_t>(options_.workers); }

  const PoolOptions options_;
  const Executable executable_;
  mutable absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  FairQueue<Handle> queue_ ABSL_GUARDED_BY(mutex_);
  uint64_t express_ ABSL_GUARDED_BY(mutex_) = 0;
  const Slot* gives_way_ ABSL_GUARDED_BY(mutex_) = nullptr;
  uint64_t displaced_ ABSL_GUARDED_BY(mutex_) = 0;
  // Jobs that were refused or displaced.
  uint64_t refused_busiest_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t refused_others_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t last_worker_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Duration start_cpu_ ABSL_GUARDED_BY(mutex_);  // of all workers
  // Processor time of workers that are gone, since each was ready.
  absl::Duration ended_cpu_ ABSL_GUARDED_BY(mutex_);
  bool has_hello_ ABSL_GUARDED_BY(mutex_) = false;
  Hello hello_;  // written before the first job, constant afterwards
  std::vector<std::unique_ptr<Slot>> slots_;
};

// One thread with its worker process.
class Slot {
 public:
  static absl::StatusOr<std::unique_ptr<Slot>> Create(Pool::Impl* pool);
  ~Slot();

  void StartThread();
  absl::Status AwaitFirstStart();
  // Makes the thread check for cancellation and stopping.
  void Wake();
  void Join();

  Pool::Handle running;                          // under the pool's mutex
  std::shared_ptr<const ResidentMemory> memory;  // likewise
  std::shared_ptr<const CpuTime> cpu_time;       // likewise
  // Under the pool's mutex: time that the worker had used when it was ready.
  absl::Duration start_cpu;
  std::atomic<bool> alive = false;
  uint64_t worker = 0;  // under the pool's mutex, written by the slot's thread; 0: none is ready
  std::atomic<bool> distrusted = false;  // of that worker; set under the pool's mutex
  Hello::Sandbox sandbox;                // of the worker; under the pool's mutex

 private:
  // How the exchange with the worker about one job ended.
  enum class Exchange {
    kDone,
    kWorkerGone,
    kGarbage,
    kDeadline,
    kCancelGraceOver,
    kNotBegun,  // the worker lives, but has not looked at the job
    kTooLarge,  // the job does not fit in a frame
    kDistrusted,
    kGaveWay,
  };

  explicit Slot(Pool::Impl* pool) : pool_(pool) {}
  void Main();
  absl::Status StartWorker();
  bool WorkerIsGone() const;
  // Returns true when a worker is ready; false if the job was finished or handed back.
  bool EnsureWorker(const Pool::Handle& entry);
  bool RestartWorker(const Pool::Handle& entry);
  // Pings an idle worker. Returns false if it is replaced and the job handed back.
  bool Answers(const Pool::Handle& entry);
  // Waits for the answer to a ping that was sent at the uptime `asked`; also fails if the worker
  // has been stopped too long.
  bool AwaitPong(uint64_t id, absl::Duration asked, absl::Duration timeout);
  void Run(const Pool::Handle& entry);
  Exchange Converse(const Pool::Entry& entry, JobOutcome* outcome);
  // Returns how long an express job, sent at `sent`, may go on before GivesWay is asked; zero: it
  // is longer than such a job may be.
  absl::Duration LeftOfExpress(absl::Duration sent) const;
  // Returns the charge for a job that kept the worker for `held`.
  absl::Duration Cost(Exchange how, const CpuTime& cpu_time, absl::Duration held) const;
  // Returns how long the worker may take, after a job was sent, to read it whole.
  absl::Duration TimeToBegin(const Pool::Entry& entry) const;
  // Returns true if the worker has read the whole job.
  bool HasBegun() const;
  // Drops all results of a worker that sent garbage.
  static void Disbelieve(JobOutcome* outcome);
  // Returns true if the worker's end is this job's outcome: it had begun, or died of reading it.
  bool IsJudged(const Exit& exit, Exchange how) const;
  // Reaps the worker that ended the exchange and returns why it ended.
  Exit End(const Pool::Entry& entry, Exchange how);
  // Returns why a worker that was alive was ended.
  Exit DescribeStop(Exchange how, absl::Duration worked) const;
  void Bury(const Exit& exit, JobOutcome* outcome);
  void MaybeRecycle();
  void EndIfDistrusted();
  void DropProcess();
  void Report(std::string_view reason);
  void DrainWakeups();

  Pool::Impl* pool_;
  int wake_fd_ = -1;
  std::unique_ptr<Board> board_;
  std::unique_ptr<Process> process_;
  FrameReader reader_;
  int64_t jobs_ = 0;           // of this worker
  absl::Duration heard_;       // Uptime() when it last sent something
  absl::Duration cpu_before_;  // processor time that it had used before the job
  absl::Notification started_;
  absl::Status first_start_;
  std::thread thread_;
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_POOL_INTERNAL_H_
