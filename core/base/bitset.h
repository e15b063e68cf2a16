// A dense bit set whose size is given at run time, used for liveness and other dataflow analyses.
//
// Set operations return true if anything changed, so that fixed-point loops know when to stop. A
// BitMatrix holds many sets of one size (for example one for each block) in a single allocation.
#ifndef KILN_CORE_BASE_BITSET_H_
#define KILN_CORE_BASE_BITSET_H_

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kiln {

// Calls f(index) for each bit that is set, ascending.
template <class F>
void ForEachBit(const uint64_t* words, size_t count, F&& f) {
  for (size_t w = 0; w < count; ++w) {
    for (uint64_t m = words[w]; m != 0; m &= m - 1) {
      f(w * 64 + static_cast<size_t>(__builtin_ctzll(m)));
    }
  }
}

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
    ForEachBit(words_.data(), words_.size(), f);
  }

  friend bool operator==(const BitSet& a, const BitSet& b) {
    return a.bits_ == b.bits_ && a.words_ == b.words_;
  }

 private:
  size_t bits_ = 0;
  std::vector<uint64_t> words_;
};

class BitMatrix {
 public:
  // Read-only view of one of the sets; valid until the matrix is assigned to.
  class Row {
   public:
    bool test(size_t i) const {
      assert(i < bits_);
      return (words_[i / 64] >> (i % 64)) & 1;
    }
    template <class F>
    void for_each(F&& f) const {
      ForEachBit(words_, (bits_ + 63) / 64, f);
    }
    // Calls f(index) for each bit that is set here and not in another row of the same size,
    // ascending.
    template <class F>
    void for_each_not_in(const Row& other, F&& f) const {
      assert(other.bits_ == bits_);
      for (size_t w = 0; w < num_words(); ++w) {
        const uint64_t rest = words_[w] & ~other.words_[w];
        ForEachBit(&rest, 1, [&](size_t i) { f(w * 64 + i); });
      }
    }
    // Returns true if all bits of the other row are set here.
    bool includes(const Row& other) const {
      assert(other.bits_ == bits_);
      uint64_t missing = 0;
      for (size_t w = 0; w < num_words(); ++w) missing |= other.words_[w] & ~words_[w];
      return missing == 0;
    }
    // Bits 64 w to 64 w + 63.
    size_t num_words() const { return (bits_ + 63) / 64; }
    uint64_t word(size_t w) const { return words_[w]; }

   private:
    friend class BitMatrix;
    Row(const uint64_t* words, size_t bits) : words_(words), bits_(bits) {}
    const uint64_t* words_;
    size_t bits_;
  };

  BitMatrix() = default;
  BitMatrix(size_t rows, size_t bits)
      : bits_(bits), row_words_((bits + 63) / 64), words_(rows * row_words_) {}

  Row operator[](size_t row) const { return Row(words_.data() + row * row_words_, bits_); }
  bool test(size_t row, size_t i) const { return (*this)[row].test(i); }
  void set(size_t row, size_t i) {
    assert(i < bits_);
    words_[row * row_words_ + i / 64] |= uint64_t{1} << (i % 64);
  }
  // Assigns another row of this matrix to the row.
  void copy(size_t row, size_t from) {
    std::copy_n(words_.data() + from * row_words_, row_words_, words_.data() + row * row_words_);
  }
  // row |= a row of this or another matrix.
  void unite(size_t row, const Row& other) {
    assert(other.bits_ == bits_);
    for (size_t w = 0; w < row_words_; ++w) words_[row * row_words_ + w] |= other.words_[w];
  }

 private:
  size_t bits_ = 0, row_words_ = 0;
  std::vector<uint64_t> words_;
};

}  // namespace kiln

#endif  // KILN_CORE_BASE_BITSET_H_
