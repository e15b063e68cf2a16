// Remembers which results came from which worker process: see worker_history.h.
#include "server/engine/worker_history.h"

namespace kiln::server {

void WorkerHistory::Add(uint64_t worker, const Made& made) {
  absl::MutexLock lock(&mutex_);
  if (distrusted_.contains(worker)) return;
  workers_[worker].made.push_back(made);
  if (++results_ <= most_) return;
  const auto oldest = workers_.begin();
  Worker& giver = oldest->second;
  ++giver.first;
  ++giver.forgotten;
  --results_;
  if (2 * giver.first > giver.made.size()) {
    giver.made.erase(giver.made.begin(), giver.made.begin() + static_cast<ptrdiff_t>(giver.first));
    giver.first = 0;
  }
  if (giver.made.empty() && oldest->first != worker) workers_.erase(oldest);
}

bool WorkerHistory::Trusts(uint64_t worker) const {
  absl::MutexLock lock(&mutex_);
  return !distrusted_.contains(worker);
}

WorkerHistory::Results WorkerHistory::Distrust(uint64_t worker) {
  absl::MutexLock lock(&mutex_);
  distrusted_.insert(worker);
  if (distrusted_.size() > kMaxDistrusted) distrusted_.erase(distrusted_.begin());
  Results results;
  const auto it = workers_.find(worker);
  if (it == workers_.end()) return results;
  results.made.assign(it->second.made.begin() + static_cast<ptrdiff_t>(it->second.first),
                      it->second.made.end());
  results.forgotten = it->second.forgotten;
  results_ -= results.made.size();
  workers_.erase(it);
  return results;
}

}  // namespace kiln::server
