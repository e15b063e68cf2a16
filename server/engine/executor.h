// A few threads for steps that may block (disk reads), so that gRPC's own threads never do.
//
// New requests are admitted up to a bound. Continuations of admitted requests always are: refusing
// those would lose work already done. Which task is next, and which gives way at the bound, is
// decided by the time that the owners' tasks took (worker/fair_queue.h).
#ifndef KILN_SERVER_ENGINE_EXECUTOR_H_
#define KILN_SERVER_ENGINE_EXECUTOR_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/worker/fair_queue.h"

namespace kiln::server {

class Executor {
 public:
  // Called for each task before it runs, with the time it was queued; from any of the threads.
  using Waited = std::function<void(absl::Duration time)>;
  Executor(int threads, size_t limit, Waited waited);
  ~Executor() { Stop(); }

  // Runs what is queued, then ends the threads. Later tasks are dropped.
  void Stop();

  // Calls exactly one of the two, unless Stop comes first: `task` in one of the threads, or
  // `refuse`. A task is refused if the queue is full and its owner has most of it, at once or
  // later, when another owner comes that has less of it; the thread that then calls TryRun calls
  // `refuse`.
  void TryRun(const worker::Owner& owner, std::function<void()> task, std::function<void()> refuse);
  // Queues a continuation, however long the queue is.
  void Run(const worker::Owner& owner, std::function<void()> task);

  // Number of tasks that no thread has begun.
  size_t queued() const;

 private:
  struct Task {
    std::function<void()> run;
    std::function<void()> refuse;  // null: a continuation, which is never refused
    absl::Time queued_at;
  };
  using Queue = worker::FairQueue<std::shared_ptr<Task>>;
  void Loop();

  const size_t limit_;
  const Waited waited_;
  mutable absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  // Continuations come first; there are no more of them than the workers finish jobs.
  bool HasTask() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !queue_.empty() || !continuations_.empty();
  }
  Queue continuations_ ABSL_GUARDED_BY(mutex_);
  Queue queue_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_EXECUTOR_H_
