// The directory that --cache-dir names, open, and known to be this daemon's to work in.
//
// Problem: who can write to the cache directory decides what clients get; and what is removed or
// renamed there must be a cache's. So before anything is opened, made or removed in it:
//   * it is a directory, no link to one (see ResolvedCacheDirectory), and the daemon's user's;
//   * nobody else can write to it, or it is refused: what is in it may be theirs. One that is empty
//     is taken and closed to others. It is made, or left, with mode 0700: results are other
//     people's shaders;
//   * it has a marker, the file `kilnd-cache`. That is made where the directory is empty, or holds
//     what earlier versions left, a database of RocksDB's among it, and nothing else. Without it
//     nothing is touched.
//
// Limits: of the path only the last directory is looked at, and RocksDB opens by path. Who can
// rename a directory above it has it exchanged for another cache of the same user, and until that
// is seen (a probe_interval) what RocksDB writes goes where the path leads. A cache of an earlier
// version on a read-only file system has no place for its marker and waits for one. A file system's
// `lost+found` counts as nothing.
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
  // Makes it and its marker where that may be done. Unavailable: the path, what is wrong and what
  // to do; `cause` names it.
  static absl::StatusOr<std::shared_ptr<const CacheDirectory>> Open(const std::string& path,
                                                                    DiskCause* cause);

  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }
  // It has its name still, its marker, and is closed to others.
  bool IsStillOurs() const;

  // Whether `name` in it is a database of RocksDB's.
  bool HasDatabase(const std::string& name) const;
  // From under its name to one of what is being removed. False: it is not there, or it stays.
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

// Where --cache-dir leads, to be asked once, at the start: a link that is root's or this user's, in
// a directory in which nobody else can exchange it, is meant (systemd's CacheDirectory= with
// DynamicUser=yes makes one). Any other path is given back as it is, and such a link refused later.
std::string ResolvedCacheDirectory(const std::string& path);

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_CACHE_DIRECTORY_H_
