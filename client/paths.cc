// Paths and files: see paths.h.
#include "client/paths.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/base/utf8.h"

namespace kiln::client {
namespace {

absl::Status FileError(const std::string& path, int error) {
  std::string message = absl::StrCat(path, ": ", std::strerror(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(absl::StrCat(path, ": there is no such file"));
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
      return absl::InvalidArgumentError(message);
    default:
      return absl::FailedPreconditionError(message);
  }
}

constexpr char kNobodyReads[] = "kiln/nobody_reads";

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// There is something of this name that rename() must not take the place of.
bool IsNoPlainFile(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

absl::Status WriteInPlace(const std::string& path, absl::string_view contents) {
  Descriptor fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  return fd.get() < 0 ? WriteError(path, errno) : WriteAll(fd.get(), path, contents);
}

}  // namespace

absl::Status WriteError(absl::string_view what, int error) {
  absl::Status status =
      absl::PermissionDeniedError(absl::StrCat(what, ": cannot write: ", std::strerror(error)));
  if (error == EPIPE) status.SetPayload(kNobodyReads, absl::Cord());
  return status;
}

bool NobodyReads(const absl::Status& status) { return status.GetPayload(kNobodyReads).has_value(); }

absl::Status WriteAll(int fd, absl::string_view what, absl::string_view contents, size_t* written) {
  const size_t all = contents.size();
  int error = 0;
  while (!contents.empty() && error == 0) {
    ssize_t n = write(fd, contents.data(), contents.size());
    if (n >= 0) {
      contents.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd room = {fd, POLLOUT, 0};
      poll(&room, 1, -1);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (written != nullptr) *written = all - contents.size();
  return error == 0 ? absl::OkStatus() : WriteError(what, error);
}

std::string FolderOf(absl::string_view path) {
  size_t slash = path.rfind('/');
  if (slash == absl::string_view::npos) return "";
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

std::string NameOf(absl::string_view path) {
  size_t slash = path.rfind('/');
  return std::string(slash == absl::string_view::npos ? path : path.substr(slash + 1));
}

std::string JoinPath(absl::string_view folder, absl::string_view path) {
  if (folder.empty() || IsAbsolute(path)) return std::string(path);
  return absl::StrCat(folder, folder.back() == '/' ? "" : "/", path);
}

std::string NormalPath(absl::string_view path) {
  std::vector<absl::string_view> kept;
  for (absl::string_view part : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (part == ".") continue;
    if (part == ".." && !kept.empty() && kept.back() != "..") {
      kept.pop_back();
    } else if (part != ".." || !IsAbsolute(path)) {
      kept.push_back(part);
    }
  }
  std::string joined = absl::StrCat(IsAbsolute(path) ? "/" : "", absl::StrJoin(kept, "/"));
  return joined.empty() ? "." : joined;
}

std::string RelativeTo(absl::string_view root, absl::string_view path) {
  std::string base = NormalPath(root);
  std::string normal = NormalPath(path);
  if (base == "." && !IsAbsolute(normal)) return normal;
  if (base != "/") base += '/';
  return normal.compare(0, base.size(), base) == 0 ? normal.substr(base.size()) : normal;
}

std::string ConfinedPath(absl::string_view path) {
  std::vector<std::string> kept;
  for (absl::string_view part : absl::StrSplit(path, '/', absl::SkipEmpty())) {
    if (part == ".") continue;
    kept.emplace_back(part == ".." ? "__" : part);
  }
  return kept.empty() ? "_" : absl::StrJoin(kept, "/");
}

std::string ValidUtf8(absl::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    size_t n = Utf8Length({text.data(), text.size()});
    if (n == 0) {
      valid += "\xef\xbf\xbd";
      text.remove_prefix(1);
      continue;
    }
    valid.append(text.data(), n);
    text.remove_prefix(n);
  }
  return valid;
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path, uint64_t most) {
  bool standard_input = path == "-";
  Descriptor fd(standard_input ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return FileError(path, errno);
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return FileError(path, errno);
  if (S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is a folder; `kiln batch` compiles what is in folders"));
  }
  std::string contents;
  if (S_ISREG(info.st_mode) && info.st_size > 0) {
    contents.reserve(std::min<uint64_t>(static_cast<uint64_t>(info.st_size), most) + 1);
  }
  char block[1 << 16];
  for (;;) {
    ssize_t n = read(fd.get(), block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError(path, errno);
    if (n == 0) return contents;
    contents.append(block, static_cast<size_t>(n));
    if (contents.size() > most) {
      return absl::ResourceExhaustedError(absl::StrCat(
          path, ": is larger than ", most, " bytes, which is the most that is accepted"));
    }
  }
}

absl::Status WriteWholeFile(const std::string& path, absl::string_view contents) {
  if (IsNoPlainFile(path)) return WriteInPlace(path, contents);
  std::string folder = FolderOf(path);
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) {
    return absl::PermissionDeniedError(
        absl::StrCat(folder, ": cannot make this folder: ", error.message()));
  }
  std::string temporary = absl::StrCat(path, ".", getpid(), ".tmp");
  {
    Descriptor fd(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (fd.get() < 0) return WriteError(path, errno);
    absl::Status written = WriteAll(fd.get(), path, contents);
    if (!written.ok()) {
      unlink(temporary.c_str());
      return written;
    }
  }
  if (rename(temporary.c_str(), path.c_str()) == 0) return absl::OkStatus();
  int why = errno;
  unlink(temporary.c_str());
  return FileError(path, why);
}

}  // namespace kiln::client
