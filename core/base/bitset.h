// A dense bit set whose size is given at run time: the carrier of liveness and other dataflow.
//
// Set operations return whether anything changed, which is what a fixed-point loop asks.
#ifndef KILN_CORE_BASE_BITSET_H_
#define KILN_CORE_BASE_BITSET_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kiln {

class BitSet {
 public:
  BitSet() = default;
  explicit BitSet(size_t bits) : bits_(bits), words_((bits + 63) / 64) {}

  size_t size() const { return bits_; }

  bool test(size_t i) const {
    assert(i < bits_);
    return (words_[i / 64] >> (i % 64)) & 1;
  }
  void set(size_t i) {
    assert(i < bits_);
    words_[i / 64] |= uint64_t{1} << (i % 64);
  }
  void reset(size_t i) {
    assert(i < bits_);
    words_[i / 64] &= ~(uint64_t{1} << (i % 64));
  }
  void clear() { words_.assign(words_.size(), 0); }

  // this |= other; true if a bit was added.
  bool unite(const BitSet& other) {
    assert(other.bits_ == bits_);
    uint64_t added = 0;
    for (size_t w = 0; w < words_.size(); ++w) {
      added |= other.words_[w] & ~words_[w];
      words_[w] |= other.words_[w];
    }
    return added != 0;
  }

  // this &= ~other.
  void subtract(const BitSet& other) {
    assert(other.bits_ == bits_);
    for (size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
  }

  // this &= other.
  void intersect(const BitSet& other) {
    assert(other.bits_ == bits_);
    for (size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
  }

  size_t count() const {
    size_t n = 0;
    for (uint64_t w : words_) n += static_cast<size_t>(__builtin_popcountll(w));
    return n;
  }

  // Calls f(index) for each set bit, ascending.
  template <class F>
  void for_each(F&& f) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      for (uint64_t m = words_[w]; m != 0; m &= m - 1) {
        f(w * 64 + static_cast<size_t>(__builtin_ctzll(m)));
      }
    }
  }

  friend bool operator==(const BitSet& a, const BitSet& b) {
    return a.bits_ == b.bits_ && a.words_ == b.words_;
  }

 private:
  size_t bits_ = 0;
  std::vector<uint64_t> words_;
};

}  // namespace kiln

#endif  // KILN_CORE_BASE_BITSET_H_
