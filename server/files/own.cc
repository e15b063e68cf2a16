// Opens files and directories of the own user: see own.h.
#include "server/files/own.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace kiln::files {
namespace {

// Says why it must not be used; empty: it is of the wanted kind and belongs to the user.
std::string Unfit(const struct stat& is, mode_t kind) {
  if (S_ISLNK(is.st_mode)) return "is a symbolic link";
  if ((is.st_mode & S_IFMT) != kind) {
    return kind == S_IFDIR ? "is not a directory" : "is not a regular file";
  }
  if (is.st_uid == geteuid()) return "";
  return absl::StrCat("belongs to user ", is.st_uid, ", not to ", geteuid());
}

std::string UnfitFile(const struct stat& is) {
  std::string unfit = Unfit(is, S_IFREG);
  if (!unfit.empty()) return unfit;
  return is.st_nlink == 1 ? "" : absl::StrCat("has ", is.st_nlink, " names (hard links)");
}

// Describes a failed open: by the kind of file if that is the reason, else by errno.
Opened Failed(int at, const std::string& name, mode_t kind) {
  Opened opened;
  opened.error = errno;
  struct stat is;
  if (fstatat(at, name.c_str(), &is, AT_SYMLINK_NOFOLLOW) == 0) opened.unfit = Unfit(is, kind);
  return opened;
}

Opened Judged(Descriptor fd, std::string (*judge)(const struct stat& is)) {
  Opened opened;
  struct stat is;
  if (fstat(fd.get(), &is) != 0) {
    opened.error = errno;
    return opened;
  }
  opened.unfit = judge(is);
  if (opened.unfit.empty()) opened.fd = std::move(fd);
  return opened;
}

}  // namespace

void Descriptor::Reset(int fd) {
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
}

std::string Opened::Why() const { return unfit.empty() ? strerror(error) : unfit; }

Opened OpenDirectory(int at, const std::string& name) {
  Descriptor fd(openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.ok()) return Failed(at, name, S_IFDIR);
  return Judged(std::move(fd), [](const struct stat& is) { return Unfit(is, S_IFDIR); });
}

Opened OpenFile(int at, const std::string& name, int flags) {
  // O_NONBLOCK: an open of a FIFO would wait.
  constexpr int kCareful = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  Descriptor fd(openat(at, name.c_str(), flags | kCareful, 0600));
  return fd.ok() ? Judged(std::move(fd), UnfitFile) : Failed(at, name, S_IFREG);
}

bool IsLocked(int at, const std::string& name) {
  struct stat is;
  if (fstatat(at, name.c_str(), &is, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(is.st_mode))
    return false;
  const Descriptor fd(openat(at, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return fd.ok() && flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

std::vector<std::string> Names(int directory, int* error) {
  std::vector<std::string> names;
  const int own = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* open = own < 0 ? nullptr : fdopendir(own);
  if (error != nullptr) *error = open == nullptr ? errno : 0;
  if (open == nullptr) {
    if (own >= 0) close(own);
    return names;
  }
  errno = 0;
  while (const dirent* one = readdir(open)) {
    const std::string name = one->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  if (error != nullptr) *error = errno;
  closedir(open);
  return names;
}

bool IsDirectory(int at, const std::string& name) {
  struct stat is;
  return fstatat(at, name.c_str(), &is, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(is.st_mode);
}

bool IsStill(int fd, int at, const std::string& name) {
  struct stat held, there;
  return fstat(fd, &held) == 0 && fstatat(at, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

void Remove(int at, const std::string& name) {
  if (unlinkat(at, name.c_str(), 0) == 0 || errno != EISDIR) return;
  Descriptor fd(openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.ok()) return;
  for (const std::string& one : Names(fd.get())) Remove(fd.get(), one);
  unlinkat(at, name.c_str(), AT_REMOVEDIR);
}

}  // namespace kiln::files
