// Tells each refused call at its time (refusal_queue.h), from a thread of its own.
#ifndef KILN_SERVER_ENGINE_REFUSALS_H_
#define KILN_SERVER_ENGINE_REFUSALS_H_

#include <cstddef>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/engine/refusal_queue.h"
#include "server/worker/owner.h"

namespace kiln::server {

class Refusals {
 public:
  using Tell = RefusalQueue::Tell;

  Refusals();
  ~Refusals();

  // Keeps a refusal of `owner`, and calls `tell` once, later, from another thread: when its turn
  // comes, or from Leave or Stop. Returns false if it is to be told now; then `tell` is unchanged.
  // Calls no callback itself, so that the caller may hold a lock that `tell` takes. `longest`: as
  // in RefusalQueue::Hold.
  bool Hold(const worker::Owner& owner, const void* caller, absl::Duration longest, Tell* tell);

  // Tells all refusals held for `caller`, which no longer waits, in this thread.
  void Leave(const void* caller);

  // The queue has room for `jobs` more: so many refusals are told early.
  void HasRoom(size_t jobs);

  // Tells all held refusals, in this thread; from now on none is held.
  void Stop();

  size_t held() const;

 private:
  void Loop();

  mutable absl::Mutex mutex_;
  RefusalQueue queue_ ABSL_GUARDED_BY(mutex_);
  size_t room_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_REFUSALS_H_
