// A generation of the disk tier: one RocksDB database in a directory of its own.
//
// Problem: damage must cost only the damaged records, at most two for a flipped bit in any file,
// and the loss must be counted. A database of its own has its own log and MANIFEST. A block of a
// table's data has at most two records. Where RocksDB skips more (a log's block of 32 KiB, a table
// whose index is damaged), the records are found by their frames (salvage.h) and written again: for
// a log after opening, for tables in a repair. Tables that a damaged MANIFEST does not name are not
// removed.
//
// Counting losses: RocksDB numbers records as they are written. The number of the last one that a
// caller was told of is noted in a file beside the database ("written"); the records in the tables
// plus those that the replayed log brought must add up to it. Records are written once and never
// compacted, so the sum is exact after damage to the log; after a repair, records that were written
// twice count as lost once.
//
// RocksDB opens by path and follows links. So the directory and all its files are checked before:
// links, FIFOs and folders are removed; a file that has another name too (a copy made with hard
// links) is replaced by a copy, except tables, which are never written to; files that belong to
// another user, or that others can write to, are not opened at all.
//
// Not for concurrent opening; everything else is thread-safe.
#ifndef KILN_SERVER_CACHE_GENERATION_H_
#define KILN_SERVER_CACHE_GENERATION_H_

#include <rocksdb/db.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "server/cache/cache_directory.h"
#include "server/cache/frame.h"
#include "server/cache/note.h"
#include "server/cache/salvage.h"

namespace kiln::cache {

// The result of a look-up: a record (record.h) and its class, which is never kErased.
struct StoredRecord {
  rocksdb::PinnableSlice stored;
  std::string_view record;  // in `stored`
  RecordClass record_class = RecordClass::kRecord;
};

struct GenerationOptions {
  std::shared_ptr<const CacheDirectory> directory;  // of the tier
  rocksdb::Env* env = nullptr;
  uint64_t write_buffer_bytes = 0;  // bounds its log too
  std::shared_ptr<rocksdb::Cache> block_cache;
  std::shared_ptr<rocksdb::WriteBufferManager> write_buffers;  // null: one of its own
  int open_tables = 10;  // 10 is the smallest bound that RocksDB keeps
};

class Generation {
 public:
  enum class Mode { kReadWrite, kReadOnly };
  // Opens a generation; makes it if there is none. IsDamage tells what a failure means.
  static rocksdb::Status Open(const GenerationOptions& options, uint64_t number, Mode mode,
                              std::shared_ptr<Generation>* generation);
  // Repairs a damaged generation so that it can be opened: all or nothing. Reads all of it; needs
  // as much space as its logs. A failure that is no damage leaves it as it was, unless `tolerant`:
  // then files that cannot be read are given up like damaged ones.
  static rocksdb::Status Repair(const GenerationOptions& options, uint64_t number, bool tolerant);
  ~Generation();
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  uint64_t number() const { return number_; }
  bool read_only() const { return mode_ == Mode::kReadOnly; }
  // True after a failed write: RocksDB may refuse all further ones until it is opened again.
  bool broken() const { return broken_; }
  bool sealed() const { return sealed_; }

  // Looks a key up. `may_block` false: Incomplete if the disk would have to be read. Corruption:
  // the block that would hold the record is damaged.
  rocksdb::Status Get(std::string_view key, bool may_block, StoredRecord* stored) const;
  // Writes a record that survives the death of the process.
  rocksdb::Status Put(std::string_view key, std::string_view record,
                      RecordClass record_class = RecordClass::kRecord);
  rocksdb::Status Delete(std::string_view key);
  // Returns true if its directory was removed from outside: writes are lost then.
  bool removed() const;

  // Takes no more records from now on; records in memory go to a table in the background.
  void Seal();
  // Writes records in memory to a table at once, as far as that is possible.
  void Flush();
  // Frees its name at once, and removes its directory when its last user has ended.
  void Doom();

  uint64_t Bytes() const;
  uint64_t Entries() const;  // an estimate
  // Number of records written, and of those among them that opening did not find again.
  uint64_t written() const { return db_->GetLatestSequenceNumber(); }
  uint64_t lost() const { return lost_; }
  // True if opening found its log damaged, even if no record was lost by that.
  bool log_damaged() const { return log_damaged_; }
  // Number of records written and neither dropped nor counted as lost.
  uint64_t held() const;
  // Sets the number of records held; the others are accounted for.
  void SetHeld(uint64_t held);
  // Bytes of the records put into it with the class kInvalid.
  uint64_t invalid_bytes() const { return invalid_bytes_; }

  // Describes its oldest table.
  struct Table {
    std::string name;
    uint64_t bytes = 0, records = 0;
    rocksdb::SequenceNumber last = 0;  // number of its newest record
    bool only = false;                 // the generation has no other table
    uint64_t written = 0;              // when, in seconds since 1970; 0: not known
  };
  // Writes records in memory to a table first. Returns false if there is no table, or the write
  // fails.
  bool OldestTable(Table* table);
  rocksdb::Status DropTable(const Table& table);
  // A record's number, as in `Table`, and key. NewestRecords returns as many of the newest records
  // as have `bytes` together, the oldest first; it reads all tables.
  struct Numbered {
    rocksdb::SequenceNumber number;
    uint64_t bytes;
    std::string key;
  };
  // Returns true if all tables can be read. Reads them.
  bool IsWhole() const { return !db_->VerifyChecksum().IsCorruption(); }
  // Only for one that is whole: otherwise it ends at the first unreadable block.
  std::vector<Numbered> NewestRecords(uint64_t bytes) const;
  // Returns the keys of records that are in no table.
  std::vector<std::string> KeysInMemory() const;
  // Returns the number of records in tables and log together.
  uint64_t Found() const;
  // Returns true if a file that it needs is missing, cut short, or not the one that it writes to.
  // Not for concurrent use.
  bool FilesMissing();
  // Returns true if a read met damage, and some table does not open: all its records are out of
  // reach until the generation is repaired. (A damaged block of records is not worth a repair.)
  // Opens all tables.
  bool TableDamaged();
  // Notified when the database is closed.
  std::shared_ptr<absl::Notification> closed() const { return closed_; }

 private:
  Generation() = default;
  rocksdb::Status GetFromTables(std::string_view key, rocksdb::PinnableSlice* stored) const;
  std::vector<rocksdb::LiveFileMetaData> TablesNewestFirst() const;
  rocksdb::Status OpenDatabase(const GenerationOptions& options);
  rocksdb::Status FinishOpening(const GenerationOptions& options, const Note& note);
  rocksdb::Status SalvageLogs();
  rocksdb::Status Write(std::string_view key, std::string_view record, RecordClass record_class);
  void CountLost(uint64_t noted);
  void NoteWritten();
  void WriteNoteLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(note_mutex_);
  uint64_t Property(const std::string& name) const;
  uint64_t InMemory() const;
  bool SomethingMissing();
  bool LogMissing();
  void NoteLogs();
  bool IsInPlace() const;

  uint64_t number_ = 0;
  Mode mode_ = Mode::kReadWrite;
  std::shared_ptr<const CacheDirectory> directory_;
  std::string path_;
  std::string doomed_name_;  // its present name, if it is to be removed
  std::shared_ptr<HeldTables> tables_;
  std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<rocksdb::DB> db_;
  files::Descriptor note_;
  Salt salt_ = 0;
  std::atomic<uint64_t> gone_ = 0, invalid_bytes_ = 0;
  // Device and inode; {0, 0}: none. Tells if a file of that name is still the one that it writes
  // to.
  using FileId = std::pair<uint64_t, uint64_t>;
  static FileId IdOf(const std::string& path);
  FileId directory_id_;
  std::map<uint64_t, FileId> logs_;  // logs that have been seen, by number
  uint64_t lost_ = 0;
  bool log_damaged_ = false;
  std::atomic<bool> broken_ = false;
  std::atomic<bool> sealed_ = false;
  mutable std::atomic<bool> suspect_ = false;  // a read met damage
  // Held while a note is made and written, so that none says more than was so when it was written.
  absl::Mutex note_mutex_;
  std::atomic<bool> never_erased_ = false;  // changes under note_mutex_; see Note
  std::shared_ptr<absl::Notification> closed_ = std::make_shared<absl::Notification>();
};

rocksdb::Options DatabaseOptions(const GenerationOptions& options);

// Returns true if there are tables or a log that is not empty.
bool HasData(const std::string& path);

std::string GenerationPath(const CacheDirectory& directory, uint64_t number);
// Makes a generation's directory fit to be opened by path; without `change` only checks it. `make`:
// makes the directory if there is none. IsNotOurs: it belongs to another user. IOError, NoSpace: it
// is not fit for other reasons, and nothing is lost.
rocksdb::Status MakeFit(const CacheDirectory& directory, uint64_t number, bool change, bool make);
// Exchanges a generation for its repaired one. Returns false if there is none, or it cannot be
// exchanged.
bool PutRepairedInPlace(const CacheDirectory& directory, uint64_t number);

// Reads a generation's note.
Note NoteOf(const CacheDirectory& directory, uint64_t number);
// Returns the number of records that it should have by its note; 0: not known.
uint64_t NotedHeld(const CacheDirectory& directory, uint64_t number);

// Returns true if a repair can help; otherwise the disk has to recover.
bool IsDamage(const rocksdb::Status& status);
// Returns true if the generation belongs to another user.
bool IsNotOurs(const rocksdb::Status& status);

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_GENERATION_H_
