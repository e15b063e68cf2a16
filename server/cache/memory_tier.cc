// Implements the memory tier: see memory_tier.h.
#include "server/cache/memory_tier.h"

#include <algorithm>
#include <ctime>
#include <iterator>
#include <utility>

namespace kiln::cache {
namespace {

// Allocators round small sizes up to this.
constexpr size_t kGranule = 16;

// Returns the seconds since the machine started, by a clock that is cheap to read.
uint32_t CoarseSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<uint32_t>(now.tv_sec);
}

// Returns the lesser age of those that are not negative.
double LesserAge(double a, double b) { return a < 0 ? b : b < 0 ? a : std::min(a, b); }

}  // namespace

// A node of std::list has two pointers before its element.
size_t MemoryTier::Cost(const Value& value) {
  constexpr size_t kNode = 2 * sizeof(void*) + sizeof(Entry);
  return value.allocated() + (kNode + kGranule - 1) / kGranule * kGranule;
}

MemoryTier::MemoryTier(size_t limit_bytes, size_t shards) : limit_(limit_bytes) {
  for (size_t i = 0; i < shards; ++i) shards_.push_back(std::make_unique<Shard>());
}

// The table has a byte of its own for each slot.
size_t MemoryTier::Shard::Bytes() const {
  return usage.bytes + index.capacity() * (sizeof(Position) + 1);
}

MemoryTier::Value MemoryTier::Get(const MemoryKey& key, uint64_t* stamp) {
  Shard& shard = ShardOf(key);
  absl::MutexLock lock(&shard.mutex);
  auto it = shard.index.find(key);
  if (it == shard.index.end()) return nullptr;
  shard.order.splice(shard.order.begin(), shard.order, *it);
  (*it)->used = CoarseSeconds();
  if (stamp != nullptr) *stamp = (*it)->stamp;
  return (*it)->value;
}

void MemoryTier::Remove(Shard* shard, Position position) {
  shard->usage.bytes -= Cost(position->value);
  --shard->usage.entries;
  shard->index.erase(position);
  shard->order.erase(position);
}

void MemoryTier::Put(const MemoryKey& key, Value value, uint64_t stamp) {
  const size_t cost = Cost(value);
  const size_t part = limit_ / shards_.size();
  Shard& shard = ShardOf(key);
  absl::MutexLock lock(&shard.mutex);
  if (auto it = shard.index.find(key); it != shard.index.end()) Remove(&shard, *it);
  if (cost > part) return;
  const uint32_t now = CoarseSeconds();
  shard.order.push_front(Entry{key, now, std::move(value), stamp});
  shard.index.insert(shard.order.begin());
  shard.usage.bytes += cost;
  ++shard.usage.entries;
  // After the insertion, because the table may have grown. The new entry is evicted last.
  while (shard.Bytes() > part && !shard.order.empty()) {
    const Position oldest = std::prev(shard.order.end());
    shard.usage.evicted_bytes += Cost(oldest->value);
    ++shard.usage.evicted_entries;
    shard.usage.evicted_age_seconds = now - oldest->used;
    Remove(&shard, oldest);
  }
}

void MemoryTier::Erase(const MemoryKey& key) {
  Shard& shard = ShardOf(key);
  absl::MutexLock lock(&shard.mutex);
  if (auto it = shard.index.find(key); it != shard.index.end()) Remove(&shard, *it);
}

MemoryTier::Usage MemoryTier::usage() const {
  Usage sum;
  for (const auto& shard : shards_) {
    absl::MutexLock lock(&shard->mutex);
    sum.bytes += shard->Bytes();
    sum.entries += shard->usage.entries;
    sum.evicted_bytes += shard->usage.evicted_bytes;
    sum.evicted_entries += shard->usage.evicted_entries;
    sum.evicted_age_seconds = LesserAge(sum.evicted_age_seconds, shard->usage.evicted_age_seconds);
  }
  return sum;
}

}  // namespace kiln::cache
