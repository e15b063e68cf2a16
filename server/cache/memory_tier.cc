// The memory tier: see memory_tier.h.
#include "server/cache/memory_tier.h"

#include <utility>

namespace kiln::cache {

MemoryTier::MemoryTier(size_t limit_bytes, size_t shards) : limit_(limit_bytes) {
  for (size_t i = 0; i < shards; ++i) shards_.push_back(std::make_unique<Shard>());
}

MemoryTier::Value MemoryTier::Get(const MemoryKey& key, uint64_t* stamp) {
  Shard& shard = ShardOf(key);
  absl::MutexLock lock(&shard.mutex);
  auto it = shard.index.find(key);
  if (it == shard.index.end()) return nullptr;
  shard.order.splice(shard.order.begin(), shard.order, it->second);
  if (stamp != nullptr) *stamp = it->second->stamp;
  return it->second->value;
}

void MemoryTier::Remove(Shard* shard, std::list<Entry>::iterator it) {
  shard->usage.bytes -= it->value->size() + kOverhead;
  --shard->usage.entries;
  shard->index.erase(it->key);
  shard->order.erase(it);
}

void MemoryTier::Put(const MemoryKey& key, Value value, uint64_t stamp) {
  size_t cost = value->size() + kOverhead;
  size_t part = limit_ / shards_.size();
  Shard& shard = ShardOf(key);
  absl::MutexLock lock(&shard.mutex);
  if (auto it = shard.index.find(key); it != shard.index.end()) Remove(&shard, it->second);
  if (cost > part) return;
  while (shard.usage.bytes + cost > part) {
    auto oldest = std::prev(shard.order.end());
    shard.usage.evicted_bytes += oldest->value->size() + kOverhead;
    ++shard.usage.evicted_entries;
    Remove(&shard, oldest);
  }
  shard.order.push_front(Entry{key, std::move(value), stamp});
  shard.index[key] = shard.order.begin();
  shard.usage.bytes += cost;
  ++shard.usage.entries;
}

void MemoryTier::Erase(const MemoryKey& key) {
  Shard& shard = ShardOf(key);
  absl::MutexLock lock(&shard.mutex);
  if (auto it = shard.index.find(key); it != shard.index.end()) Remove(&shard, it->second);
}

MemoryTier::Usage MemoryTier::usage() const {
  Usage sum;
  for (const auto& shard : shards_) {
    absl::MutexLock lock(&shard->mutex);
    sum.bytes += shard->usage.bytes;
    sum.entries += shard->usage.entries;
    sum.evicted_bytes += shard->usage.evicted_bytes;
    sum.evicted_entries += shard->usage.evicted_entries;
  }
  return sum;
}

}  // namespace kiln::cache
