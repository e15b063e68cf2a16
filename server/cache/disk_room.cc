// The part of the disk tier that makes room: see disk_tier.h.
//
// Drops the oldest table of the oldest generation until the rest is within the bound. A table is a
// write buffer, at most a 64th of the bound, so that nearly all of the bound is kept; but after a
// restart with a smaller bound it is a 64th of the old one. If that is more than a sixteenth of the
// new bound, the newest records that fit are written to a new generation, in order of arrival, and
// the old ones dropped. That is half a GiB at most: tables have 32 MiB at most.
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/cache/disk_tier.h"
#include "server/cache/names.h"

namespace kiln::cache {
namespace {

constexpr uint64_t kRewrite = UINT64_MAX;

// Room for growth between two checks: a log that becomes a table is there twice for a moment.
uint64_t Headroom(uint64_t limit, uint64_t write_buffer) {
  return std::min(2 * write_buffer, limit / 4);
}

}  // namespace

// Files under removal, or of other programs, do not count: one generation after another would be
// dropped for them.
uint64_t DiskTier::BoundedBytes() const {
  uint64_t bytes = 0;
  std::error_code error;
  std::filesystem::directory_iterator it(options_.directory, error), end;
  while (!error && it != end) {
    if (GenerationNumber(it->path().filename().string()) != 0) bytes += BytesBelow(it->path());
    it.increment(error);
  }
  return bytes;
}

uint64_t DiskTier::BytesOf(uint64_t number) const {
  return BytesBelow(GenerationPath(*directory(), number));
}

// Subtracts what it drops instead of measuring again: files vanish when their last reader has
// ended.
void DiskTier::MakeRoom(bool may_rewrite) {
  const uint64_t limit = options_.limit_bytes;
  const uint64_t kept = limit - Headroom(limit, generation_options().write_buffer_bytes);
  for (uint64_t bytes = BoundedBytes(); bytes > kept;) {
    const uint64_t less = DropSome(bytes - kept);
    if (less == kRewrite) return may_rewrite ? Rewrite(bytes - kept) : maintenance_.Wake();
    if (less == 0) return;
    bytes -= std::min(bytes, less);
  }
}

// Returns how many bytes were dropped; 0: none can be; kRewrite: none were, see WorthRewriting.
uint64_t DiskTier::DropSome(uint64_t over) {
  const auto list = generations();
  if (list->empty()) return 0;
  const std::shared_ptr<Generation> oldest = list->back();
  if (!absent_.empty() && absent_.rbegin()->first < oldest->number()) {
    const uint64_t bytes = BytesOf(absent_.rbegin()->first);
    DropOldest(DiskCause::kNone);
    return std::max<uint64_t>(bytes, 1);
  }
  if (list->size() == 1 && !BeginInPlaceOf(oldest)) return 0;
  if (WorthRewriting(*oldest, over)) return kRewrite;
  return std::max<uint64_t>(DropOldRecords(oldest), 1);
}

bool DiskTier::BeginInPlaceOf(const std::shared_ptr<Generation>& youngest) {
  rocksdb::Status begun = BeginGeneration();
  if (begun.ok()) {
    youngest->Seal();
  } else {
    health_.Fail(CauseOf(begun), begun.ToString());
  }
  return begun.ok();
}

// Returns how many bytes were dropped.
uint64_t DiskTier::DropOldRecords(const std::shared_ptr<Generation>& oldest) {
  Generation::Table table;
  const bool writable = !oldest->read_only() && !oldest->broken();
  const bool has_table = writable && oldest->OldestTable(&table);
  // The wall clock may have been set back.
  const auto written = static_cast<int64_t>(table.written), now = int64_t{time(nullptr)};
  if (written > 0) dropped_age_ = static_cast<double>(std::max<int64_t>(now - written, 0));
  if (has_table && !table.only && oldest->DropTable(table).ok()) {
    dropped_bytes_ += table.bytes;
    return table.bytes;
  }
  const uint64_t all = BytesOf(oldest->number());
  Drop(oldest, DiskCause::kNone);
  return all;
}

// Returns true if dropping the oldest table would cost too many records that still fit. Tables of
// the present bound have at most four write buffers (after a restart), except for a few large
// records, which are not worth it.
bool DiskTier::WorthRewriting(Generation& oldest, uint64_t over) {
  constexpr uint64_t kFewRecords = 32;
  Generation::Table table;
  return absent_.empty() && !oldest.read_only() && !oldest.broken() && oldest.OldestTable(&table) &&
         table.records >= kFewRecords &&
         table.bytes > 4 * generation_options().write_buffer_bytes && table.bytes > over &&
         table.bytes - over > options_.limit_bytes / 16;
}

// Rewrites all generations without the oldest `over` bytes.
void DiskTier::Rewrite(uint64_t over) {
  Generations list = *generations();
  if (!BeginInPlaceOf(list.front())) return;
  for (; !list.empty(); list.pop_back()) {
    const std::shared_ptr<Generation>& oldest = list.back();
    const uint64_t bytes = oldest->Bytes();
    const uint64_t dropped = std::min(over, bytes);
    over -= dropped;
    if (!oldest->IsWhole()) {
      // Unreadable blocks would end the rewrite, so a repair comes first, at once.
      DiskEvent event;
      event.kind = DiskEvent::Kind::kDamaged;
      event.generation = oldest->number();
      event.detail = "a table cannot be read completely";
      std::shared_ptr<Generation> damaged = oldest;
      list.clear();
      Close(std::move(damaged), /*damaged=*/true);
      health_.Tell(event);
      return maintenance_.Wake();
    }
    uint64_t moved = 0;
    // If the disk is full: tried again when it takes records.
    if (!MoveNewest(oldest, bytes - dropped, &moved)) return;
    Drop(oldest, DiskCause::kNone, moved);
  }
}

// Moves the newest `bytes` of records. Drops tables whose records have all been moved or skipped,
// for the space; returns in `moved` how many of the moved ones `from` still has. Returns false if
// not all could be written.
bool DiskTier::MoveNewest(const std::shared_ptr<Generation>& from, uint64_t bytes,
                          uint64_t* moved) {
  Generation::Table table;
  if (!from->OldestTable(&table)) return false;
  for (const Generation::Numbered& record : from->NewestRecords(bytes)) {
    while (record.number > table.last && !table.only && from->DropTable(table).ok() &&
           from->OldestTable(&table)) {
      *moved = 0;  // the rest is to be dropped, and was not moved yet
    }
    const std::shared_ptr<Generation> youngest = generations()->front();
    if (youngest->Bytes() >= options_.limit_bytes / (kGenerations + 1) &&
        !BeginInPlaceOf(youngest)) {
      return false;
    }
    if (!MoveOne(*from, record.key)) return false;
    ++*moved;
  }
  return true;
}

// Moves a record to the youngest generation, unless a younger one has it or it was erased. Returns
// false if it cannot be written.
bool DiskTier::MoveOne(const Generation& from, const std::string& key) {
  absl::MutexLock move(&move_mutex_);
  const auto list = generations();
  StoredRecord stored;
  for (const auto& generation : *list) {
    if (generation.get() == &from) break;
    if (!generation->Get(key, /*may_block=*/true, &stored).IsNotFound()) return true;
    stored = StoredRecord();
  }
  if (!from.Get(key, /*may_block=*/true, &stored).ok()) return true;
  return list->front()->Put(key, stored.record, stored.record_class).ok();
}

// Saves the records of a generation that are in no table, if its files are gone or going. Returns
// their keys.
std::vector<std::string> DiskTier::Rescue(const Generation& generation) {
  std::vector<std::string> keys;
  for (std::string& key : generation.KeysInMemory()) {
    StoredRecord stored;
    if (!generation.Get(key, /*may_block=*/false, &stored).ok()) continue;
    rescued_.push_back({key, std::string(stored.record), stored.record_class});
    keys.push_back(std::move(key));
  }
  return keys;
}

void DiskTier::PutRescued() {
  if (rescued_.empty()) return;
  const auto list = generations();
  if (list->empty() || list->front()->sealed() || list->front()->broken()) return;
  for (const Rescued& rescued : rescued_) {
    absl::MutexLock move(&move_mutex_);
    {
      absl::MutexLock lock(&mutex_);
      if (forgotten_.size() > kMaxForgotten || forgotten_.contains(rescued.key)) continue;
    }
    if (!list->front()->Put(rescued.key, rescued.record, rescued.record_class).ok()) return;
  }
  rescued_.clear();
}

}  // namespace kiln::cache
