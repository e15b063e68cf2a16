// The lock of the disk tier's directory: see directory_lock.h.
#include "server/cache/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/cache/names.h"

namespace kiln::cache {
namespace {

absl::Status InUse(const std::string& path, int directory) {
  char text[32] = {};
  const files::Descriptor lock(
      openat(directory, kLockName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  const ssize_t n = lock.ok() ? pread(lock.get(), text, sizeof text - 1, 0) : 0;
  return absl::FailedPreconditionError(
      absl::StrCat("cache directory ", path, " is in use by another kilnd",
                   n > 0 ? absl::StrCat(" (process ", text, ")") : std::string(),
                   "; stop it or give this one another --cache-dir"));
}

// A file of the lock's name that is not ours, or has a second name (`cp -al`), would be in the way
// of every kilnd: it is removed unless it is locked.
files::Opened OpenLock(const CacheDirectory& directory) {
  constexpr int kMade = O_RDWR | O_CREAT;
  files::Opened lock = files::OpenFile(directory.fd(), kLockName, kMade);
  if (!lock.unfit.empty() && !files::IsLocked(directory.fd(), kLockName) &&
      directory.PutAside(kLockName)) {
    lock = files::OpenFile(directory.fd(), kLockName, kMade);
  }
  if (lock.ok() || !lock.unfit.empty()) return lock;
  files::Opened read = files::OpenFile(directory.fd(), kLockName, O_RDONLY);  // a read-only disk's
  return read.ok() ? std::move(read) : std::move(lock);
}

// Only for the message of the next daemon that wants the directory: on a full disk there is no room
// for it, which is no failure.
void NoteHolder(int lock) {
  const std::string self = absl::StrCat(getpid());
  const bool noted = ftruncate(lock, 0) == 0 && pwrite(lock, self.data(), self.size(), 0) > 0;
  static_cast<void>(noted);
}

// Returns whether the lock is taken. A child that a daemon forks holds the daemon's lock until it
// executes its program, also if the daemon has ended meanwhile: so a held lock is tried for a
// second.
bool TakeLock(int lock) {
  constexpr int kTries = 50;
  for (int i = 0; i < kTries; ++i) {
    if (flock(lock, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    usleep(20'000);
  }
  return false;
}

}  // namespace

absl::Status DirectoryLock::Acquire(const std::string& path, DiskCause* cause) {
  file_.Reset();
  auto directory = CacheDirectory::Open(path, cause);
  if (!directory.ok()) return directory.status();
  files::Opened lock = OpenLock(**directory);
  if (!lock.ok() && files::IsLocked((*directory)->fd(), kLockName)) {
    *cause = DiskCause::kInUse;
    return InUse(path, (*directory)->fd());
  }
  if (!lock.ok()) {
    *cause = lock.unfit.empty() ? CauseOfErrno(lock.error) : DiskCause::kNotOurs;
    return absl::UnavailableError(
        absl::StrCat("cache directory ", path, " cannot be written: ", kLockName, " ", lock.Why()));
  }
  if (!TakeLock(lock.fd.get())) {
    *cause = DiskCause::kInUse;
    return InUse(path, (*directory)->fd());
  }
  file_ = std::move(lock.fd);
  NoteHolder(file_.get());
  absl::MutexLock holding(&mutex_);
  directory_ = *std::move(directory);
  return absl::OkStatus();
}

bool DirectoryLock::IsHeld() const {
  if (!file_.ok()) return false;
  const auto directory = this->directory();
  return directory->IsStillOurs() && files::IsStill(file_.get(), directory->fd(), kLockName);
}

std::shared_ptr<const CacheDirectory> DirectoryLock::directory() const {
  absl::MutexLock lock(&mutex_);
  return directory_;
}

}  // namespace kiln::cache
