// Which results came from which worker process, for the day when one is found to lie.
//
// From a worker's start on, also when it has been retired; bounded in all: the oldest workers'
// oldest results are forgotten first, and Distrust says so. What the daemon knew before its own
// start it does not know. 33 bytes a result, about 100 a worker. Thread-safe.
#ifndef KILN_SERVER_ENGINE_WORKER_HISTORY_H_
#define KILN_SERVER_ENGINE_WORKER_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/key/sha256.h"

namespace kiln::server {

// Where a result is in the cache.
struct Made {
  cache::Digest key{};
  bool translation = false;
};

class WorkerHistory {
 public:
  // Workers that are remembered as distrusted: those whose last answers may still be on their way.
  static constexpr size_t kMaxDistrusted = 4096;

  explicit WorkerHistory(size_t most_results) : most_(most_results) {}

  // Called before the result is stored. Of a distrusted worker it does nothing.
  void Add(uint64_t worker, const Made& made);
  bool Trusts(uint64_t worker) const;

  struct Results {
    std::vector<Made> made;
    uint64_t forgotten = 0;  // more that it made
  };
  // From now on the worker is not trusted. Its results, once.
  Results Distrust(uint64_t worker);

 private:
  struct Worker {
    std::vector<Made> made;  // a deque would take 600 bytes for one
    size_t first = 0;        // of those that are not forgotten
    uint64_t forgotten = 0;
  };

  const size_t most_;
  mutable absl::Mutex mutex_;
  size_t results_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Worker> workers_ ABSL_GUARDED_BY(mutex_);  // numbers grow with time
  std::set<uint64_t> distrusted_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_WORKER_HISTORY_H_
