// Keeps results in both tiers: see result_cache.h.
#include "server/cache/result_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "proto/pass_sums.h"
#include "server/cache/result_filter.h"

namespace kiln::cache {
namespace {

using kiln::v1::TargetResult;

// Parts of memory keys beside the sets of outputs. Records have the letter of their kind above the
// bits.
constexpr uint8_t kTranslationPart = 0x20;
uint8_t RecordPart(char kind) { return static_cast<uint8_t>(0x80 | kind); }

// First byte of a disk record's name.
constexpr char kResult = 'r', kAssemblyText = 'a', kTranslation = 'g', kModule = 's';

std::string DiskKey(char kind, const Digest& digest) {
  std::string key(1, kind);
  key.append(AsBytes(digest));
  return key;
}

RecordClass ClassOf(TargetResult::Status status) {
  return status == TargetResult::INVALID ? RecordClass::kInvalid : RecordClass::kRecord;
}

// Returns the outcome of a store: an invalid result need not be stored if their share is used up.
absl::Status UnlessNotNeeded(absl::Status stored, TargetResult::Status status) {
  const bool needed =
      ClassOf(status) != RecordClass::kInvalid || !absl::IsResourceExhausted(stored);
  return needed ? stored : absl::OkStatus();
}

bool IsHit(Lookup found) { return found == Lookup::kMemory || found == Lookup::kDisk; }

}  // namespace

Outputs::Outputs(const kiln::v1::OutputMask& mask)
    : bits_(static_cast<uint8_t>(
          (mask.binary() ? kBinaryBit : 0) | (mask.assembly() ? kAssemblyBit : 0) |
          (mask.launch_record() ? kLaunchBit : 0) | (mask.remarks() ? kRemarksBit : 0))) {
  if (mask.pass_records() && !mask.pass_sums()) bits_ |= kPassesBit;
  if (mask.pass_sums()) bits_ |= kPassSumsBit;
}

bool Outputs::assembly() const { return (bits_ & kAssemblyBit) != 0; }

void Outputs::Filter(TargetResult* result) const {
  for (auto& variant : *result->mutable_variants()) {
    if ((bits_ & kBinaryBit) == 0) variant.clear_code();
    if ((bits_ & kAssemblyBit) == 0) variant.clear_assembly();
    if ((bits_ & kLaunchBit) == 0) variant.clear_launch();
  }
  result->clear_pass_sums();
  if ((bits_ & kPassSumsBit) != 0) SumPasses(result);
  if ((bits_ & kPassesBit) == 0) result->clear_passes();
  if ((bits_ & kRemarksBit) == 0) result->clear_remarks();
}

bool Storable(TargetResult::Status status) {
  return status == TargetResult::OK || status == TargetResult::REFUSED ||
         status == TargetResult::INVALID;
}

// The same fields as a result's: no message of its own for six fields.
bool ReadTranslation(std::string_view stored, StoredTranslation* translation) {
  TargetResult t;
  if (!t.ParseFromArray(stored.data(), static_cast<int>(stored.size()))) return false;
  translation->module = {};
  if (t.status() == TargetResult::OK) {
    if (t.spirv_sha256().size() != translation->module.size()) return false;
    std::copy(t.spirv_sha256().begin(), t.spirv_sha256().end(), translation->module.begin());
  }
  translation->status = t.status();
  translation->cause = t.cause();
  translation->message = t.message();
  translation->reason = t.reason();
  translation->nanoseconds = t.timings().translate_ns();
  return true;
}

std::string WriteTranslation(const StoredTranslation& translation) {
  TargetResult t;
  t.set_status(translation.status);
  t.set_cause(translation.cause);
  t.set_message(translation.message);
  if (translation.reason.ByteSizeLong() != 0) *t.mutable_reason() = translation.reason;
  t.mutable_timings()->set_translate_ns(translation.nanoseconds);
  if (translation.status == TargetResult::OK) {
    t.set_spirv_sha256(std::string(AsBytes(translation.module)));
  }
  return t.SerializeAsString();
}

Ready ResultCache::Prepare(const Outputs& outputs, TargetResult result) {
  outputs.Filter(&result);
  result.clear_cache();
  result.mutable_timings()->clear_queue_ns();
  result.mutable_timings()->clear_service_ns();
  Ready ready;
  ready.status = result.status();
  const ResultTag tag = TagOf(result);
  ready.bytes = MemoryTier::Value::Make(
      result.ByteSizeLong(),
      [&](char* to) { result.SerializeWithCachedSizesToArray(reinterpret_cast<uint8_t*>(to)); },
      tag);
  return ready;
}

MemoryTier::Value ResultCache::Recall(const MemoryKey& key, uint64_t* stamp, MemoryTier** part) {
  for (MemoryTier* one : {&memory_, &invalid_memory_}) {
    MemoryTier::Value value = one->Get(key, stamp);
    if (value == nullptr) continue;
    if (part != nullptr) *part = one;
    return value;
  }
  return nullptr;
}

// Removes the key from the other map: a record whose status changed (an altered one) is not in
// both.
void ResultCache::Keep(const MemoryKey& key, MemoryTier::Value value, TargetResult::Status status,
                       uint64_t stamp) {
  const bool invalid = status == TargetResult::INVALID;
  (invalid ? memory_ : invalid_memory_).Erase(key);
  (invalid ? invalid_memory_ : memory_).Put(key, std::move(value), stamp);
}

void ResultCache::Drop(const MemoryKey& key) {
  memory_.Erase(key);
  invalid_memory_.Erase(key);
}

MemoryTier::Usage ResultCache::memory_usage() const {
  MemoryTier::Usage sum = memory_.usage();
  const MemoryTier::Usage invalid = invalid_memory_.usage();
  sum.bytes += invalid.bytes;
  sum.entries += invalid.entries;
  sum.evicted_bytes += invalid.evicted_bytes;
  sum.evicted_entries += invalid.evicted_entries;
  return sum;
}

Lookup ResultCache::FromMemory(const MemoryKey& key, std::string_view kinds, bool may_block,
                               MemoryTier::Value* value) {
  const uint64_t forgotten = forgotten_;
  uint64_t stamp = 0;
  MemoryTier* part = nullptr;
  *value = Recall(key, &stamp, &part);
  if (const uint64_t turn = Turn(); *value != nullptr && stamp + kRenewal <= turn) {
    if (!may_block) {
      value->reset();
      return Lookup::kWouldBlock;
    }
    std::string unused;
    for (char kind : kinds) disk_->Get(DiskKey(kind, key.digest), true, &unused);
    part->Put(key, *value, turn);
    if (forgotten_ != forgotten) {
      for (char kind : kinds) EraseRecord(kind, key.digest);
      part->Erase(key);
      value->reset();
    }
  }
  ++(*value != nullptr ? counters_.memory_hits : counters_.memory_misses);
  return *value != nullptr ? Lookup::kMemory : Lookup::kMiss;
}

Lookup ResultCache::FromDisk(char kind, const Digest& digest, bool may_block, std::string* value) {
  if (disk_ == nullptr) return Lookup::kMiss;
  const uint64_t forgotten = forgotten_;
  switch (disk_->Get(DiskKey(kind, digest), may_block, value)) {
    case DiskTier::Found::kHit:
      if (forgotten_ != forgotten) {  // perhaps moved after it was erased
        if (!may_block) return Lookup::kWouldBlock;
        EraseRecord(kind, digest);
        break;
      }
      ++counters_.disk_hits;
      return Lookup::kDisk;
    case DiskTier::Found::kWouldBlock: return Lookup::kWouldBlock;
    case DiskTier::Found::kCorrupt: ++counters_.disk_corrupt; return Lookup::kMiss;
    case DiskTier::Found::kError: ++counters_.disk_errors; return Lookup::kMiss;
    case DiskTier::Found::kMiss: break;
  }
  ++counters_.disk_misses;
  return Lookup::kMiss;
}

Lookup ResultCache::FindRecord(char kind, const Digest& digest, bool may_block,
                               std::string* value) {
  if (MemoryTier::Value in_memory = Recall({digest, RecordPart(kind)})) {
    *value = *in_memory;
    ++counters_.memory_hits;
    return Lookup::kMemory;
  }
  return FromDisk(kind, digest, may_block, value);
}

absl::Status ResultCache::StoreRecord(char kind, const Digest& digest, std::string value,
                                      TargetResult::Status status) {
  absl::Status s;
  if (disk_ != nullptr) s = disk_->Put(DiskKey(kind, digest), value, ClassOf(status));
  if (disk_ == nullptr || !s.ok()) {
    Keep({digest, RecordPart(kind)}, MemoryTier::Value(value), status);
  } else {
    Drop({digest, RecordPart(kind)});
  }
  return UnlessNotNeeded(std::move(s), status);
}

Lookup ResultCache::Find(const Digest& key, const Outputs& outputs, bool may_block, Ready* ready) {
  static constexpr char kKinds[] = {kResult, kAssemblyText};
  Lookup found = FromMemory({key, outputs.bits()}, {kKinds, outputs.assembly() ? 2u : 1u},
                            may_block, &ready->bytes);
  if (found == Lookup::kWouldBlock) return found;
  if (found == Lookup::kMemory) {
    ready->status = static_cast<TargetResult::Status>(ready->bytes.tag().status);
    return found;
  }
  std::string stored;
  const uint64_t forgotten = forgotten_;
  found = FindRecord(kResult, key, may_block, &stored);
  if (!IsHit(found)) return found;
  const auto remember = [&] {
    Remember(key, outputs, *ready);
    if (forgotten_ != forgotten) Drop({key, outputs.bits()});
  };
  if (!outputs.assembly()) {
    std::string bytes;
    ResultTag tag;
    if (!FilterResult(stored, outputs.bits(), &bytes, &tag)) return Lookup::kMiss;
    ready->status = static_cast<TargetResult::Status>(tag.status);
    ready->bytes = MemoryTier::Value::Make(
        bytes.size(), [&](char* to) { memcpy(to, bytes.data(), bytes.size()); }, tag);
    remember();
    return found;
  }
  TargetResult result;
  if (!result.ParseFromString(stored)) return Lookup::kMiss;
  if (result.status() == TargetResult::OK) {
    found = FindRecord(kAssemblyText, key, may_block, &stored);
    if (!IsHit(found)) return found;
    TargetResult assembly;
    if (!assembly.ParseFromString(stored)) return Lookup::kMiss;
    int n = std::min(result.variants_size(), assembly.variants_size());
    for (int i = 0; i < n; ++i) {
      result.mutable_variants(i)->set_assembly(
          std::move(*assembly.mutable_variants(i)->mutable_assembly()));
    }
  }
  *ready = Prepare(outputs, std::move(result));
  remember();
  return found;
}

absl::Status ResultCache::Store(const Digest& key, const TargetResult& result) {
  if (!Storable(result.status())) return absl::OkStatus();
  TargetResult main = result;
  TargetResult assembly;
  bool has_assembly = false;
  absl::Status s;
  for (auto& variant : *main.mutable_variants()) {
    has_assembly = has_assembly || !variant.assembly().empty();
    assembly.add_variants()->set_assembly(std::move(*variant.mutable_assembly()));
    variant.clear_assembly();
  }
  if (has_assembly) {
    s = StoreRecord(kAssemblyText, key, assembly.SerializeAsString(), result.status());
  }
  s.Update(StoreRecord(kResult, key, main.SerializeAsString(), result.status()));
  return s;
}

void ResultCache::Remember(const Digest& key, const Outputs& outputs, const Ready& ready) {
  if (Storable(ready.status)) Keep({key, outputs.bits()}, ready.bytes, ready.status, Turn());
}

Lookup ResultCache::FindTranslation(const Digest& key, bool may_block,
                                    StoredTranslation* translation) {
  const uint64_t forgotten = forgotten_;
  MemoryTier::Value in_memory;
  std::string stored;
  Lookup found = FromMemory({key, kTranslationPart}, {&kTranslation, 1}, may_block, &in_memory);
  if (found == Lookup::kMiss) found = FromDisk(kTranslation, key, may_block, &stored);
  if (found == Lookup::kMiss || found == Lookup::kWouldBlock) return found;
  if (!ReadTranslation(in_memory != nullptr ? *in_memory : std::string_view(stored), translation)) {
    return Lookup::kMiss;
  }
  if (in_memory == nullptr) {
    Keep({key, kTranslationPart}, MemoryTier::Value(stored), translation->status, Turn());
    if (forgotten_ != forgotten) Drop({key, kTranslationPart});
  }
  return found;
}

absl::Status ResultCache::StoreTranslation(const Digest& key, const StoredTranslation& translation,
                                           const std::string& spirv) {
  if (!Storable(translation.status)) return absl::OkStatus();
  absl::Status s;
  if (translation.status == TargetResult::OK) {
    s = StoreRecord(kModule, translation.module, spirv, translation.status);
  }
  std::string bytes = WriteTranslation(translation);
  if (disk_ != nullptr) {
    s.Update(
        UnlessNotNeeded(disk_->Put(DiskKey(kTranslation, key), bytes, ClassOf(translation.status)),
                        translation.status));
  }
  Keep({key, kTranslationPart}, MemoryTier::Value(bytes), translation.status, Turn());
  return s;
}

bool ResultCache::FindModule(const Digest& module, std::string* spirv) {
  return IsHit(FindRecord(kModule, module, true, spirv)) && Sha256(*spirv) == module;
}

// A generation that takes no writes keeps its record: then a younger one gets a record that no
// reader accepts.
bool ResultCache::EraseRecord(char kind, const Digest& digest) {
  if (disk_ == nullptr) return true;
  constexpr char kNoMessage[] = "\xff";
  const std::string key = DiskKey(kind, digest);
  std::string left;
  const bool whole = disk_->Forget(key);
  switch (disk_->Get(key, true, &left)) {
    case DiskTier::Found::kHit:
      return whole && (left == kNoMessage || disk_->Put(key, kNoMessage).ok());
    case DiskTier::Found::kError:
    case DiskTier::Found::kWouldBlock: return false;
    case DiskTier::Found::kMiss:
    case DiskTier::Found::kCorrupt: return whole;
  }
  return false;
}

// Erases twice: the second round erases what a look-up put before the count went up; a look-up
// erases itself what it puts later.
bool ResultCache::Forget(const Digest& key) {
  const auto erase = [&] {
    bool gone = true;
    for (char kind : {kResult, kAssemblyText}) {
      gone = EraseRecord(kind, key) && gone;
      Drop({key, RecordPart(kind)});
    }
    for (uint8_t part = 0; part < kTranslationPart; ++part) Drop({key, part});
    return gone;
  };
  erase();
  ++forgotten_;
  return erase();
}

bool ResultCache::ForgetTranslation(const Digest& key) {
  const auto erase = [&] {
    Drop({key, kTranslationPart});
    return EraseRecord(kTranslation, key);
  };
  erase();
  ++forgotten_;
  return erase();
}

void ResultCache::ForgetModule(const Digest& module) {
  Drop({module, RecordPart(kModule)});
  if (disk_ != nullptr) disk_->Erase(DiskKey(kModule, module));
}

}  // namespace kiln::cache
