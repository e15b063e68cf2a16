// The lock of the disk tier's directory: one daemon at a time.
//
// RocksDB locks each database; this lock is of the whole directory and can say who holds it. It is
// found by name, so that a directory that was removed or replaced is noticed.
#ifndef KILN_SERVER_CACHE_DIRECTORY_LOCK_H_
#define KILN_SERVER_CACHE_DIRECTORY_LOCK_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "server/cache/cache_directory.h"
#include "server/cache/disk_status.h"

namespace kiln::cache {

// Acquire and IsHeld are not for concurrent use; directory() is thread-safe.
class DirectoryLock {
 public:
  // Makes the directory at `path` if there is none, and locks it; lets go of the one before.
  // FailedPrecondition: another process holds it (names its id). Other errors: it cannot be used at
  // the moment. `cause` is set for both.
  absl::Status Acquire(const std::string& path, DiskCause* cause);
  // The directory is still this one's, and its lock is where it was put.
  bool IsHeld() const;
  // The last one that was locked; null: none yet.
  std::shared_ptr<const CacheDirectory> directory() const;

 private:
  files::Descriptor file_;
  mutable absl::Mutex mutex_;
  std::shared_ptr<const CacheDirectory> directory_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_DIRECTORY_LOCK_H_
