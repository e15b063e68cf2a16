// The disk tier: RocksDB with generations as column families.
//
// Problem: a bounded directory, no lost acknowledged record after kill -9, no scan at start, no
// eviction storms. Records are written once and read often, so neither compaction nor per-record
// eviction is wanted: new and re-used records go to the youngest generation; when that holds its
// share of the bound a new one is begun; when the directory exceeds the bound the oldest generation
// is dropped whole, which deletes files and moves no data. What is still used has moved on by then.
//
// A Put returns after the write-ahead log has the record: it survives the death of the process (not
// the loss of power, after which RocksDB restores a consistent earlier state). The log is bounded.
// Records carry a checksum and their key (record.h); one that does not open is a miss and counted.
// A directory that RocksDB calls corrupt is emptied: it is a cache.
//
// Cost: one Bloom filter probe per table file; a file is a write buffer (bound / 64, 32 MiB at
// most), so a miss probes 64 filters up to a bound of 2 GiB and one per 32 MiB above. Opening reads
// the log (32 MiB at most) and the files' indexes. All operations are thread-safe.
#ifndef KILN_SERVER_CACHE_DISK_TIER_H_
#define KILN_SERVER_CACHE_DISK_TIER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

namespace rocksdb {
class DB;
class ColumnFamilyHandle;
}  // namespace rocksdb

namespace kiln::cache {

struct DiskOptions {
  std::string directory;
  uint64_t limit_bytes = uint64_t{4} << 30;
  uint64_t block_cache_bytes = uint64_t{64} << 20;
  int open_tables = 4096;  // descriptors for them; more tables are opened and closed as needed
};

class DiskTier {
 public:
  static constexpr int kGenerations = 4;

  // FailedPrecondition: another process has the directory (names its id); PermissionDenied and
  // others: it cannot be made or written. Messages name the directory.
  static absl::StatusOr<std::unique_ptr<DiskTier>> Open(DiskOptions options);
  ~DiskTier();
  DiskTier(const DiskTier&) = delete;
  DiskTier& operator=(const DiskTier&) = delete;

  enum class Found {
    kHit,
    kMiss,
    kWouldBlock,  // only when asked not to block
    kCorrupt,     // a miss
    kError,       // a miss
  };
  // `may_block` false: only what is in memory already.
  Found Get(std::string_view key, bool may_block, std::string* value);

  // Durable against the death of the process when it returns Ok.
  absl::Status Put(std::string_view key, std::string_view value);
  void Erase(std::string_view key);

  struct Usage {
    uint64_t bytes = 0;    // of the directory's files
    uint64_t entries = 0;  // an estimate
    int generations = 0;
    uint64_t dropped_bytes = 0;
    uint64_t dropped_generations = 0;
    uint64_t write_errors = 0;
    bool emptied_at_start = false;
  };
  Usage usage() const;
  uint64_t limit_bytes() const { return options_.limit_bytes; }

 private:
  struct Generation;
  // Youngest first; replaced as a whole.
  using Generations = std::vector<std::shared_ptr<Generation>>;

  explicit DiskTier(DiskOptions options);
  absl::Status Lock();
  absl::Status OpenDatabase(bool* corrupt);
  absl::Status BeginGeneration();
  absl::Status PutRecord(std::string_view key, std::string_view record);
  // Begins and drops generations as the sizes ask for it.
  void MaybeRotate();
  uint64_t DirectoryBytes() const;
  std::shared_ptr<const Generations> generations() const;

  const DiskOptions options_;
  int lock_fd_ = -1;
  std::unique_ptr<rocksdb::DB> db_;
  mutable absl::Mutex mutex_;
  std::shared_ptr<const Generations> generations_ ABSL_GUARDED_BY(mutex_);
  uint64_t next_number_ = 1;
  absl::Mutex rotate_mutex_;
  std::atomic<uint64_t> bytes_since_check_ = 0;
  std::atomic<uint64_t> dropped_bytes_ = 0;
  std::atomic<uint64_t> dropped_generations_ = 0;
  std::atomic<uint64_t> write_errors_ = 0;
  bool emptied_at_start_ = false;
};

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_DISK_TIER_H_
