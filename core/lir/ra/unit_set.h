// A set of the units of one register pool, at most 1,024, with the queries that a search for
// contiguous free ranges needs. All operations work word by word.
#ifndef KILN_CORE_LIR_RA_UNIT_SET_H_
#define KILN_CORE_LIR_RA_UNIT_SET_H_

#include <array>
#include <cassert>
#include <cstdint>

namespace kiln::lir::ra {

class UnitSet {
 public:
  static constexpr uint32_t kMaxUnits = 1024;

  void insert(uint32_t first, uint32_t n) {
    ForWords(first, n, [&](uint32_t w, uint64_t mask) { words_[w] |= mask; });
  }
  void erase(uint32_t first, uint32_t n) {
    ForWords(first, n, [&](uint32_t w, uint64_t mask) { words_[w] &= ~mask; });
  }
  bool test(uint32_t unit) const { return words_[unit / 64] >> (unit % 64) & 1; }
  bool intersects(uint32_t first, uint32_t n) const {
    uint64_t any = 0;
    ForWords(first, n, [&](uint32_t w, uint64_t mask) { any |= words_[w] & mask; });
    return any != 0;
  }
  bool intersects(const UnitSet& o) const {
    uint64_t any = 0;
    for (uint32_t w = 0; w < kWords; ++w) any |= words_[w] & o.words_[w];
    return any != 0;
  }
  UnitSet& operator|=(const UnitSet& o) {
    for (uint32_t w = 0; w < kWords; ++w) words_[w] |= o.words_[w];
    return *this;
  }
  UnitSet& operator-=(const UnitSet& o) {
    for (uint32_t w = 0; w < kWords; ++w) words_[w] &= ~o.words_[w];
    return *this;
  }
  bool empty() const {
    uint64_t any = 0;
    for (uint64_t w : words_) any |= w;
    return any == 0;
  }
  uint32_t count() const {
    uint32_t n = 0;
    for (uint64_t w : words_) n += static_cast<uint32_t>(__builtin_popcountll(w));
    return n;
  }
  // Number of members in a range.
  uint32_t count(uint32_t first, uint32_t n) const {
    uint32_t c = 0;
    ForWords(first, n, [&](uint32_t w, uint64_t mask) {
      c += static_cast<uint32_t>(__builtin_popcountll(words_[w] & mask));
    });
    return c;
  }

  // The first member, or non-member, at or after `from`; `end` if there is none before it.
  uint32_t next_member(uint32_t from, uint32_t end) const { return Next<false>(from, end); }
  uint32_t next_free(uint32_t from, uint32_t end) const { return Next<true>(from, end); }

  friend bool operator==(const UnitSet&, const UnitSet&) = default;

 private:
  static constexpr uint32_t kWords = kMaxUnits / 64;

  template <class F>
  static void ForWords(uint32_t first, uint32_t n, F&& f) {
    assert(first + n <= kMaxUnits);
    while (n != 0) {
      const uint32_t bit = first % 64, take = n < 64 - bit ? n : 64 - bit;
      f(first / 64, (take == 64 ? ~uint64_t{0} : ((uint64_t{1} << take) - 1)) << bit);
      first += take;
      n -= take;
    }
  }

  template <bool kInvert>
  uint32_t Next(uint32_t from, uint32_t end) const {
    for (uint32_t at = from; at < end;) {
      const uint64_t word = kInvert ? ~words_[at / 64] : words_[at / 64];
      const uint64_t rest = word >> (at % 64);
      if (rest != 0) {
        const uint32_t found = at + static_cast<uint32_t>(__builtin_ctzll(rest));
        return found < end ? found : end;
      }
      at = (at / 64 + 1) * 64;
    }
    return end;
  }

  std::array<uint64_t, kWords> words_{};
};

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_UNIT_SET_H_
