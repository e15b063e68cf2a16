// The directory that --cache-dir names, opened, and checked to be this daemon's to work in.
//
// Problem: a user who can write to the cache directory decides what clients get; and only a cache's
// files may be removed or renamed there. So before anything is opened, made or removed in it:
//   * it has to be a directory, no link to one (see ResolvedCacheDirectory), and the daemon user's;
//   * other users must not be able to write to it, or it is refused: its contents may be theirs. An
//     empty one is taken and closed to others. It is made, or left, with mode 0700: results come
//     from clients' shaders;
//   * it has to have a marker, the file `kilnd-cache`. That is made if the directory is empty, or
//     holds the files of earlier versions, a RocksDB database among them, and nothing else. Without
//     it nothing is touched.
//
// Limits: only the last directory of the path is checked, and RocksDB opens by path. A user who can
// rename a directory above it can exchange it for another cache of the same user, and until that is
// noticed (a probe_interval) RocksDB writes to where the path leads. A cache of an earlier version
// on a read-only file system cannot get its marker and waits for one. A file system's `lost+found`
// counts as nothing.
#ifndef KILN_SERVER_CACHE_CACHE_DIRECTORY_H_
#define KILN_SERVER_CACHE_CACHE_DIRECTORY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/cache/disk_status.h"
#include "server/files/own.h"

namespace kiln::cache {

class CacheDirectory {
 public:
  // Opens the directory; makes it and its marker where that is allowed. Unavailable: the message
  // has the path, what is wrong and what to do; `cause` classifies it.
  static absl::StatusOr<std::shared_ptr<const CacheDirectory>> Open(const std::string& path,
                                                                    DiskCause* cause);

  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }
  // Returns true if it still has its name and its marker, and is closed to others.
  bool IsStillOurs() const;

  // Returns true if `name` in it is a RocksDB database.
  bool HasDatabase(const std::string& name) const;
  // Renames `name` to a name for removal. Returns false if it is not there, or cannot be renamed.
  bool PutAside(const std::string& name) const;

 private:
  explicit CacheDirectory(std::string path) : path_(std::move(path)) {}
  absl::Status Make(DiskCause* cause);
  absl::Status TakeOwner(DiskCause* cause);
  absl::Status TakeMarker(DiskCause* cause);
  std::vector<std::string> Names() const;
  bool IsMarked() const;
  bool IsOfAnEarlierVersion(const std::vector<std::string>& names) const;

  const std::string path_;
  files::Descriptor fd_;
};

// Resolves --cache-dir once, at the start. Follows a link that belongs to root or this user, in a
// directory where no other user can exchange it (systemd's CacheDirectory= with DynamicUser=yes
// makes one). Returns any other path unchanged; such a link is refused later.
std::string ResolvedCacheDirectory(const std::string& path);

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_CACHE_DIRECTORY_H_
