// The memory tier: a sharded LRU map from digests to immutable bytes, bounded in bytes of memory.
//
// Values are shared, so that an entry can be evicted while a reply still uses its value. Each shard
// has its own lock and an equal part of the bound; a value larger than a shard's part is not kept.
// The bound counts resident memory: an entry is charged what the allocator set aside for its bytes
// and for its node, a shard its hash table at its present size. So the process grows by no more
// than the bound and the allocator's own needs (memory_bound_test measures that). O(1) each.
#ifndef KILN_SERVER_CACHE_MEMORY_TIER_H_
#define KILN_SERVER_CACHE_MEMORY_TIER_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "server/cache/shared_bytes.h"
#include "server/key/sha256.h"

namespace kiln::cache {

// A key: `part` tells different values under the same digest apart.
struct MemoryKey {
  Digest digest{};
  uint8_t part = 0;
  bool operator==(const MemoryKey& o) const { return part == o.part && digest == o.digest; }
};

class MemoryTier {
 public:
  using Value = SharedBytes;

  // `limit_bytes` 0: keeps nothing.
  explicit MemoryTier(size_t limit_bytes, size_t shards = 16);

  // Returns null if the key is not there. `stamp`, if not null, gets the entry's.
  Value Get(const MemoryKey& key, uint64_t* stamp = nullptr);
  // `stamp`: opaque, for the caller.
  void Put(const MemoryKey& key, Value value, uint64_t stamp = 0);
  void Erase(const MemoryKey& key);

  // Returns what an entry with this value is charged, without its slot in the hash table.
  static size_t Cost(const Value& value);

  struct Usage {
    size_t bytes = 0;  // with the hash tables, which do not shrink
    size_t entries = 0;
    uint64_t evicted_bytes = 0;
    uint64_t evicted_entries = 0;
    // Seconds for which the entry that was evicted last had not been used; of several shards, the
    // least. Negative: none was evicted yet.
    double evicted_age_seconds = -1;
  };
  Usage usage() const;
  size_t limit_bytes() const { return limit_; }

 private:
  struct Entry {
    MemoryKey key;
    uint32_t used = 0;  // CoarseSeconds of its last use
    Value value;
    uint64_t stamp = 0;
  };
  using Position = std::list<Entry>::iterator;
  // The table has iterators only, and finds keys through them.
  struct KeyHash {
    using is_transparent = void;
    size_t operator()(const MemoryKey& k) const { return DigestHash()(k.digest) ^ k.part; }
    size_t operator()(Position p) const { return (*this)(p->key); }
  };
  struct KeyEqual {
    using is_transparent = void;
    static const MemoryKey& KeyOf(const MemoryKey& k) { return k; }
    static const MemoryKey& KeyOf(const Position& p) { return p->key; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return KeyOf(a) == KeyOf(b);
    }
  };
  struct Shard {
    mutable absl::Mutex mutex;
    std::list<Entry> order ABSL_GUARDED_BY(mutex);  // most recently used first
    absl::flat_hash_set<Position, KeyHash, KeyEqual> index ABSL_GUARDED_BY(mutex);
    Usage usage ABSL_GUARDED_BY(mutex);  // `bytes` without the hash table
    size_t Bytes() const ABSL_SHARED_LOCKS_REQUIRED(mutex);
  };

  Shard& ShardOf(const MemoryKey& key) { return *shards_[key.digest[31] % shards_.size()]; }
  static void Remove(Shard* shard, Position position) ABSL_EXCLUSIVE_LOCKS_REQUIRED(shard->mutex);

  const size_t limit_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace kiln::cache

#endif  // KILN_SERVER_CACHE_MEMORY_TIER_H_
