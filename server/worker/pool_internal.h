// Inside of the pool: the queue (pool.cc) and the slots (slot.cc).
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
  uint64_t id = 0;                      // that the worker has it under; of the slot's thread
  int handed_back = 0;                  // times that a worker had it and did not begin
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
  // Blocks for the next job, which then belongs to `slot`; null when the pool stops, or the slot's
  // worker is distrusted.
  Handle Next(Slot* slot);
  // `cost`: what its owner is charged.
  void Finish(const Handle& entry, JobOutcome outcome, absl::Duration cost);
  // The other end of Next: the job is its owner's next again. `cost`: none where no worker has seen
  // anything of it; else of an express job that gave way.
  void HandBack(const Handle& entry, std::optional<absl::Duration> cost = std::nullopt);
  // True: the express job of `slot`, which has become long, is to be ended for another. One at a
  // time is told, until its slot is at Next again.
  bool GivesWay(Slot* slot);
  // What load() measures of a slot's worker, which has just become ready; null: it has none.
  void SetWorker(Slot* slot, const Process* process);
  // `hello` of `slot`'s new worker.
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
  // Of the queue's next job; null: there is none that may run now.
  Handle TakeNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Waits until the slot has something to do, or for as long as it may take until time alone gives
  // it that.
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
  uint64_t last_worker_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Duration start_cpu_ ABSL_GUARDED_BY(mutex_);  // of all workers
  absl::Duration ended_cpu_ ABSL_GUARDED_BY(mutex_);  // of those that are gone, since ready
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
  // Makes the thread look at cancellation and stopping.
  void Wake();
  void Join();

  Pool::Handle running;                          // under the pool's mutex
  std::shared_ptr<const ResidentMemory> memory;  // likewise
  std::shared_ptr<const CpuTime> cpu_time;       // likewise
  absl::Duration start_cpu;                      // likewise: what it had used when it was ready
  std::atomic<bool> alive = false;
  uint64_t worker = 0;  // under the pool's mutex, written by the slot's thread; 0: none is ready
  std::atomic<bool> distrusted = false;  // that worker is; set under the pool's mutex
  Hello::Sandbox sandbox;                // of the worker; under the pool's mutex

 private:
  // How the exchange with the worker over one job ended.
  enum class Exchange {
    kDone,
    kWorkerGone,
    kGarbage,
    kDeadline,
    kCancelGraceOver,
    kNotBegun,  // the worker lives, and has not looked at the job
    kTooLarge,  // there is no frame for such a job
    kDistrusted,
    kGaveWay,
  };

  explicit Slot(Pool::Impl* pool) : pool_(pool) {}
  void Main();
  absl::Status StartWorker();
  bool WorkerIsGone() const;
  // True when a worker is ready. False: the job is finished, or handed back.
  bool EnsureWorker(const Pool::Handle& entry);
  bool RestartWorker(const Pool::Handle& entry);
  // Of a worker that was idle; false: it is replaced, and the job handed back.
  bool Answers(const Pool::Handle& entry);
  // To a ping that was sent at the uptime `asked`; false also where the worker is stopped too long.
  bool AwaitPong(uint64_t id, absl::Duration asked, absl::Duration timeout);
  void Run(const Pool::Handle& entry);
  Exchange Converse(const Pool::Entry& entry, JobOutcome* outcome);
  // How long an express job that was sent then may go on before it is to be seen whether it gives
  // way; zero: it is longer than such a job may be.
  absl::Duration LeftOfExpress(absl::Duration sent) const;
  // What is charged for a job that kept the worker for so long.
  absl::Duration Cost(Exchange how, const CpuTime& cpu_time, absl::Duration held) const;
  // How long after a job was sent the worker may take to read it whole.
  absl::Duration TimeToBegin(const Pool::Entry& entry) const;
  // The worker has the whole job.
  bool HasBegun() const;
  // Of a worker that sent garbage nothing stands.
  static void Disbelieve(JobOutcome* outcome);
  // The end of a worker is its job's: it had begun, or died of reading it.
  bool IsJudged(const Exit& exit, Exchange how) const;
  // Reaps the worker that ended the exchange and says why it ended.
  Exit End(const Pool::Entry& entry, Exchange how);
  // Why a worker that lived had to go.
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
  absl::Duration heard_;       // Uptime() when it said something last
  absl::Duration cpu_before_;  // what it had taken of processor time before the job
  absl::Notification started_;
  absl::Status first_start_;
  std::thread thread_;
};

}  // namespace kiln::worker

#endif  // KILN_SERVER_WORKER_POOL_INTERNAL_H_
