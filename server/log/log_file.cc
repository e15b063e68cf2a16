// A bounded log file: see log_file.h.
#include "server/log/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/files/own.h"

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
  const files::Opened opened = files::OpenFile(AT_FDCWD, path_, O_WRONLY | O_APPEND | O_CREAT);
  if (!opened.unfit.empty()) return Wrong(path_, opened.unfit);
  if (!opened.ok()) {
    return absl::FailedPreconditionError(absl::StrCat("the log file ", path_, ": ", opened.Why()));
  }
  if (dup2(opened.fd.get(), fd_) != fd_) {
    return Wrong(path_, "cannot replace standard error");
  }
  return absl::OkStatus();
}

std::string LogFile::WhyNotKept() const {
  const std::string named = std::filesystem::path(path_).parent_path();
  const char* parent = named.empty() ? "." : named.c_str();
  if (files::IsDirectory(AT_FDCWD, OldPath())) {
    return absl::StrCat(OldPath(), " is a directory");
  }
  if (faccessat(AT_FDCWD, parent, W_OK | X_OK, AT_EACCESS) == 0) return "";
  return absl::StrCat(OldPath(), " cannot be created: ", strerror(errno));
}

void LogFile::MakeRoom(size_t line) {
  // If this fails the open file stays in use.
  if (!IsNamed()) OpenNamed().IgnoreError();
  if (HasRoom(line)) return;
  if (IsNamed()) rename(path_.c_str(), OldPath().c_str());
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
