// Opens a Unix-domain socket to listen on: see unix_socket.h.
#include "server/net/unix_socket.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/files/own.h"

namespace kiln::net {
namespace {

// How often, and at which interval, the lock is tried: another daemon holds it for moments only.
constexpr int kLockTries = 100;
constexpr int kLockWaitMicroseconds = 20'000;
constexpr char kRemedy[] = ": remove it, or name a directory that does not exist yet";

absl::Status Failed(const std::string& what) {
  int error = errno;
  return absl::UnavailableError(absl::StrCat(what, ": ", strerror(error)));
}

using files::Descriptor;

std::string DirectoryOf(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

absl::Status CheckDirectory(int fd, const std::string& directory) {
  struct stat is;
  if (fstat(fd, &is) != 0) return Failed(directory);
  if (is.st_uid != 0 && is.st_uid != geteuid()) {
    return absl::UnavailableError(
        absl::StrCat("the directory ", directory, " belongs to another user (", is.st_uid,
                     "), who could replace the socket: name a directory that does not exist yet"));
  }
  if ((is.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (is.st_mode & S_ISVTX) == 0) {
    return absl::UnavailableError(absl::StrFormat(
        "other users can write to the directory %s (mode %04o) and could replace the socket: chmod "
        "700 it, or name a directory that does not exist yet",
        directory, is.st_mode & 07777));
  }
  return absl::OkStatus();
}

// Opens the directory, making it if it is missing, and checks that it is safe.
absl::StatusOr<Descriptor> OpenDirectory(const std::string& directory) {
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) return Failed(directory);
  Descriptor fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.ok()) return Failed(directory);
  if (absl::Status s = CheckDirectory(fd.get(), directory); !s.ok()) return s;
  return fd;
}

// A lock on a file of its own: any user who can read the directory could lock that, and keep it
// locked. The file is removed at the end, under the lock; a daemon that waited for it checks that
// it still exists.
class Lock {
 public:
  Lock(int directory, std::string name) : directory_(directory), name_(std::move(name)) {}
  ~Lock() {
    if (fd_.ok()) unlinkat(directory_, name_.c_str(), 0);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  // `path`: the file's path, for errors.
  absl::Status Take(const std::string& path) {
    for (int i = 0; i < kLockTries; ++i) {
      files::Opened lock = files::OpenFile(directory_, name_, O_RDWR | O_CREAT);
      if (!lock.ok()) {
        return absl::UnavailableError(absl::StrCat(path, lock.unfit.empty() ? ": " : " ",
                                                   lock.Why(), lock.unfit.empty() ? "" : kRemedy));
      }
      const bool locked = flock(lock.fd.get(), LOCK_EX | LOCK_NB) == 0;
      if (locked && files::IsStill(lock.fd.get(), directory_, name_)) {
        fd_ = std::move(lock.fd);
        return absl::OkStatus();
      }
      if (!locked) usleep(kLockWaitMicroseconds);
    }
    return absl::UnavailableError(
        absl::StrCat(path, " is locked by another daemon that is starting"));
  }

 private:
  const int directory_;
  const std::string name_;
  Descriptor fd_;
};

// Returns true if a program answers at the socket file, or if that cannot be known.
bool IsAlive(const sockaddr_un& to) {
  Descriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.ok()) return true;
  return connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 ||
         errno != ECONNREFUSED;
}

// Removes a socket without a listener. Ok: no file is left.
absl::Status RemoveStale(const sockaddr_un& to) {
  struct stat is;
  if (lstat(to.sun_path, &is) != 0) return errno == ENOENT ? absl::OkStatus() : Failed("lstat");
  if (!S_ISSOCK(is.st_mode)) return absl::UnavailableError("the file is not a socket");
  if (is.st_uid != geteuid()) {
    return absl::UnavailableError(
        absl::StrCat("the socket file belongs to another user (", is.st_uid, ")"));
  }
  if (IsAlive(to)) return absl::UnavailableError("another program listens on it");
  return unlink(to.sun_path) == 0 ? absl::OkStatus()
                                  : Failed("the stale socket file cannot be removed");
}

}  // namespace

absl::StatusOr<int> ListenOnUnixSocket(const std::string& path, int backlog, SocketFile* file) {
  sockaddr_un to = {};
  to.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof to.sun_path || path.back() == '/') {
    return absl::InvalidArgumentError(
        absl::StrCat("the socket's path must have 1 to ", sizeof to.sun_path - 1, " bytes"));
  }
  memcpy(to.sun_path, path.data(), path.size());
  auto directory = OpenDirectory(DirectoryOf(path));
  if (!directory.ok()) return directory.status();
  Lock lock(directory->get(), path.substr(path.rfind('/') + 1) + ".lock");
  if (absl::Status s = lock.Take(path + ".lock"); !s.ok()) return s;
  if (absl::Status s = RemoveStale(to); !s.ok()) return s;
  Descriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.ok() || fchmod(fd.get(), S_IRUSR | S_IWUSR) != 0) return Failed("socket");
  if (bind(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) return Failed("bind");
  struct stat is;
  if (lstat(to.sun_path, &is) == 0) *file = {path, is.st_dev, is.st_ino};
  if (listen(fd.get(), backlog) != 0) return Failed("listen");
  return fd.Release();
}

void RemoveSocketFile(const SocketFile& file) {
  struct stat is;
  if (file.path.empty() || lstat(file.path.c_str(), &is) != 0) return;
  if (is.st_dev == file.device && is.st_ino == file.inode) unlink(file.path.c_str());
}

}  // namespace kiln::net
