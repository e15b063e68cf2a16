// Caches of code that selection has made, for as long as it is valid. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_CACHES_H_
#define KILN_CORE_INTEL_SELECT_CACHES_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kiln::intel {

// The position at which code is made: the block, and the open regions of MIR, each inside the one
// before.
class Scopes {
 public:
  void EnterBlock() { ++block_; }
  void EnterRegion() { open_.push_back(++regions_); }
  void LeaveRegion() { open_.pop_back(); }
  uint32_t block() const { return block_; }
  size_t depth() const { return open_.size(); }
  // Notes that an exit was selected: lanes may be gone from here on, also outside of all control
  // flow.
  void Exit() {
    EnterBlock();
    exited_ = true;
  }
  // Returns true if a thread may come here with no lane on. Fused with another, it may run a side
  // of a branch that none of its lanes took, or code after an exit.
  bool MayBeEmpty() const { return open_.size() > 1 || exited_; }
  uint32_t region() const { return open_.empty() ? 0 : open_.back(); }
  // Returns true if the region that was at this depth is still open.
  bool IsOpen(size_t depth, uint32_t region) const {
    return depth == 0 || (depth <= open_.size() && open_[depth - 1] == region);
  }

 private:
  uint32_t block_ = 0, regions_ = 0;
  bool exited_ = false;
  std::vector<uint32_t> open_;
};

// A value that is valid in one block and made again in every other: other lanes are active there,
// and flags are not live across blocks. An exit changes the lanes within a block, so it calls
// Scopes::Exit, which begins the block anew.
template <class T>
class BlockCache {
 public:
  explicit BlockCache(const Scopes& scopes) : scopes_(scopes) {}
  T& operator*() {
    if (std::exchange(block_, scopes_.block()) != scopes_.block()) value_ = T();
    return value_;
  }
  T* operator->() { return &**this; }

 private:
  const Scopes& scopes_;
  uint32_t block_ = 0;
  T value_{};
};

// Values made in a region, valid in it and in the regions inside: those that dominate the present
// position. Those of the innermost region are last, and are dropped when it is left.
template <class T>
class ScopeCache {
 public:
  explicit ScopeCache(const Scopes& scopes) : scopes_(scopes) {}
  // Returns a matching value that is valid here, or null.
  template <class F>
  const T* Find(F&& matches) {
    Trim();
    for (const Entry& e : entries_) {
      if (matches(e.value)) return &e.value;
    }
    return nullptr;
  }
  const T& Add(T value) {
    Trim();
    entries_.push_back({scopes_.depth(), scopes_.region(), std::move(value)});
    return entries_.back().value;
  }

 private:
  struct Entry {
    size_t depth;
    uint32_t region;
    T value;
  };
  void Trim() {
    while (!entries_.empty() && !scopes_.IsOpen(entries_.back().depth, entries_.back().region)) {
      entries_.pop_back();
    }
  }

  const Scopes& scopes_;
  std::vector<Entry> entries_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_CACHES_H_
