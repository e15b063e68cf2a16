// The memory tier: a sharded LRU map from digests to immutable bytes, bounded in bytes.
//
// Values are shared, so that a reply can be on its way while its entry is evicted. Each shard has
// its own lock and an equal part of the bound; a value larger than a shard's part is not kept. An
// entry is charged its bytes plus a constant for its bookkeeping. O(1) each.
#ifndef KILN_SERVER_CACHE_MEMORY_TIER_H_
#define KILN_SERVER_CACHE_MEMORY_TIER_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "server/key/sha256.h"

namespace kiln::cache {

// What is stored under a digest: `part` tells different things with the same digest apart.
struct MemoryKey {
  Digest digest{};
  uint8_t part = 0;
  bool operator==(const MemoryKey& o) const { return part == o.part && digest == o.digest; }
};

class MemoryTier {
 public:
  using Value = std::shared_ptr<const std::string>;
  // Added to each value's size.
  static constexpr size_t kOverhead = 160;

  // `limit_bytes` 0: keeps nothing.
  explicit MemoryTier(size_t limit_bytes, size_t shards = 16);

  // Null: not there. `stamp`, where not null, gets the entry's.
  Value Get(const MemoryKey& key, uint64_t* stamp = nullptr);
  // `stamp` is the caller's own.
  void Put(const MemoryKey& key, Value value, uint64_t stamp = 0);
  void Erase(const MemoryKey& key);

  struct Usage {
    size_t bytes = 0;
    size_t entries = 0;
    uint64_t evicted_bytes = 0;
    uint64_t evicted_entries = 0;
  };
  Usage usage() const;
  size_t limit_bytes() const { return limit_; }

 private:
  struct Entry {
    MemoryKey key;
    Value value;
    uint64_t stamp = 0;
  };
  struct KeyHash {
    size_t operator()(const MemoryKey& k) const { return DigestHash()(k.digest) ^ k.part; }
  };
  struct Shard {
    mutable absl::Mutex mutex;
    std::list<Entry> order ABSL_GUARDED_BY(mutex);  // most recently used first
    absl::flat_hash_map<MemoryKey, std::list<Entry>::iterator, KeyHash> index
        ABSL_GUARDED_BY(mutex);
    Usage usage ABSL_GUARDED_BY(mutex);
  };

  Shard& ShardOf(const MemoryKey& key) { return *shards_[key.digest[31] % shards_.size()]; }
  static void Remove(Shard* shard, std::list<Entry>::iterator it)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(shard->mutex);

  const size_t limit_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_MEMORY_TIER_H_
