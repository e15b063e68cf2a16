// A hash table from keys of 32-bit words to numbers, for finding equal instructions and constants.
//
// Keys are copied into one array, so an entry needs no allocation of its own. Entries can be
// removed only in the reverse order of their addition, as when scopes end. Open addressing
// therefore needs no tombstones: no remaining entry was added after a removed one, so no probe
// sequence passes over it. Hashes depend on the words alone. There is no iteration.
//
// Cost: expected O(words of the key) each.
#ifndef KILN_CORE_BASE_KEY_TABLE_H_
#define KILN_CORE_BASE_KEY_TABLE_H_

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace kiln {

class KeyTable {
 public:
  struct Found {
    uint32_t* value;  // valid until the next addition
    bool added;
  };

  // Returns the value of an equal key; if there is none, adds this key with `value`.
  Found FindOrAdd(absl::Span<const uint32_t> key, uint32_t value) {
    if (4 * (entries_.size() + 1) > 3 * slots_.size()) Grow();
    const uint32_t hash = Hash(key);
    size_t at = hash & mask();
    for (; slots_[at] != kEmpty; at = (at + 1) & mask()) {
      Entry& e = entries_[slots_[at]];
      if (e.hash == hash && IsKey(e, key)) return {&e.value, false};
    }
    slots_[at] = static_cast<uint32_t>(entries_.size());
    entries_.push_back(
        {hash, static_cast<uint32_t>(words_.size()), static_cast<uint32_t>(key.size()), value});
    words_.insert(words_.end(), key.begin(), key.end());
    return {&entries_.back().value, true};
  }

  // Returns the value of an equal key, or null.
  const uint32_t* Find(absl::Span<const uint32_t> key) const {
    if (entries_.empty()) return nullptr;
    const uint32_t hash = Hash(key);
    for (size_t at = hash & mask(); slots_[at] != kEmpty; at = (at + 1) & mask()) {
      const Entry& e = entries_[slots_[at]];
      if (e.hash == hash && IsKey(e, key)) return &e.value;
    }
    return nullptr;
  }

  size_t size() const { return entries_.size(); }

  // Removes all but the first `size` keys that were added.
  void Shrink(size_t size) {
    assert(size <= entries_.size());
    while (entries_.size() > size) {
      const uint32_t last = static_cast<uint32_t>(entries_.size()) - 1;
      size_t at = entries_[last].hash & mask();
      while (slots_[at] != last) at = (at + 1) & mask();
      slots_[at] = kEmpty;
      words_.resize(entries_[last].first);
      entries_.pop_back();
    }
  }

 private:
  static constexpr uint32_t kEmpty = ~uint32_t{0};
  static constexpr size_t kFirstSlots = 64;
  static constexpr size_t kWordsAKey = 4;  // reserved per entry; longer keys make the array grow

  struct Entry {
    uint32_t hash;
    uint32_t first;  // in words_
    uint32_t length;
    uint32_t value;
  };

  size_t mask() const { return slots_.size() - 1; }

  static uint32_t Hash(absl::Span<const uint32_t> key) {
    uint64_t h = key.size();
    const auto mix = [&](uint64_t x) {
      h = (h ^ x) * 0x9e3779b97f4a7c15u;
      h ^= h >> 32;
    };
    size_t i = 0;
    for (; i + 1 < key.size(); i += 2) mix(uint64_t{key[i + 1]} << 32 | key[i]);
    if (i < key.size()) mix(key[i]);
    return static_cast<uint32_t>(h);
  }

  bool IsKey(const Entry& e, absl::Span<const uint32_t> key) const {
    return e.length == key.size() && std::equal(key.begin(), key.end(), words_.begin() + e.first);
  }

  // Reinserts all entries in the order of their addition.
  void Grow() {
    slots_.assign(std::max(kFirstSlots, 2 * slots_.size()), kEmpty);
    entries_.reserve(slots_.size());
    words_.reserve(kWordsAKey * slots_.size());
    for (uint32_t k = 0; k < entries_.size(); ++k) {
      size_t at = entries_[k].hash & mask();
      while (slots_[at] != kEmpty) at = (at + 1) & mask();
      slots_[at] = k;
    }
  }

  std::vector<uint32_t> words_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> slots_;  // indices of entries; a power of two
};

}  // namespace kiln

#endif  // KILN_CORE_BASE_KEY_TABLE_H_
