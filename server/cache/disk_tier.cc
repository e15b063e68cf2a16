// The disk tier: RocksDB with generations as column families. See disk_tier.h.
#include "server/cache/disk_tier.h"

#include <fcntl.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/cache/record.h"

namespace kiln::cache {
namespace {

rocksdb::Slice AsSlice(std::string_view s) { return rocksdb::Slice(s.data(), s.size()); }

absl::Status FromRocks(const char* what, const rocksdb::Status& s) {
  if (s.ok()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(what, ": ", s.ToString()));
}

rocksdb::DBOptions DatabaseOptions(const DiskOptions& options) {
  rocksdb::DBOptions db;
  db.create_if_missing = true;
  db.IncreaseParallelism(2);
  db.max_total_wal_size = std::clamp<uint64_t>(options.limit_bytes / 16, 128 << 10, 32 << 20);
  db.max_open_files = options.open_tables;
  db.table_cache_numshardbits = 2;  // each shard keeps one at least: 64 shards made 36 of 20
  db.keep_log_file_num = 2;
  db.max_log_file_size = 256 << 10;
  db.info_log_level = rocksdb::WARN_LEVEL;
  db.manifest_preallocation_size = 64 << 10;
  // A quick start: nothing is read that is not needed to serve.
  db.avoid_flush_during_recovery = true;
  db.skip_checking_sst_file_sizes_on_db_open = true;
  return db;
}

rocksdb::ColumnFamilyOptions GenerationOptions(const DiskOptions& options,
                                               std::shared_ptr<rocksdb::Cache> cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = std::move(cache);
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  table.format_version = 5;
  rocksdb::ColumnFamilyOptions cf;
  cf.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  cf.compression = rocksdb::kNoCompression;  // records are compressed
  cf.write_buffer_size = std::clamp<uint64_t>(options.limit_bytes / 64, 64 << 10, 32 << 20);
  cf.disable_auto_compactions = true;  // written once, dropped whole
  cf.level0_slowdown_writes_trigger = 1 << 20;
  cf.level0_stop_writes_trigger = 1 << 20;
  cf.num_levels = 2;
  return cf;
}

constexpr char kPrefix[] = "generation-";
constexpr size_t kPrefixBytes = sizeof kPrefix - 1;

std::string GenerationName(uint64_t number) { return absl::StrFormat("%s%012d", kPrefix, number); }

uint64_t GenerationNumber(std::string_view name) {
  uint64_t number = 0;
  if (name.substr(0, kPrefixBytes) != kPrefix) return 0;
  std::from_chars(name.data() + kPrefixBytes, name.data() + name.size(), number);
  return number;
}

}  // namespace

struct DiskTier::Generation {
  rocksdb::DB* db = nullptr;
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  ~Generation() {
    if (handle != nullptr) db->DestroyColumnFamilyHandle(handle);
  }
  uint64_t Property(const std::string& name) const {
    uint64_t n = 0;
    db->GetIntProperty(handle, name, &n);
    return n;
  }
  uint64_t Bytes() const {
    return Property(rocksdb::DB::Properties::kTotalSstFilesSize) +
           Property(rocksdb::DB::Properties::kCurSizeAllMemTables);
  }
};

absl::StatusOr<std::unique_ptr<DiskTier>> DiskTier::Open(DiskOptions options) {
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  if (error) {
    return absl::PermissionDeniedError(
        absl::StrCat("cache directory ", options.directory, " cannot be made: ", error.message()));
  }
  std::unique_ptr<DiskTier> tier(new DiskTier(std::move(options)));
  if (absl::Status s = tier->Lock(); !s.ok()) return s;
  bool corrupt = false;
  absl::Status status = tier->OpenDatabase(&corrupt);
  if (!status.ok() && corrupt) {
    tier->emptied_at_start_ = true;
    tier->generations_ = nullptr;
    tier->db_.reset();
    std::filesystem::remove_all(tier->options_.directory + "/db", error);
    status = tier->OpenDatabase(&corrupt);
  }
  if (!status.ok()) {
    return absl::Status(status.code(), absl::StrCat("cache directory ", tier->options_.directory,
                                                    ": ", status.message()));
  }
  return tier;
}

DiskTier::DiskTier(DiskOptions options) : options_(std::move(options)) {}

DiskTier::~DiskTier() {
  {
    absl::MutexLock lock(&mutex_);
    generations_ = nullptr;
  }
  db_.reset();
  if (lock_fd_ >= 0) close(lock_fd_);
}

// RocksDB has a lock of its own; this one can say who holds it.
absl::Status DiskTier::Lock() {
  std::string path = options_.directory + "/lock";
  lock_fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_fd_ < 0) {
    return absl::PermissionDeniedError(absl::StrCat("cache directory ", options_.directory,
                                                    " cannot be written: ", strerror(errno)));
  }
  if (flock(lock_fd_, LOCK_EX | LOCK_NB) != 0) {
    char text[32] = {};
    ssize_t n = pread(lock_fd_, text, sizeof text - 1, 0);
    return absl::FailedPreconditionError(
        absl::StrCat("cache directory ", options_.directory, " is in use by another kilnd",
                     n > 0 ? absl::StrCat(" (process ", text, ")") : std::string(),
                     "; stop it or give this one another --cache-dir"));
  }
  std::string self = absl::StrCat(getpid());
  if (ftruncate(lock_fd_, 0) != 0 ||
      pwrite(lock_fd_, self.data(), self.size(), 0) != static_cast<ssize_t>(self.size())) {
    return absl::UnavailableError(absl::StrCat("cache directory ", options_.directory,
                                               " cannot be written: ", strerror(errno)));
  }
  return absl::OkStatus();
}

absl::Status DiskTier::OpenDatabase(bool* corrupt) {
  std::string path = options_.directory + "/db";
  auto cf_options = GenerationOptions(options_, rocksdb::NewLRUCache(options_.block_cache_bytes));
  rocksdb::DBOptions db_options = DatabaseOptions(options_);
  std::vector<std::string> names;
  std::error_code error;
  if (std::filesystem::exists(path + "/CURRENT", error)) {
    rocksdb::Status listed = rocksdb::DB::ListColumnFamilies(db_options, path, &names);
    *corrupt = listed.IsCorruption() || listed.IsInvalidArgument();
    if (!listed.ok()) return FromRocks("RocksDB", listed);
  } else {
    names = {rocksdb::kDefaultColumnFamilyName};
  }
  std::sort(names.begin(), names.end(), std::greater<>());
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (const std::string& name : names) descriptors.emplace_back(name, cf_options);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  rocksdb::Status opened = rocksdb::DB::Open(db_options, path, descriptors, &handles, &db);
  *corrupt = opened.IsCorruption() || opened.IsInvalidArgument();
  if (!opened.ok()) return FromRocks("RocksDB", opened);
  db_.reset(db);
  auto list = std::make_shared<Generations>();
  for (size_t i = 0; i < names.size(); ++i) {
    auto generation = std::make_shared<Generation>();
    generation->db = db;
    generation->handle = handles[i];
    uint64_t number = GenerationNumber(names[i]);
    if (number == 0) continue;  // the default column family, which RocksDB insists on, is unused
    next_number_ = std::max(next_number_, number + 1);
    list->push_back(std::move(generation));
  }
  bool empty = list->empty();
  {
    absl::MutexLock lock(&mutex_);
    generations_ = std::move(list);
  }
  return empty ? BeginGeneration() : absl::OkStatus();
}

std::shared_ptr<const DiskTier::Generations> DiskTier::generations() const {
  absl::MutexLock lock(&mutex_);
  return generations_;
}

absl::Status DiskTier::BeginGeneration() {
  auto old = generations();
  rocksdb::ColumnFamilyOptions cf_options;
  if (old->empty()) {
    cf_options = GenerationOptions(options_, rocksdb::NewLRUCache(options_.block_cache_bytes));
  } else {
    rocksdb::ColumnFamilyDescriptor descriptor;
    rocksdb::Status s = old->front()->handle->GetDescriptor(&descriptor);
    if (!s.ok()) return FromRocks("RocksDB", s);
    cf_options = descriptor.options;
  }
  auto generation = std::make_shared<Generation>();
  generation->db = db_.get();
  rocksdb::Status s =
      db_->CreateColumnFamily(cf_options, GenerationName(next_number_), &generation->handle);
  if (!s.ok()) return FromRocks("a new generation", s);
  ++next_number_;
  auto list = std::make_shared<Generations>();
  list->push_back(std::move(generation));
  list->insert(list->end(), old->begin(), old->end());
  absl::MutexLock lock(&mutex_);
  generations_ = std::move(list);
  return absl::OkStatus();
}

DiskTier::Found DiskTier::Get(std::string_view key, bool may_block, std::string* value) {
  rocksdb::ReadOptions read;
  read.read_tier = may_block ? rocksdb::kReadAllTier : rocksdb::kBlockCacheTier;
  auto list = generations();
  for (size_t i = 0; i < list->size(); ++i) {
    rocksdb::PinnableSlice record;
    rocksdb::Status s = db_->Get(read, (*list)[i]->handle, AsSlice(key), &record);
    if (s.IsNotFound()) continue;
    if (s.IsIncomplete()) return Found::kWouldBlock;
    if (!s.ok()) return s.IsCorruption() ? Found::kCorrupt : Found::kError;
    if (i > 0 && !may_block) return Found::kWouldBlock;  // it will have to move
    if (!OpenRecord(key, record.ToStringView(), value)) {
      Erase(key);
      return Found::kCorrupt;
    }
    // Failure to move it costs a miss one day, not now.
    if (i > 0) PutRecord(key, record.ToStringView()).IgnoreError();
    return Found::kHit;
  }
  return Found::kMiss;
}

absl::Status DiskTier::Put(std::string_view key, std::string_view value) {
  std::string record;
  if (!SealRecord(key, value, &record)) {
    return absl::ResourceExhaustedError("too large for a cache record");
  }
  return PutRecord(key, record);
}

absl::Status DiskTier::PutRecord(std::string_view key, std::string_view record) {
  auto list = generations();
  rocksdb::Status s =
      db_->Put(rocksdb::WriteOptions(), list->front()->handle, AsSlice(key), AsSlice(record));
  if (!s.ok()) {
    ++write_errors_;
    // After a full disk RocksDB stays read-only until it is asked to go on.
    db_->Resume().PermitUncheckedError();
    MaybeRotate();
    return FromRocks("write", s);
  }
  bytes_since_check_ += key.size() + record.size();
  if (bytes_since_check_ >= std::max<uint64_t>(options_.limit_bytes / 256, 16 << 10)) MaybeRotate();
  return absl::OkStatus();
}

void DiskTier::Erase(std::string_view key) {
  auto list = generations();
  for (const auto& generation : *list) {
    db_->Delete(rocksdb::WriteOptions(), generation->handle, AsSlice(key)).PermitUncheckedError();
  }
}

void DiskTier::MaybeRotate() {
  if (!rotate_mutex_.TryLock()) return;  // someone else is at it
  bytes_since_check_ = 0;
  auto list = generations();
  bool full = list->front()->Bytes() >= options_.limit_bytes / (kGenerations + 1);
  bool over = DirectoryBytes() > options_.limit_bytes;
  if (full || (over && list->size() == 1)) {
    rocksdb::FlushOptions flush;
    flush.wait = false;
    flush.allow_write_stall = true;
    auto finished = list->front();
    if (BeginGeneration().ok()) db_->Flush(flush, finished->handle).PermitUncheckedError();
    list = generations();
  }
  while (over && list->size() > 1) {
    auto oldest = list->back();
    dropped_bytes_ += oldest->Bytes();
    ++dropped_generations_;
    db_->DropColumnFamily(oldest->handle).PermitUncheckedError();
    auto shorter = std::make_shared<Generations>(list->begin(), list->end() - 1);
    {
      absl::MutexLock lock(&mutex_);
      generations_ = shorter;
    }
    list = shorter;
    oldest.reset();
    over = false;  // its files go when the last reader does; the next check sees what is left
  }
  rotate_mutex_.Unlock();
}

uint64_t DiskTier::DirectoryBytes() const {
  uint64_t bytes = 0;
  std::error_code error;
  std::filesystem::directory_iterator it(options_.directory + "/db", error), end;
  while (!error && it != end) {
    std::error_code gone;  // files come and go
    uint64_t size = it->file_size(gone);
    if (!gone) bytes += size;
    it.increment(error);
  }
  return bytes;
}

DiskTier::Usage DiskTier::usage() const {
  Usage usage;
  usage.bytes = DirectoryBytes();
  auto list = generations();
  usage.generations = static_cast<int>(list->size());
  for (const auto& g : *list) {
    usage.entries += g->Property(rocksdb::DB::Properties::kEstimateNumKeys);
  }
  usage.dropped_bytes = dropped_bytes_;
  usage.dropped_generations = dropped_generations_;
  usage.write_errors = write_errors_;
  usage.emptied_at_start = emptied_at_start_;
  return usage;
}

}  // namespace kiln::cache
