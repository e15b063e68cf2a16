// A generation of the disk tier: one RocksDB database in a directory of its own.
//
// Problem: damage must cost what is damaged and be counted: two records a flipped bit, whichever
// file it is in. A database of its own has its own log and MANIFEST. A block of a table's data has
// two records at most. Of what RocksDB passes over (a log's block of 32 KiB, a table whose index is
// damaged) the records are found by their frames (salvage.h) and written again: after opening for a
// log, in a repair for tables. Tables that a damaged MANIFEST does not name are not removed.
//
// How loss is counted: RocksDB numbers records as they are written. The number of the last one that
// a caller was told of is noted in a file beside the database ("written"); what is in the tables
// plus what the replayed log brought must come to it. Records are written once and never compacted,
// so the sum is exact after damage to the log; after a repair, records that were written twice
// count as lost once.
//
// RocksDB opens by path and follows what is there. So before it does, the directory and all in it
// are looked at: links, FIFOs and folders go; a file that has another name too (a copy made with
// hard links) is parted from that by a copy, but for tables, which nobody writes; what belongs to
// another user, or others can write, is not opened at all.
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

#include "absl/synchronization/notification.h"
#include "server/cache/cache_directory.h"
#include "server/cache/frame.h"
#include "server/cache/note.h"
#include "server/cache/salvage.h"

namespace kiln::cache {

// What was found: a record (record.h) and its class, which is never kErased.
struct StoredRecord {
  rocksdb::PinnableSlice stored;
  std::string_view record;  // in `stored`
  RecordClass record_class = RecordClass::kRecord;
};

struct GenerationOptions {
  std::shared_ptr<const CacheDirectory> directory;  // of the tier
  rocksdb::Env* env = nullptr;
  uint64_t write_buffer_bytes = 0;  // of its log too
  std::shared_ptr<rocksdb::Cache> block_cache;
  std::shared_ptr<rocksdb::WriteBufferManager> write_buffers;  // null: one of its own
  int open_tables = 10;  // 10 is the least that RocksDB can be held to
};

class Generation {
 public:
  enum class Mode { kReadWrite, kReadOnly };
  // Makes it where there is none. See IsDamage for what a failure means.
  static rocksdb::Status Open(const GenerationOptions& options, uint64_t number, Mode mode,
                              std::shared_ptr<Generation>* generation);
  // Makes what is left of a damaged one fit to be opened: all or nothing. Reads all of it; needs as
  // much space as its logs. A failure that is no damage leaves it as it was, unless `tolerant`:
  // then files that cannot be read are lost as damaged ones are.
  static rocksdb::Status Repair(const GenerationOptions& options, uint64_t number, bool tolerant);
  ~Generation();
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  uint64_t number() const { return number_; }
  bool read_only() const { return mode_ == Mode::kReadOnly; }
  // A write failed: RocksDB may refuse all others until it is opened again.
  bool broken() const { return broken_; }
  bool sealed() const { return sealed_; }

  // `may_block` false: Incomplete where the disk would have to be read. Corruption: the block that
  // would hold the record is damaged.
  rocksdb::Status Get(std::string_view key, bool may_block, StoredRecord* stored) const;
  // Durable against the death of the process.
  rocksdb::Status Put(std::string_view key, std::string_view record,
                      RecordClass record_class = RecordClass::kRecord);
  rocksdb::Status Delete(std::string_view key);
  // Somebody removed its directory: what is written goes nowhere.
  bool removed() const;

  // It takes no more records: what is in memory goes to a table in the background.
  void Seal();
  // The same at once, as far as that is possible.
  void Flush();
  // Its directory goes with its last user; under its name there is nothing from now on.
  void Doom();

  uint64_t Bytes() const;
  uint64_t Entries() const;  // an estimate
  // Records written, and those of them that opening did not find again.
  uint64_t written() const { return db_->GetLatestSequenceNumber(); }
  uint64_t lost() const { return lost_; }
  // Opening found its log damaged, whether or not any record was lost by that.
  bool log_damaged() const { return log_damaged_; }
  // Records written and neither dropped nor counted as lost.
  uint64_t held() const;
  // So many are held; the others are accounted for.
  void SetHeld(uint64_t held);
  // Of records of the class kInvalid that were put into it.
  uint64_t invalid_bytes() const { return invalid_bytes_; }

  // Its oldest table. Writes what is in memory to one first.
  struct Table {
    std::string name;
    uint64_t bytes = 0, records = 0;
    rocksdb::SequenceNumber last = 0;  // number of its newest record
    bool only = false;                 // there is no other
  };
  // False: there is none, or what is in memory cannot be written.
  bool OldestTable(Table* table);
  rocksdb::Status DropTable(const Table& table);
  // Of the newest records, as many as have `bytes` together, the oldest first: each one's number,
  // as in `Table`, and key. Reads all tables.
  struct Numbered {
    rocksdb::SequenceNumber number;
    uint64_t bytes;
    std::string key;
  };
  // Whether all tables can be read. Reads them.
  bool IsWhole() const { return !db_->VerifyChecksum().IsCorruption(); }
  // Not for one that is not whole: it ends at what cannot be read.
  std::vector<Numbered> NewestRecords(uint64_t bytes) const;
  // The keys of records that are in no table.
  std::vector<std::string> KeysInMemory() const;
  // Tables and log together.
  uint64_t Found() const;
  // A file that it needs is not there, or cut short, or not the one that it writes to. Not for
  // concurrent use.
  bool FilesMissing();
  // A read met damage, and some table does not open: all that is in it is out of reach until it is
  // repaired. (A damaged block of records is not worth that.) Opens all tables.
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
  std::string doomed_name_;  // what it has now, when it shall go
  std::shared_ptr<HeldTables> tables_;
  std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<rocksdb::DB> db_;
  files::Descriptor note_;
  Salt salt_ = 0;
  std::atomic<uint64_t> gone_ = 0, invalid_bytes_ = 0;
  // Device and inode, {0, 0}: none. Another file of that name is not what it writes to.
  using FileId = std::pair<uint64_t, uint64_t>;
  static FileId IdOf(const std::string& path);
  FileId directory_id_;
  std::map<uint64_t, FileId> logs_;  // that were there once, by number
  uint64_t lost_ = 0;
  bool log_damaged_ = false;
  std::atomic<bool> broken_ = false;
  std::atomic<bool> sealed_ = false;
  mutable std::atomic<bool> suspect_ = false;  // a read met damage
  std::atomic<bool> never_erased_ = false;     // see Note
  std::shared_ptr<absl::Notification> closed_ = std::make_shared<absl::Notification>();
};

rocksdb::Options DatabaseOptions(const GenerationOptions& options);

// Tables or a log with something in it.
bool HasData(const std::string& path);

std::string GenerationPath(const CacheDirectory& directory, uint64_t number);
// Makes what is in a generation's directory fit to be opened by path; without `change` only looks.
// `make`: the directory, if there is none. IsNotOurs: it belongs to another user. IOError, NoSpace:
// it is not fit for other reasons, and nothing is lost.
rocksdb::Status MakeFit(const CacheDirectory& directory, uint64_t number, bool change, bool make);
// False: there is none, or it cannot be put there.
bool PutRepairedInPlace(const CacheDirectory& directory, uint64_t number);

// What is noted of a generation.
Note NoteOf(const CacheDirectory& directory, uint64_t number);
// Records that should be in it by that; 0: not known.
uint64_t NotedHeld(const CacheDirectory& directory, uint64_t number);

// Whether a repair can help, rather than a disk that recovers.
bool IsDamage(const rocksdb::Status& status);
// It is another user's.
bool IsNotOurs(const rocksdb::Status& status);

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_GENERATION_H_
