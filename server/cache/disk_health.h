// Health of the disk tier, and what its observer is told.
#ifndef KILN_SERVER_CACHE_DISK_HEALTH_H_
#define KILN_SERVER_CACHE_DISK_HEALTH_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "server/cache/disk_status.h"

namespace kiln::cache {

// Thread-safe. The observer is called without the lock on the state, one call at a time.
class DiskHealth {
 public:
  explicit DiskHealth(DiskObserver observer) : observer_(std::move(observer)) {}

  // The tier cannot do its work, because of `cause`. Told when it begins and when the cause
  // changes.
  void Fail(DiskCause cause, std::string detail);
  // The tier works; told if it did not.
  void Recover();
  // A part of it is away (kNone: no part is).
  void SetAway(DiskCause cause, std::string detail);
  // Tells the observer.
  void Tell(const DiskEvent& event);

  bool failing() const;
  // Neither failing nor is a part away.
  bool whole() const;
  // Unavailable, with the detail of the failure; Ok if there is none.
  absl::Status Failure() const;
  // `has_generations`: something is open that can be read.
  DiskStatus status(bool has_generations) const;
  // How many times it began to fail, and worked again.
  uint64_t failures() const;
  uint64_t recoveries() const;

 private:
  mutable absl::Mutex mutex_;
  DiskCause failing_ ABSL_GUARDED_BY(mutex_) = DiskCause::kNone;
  std::string detail_ ABSL_GUARDED_BY(mutex_);
  DiskCause away_ ABSL_GUARDED_BY(mutex_) = DiskCause::kNone;
  std::string away_detail_ ABSL_GUARDED_BY(mutex_);
  uint64_t failures_ ABSL_GUARDED_BY(mutex_) = 0, recoveries_ ABSL_GUARDED_BY(mutex_) = 0;

  absl::Mutex observer_mutex_;
  const DiskObserver observer_;
};

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_DISK_HEALTH_H_
