// A few threads for what may block (disk reads), so that gRPC's own never do.
//
// New requests are admitted up to a bound; continuations of admitted ones always are, since
// refusing those would lose work already done. Whose task is next, and who gives way at the bound,
// goes by the time that its owners' tasks took (worker/fair_queue.h).
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
  // `waited`: told of each task how long it was in the queue, before it runs; from any of the
  // threads.
  using Waited = std::function<void(absl::Duration time)>;
  Executor(int threads, size_t limit, Waited waited);
  ~Executor() { Stop(); }

  // Runs what is queued, then ends the threads. What comes later is dropped.
  void Stop();

  // Exactly one of the two is called, unless Stop comes first: `task` in one of the threads, or
  // `refuse`, where the queue is full and the owner has most of it, or others come who have less of
  // it. That is in a thread that calls TryRun.
  void TryRun(const worker::Owner& owner, std::function<void()> task, std::function<void()> refuse);
  // Whatever the length of the queue.
  void Run(const worker::Owner& owner, std::function<void()> task);

  // Tasks that no thread has begun with.
  size_t queued() const;

 private:
  struct Task {
    std::function<void()> run;
    std::function<void()> refuse;  // of one that was not admitted for good
    absl::Time queued_at;
  };
  using Queue = worker::FairQueue<std::shared_ptr<Task>>;
  void Loop();

  const size_t limit_;
  const Waited waited_;
  mutable absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  // Next is a continuation, where there is one: they are no more than the workers finish.
  bool HasTask() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !queue_.empty() || !continuations_.empty();
  }
  Queue continuations_ ABSL_GUARDED_BY(mutex_);
  Queue queue_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_EXECUTOR_H_
