// Remembers which results came from which worker process, in case one is found to lie.
//
// Covers a worker's results from its start on, also after the worker is retired. Bounded in total:
// the oldest results of the oldest workers are forgotten first, and Distrust returns how many were.
// Results of before the daemon's start are not known. 33 bytes a result, about 100 a worker.
// Thread-safe.
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

// A result's key in the cache.
struct Made {
  cache::Digest key{};
  bool translation = false;
};

class WorkerHistory {
 public:
  // So many distrusted workers are remembered: their last answers may still be on their way.
  static constexpr size_t kMaxDistrusted = 4096;

  explicit WorkerHistory(size_t most_results) : most_(most_results) {}

  // Called before the result is stored. Ignores results of a distrusted worker.
  void Add(uint64_t worker, const Made& made);
  bool Trusts(uint64_t worker) const;

  struct Results {
    std::vector<Made> made;
    uint64_t forgotten = 0;  // results it made beside these that are no longer known
  };
  // Marks the worker as distrusted. Returns its results; a second call returns none.
  Results Distrust(uint64_t worker);

 private:
  struct Worker {
    std::vector<Made> made;  // a deque would take 600 bytes for one
    size_t first = 0;        // index of the first that is not forgotten
    uint64_t forgotten = 0;
  };

  const size_t most_;
  mutable absl::Mutex mutex_;
  size_t results_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Worker> workers_ ABSL_GUARDED_BY(mutex_);  // later workers have larger numbers
  std::set<uint64_t> distrusted_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::server

#endif  // KILN_SERVER_ENGINE_WORKER_HISTORY_H_
