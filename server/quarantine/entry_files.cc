// The quarantine's directory: see entry_files.h.
#include "server/quarantine/entry_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"

namespace kiln::quarantine {

using kiln::v1alpha::QuarantineEntry;

namespace {

constexpr char kUnfinished[] = ".new";

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
    return State::kSame;
  }
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
  if (flock(folder.fd.get(), LOCK_EX | LOCK_NB) != 0) {
    trouble_ = absl::StrCat(parent_, "/", name_, " is in use by another kilnd");
    return false;
  }
  fchmod(folder.fd.get(), 0700);
  folder_ = std::move(folder.fd);
  trouble_.clear();
  return true;
}

bool EntryFiles::Failed(const std::string& name) {
  trouble_ =
      absl::StrCat(parent_, "/", name_, name.empty() ? "" : "/", name, ": ", strerror(errno));
  return false;
}

std::vector<std::string> EntryFiles::Names() const { return files::Names(folder_.get()); }

std::optional<QuarantineEntry> EntryFiles::Read(const std::string& name) const {
  const files::Opened file = files::OpenFile(folder_.get(), name, O_RDONLY);
  struct stat st;
  QuarantineEntry entry;
  const bool read = file.ok() && fstat(file.fd.get(), &st) == 0 &&
                    static_cast<uint64_t>(st.st_size) <= most_bytes_ &&
                    entry.ParseFromFileDescriptor(file.fd.get());
  if (!read || entry.key() != name) return std::nullopt;
  return entry;
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
