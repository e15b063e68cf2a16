// The disk tier: generations, each a RocksDB database of its own.
//
// Problem: a bounded directory, no acknowledged record lost after kill -9, no scan at start, no
// eviction storms, and damage that costs only the damaged records. Records are written once and
// read often, so neither compaction nor per-record eviction is needed. New and re-used records go
// to the youngest generation; when that holds its share of the bound a new one is begun; when the
// directory comes near the bound the oldest table of the oldest generation is dropped, which
// deletes a file and moves no data. Records still in use have moved on by then. A bound that a
// restart made smaller is kept in the same way, from a moment after the start; if the tables are
// large relative to the new bound, the newest records that fit are written to new ones
// (disk_room.cc).
//
// Records of the class kInvalid (results of invalid modules, of which any client can make as many
// as it likes) have a sixteenth of the bound: a sixteenth of each generation's share, and further
// ones are refused. So they neither fill a generation nor make good results grow old.
//
// A Put returns after the write-ahead log has the record: it survives the death of the process (not
// a loss of power, after which RocksDB restores an earlier state and the difference is counted).
// The log is bounded. Records carry a checksum and their key (record.h); one that does not open is
// a miss and counted.
//
// Healing. A failure never ends the process: the tier answers with misses and refuses records where
// it must, and reports that (disk_status.h). A maintenance thread checks every probe_interval:
//   the directory is this one's (its lock is where it was put)    else it is made and locked anew,
//     and records that only the memory of the lost one had are put again; a write that finds its
//     generation's directory removed is refused, and the thread checks at once
//   every file that a generation needs is there and whole         else the generation is repaired
//   records are taken                                             else, once a trial file can be
//                                                                 written, what failed is reopened
// At start a generation that does not open is left to that thread, so that damage costs half a
// second at most before serving; one that cannot be opened for writing (full or read-only disk) is
// opened for reading. Repair keeps the tables that can be read, and all whole records in logs and
// in tables that cannot; the rest is removed. It works on links, and waits if the disk has no space
// for it or does not return what it has. After any loss in its log a generation takes no more
// records and a new one is begun. A disk that stays full for full_patience loses the oldest
// generation, in the end the only one: a cache that could never take a record again would be worth
// less. On a disk smaller than the bound, seven eighths of the disk are the bound.
//
// Layout: DIRECTORY/kilnd-cache (cache_directory.h), DIRECTORY/lock, DIRECTORY/generation-NUMBER/,
// DIRECTORY/doomed-*/ (under removal, or an unfinished repair),
// DIRECTORY/generation-NUMBER.repaired/ (for a moment); names.h has their forms. The directory "db"
// of earlier versions is removed and counted. Files with other names are left alone; a link, a FIFO
// or a file under one of these names instead of a directory is renamed and removed, never followed.
// Files of another user are neither opened nor removed.
//
// Memory: one cache bounds what RocksDB holds for all generations. It includes indexes and filters,
// and records that are in no table yet are charged to it: while they are many, blocks are evicted.
// Beside it there are a few KiB for each open table.
//
// Cost: one Bloom filter probe per table file; a file is a write buffer (bound / 64, 32 MiB at
// most), so a miss probes 64 filters up to a bound of 2 GiB and one per 32 MiB above. Opening reads
// the logs (at most a write buffer each) and the files' indexes. Maintenance costs a stat for each
// file. All operations are thread-safe.
#ifndef KILN_SERVER_CACHE_DISK_TIER_H_
#define KILN_SERVER_CACHE_DISK_TIER_H_

#include <rocksdb/write_buffer_manager.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/cache/cache_directory.h"
#include "server/cache/directory_lock.h"
#include "server/cache/disk_health.h"
#include "server/cache/disk_status.h"
#include "server/cache/generation.h"
#include "server/cache/periodic_thread.h"

namespace kiln::cache {

struct DiskOptions {
  std::string directory;
  uint64_t limit_bytes = uint64_t{4} << 30;
  // Bound on memory: blocks, indexes and filters of tables, and records that are in no table yet.
  // Raised to LeastMemory if it is less, lowered to limit_bytes + LeastMemory if it is more.
  uint64_t memory_bytes = uint64_t{128} << 20;
  // Descriptors for tables; further tables are opened and closed as needed. Each generation has a
  // share, at least 10.
  int open_tables = 4096;
  absl::Duration probe_interval = absl::Seconds(2);
  absl::Duration full_patience = absl::Minutes(1);
  DiskObserver observer;        // may be null
  rocksdb::Env* env = nullptr;  // for tests; null: the system's
};

class DiskTier {
 public:
  static constexpr int kGenerations = 4;
  // Damage begins new generations early; above this number the smallest is dropped.
  static constexpr int kMaxGenerations = kGenerations + 2;
  // The part of the bound that records of the class kInvalid may have.
  static constexpr uint64_t kInvalidPart = 16;

  // FailedPrecondition: another process has the directory (names its id). No other error is
  // returned: other faults are in status(), and are tried again.
  static absl::StatusOr<std::unique_ptr<DiskTier>> Open(DiskOptions options);
  // Waits for a repair under way.
  ~DiskTier();
  DiskTier(const DiskTier&) = delete;
  DiskTier& operator=(const DiskTier&) = delete;

  enum class Found {
    kHit,
    kMiss,
    kWouldBlock,  // only with `may_block` false
    kCorrupt,     // a miss
    kError,       // a miss
  };
  // `may_block` false: looks only at what is in memory already.
  Found Get(std::string_view key, bool may_block, std::string* value);

  // Stores a record; when it returns Ok, the record survives the death of the process. Unavailable:
  // the tier takes no records at the moment. ResourceExhausted: it does not take this one, which is
  // too large, or of the class kInvalid and beyond its bound.
  absl::Status Put(std::string_view key, std::string_view value,
                   RecordClass record_class = RecordClass::kRecord);
  void Erase(std::string_view key);
  // Erases a record that must not be answered again; in generations that are away, when they come
  // back within this process's life. Returns false if a part of the tier is away.
  bool Forget(std::string_view key);

  struct Usage {
    uint64_t bytes = 0;    // of all files in the directory
    uint64_t entries = 0;  // an estimate
    int generations = 0;
    uint64_t dropped_bytes = 0;
    uint64_t dropped_generations = 0;
    // Seconds for which the records that were dropped last for the bound had been in their table.
    // Negative: none were dropped yet.
    double dropped_age_seconds = -1;
    uint64_t write_errors = 0;   // records that were refused
    uint64_t invalid_bytes = 0;  // of records put as kInvalid
    uint64_t invalid_refused = 0;
    // Damage since the start of this process, or found at it.
    uint64_t lost_records = 0;  // exact after damage to a log; else see generation.h
    uint64_t damaged_generations = 0;
    uint64_t repaired_generations = 0;
    uint64_t lost_generations = 0;  // generations that could not be repaired
    uint64_t old_layouts_dropped = 0;
    uint64_t failures = 0;  // how often it began to fail
    uint64_t recoveries = 0;
  };
  // Number of generations begun: a record that was put or found at turn n is not dropped before
  // turn n + kGenerations, except by a full disk or a smaller bound.
  uint64_t turn() const { return turn_.load(std::memory_order_relaxed); }

  Usage usage() const;
  DiskStatus status() const { return health_.status(!generations()->empty()); }
  uint64_t limit_bytes() const { return options_.limit_bytes; }
  // The least memory_bytes that a tier with this bound on disk needs.
  static uint64_t LeastMemory(uint64_t limit_bytes);
  // The bound on the memory of a tier with these options.
  static uint64_t MemoryBound(uint64_t limit_bytes, uint64_t memory_bytes);
  // Memory of memory_bytes that is in use now.
  uint64_t memory_usage() const;
  // Bound on records of the class kInvalid.
  uint64_t invalid_limit_bytes() const { return options_.limit_bytes / kInvalidPart; }

 private:
  // Youngest first; replaced as a whole.
  using Generations = std::vector<std::shared_ptr<Generation>>;
  using Clock = std::chrono::steady_clock;  // the system's clock may be set back
  // A generation that is not open, or cannot be written.
  struct Absent {
    uint64_t held = 0;  // records; 0: not known
    // Keys of its records that are put again, whatever happens to the generation.
    std::vector<std::string> rescued;
    bool damaged = false;
    DiskCause cause = DiskCause::kNone;  // why it could not be opened or repaired
    std::string detail;                  // RocksDB's message for that
    int tries = 0;
    Clock::time_point next_try = Clock::time_point::min();
  };

  explicit DiskTier(DiskOptions options);

  // disk_tier.cc: serving.
  absl::Status PutRecord(std::string_view key, std::string_view record, RecordClass record_class);
  void MaybeRotate();
  // In disk_room.cc: making room.
  void MakeRoom(bool may_rewrite) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  uint64_t DropSome(uint64_t over) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  uint64_t DropOldRecords(const std::shared_ptr<Generation>& oldest)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  bool WorthRewriting(Generation& oldest, uint64_t over)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void Rewrite(uint64_t over) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  bool MoveNewest(const std::shared_ptr<Generation>& from, uint64_t bytes, uint64_t* moved)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  bool MoveOne(const Generation& from, const std::string& key)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  bool BeginInPlaceOf(const std::shared_ptr<Generation>& youngest)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  std::vector<std::string> Rescue(const Generation& generation)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void PutRescued() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // `moved`: how many of its records were moved elsewhere.
  void Drop(const std::shared_ptr<Generation>& generation, DiskCause cause, uint64_t moved = 0)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void DropSmallest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void DropOldest(DiskCause cause) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void FreeLastNumber() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  rocksdb::Status BeginGeneration() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  static uint64_t BytesBelow(const std::string& path);
  uint64_t BytesOf(uint64_t number) const;
  uint64_t BoundedBytes() const;
  std::shared_ptr<const Generations> generations() const;
  // Adds a generation, without the keys forgotten while it was away. Returns false if it still has
  // one of them, and was not added.
  bool Join(const std::shared_ptr<Generation>& generation)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void Insert(std::shared_ptr<Generation> generation) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void TakeOut(const std::shared_ptr<Generation>& generation)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);

  // disk_heal.cc: healing.
  void Heal(bool repair) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  bool HoldDirectory() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  bool ReadDirectory() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void DropOldLayout(const CacheDirectory& directory) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void CheckFiles() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  bool TakesWrites() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  bool NeedsReopening(const Generation& generation) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  bool AnyBroken() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // Waits until no other thread uses it.
  void Close(std::shared_ptr<Generation> generation, bool damaged,
             std::vector<std::string> rescued = {}) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void CloseBroken() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void PutOff(Absent* absent) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void OpenAbsent(bool repair) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // Both return true if the generation is no longer absent.
  bool OpenOne(uint64_t number, Absent* absent) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  bool RepairOne(uint64_t number, Absent* absent) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // Returns how many of the `missing` records are lost: not those that are put again. Records that
  // were put again and that `generation` has will not count as lost with it.
  static uint64_t LostOf(uint64_t missing, const Absent& absent, Generation* generation);
  void Lose(uint64_t number, const Absent& absent) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void EnsureYoungest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void RemoveDoomed() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  DiskCause CauseOf(const rocksdb::Status& status);
  GenerationOptions generation_options() const;
  std::shared_ptr<const CacheDirectory> directory() const { return lock_.directory(); }

  const DiskOptions options_;
  // Charged for all generations' memory: blocks, and through the manager records that are in no
  // table.
  const std::shared_ptr<rocksdb::Cache> block_cache_;
  const std::shared_ptr<rocksdb::WriteBufferManager> write_buffers_;

  // Held while the list of generations changes and during maintenance; never while a record is read
  // or written.
  absl::Mutex change_mutex_;
  // Acquired and queried under change_mutex_; directory() is called by all threads.
  DirectoryLock lock_;
  uint64_t next_number_ ABSL_GUARDED_BY(change_mutex_) = 1;
  std::map<uint64_t, Absent, std::greater<>> absent_ ABSL_GUARDED_BY(change_mutex_);
  // Generations open for reading only: when to try again, and why.
  std::map<uint64_t, Absent> unwritable_ ABSL_GUARDED_BY(change_mutex_);
  Clock::time_point full_since_ ABSL_GUARDED_BY(change_mutex_) = Clock::time_point::max();
  bool doomed_ ABSL_GUARDED_BY(change_mutex_) = false;  // something may have to be removed
  // Records that only the memory of lost directories had: to be put again once that is possible.
  struct Rescued {
    std::string key, record;
    RecordClass record_class;
  };
  std::vector<Rescued> rescued_ ABSL_GUARDED_BY(change_mutex_);

  std::atomic<uint64_t> turn_ = 0;

  absl::Mutex trial_mutex_;  // guards the single trial file
  // Held while one record is moved and while one is forgotten: a record being forgotten does not
  // move.
  absl::Mutex move_mutex_ ABSL_ACQUIRED_AFTER(change_mutex_);

  mutable absl::Mutex mutex_;
  std::shared_ptr<const Generations> generations_ ABSL_GUARDED_BY(mutex_);
  // Keys forgotten since the tier was last complete. If there are more than this, generations that
  // are away then do not come back.
  static constexpr size_t kMaxForgotten = size_t{1} << 18;
  std::set<std::string, std::less<>> forgotten_ ABSL_GUARDED_BY(mutex_);

  DiskHealth health_;
  std::atomic<uint64_t> bytes_since_check_ = 0;
  std::atomic<uint64_t> dropped_bytes_ = 0, dropped_generations_ = 0, write_errors_ = 0;
  std::atomic<uint64_t> invalid_refused_ = 0;
  std::atomic<double> dropped_age_ = -1;  // Usage::dropped_age_seconds
  std::atomic<uint64_t> lost_records_ = 0, damaged_ = 0, repaired_ = 0, lost_ = 0;
  std::atomic<uint64_t> old_layouts_ = 0;

  PeriodicThread maintenance_;
};

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_DISK_TIER_H_
