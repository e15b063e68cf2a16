// A few threads for what may block (disk reads), so that gRPC's own never do.
//
// New requests are admitted up to a bound; continuations of admitted ones always are, since
// refusing those would lose work already done.
#ifndef KILN_SERVER_EXECUTOR_H_
#define KILN_SERVER_EXECUTOR_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

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

  // False: the queue is full.
  bool TryRun(std::function<void()> task);
  // Whatever the length of the queue.
  void Run(std::function<void()> task);

  // Tasks that no thread has begun with.
  size_t queued() const;

 private:
  struct Task {
    std::function<void()> run;
    absl::Time queued_at;
  };
  void Loop();

  const size_t limit_;
  const Waited waited_;
  mutable absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<Task> queue_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_EXECUTOR_H_
