// Paths and files: see paths.h.
#include "client/cli/paths.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/utf8.h"

namespace kiln::client {
namespace {

constexpr char kOfThisName[] = "kiln/of_this_name";

// Marks errors that concern this name alone, or an existing file of this name.
absl::Status Noted(absl::Status status, int error) {
  switch (error) {
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case ENOTEMPTY:
    case EEXIST:
    case EPERM:  // another user's file, in a folder with the sticky bit
      status.SetPayload(kOfThisName, absl::Cord());
      break;
    default: break;
  }
  return status;
}

absl::Status FileError(const std::string& path, int error) {
  std::string message = absl::StrCat(path, ": ", std::strerror(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR: return absl::NotFoundError(absl::StrCat(path, ": there is no such file"));
    case EACCES:
    case EPERM:
    case EROFS: return absl::PermissionDeniedError(message);
    case ENAMETOOLONG:
      return absl::InvalidArgumentError(absl::StrCat(Quoted(path), ": ", std::strerror(error)));
    case EISDIR:
    case ELOOP: return absl::InvalidArgumentError(message);
    default: return absl::FailedPreconditionError(message);
  }
}

constexpr char kReaderIsGone[] = "kiln/reader_is_gone";

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

// Returns true if rename() must not replace the existing file of this name.
bool IsNoPlainFile(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

// open() would use the name up to the zero byte.
absl::Status CheckZeroBytes(const std::string& path) {
  const size_t at = path.find('\0');
  if (at == std::string::npos) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      path.substr(0, at), "...: the name has a zero byte, which no file name may have"));
}

// Checks the opened file, not the file that has the name by now.
absl::Status CheckMode(const std::string& path, mode_t mode, bool regular) {
  if (S_ISDIR(mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": is a folder; `kiln batch` compiles the files in a folder"));
  }
  if (regular && !S_ISREG(mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is not a regular file"));
  }
  return absl::OkStatus();
}

absl::Status CheckKind(const std::string& path, int fd, bool regular) {
  struct stat info;
  if (fstat(fd, &info) != 0) return FileError(path, errno);
  return CheckMode(path, info.st_mode, regular);
}

absl::StatusOr<std::string> ReadOpened(const std::string& path, int fd, uint64_t most) {
  std::string contents;
  struct stat info;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
    contents.reserve(std::min<uint64_t>(static_cast<uint64_t>(info.st_size), most) + 1);
  }
  char block[1 << 16];
  for (;;) {
    ssize_t n = read(fd, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError(path, errno);
    if (n == 0) return contents;
    contents.append(block, static_cast<size_t>(n));
    if (contents.size() > most) {
      return absl::ResourceExhaustedError(
          absl::StrCat(path, ": is larger than ", most, " bytes, the maximum that is accepted"));
    }
  }
}

absl::StatusOr<std::string> ReadFrom(const std::string& path, int flags, uint64_t most,
                                     bool regular) {
  if (absl::Status status = CheckZeroBytes(path); !status.ok()) return status;
  const bool standard_input = path == "-" && !regular;
  Descriptor fd(standard_input ? STDIN_FILENO : open(path.c_str(), flags | O_CLOEXEC));
  if (fd.get() < 0) return FileError(path, errno);
  if (absl::Status status = CheckKind(path, fd.get(), regular); !status.ok()) return status;
  return ReadOpened(path, fd.get(), most);
}

// Without O_NONBLOCK, opening a FIFO would wait, too.
constexpr int kReadRegular = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

std::string DescriptorPath(int fd) { return absl::StrCat("/proc/self/fd/", fd); }

// Returns the path that the kernel reports, whatever names led there. "": it reports none, or the
// path is too long.
std::string PathOf(int fd) {
  char place[PATH_MAX + 1];
  const ssize_t n = readlink(DescriptorPath(fd).c_str(), place, sizeof place);
  return n <= 0 || n > PATH_MAX ? "" : std::string(place, static_cast<size_t>(n));
}

// Both paths as PathOf returns them. Files without a path ("pipe:[7]", "(unreachable)/x") are
// below no folder.
bool LiesBelow(absl::string_view place, absl::string_view folder) {
  if (!IsAbsolute(place) || !IsAbsolute(folder)) return false;
  if (folder == "/") return true;
  return absl::ConsumePrefix(&place, folder) && IsAbsolute(place);
}

absl::Status WriteInPlace(const std::string& path, absl::string_view contents) {
  Descriptor fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  return fd.get() < 0 ? WriteError(path, errno) : WriteAll(fd.get(), path, contents);
}

// Writes `name` in the folder `at` by renaming a new file with an unpredictable name.
absl::Status WriteAndRename(int at, const std::string& name, const std::string& shown,
                            absl::string_view contents) {
  uint64_t random[2];
  if (getrandom(random, sizeof random, 0) != sizeof random) return WriteError(shown, errno);
  const std::string temporary = JoinPath(
      FolderOf(name), absl::StrCat(".kiln-", absl::Hex(random[0]), "-", absl::Hex(random[1])));
  {
    Descriptor fd(
        openat(at, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (fd.get() < 0) return WriteError(shown, errno);
    absl::Status written = WriteAll(fd.get(), shown, contents);
    if (!written.ok()) {
      unlinkat(at, temporary.c_str(), 0);
      return written;
    }
  }
  if (renameat(at, temporary.c_str(), at, name.c_str()) == 0) return absl::OkStatus();
  const int why = errno;
  unlinkat(at, temporary.c_str(), 0);
  return Noted(FileError(shown, why), why);
}

}  // namespace

absl::Status WriteError(absl::string_view what, int error) {
  absl::Status status =
      absl::PermissionDeniedError(absl::StrCat(what, ": cannot write: ", std::strerror(error)));
  if (error == EPIPE) status.SetPayload(kReaderIsGone, absl::Cord());
  return Noted(std::move(status), error);
}

bool IsOfThisName(const absl::Status& status) { return status.GetPayload(kOfThisName).has_value(); }

bool ReaderIsGone(const absl::Status& status) {
  return status.GetPayload(kReaderIsGone).has_value();
}

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
  return ReadFrom(path, O_RDONLY, most, false);
}

absl::StatusOr<std::string> ReadRegularFile(const std::string& path, uint64_t most) {
  return ReadFrom(path, kReadRegular, most, true);
}

absl::StatusOr<std::string> ReadRegularFileStart(const std::string& path, size_t bytes) {
  if (absl::Status status = CheckZeroBytes(path); !status.ok()) return status;
  // The caller may read a FIFO afterwards. To open and close it would end its writer.
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return FileError(path, errno);
  if (absl::Status status = CheckMode(path, info.st_mode, true); !status.ok()) return status;
  Descriptor fd(open(path.c_str(), kReadRegular));
  if (fd.get() < 0) return FileError(path, errno);
  if (absl::Status status = CheckKind(path, fd.get(), true); !status.ok()) return status;
  std::string start(bytes, '\0');
  const ssize_t n = pread(fd.get(), start.data(), start.size(), 0);
  if (n < 0) return FileError(path, errno);
  start.resize(static_cast<size_t>(n));
  return start;
}

absl::StatusOr<std::string> RealFolder(const std::string& folder) {
  const std::string path = folder.empty() ? "." : folder;
  Descriptor fd(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0) return FileError(path, errno);
  std::string place = PathOf(fd.get());
  if (IsAbsolute(place)) return place;
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": cannot find the path of this folder; is /proc mounted?"));
}

absl::StatusOr<std::string> NamedFolder(const std::string& folder) {
  absl::StatusOr<std::string> place = RealFolder(folder);
  const std::string name = NormalPath(folder);
  if (!place.ok() || IsAbsolute(name) || name == ".." || absl::StartsWith(name, "../"))
    return place;
  absl::StatusOr<std::string> here = RealFolder("");
  if (!here.ok()) return here;
  if (*place == *here || LiesBelow(*place, *here)) return place;
  return absl::OutOfRangeError(absl::StrCat(folder, ": leads to ", *place));
}

absl::StatusOr<std::string> ReadRegularFileBelow(const std::vector<std::string>& folders,
                                                 const std::string& path, uint64_t most) {
  if (absl::Status status = CheckZeroBytes(path); !status.ok()) return status;
  // Opens with O_PATH: devices are not touched and FIFOs do not block.
  Descriptor at(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (at.get() < 0) return FileError(path, errno);
  if (absl::Status status = CheckKind(path, at.get(), true); !status.ok()) return status;
  const std::string place = PathOf(at.get());
  const bool below = std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return LiesBelow(place, folder);
  });
  if (!below) {
    return absl::OutOfRangeError(absl::StrCat(
        path, ": leads to ", place.empty() ? "an unknown path" : EscapeNonUtf8(place)));
  }
  Descriptor fd(open(DescriptorPath(at.get()).c_str(), kReadRegular));
  if (fd.get() < 0) return FileError(path, errno);
  return ReadOpened(path, fd.get(), most);
}

absl::Status WriteWholeFile(const std::string& path, absl::string_view contents) {
  if (IsNoPlainFile(path)) return WriteInPlace(path, contents);
  std::string folder = FolderOf(path);
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) {
    return absl::PermissionDeniedError(
        absl::StrCat(folder, ": cannot create this folder: ", error.message()));
  }
  return WriteAndRename(AT_FDCWD, path, path, contents);
}

absl::Status WriteWholeFileBelow(const std::string& folder, const std::string& path,
                                 absl::string_view contents) {
  const std::string whole = JoinPath(folder, path);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::optional<Descriptor> at;
  at.emplace(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (at->get() < 0) return WriteError(whole, errno);
  std::vector<std::string> parts = absl::StrSplit(path, '/', absl::SkipEmpty());
  const std::string name = parts.back();
  parts.pop_back();
  for (const std::string& part : parts) {
    if (mkdirat(at->get(), part.c_str(), 0777) != 0 && errno != EEXIST) {
      return WriteError(whole, errno);
    }
    const int next =
        openat(at->get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0) return WriteError(whole, errno);
    at.emplace(next);
  }
  return WriteAndRename(at->get(), name, whole, contents);
}

}  // namespace kiln::client
