// Makes a generation fit for RocksDB to open by path: see generation.h.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "server/cache/generation.h"
#include "server/cache/names.h"
#include "server/files/own.h"

namespace kiln::cache {
namespace {

constexpr size_t kCopiedAtOnce = 256 << 10;

rocksdb::Status Failure(const std::string& path) {
  const int error = errno;
  return error == ENOSPC || error == EDQUOT ? rocksdb::Status::NoSpace(path, strerror(error))
                                            : rocksdb::Status::IOError(path, strerror(error));
}

rocksdb::Status Anothers(const std::string& path, uid_t owner) {
  return rocksdb::Status::Aborted(
      path, absl::StrCat("belongs to user ", owner, ", not to ", geteuid(),
                         ", whose owner could have changed its content: remove it, or chown it"));
}

bool Copy(int from, int to) {
  auto buffer = std::make_unique<char[]>(kCopiedAtOnce);
  for (;;) {
    const ssize_t n = read(from, buffer.get(), kCopiedAtOnce);
    if (n <= 0) return n == 0;
    for (ssize_t at = 0; at < n;) {
      const ssize_t written = write(to, buffer.get() + at, static_cast<size_t>(n - at));
      if (written < 0) return false;
      at += written;
    }
  }
}

// Replaces a file that has other names too by a copy with this name only.
rocksdb::Status Part(const CacheDirectory& directory, int folder, const std::string& name,
                     const std::string& path) {
  const std::string doomed = NewDoomedName();
  files::Descriptor from(openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  files::Descriptor to(openat(directory.fd(), doomed.c_str(),
                              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (from.ok() && to.ok() && Copy(from.get(), to.get()) && fsync(to.get()) == 0 &&
      renameat(directory.fd(), doomed.c_str(), folder, name.c_str()) == 0) {
    return rocksdb::Status::OK();
  }
  rocksdb::Status s = Failure(path);
  unlinkat(directory.fd(), doomed.c_str(), 0);
  return s;
}

rocksdb::Status MakeFileFit(const CacheDirectory& directory, int folder, const std::string& name,
                            const std::string& path, bool change) {
  struct stat is;
  if (fstatat(folder, name.c_str(), &is, AT_SYMLINK_NOFOLLOW) != 0) return rocksdb::Status::OK();
  if (!S_ISREG(is.st_mode)) {
    if (change) files::Remove(folder, name);
    if (change && fstatat(folder, name.c_str(), &is, AT_SYMLINK_NOFOLLOW) != 0) {
      return rocksdb::Status::OK();
    }
    return rocksdb::Status::IOError(path, "is not a regular file: remove it");
  }
  if (is.st_uid != geteuid()) return Anothers(path, is.st_uid);
  // Tables are only read and removed, so they may keep other names.
  const bool written = change && !absl::EndsWith(name, ".sst");
  return is.st_nlink > 1 && written ? Part(directory, folder, name, path) : rocksdb::Status::OK();
}

}  // namespace

rocksdb::Status MakeFit(const CacheDirectory& directory, uint64_t number, bool change, bool make) {
  const std::string path = GenerationPath(directory, number);
  const std::string own = GenerationName(number);
  if (make && mkdirat(directory.fd(), own.c_str(), 0700) != 0 && errno != EEXIST) {
    return Failure(path);
  }
  files::Opened folder = files::OpenDirectory(directory.fd(), own);
  if (!folder.ok()) {
    struct stat is;
    const bool there = fstatat(directory.fd(), own.c_str(), &is, AT_SYMLINK_NOFOLLOW) == 0;
    if (there && S_ISDIR(is.st_mode) && is.st_uid != geteuid()) return Anothers(path, is.st_uid);
    return rocksdb::Status::IOError(path, folder.Why());
  }
  for (const std::string& name : files::Names(folder.fd.get())) {
    rocksdb::Status s =
        MakeFileFit(directory, folder.fd.get(), name, absl::StrCat(path, "/", name), change);
    if (!s.ok()) return s;
  }
  return rocksdb::Status::OK();
}

}  // namespace kiln::cache
