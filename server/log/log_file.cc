// A log file with a bound: see log_file.h.
#include "server/log/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace kiln::log {
namespace {

absl::Status Wrong(const std::string& path, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the log file ", path, " ", what));
}

}  // namespace

absl::StatusOr<LogFile> LogFile::Open(std::string path, uint64_t bytes, int fd) {
  LogFile file(std::move(path), bytes, fd);
  if (absl::Status status = file.OpenNamed(); !status.ok()) return status;
  return file;
}

absl::Status LogFile::OpenNamed() const {
  // A FIFO would be waited for, or for its reader by every line.
  constexpr int kFlags =
      O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const int opened = open(path_.c_str(), kFlags, 0600);
  if (opened < 0) {
    return errno == ELOOP || errno == ENXIO || errno == EISDIR
               ? Wrong(path_, "is no regular file")
               : absl::FailedPreconditionError(
                     absl::StrCat("the log file ", path_, ": ", strerror(errno)));
  }
  struct stat info;
  const bool regular = fstat(opened, &info) == 0 && S_ISREG(info.st_mode);
  const bool taken = regular && dup2(opened, fd_) == fd_;
  close(opened);
  if (!regular) return Wrong(path_, "is no regular file");
  return taken ? absl::OkStatus() : Wrong(path_, "cannot take the place of standard error");
}

void LogFile::MakeRoom(size_t line) {
  // What does not succeed leaves the file that is open.
  if (!IsNamed()) OpenNamed().IgnoreError();
  if (HasRoom(line)) return;
  if (IsNamed()) rename(path_.c_str(), absl::StrCat(path_, ".1").c_str());
  OpenNamed().IgnoreError();
  if (!HasRoom(line)) static_cast<void>(ftruncate(fd_, 0) == 0);
}

bool LogFile::HasRoom(size_t line) const {
  struct stat info;
  if (fstat(fd_, &info) != 0) return true;
  const auto size = static_cast<uint64_t>(info.st_size);
  return size == 0 || size + line <= bytes_;
}

bool LogFile::IsNamed() const {
  struct stat open, named;
  return fstat(fd_, &open) == 0 && lstat(path_.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace kiln::log
