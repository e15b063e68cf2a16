// The serving part of the disk tier: see disk_tier.h. disk_heal.cc has the healing.
#include "server/cache/disk_tier.h"

#include <rocksdb/cache.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/cache/names.h"
#include "server/cache/record.h"

namespace kiln::cache {
namespace {

// Wait at start for repairs: most are done by then, and records that are away meanwhile would be
// made again.
constexpr std::chrono::milliseconds kPatienceAtStart(500);

uint64_t WriteBufferBytes(uint64_t limit) {
  return std::clamp<uint64_t>(limit / 64, 64 << 10, 32 << 20);
}

// Lowers the bound to the disk's size: a bound that the disk never reaches would drop nothing.
DiskOptions WithinFileSystem(DiskOptions options) {
  std::error_code error;
  std::filesystem::path path = std::filesystem::absolute(options.directory, error);
  while (!std::filesystem::exists(path, error) && path.has_relative_path()) {
    path = path.parent_path();
  }
  std::filesystem::space_info space = std::filesystem::space(path, error);
  // Some file systems do not report a capacity.
  if (error || space.capacity == 0 || space.capacity == UINTMAX_MAX) return options;
  options.limit_bytes = std::min<uint64_t>(options.limit_bytes, space.capacity / 8 * 7);
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<DiskTier>> DiskTier::Open(DiskOptions options) {
  std::unique_ptr<DiskTier> tier(new DiskTier(std::move(options)));
  bool damaged = false;
  {
    absl::MutexLock change(&tier->change_mutex_);
    DiskCause cause;
    absl::Status locked = tier->lock_.Acquire(tier->options_.directory, &cause);
    if (absl::IsFailedPrecondition(locked)) return locked;
    tier->Heal(/*repair=*/false);
    damaged = !tier->absent_.empty();
  }
  tier->maintenance_.Start(absl::ToChronoNanoseconds(tier->options_.probe_interval),
                           [t = tier.get()] {
                             absl::MutexLock change(&t->change_mutex_);
                             t->Heal(/*repair=*/true);
                           });
  if (damaged) tier->maintenance_.AwaitFirst(kPatienceAtStart);
  return tier;
}

DiskTier::DiskTier(DiskOptions options)
    : options_(WithinFileSystem(std::move(options))),
      block_cache_(rocksdb::NewLRUCache(MemoryBound(options_.limit_bytes, options_.memory_bytes))),
      // Write buffers have a bound of their own below the cache's. Reaching it flushes the
      // generation that is written to, whichever generation holds the memory.
      write_buffers_(
          std::make_shared<rocksdb::WriteBufferManager>(block_cache_->GetCapacity(), block_cache_)),
      generations_(std::make_shared<Generations>()),
      health_(options_.observer) {}

// Memory beyond the size of all tables and write buffers would only keep blocks of dropped tables.
uint64_t DiskTier::MemoryBound(uint64_t limit_bytes, uint64_t memory_bytes) {
  const uint64_t least = LeastMemory(limit_bytes);
  const uint64_t most = limit_bytes > UINT64_MAX - least ? UINT64_MAX : limit_bytes + least;
  return std::clamp(memory_bytes, least, most);
}

// Two write buffers, one of which is being written out, and half of one for reads.
uint64_t DiskTier::LeastMemory(uint64_t limit_bytes) {
  return WriteBufferBytes(limit_bytes) / 2 * 5;
}

uint64_t DiskTier::memory_usage() const { return block_cache_->GetUsage(); }

DiskTier::~DiskTier() {
  maintenance_.Stop();
  absl::MutexLock lock(&mutex_);
  generations_ = nullptr;
}

GenerationOptions DiskTier::generation_options() const {
  GenerationOptions options;
  options.directory = directory();
  options.env = options_.env;
  options.write_buffer_bytes = WriteBufferBytes(options_.limit_bytes);
  options.block_cache = block_cache_;
  options.write_buffers = write_buffers_;
  // Two more: one generation may be in its beginning and one under removal.
  options.open_tables = std::max(10, options_.open_tables / (kGenerations + 2));
  return options;
}

std::shared_ptr<const DiskTier::Generations> DiskTier::generations() const {
  absl::MutexLock lock(&mutex_);
  return generations_;
}

void DiskTier::Insert(std::shared_ptr<Generation> generation) {
  auto list = std::make_shared<Generations>(*generations());
  list->push_back(std::move(generation));
  std::sort(list->begin(), list->end(),
            [](const auto& a, const auto& b) { return a->number() > b->number(); });
  absl::MutexLock lock(&mutex_);
  generations_ = std::move(list);
}

void DiskTier::TakeOut(const std::shared_ptr<Generation>& generation) {
  auto list = std::make_shared<Generations>(*generations());
  std::erase(*list, generation);
  absl::MutexLock lock(&mutex_);
  generations_ = std::move(list);
}

rocksdb::Status DiskTier::BeginGeneration() {
  const auto directory = this->directory();
  if (next_number_ > kMaxGeneration) FreeLastNumber();
  const uint64_t number = next_number_++;
  std::shared_ptr<Generation> generation;
  rocksdb::Status s =
      Generation::Open(generation_options(), number, Generation::Mode::kReadWrite, &generation);
  if (s.ok()) {
    Insert(std::move(generation));
    ++turn_;
  } else if (!HasData(GenerationPath(*directory, number))) {  // half made
    doomed_ = directory->PutAside(GenerationName(number)) || doomed_;
  }
  return s;
}

// Counting up never reaches this number: a generation of that name was made from outside.
void DiskTier::FreeLastNumber() {
  if (auto list = generations(); !list->empty() && list->front()->number() == kMaxGeneration) {
    Drop(list->front(), DiskCause::kNone);
  }
  if (absent_.erase(kMaxGeneration) > 0) {
    doomed_ = directory()->PutAside(GenerationName(kMaxGeneration)) || doomed_;
  }
  auto list = generations();
  next_number_ = 1 + std::max(list->empty() ? 0 : list->front()->number(),
                              absent_.empty() ? 0 : absent_.begin()->first);
}

DiskTier::Found DiskTier::Get(std::string_view key, bool may_block, std::string* value) {
  auto list = generations();
  Found worst = Found::kMiss;
  for (size_t i = 0; i < list->size(); ++i) {
    StoredRecord stored;
    rocksdb::Status s = (*list)[i]->Get(key, may_block, &stored);
    if (s.IsNotFound()) continue;
    if (s.IsIncomplete()) return Found::kWouldBlock;
    if (!s.ok()) {  // an older generation may have it too
      worst = s.IsCorruption() ? Found::kCorrupt : Found::kError;
      continue;
    }
    if (i > 0 && !may_block) return Found::kWouldBlock;  // it will have to move
    if (!OpenRecord(key, stored.record, value)) {
      if (!may_block) return Found::kWouldBlock;  // it will have to be erased
      Erase(key);
      return Found::kCorrupt;
    }
    // A failure to move it costs a miss some day, not now.
    if (i > 0) PutRecord(key, stored.record, stored.record_class).IgnoreError();
    return Found::kHit;
  }
  return worst;
}

absl::Status DiskTier::Put(std::string_view key, std::string_view value, RecordClass record_class) {
  std::string record;
  if (!SealRecord(key, value, &record)) {
    return absl::ResourceExhaustedError("the result is too large for a cache record");
  }
  absl::Status s = PutRecord(key, record, record_class);
  if (absl::IsResourceExhausted(s)) {
    ++invalid_refused_;
  } else if (!s.ok()) {
    ++write_errors_;
  }
  return s;
}

absl::Status DiskTier::PutRecord(std::string_view key, std::string_view record,
                                 RecordClass record_class) {
  if (absl::Status failure = health_.Failure(); !failure.ok()) return failure;
  const auto list = generations();
  if (list->empty() || list->front()->sealed()) {
    maintenance_.Wake();  // a generation has to be begun
    return absl::UnavailableError("the youngest generation is not open yet");
  }
  Generation& youngest = *list->front();
  if (record_class == RecordClass::kInvalid &&
      youngest.invalid_bytes() + record.size() > invalid_limit_bytes() / (kGenerations + 1)) {
    return absl::ResourceExhaustedError(
        "results of invalid modules have used their share of the cache");
  }
  rocksdb::Status s = youngest.Put(key, record, record_class);
  if (!s.ok()) {
    health_.Fail(CauseOf(s), s.ToString());
    return absl::UnavailableError(s.ToString());
  }
  if (youngest.removed()) {
    const std::string gone = absl::StrCat(options_.directory, " was removed while it was in use");
    health_.Fail(DiskCause::kNotADirectory, gone);
    maintenance_.Wake();
    return absl::UnavailableError(gone);
  }
  bytes_since_check_ += key.size() + record.size();
  if (bytes_since_check_ >= std::max<uint64_t>(options_.limit_bytes / 256, 16 << 10)) MaybeRotate();
  return absl::OkStatus();
}

void DiskTier::Erase(std::string_view key) {
  auto list = generations();
  for (const auto& generation : *list) generation->Delete(key).PermitUncheckedError();
}

// Notes the key and erases it under one list of generations: one that joins later sees the note.
bool DiskTier::Forget(std::string_view key) {
  absl::MutexLock move(&move_mutex_);
  std::shared_ptr<const Generations> list;
  {
    absl::MutexLock lock(&mutex_);
    if (forgotten_.size() <= kMaxForgotten) forgotten_.emplace(key);
    list = generations_;
  }
  // Asked afterwards: a generation that is back by now has seen the note.
  const bool whole = health_.whole() && !list->empty();
  for (const auto& generation : *list) generation->Delete(key).PermitUncheckedError();
  return whole;
}

bool DiskTier::Join(const std::shared_ptr<Generation>& generation) {
  for (size_t erased = 0;;) {
    std::set<std::string, std::less<>> forgotten;
    {
      absl::MutexLock lock(&mutex_);
      if (forgotten_.size() > kMaxForgotten) return false;
      if (forgotten_.size() != erased) forgotten = forgotten_;
    }
    // The set only grows while change_mutex_ is held.
    if (forgotten.empty()) break;
    for (const std::string& key : forgotten) {
      StoredRecord stored;
      if (!generation->Delete(key).ok() && !generation->Get(key, true, &stored).IsNotFound()) {
        return false;
      }
    }
    erased = forgotten.size();
  }
  Insert(generation);
  return true;
}

void DiskTier::MaybeRotate() {
  if (!change_mutex_.TryLock()) return;  // another thread is doing it
  bytes_since_check_ = 0;
  auto list = generations();
  if (!list->empty() && list->front()->Bytes() >= options_.limit_bytes / (kGenerations + 1)) {
    BeginInPlaceOf(list->front());
  }
  list.reset();
  MakeRoom(/*may_rewrite=*/false);
  change_mutex_.Unlock();
}

void DiskTier::Drop(const std::shared_ptr<Generation>& generation, DiskCause cause,
                    uint64_t moved) {
  DiskEvent event;
  event.kind = DiskEvent::Kind::kDropped;
  event.cause = cause;
  event.generation = generation->number();
  event.bytes = generation->Bytes();
  event.records = generation->Entries() - std::min(moved, generation->Entries());
  generation->Doom();
  TakeOut(generation);
  dropped_bytes_ += event.bytes;
  ++dropped_generations_;
  health_.Tell(event);
}

void DiskTier::DropSmallest() {
  auto list = generations();
  if (list->size() <= kMaxGenerations) return;
  Drop(*std::min_element(list->begin() + 1, list->end(),
                         [](const auto& a, const auto& b) { return a->Bytes() < b->Bytes(); }),
       DiskCause::kNone);
}

// The youngest stays, unless the disk is full: it may be what fills it.
void DiskTier::DropOldest(DiskCause cause) {
  auto list = generations();
  size_t stay = cause == DiskCause::kFull ? 0 : 1;
  uint64_t oldest_absent = absent_.empty() ? UINT64_MAX : absent_.rbegin()->first;
  if (list->size() > stay && list->back()->number() < oldest_absent) {
    Drop(list->back(), cause);
  } else if (!absent_.empty() && list->size() >= stay) {
    DiskEvent event;
    event.kind = DiskEvent::Kind::kDropped;
    event.cause = cause;
    event.generation = oldest_absent;
    doomed_ = directory()->PutAside(GenerationName(oldest_absent)) || doomed_;
    absent_.erase(oldest_absent);
    ++dropped_generations_;
    health_.Tell(event);
  }
}

uint64_t DiskTier::BytesBelow(const std::string& path) {
  uint64_t bytes = 0;
  std::error_code error;
  std::filesystem::recursive_directory_iterator it(path, error), end;
  while (!error && it != end) {
    std::error_code gone;  // files come and go
    if (it->is_regular_file(gone)) {
      uint64_t size = it->file_size(gone);
      if (!gone) bytes += size;
    }
    it.increment(error);
  }
  return bytes;
}

DiskTier::Usage DiskTier::usage() const {
  Usage usage;
  usage.bytes = BytesBelow(options_.directory);
  auto list = generations();
  usage.generations = static_cast<int>(list->size());
  for (const auto& g : *list) {
    usage.entries += g->Entries();
    usage.invalid_bytes += g->invalid_bytes();
  }
  usage.dropped_bytes = dropped_bytes_;
  usage.dropped_generations = dropped_generations_;
  usage.dropped_age_seconds = dropped_age_;
  usage.write_errors = write_errors_;
  usage.invalid_refused = invalid_refused_;
  usage.lost_records = lost_records_;
  usage.damaged_generations = damaged_;
  usage.repaired_generations = repaired_;
  usage.lost_generations = lost_;
  usage.old_layouts_dropped = old_layouts_;
  usage.failures = health_.failures();
  usage.recoveries = health_.recoveries();
  return usage;
}

}  // namespace kiln::cache
