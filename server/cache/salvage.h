// Gets records out of files that RocksDB does not read whole, and keeps it from removing tables
// that it may be wrong about.
#ifndef KILN_SERVER_CACHE_SALVAGE_H_
#define KILN_SERVER_CACHE_SALVAGE_H_

#include <rocksdb/db.h>
#include <rocksdb/file_system.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "server/cache/frame.h"

namespace kiln::cache {

// The logs (.log) or, without `logs_only`, the tables (.sst) too in a directory, oldest first.
std::vector<std::string> DataFiles(const std::string& directory, bool logs_only);

// Puts into `db` what frames in `files` have (frame.h) and it has not; `count` is raised by how
// many that were. What was erased stays so: a key of which `db` knows anything is not written over,
// but for an erasure, which is. An erasure that is older than a record costs that record. Takes as
// much memory as the largest file. Fails where a file cannot be read or `db` not written.
rocksdb::Status Salvage(const std::vector<std::string>& files, Salt salt, rocksdb::DB* db,
                        uint64_t* count);

// A file system that keeps tables that it is told to remove.
//
// Problem: RocksDB takes a damaged length in a MANIFEST for the end of a file that was being
// written: it opens without the tables that the rest names, and removes them. Whether it has all
// can be said only when it has opened.
class HeldTables : public rocksdb::FileSystemWrapper {
 public:
  using rocksdb::FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "HeldTables"; }

  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;
  bool holds_any() const;
  // Removes what it holds, and from now on what it is told to.
  void Release();

 private:
  mutable absl::Mutex mutex_;
  bool holding_ ABSL_GUARDED_BY(mutex_) = true;
  std::vector<std::string> held_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_SALVAGE_H_
