// The disk tier: generations, each a RocksDB database of its own.
//
// Problem: a bounded directory, no lost acknowledged record after kill -9, no scan at start, no
// eviction storms, and damage that costs what is damaged. Records are written once and read often,
// so neither compaction nor per-record eviction is wanted: new and re-used records go to the
// youngest generation; when that holds its share of the bound a new one is begun; when the
// directory comes near the bound the oldest table of the oldest generation is dropped, which
// deletes a file and moves no data. What is still used has moved on by then. A bound that a restart
// made smaller is kept in the same way as soon as that is seen, a moment after the start; where the
// tables are large beside the new bound, the newest records that fit are written to new ones
// (disk_room.cc).
//
// Records of the class kInvalid (results of invalid modules, which any client can make as many of
// as it likes) have a sixteenth of the bound: a sixteenth of each generation's share, and what is
// above is refused. So they neither fill a generation nor make good results grow old.
//
// A Put returns after the write-ahead log has the record: it survives the death of the process (not
// the loss of power, after which RocksDB restores an earlier state and the difference is counted).
// The log is bounded. Records carry a checksum and their key (record.h); one that does not open is
// a miss and counted.
//
// Healing. A failure never ends the process: the tier answers with misses and refuses records where
// it must, and says so (disk_status.h). A thread looks after it every probe_interval:
//   the directory is this one's (its lock is where it was put)    else it is made and locked anew,
//     and what the one that is gone, or going, had in memory only is put again; a write that
//     finds its generation's directory removed is refused, and this thread begins at once
//   every file that a generation needs is there and whole         else the generation is repaired
//   records are taken                                             else, once a trial file can be
//                                                                 written, what failed is reopened
// At start a generation that does not open is left to that thread, so that damage costs half a
// second at most before serving; one that cannot be opened for writing (full or read-only disk) is
// opened for reading. Repair keeps the tables that can be read and all records that are whole in
// those that cannot, and in logs; what cannot be repaired is removed. It works on links, and waits
// where the disk has no space for it or does not give what is there. After any loss in its log a
// generation takes no more records and a new one is begun. A disk that stays full for full_patience
// loses the oldest generation, in the end the only one: a cache that could never take a record
// again would be worth less. On a disk smaller than the bound, seven eighths of the disk are the
// bound.
//
// Layout: DIRECTORY/kilnd-cache (cache_directory.h), DIRECTORY/lock, DIRECTORY/generation-NUMBER/,
// DIRECTORY/doomed-*/ (being removed, or a repair that is not done),
// DIRECTORY/generation-NUMBER.repaired/ (for a moment); names.h has their forms. The directory "db"
// of earlier versions is removed and counted. What has another name is left alone; what has one of
// these and is a link, a FIFO or a file in place of a directory is put aside and removed, never
// followed. What belongs to another user is not opened and not removed.
//
// Memory: what RocksDB holds of all generations is bounded by one cache, in which indexes and
// filters stand too, and to which records that are in no table yet are charged: while they are
// many, blocks give way. Beside it stand a few KiB for each open table.
//
// Cost: one Bloom filter probe per table file; a file is a write buffer (bound / 64, 32 MiB at
// most), so a miss probes 64 filters up to a bound of 2 GiB and one per 32 MiB above. Opening reads
// the logs (a write buffer each at most) and the files' indexes. Looking after it costs a stat for
// each file. All operations are thread-safe.
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
  // LeastMemory where that is more; limit_bytes + LeastMemory where that is less.
  uint64_t memory_bytes = uint64_t{128} << 20;
  // Descriptors for tables; more tables are opened and closed as needed. Each generation has a
  // share of it and takes 10 at least.
  int open_tables = 4096;
  absl::Duration probe_interval = absl::Seconds(2);
  absl::Duration full_patience = absl::Minutes(1);
  DiskObserver observer;        // may be null
  rocksdb::Env* env = nullptr;  // for tests; null: the system's
};

class DiskTier {
 public:
  static constexpr int kGenerations = 4;
  // Damage begins new ones before their time; the smallest of so many goes.
  static constexpr int kMaxGenerations = kGenerations + 2;
  // Of the bound, what records of the class kInvalid may have.
  static constexpr uint64_t kInvalidPart = 16;

  // FailedPrecondition: another process has the directory (names its id). Nothing else fails: what
  // is wrong is in status(), and is tried again.
  static absl::StatusOr<std::unique_ptr<DiskTier>> Open(DiskOptions options);
  // Waits for a repair that is under way.
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

  // Durable against the death of the process when it returns Ok. Unavailable: the tier takes no
  // records at the moment. ResourceExhausted: not this one, which is too large, or of the class
  // kInvalid and one too many.
  absl::Status Put(std::string_view key, std::string_view value,
                   RecordClass record_class = RecordClass::kRecord);
  void Erase(std::string_view key);
  // Erases what must not be answered again, also in generations that are away, when they come back
  // in this process's life. False: not all of the tier is there to be asked.
  bool Forget(std::string_view key);

  struct Usage {
    uint64_t bytes = 0;    // of the directory's files
    uint64_t entries = 0;  // an estimate
    int generations = 0;
    uint64_t dropped_bytes = 0;
    uint64_t dropped_generations = 0;
    uint64_t write_errors = 0;   // records that were not taken
    uint64_t invalid_bytes = 0;  // of what was put as kInvalid
    uint64_t invalid_refused = 0;
    // Damage, since the start of this process and found at it.
    uint64_t lost_records = 0;  // exact after damage to a log; else see generation.h
    uint64_t damaged_generations = 0;
    uint64_t repaired_generations = 0;
    uint64_t lost_generations = 0;  // could not be repaired
    uint64_t old_layouts_dropped = 0;
    uint64_t failures = 0;  // times that it began to fail
    uint64_t recoveries = 0;
  };
  // How many generations have been begun: a record that was put or found when there were n is not
  // dropped before there are n + kGenerations, but by a full disk or a smaller bound.
  uint64_t turn() const { return turn_.load(std::memory_order_relaxed); }

  Usage usage() const;
  DiskStatus status() const { return health_.status(!generations()->empty()); }
  uint64_t limit_bytes() const { return options_.limit_bytes; }
  // What it takes of memory_bytes at least, with so many bytes on disk.
  static uint64_t LeastMemory(uint64_t limit_bytes);
  // What it has of memory_bytes now.
  uint64_t memory_usage() const;
  // Of records of the class kInvalid.
  uint64_t invalid_limit_bytes() const { return options_.limit_bytes / kInvalidPart; }

 private:
  // Youngest first; replaced as a whole.
  using Generations = std::vector<std::shared_ptr<Generation>>;
  using Clock = std::chrono::steady_clock;  // the other may be set back
  // A generation that is not open, or cannot be written.
  struct Absent {
    uint64_t held = 0;  // records; 0: not known
    // Keys of those of them that are put again, whatever becomes of it.
    std::vector<std::string> rescued;
    bool damaged = false;
    DiskCause cause = DiskCause::kNone;  // why it could not be opened or repaired
    std::string detail;                  // of that, RocksDB's words
    int tries = 0;
    Clock::time_point next_try = Clock::time_point::min();
  };

  explicit DiskTier(DiskOptions options);

  // disk_tier.cc: serving.
  absl::Status PutRecord(std::string_view key, std::string_view record, RecordClass record_class);
  static uint64_t MemoryBound(const DiskOptions& options);
  void MaybeRotate();
  // disk_room.cc: what the bound takes.
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
  // `moved`: so many of its records are elsewhere.
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
  // Without what was forgotten while it was away. False: it still has some of that, and is not in.
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
  // Waits until nobody else uses it.
  void Close(std::shared_ptr<Generation> generation, bool damaged,
             std::vector<std::string> rescued = {}) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void CloseBroken() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void PutOff(Absent* absent) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void OpenAbsent(bool repair) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // True: it is no longer absent.
  bool OpenOne(uint64_t number, Absent* absent) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  bool RepairOne(uint64_t number, Absent* absent) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  // How many of its records are lost, of `missing` that it does not have. What is put again is not,
  // and what it has of that will not be lost with it.
  static uint64_t LostOf(uint64_t missing, const Absent& absent, Generation* generation);
  void Lose(uint64_t number, const Absent& absent) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void EnsureYoungest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void RemoveDoomed() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  DiskCause CauseOf(const rocksdb::Status& status);
  GenerationOptions generation_options() const;
  std::shared_ptr<const CacheDirectory> directory() const { return lock_.directory(); }

  const DiskOptions options_;
  // All generations' memory is charged to it: blocks, and through the manager what is in no table.
  const std::shared_ptr<rocksdb::Cache> block_cache_;
  const std::shared_ptr<rocksdb::WriteBufferManager> write_buffers_;

  // Held while the list of generations changes and while the directory is looked after; never while
  // a record is read or written.
  absl::Mutex change_mutex_;
  // Acquired and asked under change_mutex_; its directory is for all.
  DirectoryLock lock_;
  uint64_t next_number_ ABSL_GUARDED_BY(change_mutex_) = 1;
  std::map<uint64_t, Absent, std::greater<>> absent_ ABSL_GUARDED_BY(change_mutex_);
  // Those open for reading only: when to try again, and why.
  std::map<uint64_t, Absent> unwritable_ ABSL_GUARDED_BY(change_mutex_);
  Clock::time_point full_since_ ABSL_GUARDED_BY(change_mutex_) = Clock::time_point::max();
  bool doomed_ ABSL_GUARDED_BY(change_mutex_) = false;  // there may be something to remove
  // What directories that were removed, or cannot be had any more, had in memory only: to be put
  // again where that can be done.
  struct Rescued {
    std::string key, record;
    RecordClass record_class;
  };
  std::vector<Rescued> rescued_ ABSL_GUARDED_BY(change_mutex_);

  std::atomic<uint64_t> turn_ = 0;

  absl::Mutex trial_mutex_;  // the trial file is one
  // Held while one record is moved and while one is forgotten: what is forgotten does not move.
  absl::Mutex move_mutex_ ABSL_ACQUIRED_AFTER(change_mutex_);

  mutable absl::Mutex mutex_;
  std::shared_ptr<const Generations> generations_ ABSL_GUARDED_BY(mutex_);
  // Keys that were forgotten since the tier was last seen whole. After one too many, generations
  // that were away meanwhile do not come back.
  static constexpr size_t kMaxForgotten = size_t{1} << 18;
  std::set<std::string, std::less<>> forgotten_ ABSL_GUARDED_BY(mutex_);

  DiskHealth health_;
  std::atomic<uint64_t> bytes_since_check_ = 0;
  std::atomic<uint64_t> dropped_bytes_ = 0, dropped_generations_ = 0, write_errors_ = 0;
  std::atomic<uint64_t> invalid_refused_ = 0;
  std::atomic<uint64_t> lost_records_ = 0, damaged_ = 0, repaired_ = 0, lost_ = 0;
  std::atomic<uint64_t> old_layouts_ = 0;

  PeriodicThread maintenance_;
};

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_DISK_TIER_H_
