// Salvages records from files that RocksDB cannot read whole, and keeps RocksDB from removing
// tables by mistake.
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

// Returns the logs (.log) and, without `logs_only`, the tables (.sst) in a directory, oldest first.
std::vector<std::string> DataFiles(const std::string& directory, bool logs_only);

// Puts into `db` the records that frames in `files` have (frame.h) and `db` does not; adds their
// number to `count`. Erased keys stay erased: a key that `db` has in any form is not overwritten,
// except by an erasure. An erasure that is older than a record costs that record. Takes as much
// memory as the largest file. Fails if a file cannot be read or `db` not written.
rocksdb::Status Salvage(const std::vector<std::string>& files, Salt salt, rocksdb::DB* db,
                        uint64_t* count);

// A file system that delays the removal of tables.
//
// Problem: RocksDB takes a damaged length in a MANIFEST for the end of a file that was being
// written: it opens without the tables that the rest names, and removes them. It is known only
// after opening if all tables are there.
class HeldTables : public rocksdb::FileSystemWrapper {
 public:
  using rocksdb::FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "HeldTables"; }

  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* context) override;
  bool holds_any() const;
  // Removes the held tables, and from now on removes at once.
  void Release();

 private:
  mutable absl::Mutex mutex_;
  bool holding_ ABSL_GUARDED_BY(mutex_) = true;
  std::vector<std::string> held_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_SALVAGE_H_
