// The quarantine's directory: see entry_files.h.
#include "server/quarantine/entry_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace kiln::quarantine {

using kiln::v1::QuarantineEntry;

namespace {

constexpr char kUnfinished[] = ".new";
constexpr char kLock[] = "lock";
constexpr int kLooksUntilReadAgain = 60;

// Returns true for a key, or the name of a key's file that is being written. Other files are not
// ours.
bool IsOurs(absl::string_view name) {
  absl::ConsumeSuffix(&name, kUnfinished);
  return name.size() == 64 && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// Reads up to `size` bytes. Returns false on an error, which says nothing about the file's
// contents.
bool ReadAll(int fd, size_t size, std::string* bytes) {
  bytes->resize(size);
  for (size_t at = 0; at < size;) {
    const ssize_t n = read(fd, bytes->data() + at, size - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    if (n == 0) {
      bytes->resize(at);
      break;
    }
    at += static_cast<size_t>(n);
  }
  return true;
}

bool WriteAll(int fd, const std::string& bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t n = write(fd, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

EntryFiles::EntryFiles(const std::string& directory, uint64_t most_bytes)
    : wanted_(!directory.empty()),
      parent_(std::filesystem::path(directory).parent_path()),
      name_(std::filesystem::path(directory).filename()),
      most_bytes_(most_bytes) {}

EntryFiles::State EntryFiles::Look() {
  if (!wanted_) return State::kSame;
  if (folder_.ok() && cache_->IsStillOurs() && files::IsStill(folder_.get(), cache_->fd(), name_)) {
    if (!unread_ || ++looks_ < kLooksUntilReadAgain) return State::kSame;
  }
  looks_ = 0;
  unread_ = false;
  return Open() ? State::kNew : State::kAway;
}

bool EntryFiles::Open() {
  folder_.Reset();
  cache::DiskCause cause;
  auto cache = cache::CacheDirectory::Open(parent_, &cause);
  if (!cache.ok()) {
    trouble_ = std::string(cache.status().message());
    return false;
  }
  cache_ = *std::move(cache);
  if (mkdirat(cache_->fd(), name_.c_str(), 0700) != 0 && errno != EEXIST) return Failed("");
  files::Opened folder = files::OpenDirectory(cache_->fd(), name_);
  if (!folder.ok()) {
    trouble_ = absl::StrCat(parent_, "/", name_, " ", folder.Why(), ": remove it");
    return false;
  }
  if (!Lock(folder.fd.get())) return false;
  fchmod(folder.fd.get(), 0700);
  folder_ = std::move(folder.fd);
  trouble_.clear();
  return true;
}

// Locks a file, not the directory: over NFS only a file open for writing can be locked.
bool EntryFiles::Lock(int folder) {
  lock_.Reset();
  files::Opened lock = files::OpenFile(folder, kLock, O_RDWR | O_CREAT);
  // The file is empty, so one with a second name (`cp -al`), or of another kind, is replaced,
  // unless a kilnd has locked it.
  if (!lock.unfit.empty() && files::IsLocked(folder, kLock)) {
    trouble_ = absl::StrCat(parent_, "/", name_, " is in use by another kilnd");
    return false;
  }
  if (!lock.unfit.empty() && unlinkat(folder, kLock, 0) == 0) {
    lock = files::OpenFile(folder, kLock, O_RDWR | O_CREAT);
  }
  // No kilnd can write there.
  if (!lock.ok() && lock.unfit.empty() && lock.error == EROFS) return true;
  if (!lock.ok()) {
    trouble_ = absl::StrCat(parent_, "/", name_, "/", kLock, " ", lock.Why());
    return false;
  }
  if (flock(lock.fd.get(), LOCK_EX | LOCK_NB) != 0) {
    trouble_ = errno == EWOULDBLOCK
                   ? absl::StrCat(parent_, "/", name_, " is in use by another kilnd")
                   : absl::StrCat(parent_, "/", name_, "/", kLock, ": ", strerror(errno));
    return false;
  }
  lock_ = std::move(lock.fd);
  return true;
}

bool EntryFiles::Failed(const std::string& name) {
  trouble_ =
      absl::StrCat(parent_, "/", name_, name.empty() ? "" : "/", name, ": ", strerror(errno));
  return false;
}

std::vector<std::string> EntryFiles::Names() const {
  std::vector<std::string> names = files::Names(folder_.get());
  std::erase_if(names, [](const std::string& name) { return !IsOurs(name); });
  return names;
}

EntryFiles::Found EntryFiles::NotRead(const std::string& name, const std::string& why) {
  unread_ = true;
  trouble_ = absl::StrCat(parent_, "/", name_, "/", name, ": ", why);
  return Found::kUnread;
}

// A second name (`cp -al`) does no harm: the file is only read here, and replaced on a write.
EntryFiles::Found EntryFiles::Read(const std::string& name, QuarantineEntry* entry) {
  const files::Descriptor fd(
      openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.ok() && errno == ELOOP) return Found::kNoEntry;
  struct stat is;
  if (!fd.ok() || fstat(fd.get(), &is) != 0) return NotRead(name, strerror(errno));
  if (!S_ISREG(is.st_mode)) return Found::kNoEntry;
  if (is.st_uid != geteuid()) return NotRead(name, absl::StrCat("belongs to user ", is.st_uid));
  if (static_cast<uint64_t>(is.st_size) > most_bytes_) return Found::kNoEntry;
  std::string bytes;
  if (!ReadAll(fd.get(), static_cast<size_t>(is.st_size), &bytes)) {
    return NotRead(name, strerror(errno));
  }
  return entry->ParseFromString(bytes) && entry->key() == name ? Found::kEntry : Found::kNoEntry;
}

bool EntryFiles::Write(const QuarantineEntry& entry) {
  if (!wanted_) return true;
  if (!folder_.ok()) return false;
  const std::string unfinished = entry.key() + kUnfinished;
  if (WriteFile(unfinished, entry.SerializeAsString()) &&
      renameat(folder_.get(), unfinished.c_str(), folder_.get(), entry.key().c_str()) == 0) {
    return Sync();
  }
  Failed(entry.key());
  unlinkat(folder_.get(), unfinished.c_str(), 0);
  return false;
}

bool EntryFiles::WriteFile(const std::string& name, const std::string& bytes) {
  unlinkat(folder_.get(), name.c_str(), 0);
  const int fd = openat(folder_.get(), name.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool written = WriteAll(fd, bytes) && fsync(fd) == 0;
  const int error = errno;
  const bool closed = close(fd) == 0;
  if (!written) errno = error;
  return closed && written;
}

bool EntryFiles::Remove(const std::string& name) {
  if (!wanted_) return true;
  if (!folder_.ok()) return false;
  if (unlinkat(folder_.get(), name.c_str(), 0) != 0 && errno != ENOENT) return Failed(name);
  return Sync();
}

bool EntryFiles::Sync() { return fsync(folder_.get()) == 0 || Failed(""); }

}  // namespace kiln::quarantine
