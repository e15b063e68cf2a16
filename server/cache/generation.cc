// Implements a generation of the disk tier: see generation.h.
#include "server/cache/generation.h"

#include <fcntl.h>
#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/flush_block_policy.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/debug.h>
#include <rocksdb/write_buffer_manager.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdarg>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/cache/names.h"
#include "server/cache/record.h"

namespace kiln::cache {
namespace {

namespace fs = std::filesystem;

// Records in a block of data, at most: the cost of a damaged block.
constexpr int kRecordsOfABlock = 2;
constexpr size_t kBlockBytes = 4 << 10;

rocksdb::Slice AsSlice(std::string_view s) { return rocksdb::Slice(s.data(), s.size()); }

// RocksDB 7.8 as Debian builds it ends the process (an assertion in WritableFileWriter) when its
// own log meets a full disk a second time.
class NoLog : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

class FewRecords : public rocksdb::FlushBlockPolicy {
 public:
  bool Update(const rocksdb::Slice& key, const rocksdb::Slice& value) override {
    const bool full = records_ == kRecordsOfABlock || bytes_ >= kBlockBytes;
    if (full) records_ = bytes_ = 0;
    ++records_;
    bytes_ += key.size() + value.size();
    return full;
  }

 private:
  size_t records_ = 0, bytes_ = 0;
};

class FewRecordsFactory : public rocksdb::FlushBlockPolicyFactory {
 public:
  const char* Name() const override { return "FewRecords"; }
  rocksdb::FlushBlockPolicy* NewFlushBlockPolicy(const rocksdb::BlockBasedTableOptions&,
                                                 const rocksdb::BlockBuilder&) const override {
    return new FewRecords;
  }
};

}  // namespace

rocksdb::Options DatabaseOptions(const GenerationOptions& options) {
  rocksdb::DBOptions db;
  if (options.env != nullptr) db.env = options.env;
  db.IncreaseParallelism(2);
  db.max_open_files = options.open_tables + 10;  // RocksDB reserves 10 of these for its other files
  db.table_cache_numshardbits = 2;               // few shards: each keeps at least one table open
  db.write_buffer_manager = options.write_buffers;
  db.max_total_wal_size = options.write_buffer_bytes;  // bounds only what is allocated ahead
  // Skips records that do not open; the rest of the log is as good as before.
  db.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
  db.info_log = std::make_shared<NoLog>();
  db.manifest_preallocation_size = 64 << 10;
  db.stats_dump_period_sec = 0;
  db.stats_persist_period_sec = 0;
  // For a quick start: reads nothing that serving does not need.
  db.avoid_flush_during_recovery = true;
  db.skip_checking_sst_file_sizes_on_db_open = true;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = options.block_cache;
  table.cache_index_and_filter_blocks = true;  // in the bound, with precedence over data
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.format_version = 5;
  table.flush_block_policy_factory = std::make_shared<FewRecordsFactory>();
  rocksdb::ColumnFamilyOptions cf;
  cf.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  cf.compression = rocksdb::kNoCompression;  // records are compressed
  // Only while opening: room for both logs that a kill during a flush can leave, so that replaying
  // them writes no table. CountLost recognises replayed records by that.
  cf.write_buffer_size = 4 * options.write_buffer_bytes;
  cf.arena_block_size = options.write_buffer_bytes / 8;
  cf.disable_auto_compactions = true;  // written once, dropped whole
  cf.level0_slowdown_writes_trigger = 1 << 20;
  cf.level0_stop_writes_trigger = 1 << 20;
  cf.num_levels = 2;
  return rocksdb::Options(db, cf);
}

bool HasData(const std::string& path) {
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    std::string extension = it->path().extension();
    std::error_code gone;
    if (extension == ".sst" || (extension == ".log" && it->file_size(gone) > 0)) return true;
  }
  return false;
}

std::string GenerationPath(const CacheDirectory& directory, uint64_t number) {
  return absl::StrCat(directory.path(), "/", GenerationName(number));
}

Note NoteOf(const CacheDirectory& directory, uint64_t number) {
  files::Opened folder = files::OpenDirectory(directory.fd(), GenerationName(number));
  if (!folder.ok()) return {};
  files::Opened file = files::OpenFile(folder.fd.get(), kNoteName, O_RDONLY);
  return file.ok() ? ReadNote(file.fd.get()) : Note();
}

uint64_t NotedHeld(const CacheDirectory& directory, uint64_t number) {
  const Note note = NoteOf(directory, number);
  return note.written > note.gone ? note.written - note.gone : 0;
}

bool IsDamage(const rocksdb::Status& s) {
  return s.IsCorruption() || s.IsInvalidArgument() || s.IsNotFound() || s.IsPathNotFound();
}

// Aborted is safe as a mark: RocksDB returns it only for operations that it was told to end.
bool IsNotOurs(const rocksdb::Status& s) { return s.IsAborted(); }

rocksdb::Status Generation::Open(const GenerationOptions& options, uint64_t number, Mode mode,
                                 std::shared_ptr<Generation>* generation) {
  std::shared_ptr<Generation> g(new Generation);
  g->number_ = number;
  g->mode_ = mode;
  g->directory_ = options.directory;
  g->path_ = GenerationPath(*options.directory, number);
  const bool change = mode == Mode::kReadWrite;
  rocksdb::Status s = MakeFit(*options.directory, number, change, /*make=*/change);
  if (!s.ok()) return s;
  const Note note = NoteOf(*options.directory, number);
  g->gone_ = note.gone;
  g->invalid_bytes_ = note.invalid_bytes;
  g->salt_ = note.salt;
  s = g->OpenDatabase(options);
  if (!s.ok()) return s;
  // Each erasure has a number of its own, so that a note from before it is not believed.
  g->never_erased_ = g->written() < note.not_erased;
  g->CountLost(note.written);
  if (change) s = g->FinishOpening(options, note);
  if (s.ok()) *generation = std::move(g);
  return s;
}

rocksdb::Status Generation::OpenDatabase(const GenerationOptions& options) {
  std::error_code error;
  rocksdb::Options database = DatabaseOptions(options);
  // Otherwise RocksDB would make a new database over the rest of the old one.
  database.create_if_missing = !fs::exists(path_ + "/CURRENT", error) && !error;
  if (database.create_if_missing && HasData(path_)) {
    return rocksdb::Status::Corruption("there are tables or logs, but the file CURRENT is missing",
                                       path_);
  }
  rocksdb::Env* env = options.env != nullptr ? options.env : rocksdb::Env::Default();
  tables_ = std::make_shared<HeldTables>(env->GetFileSystem());
  env_ = rocksdb::NewCompositeEnv(tables_);
  database.env = env_.get();
  rocksdb::DB* db = nullptr;
  rocksdb::Status s = mode_ == Mode::kReadWrite
                          ? rocksdb::DB::Open(database, path_, &db)
                          : rocksdb::DB::OpenForReadOnly(database, path_, &db);
  db_.reset(db);
  return s;
}

// For writing.
rocksdb::Status Generation::FinishOpening(const GenerationOptions& options, const Note& note) {
  if (lost_ > 0 && tables_->holds_any()) {
    return rocksdb::Status::Corruption("its MANIFEST does not name all tables", path_);
  }
  tables_->Release();
  rocksdb::Status s = lost_ > 0 ? SalvageLogs() : rocksdb::Status::OK();
  if (!s.ok()) return s;
  s = db_->SetOptions({{"write_buffer_size", absl::StrCat(options.write_buffer_bytes)}});
  if (!s.ok()) return s;
  if (note.salt == 0) salt_ = NewSalt();
  if (note.written == 0 && written() == 0) never_erased_ = true;  // a new one
  files::Opened folder = files::OpenDirectory(options.directory->fd(), GenerationName(number_));
  note_ = files::OpenFile(folder.fd.get(), kNoteName, O_RDWR | O_CREAT).fd;
  NoteWritten();
  directory_id_ = IdOf(path_);
  NoteLogs();
  return s;
}

// Puts the records into tables at once: otherwise the next start would read the damaged log again.
rocksdb::Status Generation::SalvageLogs() {
  log_damaged_ = true;
  uint64_t found = 0;
  rocksdb::Status s = Salvage(DataFiles(path_, /*logs_only=*/true), salt_, db_.get(), &found);
  if (s.ok() && found > 0) s = db_->Flush(rocksdb::FlushOptions());
  lost_ -= std::min(lost_, found);
  gone_ += lost_ + found;  // the salvaged records were numbered anew
  return s;
}

Generation::~Generation() {
  db_.reset();
  if (!doomed_name_.empty()) files::Remove(directory_->fd(), doomed_name_);
  closed_->Notify();
}

rocksdb::Status Generation::Get(std::string_view key, bool may_block, StoredRecord* stored) const {
  rocksdb::ReadOptions read;
  read.read_tier = may_block ? rocksdb::kReadAllTier : rocksdb::kBlockCacheTier;
  rocksdb::Status s = db_->Get(read, db_->DefaultColumnFamily(), AsSlice(key), &stored->stored);
  if (s.IsCorruption()) {
    suspect_ = true;
    if (!may_block) return rocksdb::Status::Incomplete("all tables have to be read");
    s = GetFromTables(key, &stored->stored);
  }
  if (!s.ok()) return s;
  stored->record = stored->stored.ToStringView();
  stored->record_class = TakeOffFrame(&stored->record);
  return stored->record_class == RecordClass::kErased ? rocksdb::Status::NotFound() : s;
}

std::vector<rocksdb::LiveFileMetaData> Generation::TablesNewestFirst() const {
  std::vector<rocksdb::LiveFileMetaData> tables;
  db_->GetLiveFilesMetaData(&tables);
  // RocksDB's own order.
  std::sort(tables.begin(), tables.end(), [](const auto& a, const auto& b) {
    return std::tie(a.largest_seqno, a.smallest_seqno, a.file_number) >
           std::tie(b.largest_seqno, b.smallest_seqno, b.file_number);
  });
  return tables;
}

// Looks a key up past damaged blocks.
//
// Problem: a table's filter takes one key in a hundred for one of the table's. If the block that
// would hold it is damaged, RocksDB's Get ends with Corruption although an older table has the
// record, so that a damaged block costs more records than it holds.
//
// Limit: a damaged block could hold the key's erasure. So this is done only if no record was ever
// erased.
rocksdb::Status Generation::GetFromTables(std::string_view key,
                                          rocksdb::PinnableSlice* stored) const {
  rocksdb::Status damaged = rocksdb::Status::Corruption("in a damaged block", path_);
  if (!never_erased_) return damaged;
  for (const auto& table : TablesNewestFirst()) {
    if (AsSlice(key).compare(table.smallestkey) < 0 || AsSlice(key).compare(table.largestkey) > 0) {
      continue;
    }
    rocksdb::SstFileReader reader(db_->GetOptions());
    if (!reader.Open(table.db_path + table.name).ok()) continue;
    std::unique_ptr<rocksdb::Iterator> at(reader.NewIterator(rocksdb::ReadOptions()));
    at->Seek(AsSlice(key));
    if (!at->Valid() || at->key() != AsSlice(key)) continue;
    stored->Reset();
    stored->PinSelf(at->value());
    return rocksdb::Status::OK();
  }
  return damaged;
}

rocksdb::Status Generation::Put(std::string_view key, std::string_view record,
                                RecordClass record_class) {
  rocksdb::Status s = Write(key, record, record_class);
  if (s.ok()) {
    if (record_class == RecordClass::kInvalid) invalid_bytes_ += key.size() + record.size();
    NoteWritten();
  } else {
    broken_ = true;
  }
  return s;
}

rocksdb::Status Generation::Delete(std::string_view key) {
  if (read_only() || broken()) return rocksdb::Status::Aborted("takes no writes");
  {
    absl::MutexLock lock(&note_mutex_);
    if (never_erased_.exchange(false)) WriteNoteLocked();
  }
  std::string nothing;
  SealRecord(key, "", &nothing);
  return Write(key, nothing, RecordClass::kErased);
}

rocksdb::Status Generation::Write(std::string_view key, std::string_view record,
                                  RecordClass record_class) {
  return db_->Put(rocksdb::WriteOptions(), AsSlice(key),
                  AsSlice(MakeFrame(salt_, record_class, key, record)));
}

bool Generation::removed() const {
  struct stat is;
  return note_.ok() && fstat(note_.get(), &is) == 0 && is.st_nlink == 0;
}

void Generation::NoteWritten() {
  absl::MutexLock lock(&note_mutex_);
  WriteNoteLocked();
}

// A note that is missing or out of date makes a loss look smaller; nothing else depends on it.
void Generation::WriteNoteLocked() {
  const uint64_t not_erased = never_erased_ ? written() + 1 : 0;
  if (!WriteNote(note_.get(), {written(), gone_, invalid_bytes_, salt_, not_erased})) return;
}

uint64_t Generation::held() const {
  const uint64_t written = this->written(), gone = gone_;
  return written > gone ? written - gone : 0;
}

void Generation::SetHeld(uint64_t held) {
  const uint64_t written = this->written();
  gone_ = written > held ? written - held : 0;
  NoteWritten();
}

void Generation::CountLost(uint64_t noted) {
  uint64_t in_tables = 0;  // tables have all records up to this number
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  for (const auto& file : files) in_tables = std::max(in_tables, file.largest_seqno);
  uint64_t found = in_tables + InMemory();
  uint64_t expected = std::max(written(), noted);
  lost_ = expected > found ? expected - found : 0;
}

void Generation::Seal() {
  rocksdb::FlushOptions flush;
  flush.wait = false;
  flush.allow_write_stall = true;
  if (!sealed_.exchange(true)) db_->Flush(flush).PermitUncheckedError();
}

void Generation::Flush() {
  sealed_ = true;
  // RocksDB flushes by path, which may be a link's by now.
  if (read_only() || broken() || !IsInPlace()) return;
  db_->Flush(rocksdb::FlushOptions()).PermitUncheckedError();
}

// Open files stay readable under another name; later writes of RocksDB fail, which does no harm.
void Generation::Doom() {
  sealed_ = true;
  const std::string name = NewDoomedName();
  const bool done = renameat(directory_->fd(), GenerationName(number_).c_str(), directory_->fd(),
                             name.c_str()) == 0;
  if (done) doomed_name_ = name;
}

bool Generation::OldestTable(Table* table) {
  if (InMemory() > 0 && !db_->Flush(rocksdb::FlushOptions()).ok()) return false;
  const std::vector<rocksdb::LiveFileMetaData> tables = TablesNewestFirst();
  if (tables.empty()) return false;
  const rocksdb::LiveFileMetaData& oldest = tables.back();  // RocksDB deletes no other one
  *table = {oldest.name,          oldest.size,        oldest.num_entries,
            oldest.largest_seqno, tables.size() == 1, oldest.file_creation_time};
  return true;
}

rocksdb::Status Generation::DropTable(const Table& table) {
  rocksdb::Status s = db_->DeleteFile(table.name);
  if (!s.ok()) return s;
  gone_ += table.records;
  NoteWritten();
  return s;
}

std::vector<Generation::Numbered> Generation::NewestRecords(uint64_t bytes) const {
  constexpr size_t kAtOnce = 256;
  const std::string end(64, '\xff');
  std::vector<Numbered> all;
  std::vector<rocksdb::KeyVersion> some;
  for (std::string begin;; begin = some.back().user_key + '\0') {
    some.clear();
    if (!rocksdb::GetAllKeyVersions(db_.get(), begin, end, kAtOnce, &some).ok()) break;
    for (rocksdb::KeyVersion& v : some) {
      all.push_back({v.sequence, v.user_key.size() + v.value.size(), v.user_key});
    }
    if (some.size() < kAtOnce) break;
  }
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.number > b.number; });
  const auto first_left = std::find_if(all.begin(), all.end(), [&](const Numbered& one) {
    if (one.bytes > bytes) return true;
    bytes -= one.bytes;
    return false;
  });
  all.erase(first_left, all.end());
  std::reverse(all.begin(), all.end());
  return all;
}

std::vector<std::string> Generation::KeysInMemory() const {
  rocksdb::ReadOptions read;
  read.read_tier = rocksdb::kMemtableTier;
  std::vector<std::string> keys;
  std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(read));
  for (it->SeekToFirst(); it->Valid(); it->Next()) keys.push_back(it->key().ToString());
  return keys;
}

bool Generation::IsInPlace() const {
  return files::OpenDirectory(AT_FDCWD, path_).ok() &&
         files::OpenDirectory(AT_FDCWD, directory_->path()).ok();
}

uint64_t Generation::Property(const std::string& name) const {
  uint64_t n = 0;
  db_->GetIntProperty(name, &n);
  return n;
}

uint64_t Generation::InMemory() const {
  return Property(rocksdb::DB::Properties::kNumEntriesActiveMemTable) +
         Property(rocksdb::DB::Properties::kNumEntriesImmMemTables);
}

uint64_t Generation::Bytes() const {
  return Property(rocksdb::DB::Properties::kTotalSstFilesSize) +
         Property(rocksdb::DB::Properties::kCurSizeAllMemTables);
}

uint64_t Generation::Entries() const { return Property(rocksdb::DB::Properties::kEstimateNumKeys); }

uint64_t Generation::Found() const {
  uint64_t found = InMemory();
  std::vector<rocksdb::LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  for (const auto& file : files) found += file.num_entries;
  return found;
}

Generation::FileId Generation::IdOf(const std::string& path) {
  struct stat file = {};
  return lstat(path.c_str(), &file) == 0 ? FileId(file.st_dev, file.st_ino) : FileId();
}

void Generation::NoteLogs() {
  std::error_code error;
  for (fs::directory_iterator it(path_, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename();
    uint64_t number = 0;
    auto [rest, bad] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (bad != std::errc() || strcmp(rest, ".log") != 0) continue;
    if (FileId id = IdOf(it->path()); id != FileId()) logs_.emplace(number, id);
  }
}

// RocksDB lists the logs that are there, not those that it needs.
bool Generation::LogMissing() {
  NoteLogs();
  uint64_t last_missing = 0;
  for (const auto& [number, id] : logs_) {
    if (IdOf(absl::StrFormat("%s/%06d.log", path_, number)) == id) continue;
    last_missing = number;
  }
  // Asked last: logs that it no longer needs may have vanished since.
  uint64_t needed = Property(rocksdb::DB::Properties::kMinLogNumberToKeep);
  logs_.erase(logs_.begin(), logs_.lower_bound(needed));
  if (last_missing > 0 && last_missing >= needed) return true;
  std::unique_ptr<rocksdb::LogFile> current;
  return !db_->GetCurrentWalFile(&current).ok();
}

bool Generation::SomethingMissing() {
  if (!read_only() && (IdOf(path_) != directory_id_ || LogMissing())) return true;
  std::vector<rocksdb::LiveFileMetaData> tables;
  db_->GetLiveFilesMetaData(&tables);
  std::error_code error;
  for (const auto& table : tables) {
    if (fs::file_size(table.db_path + table.name, error) != table.size) return true;
  }
  std::vector<std::string> names;
  uint64_t manifest_bytes = 0;
  if (!db_->GetLiveFiles(names, &manifest_bytes, /*flush_memtable=*/false).ok()) return true;
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return !fs::is_regular_file(absl::StrCat(path_, name.front() == '/' ? "" : "/", name), error);
  });
}

// RocksDB opens few of the tables at start, and does not skip one that it cannot open.
bool Generation::TableDamaged() {
  if (!suspect_.exchange(false)) return false;
  std::vector<rocksdb::LiveFileMetaData> tables;
  db_->GetLiveFilesMetaData(&tables);
  return std::any_of(tables.begin(), tables.end(), [this](const auto& table) {
    return rocksdb::SstFileReader(db_->GetOptions())
        .Open(table.db_path + table.name)
        .IsCorruption();
  });
}

// Checks twice: between listing a file and looking for it, a flush may have replaced it.
bool Generation::FilesMissing() { return SomethingMissing() && SomethingMissing(); }

}  // namespace kiln::cache
