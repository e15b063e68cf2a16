// The caches between waves and L2, in memory mode: how old the copy is that a load is answered
// from.
//
// A copy of a line is a time, of which scene/memory_history.h knows the content, and the bytes that
// were stored through the cache later. Vector loads of a CU share L0, scalar loads of a WGP (two
// CUs) a cache of their own; both are filled from the L1 of the shader array, which is filled from
// L2. Stores and atomics write L2 at once when they take effect; their bytes become new in the CU's
// L0 and in its array's L1, the rest of the line and other caches stay old.
//
// A line that no load of this run has brought in may be there all the same (kCopiesMayBeOthers): in
// L1 from any time since it was last emptied, in L0 and in a scalar cache from the time of any copy
// that L1 may have had since they were. L1 is therefore emptied first, L0 after it. A cache may
// also drop any line. Both happen at random, by the seed. The loads of one CU of one line, with the
// same bits, never go back in time.
//
// The topology is made up: two arrays of two WGPs. Workgroups are placed at random.
#ifndef KILN_CORE_SIM_RDNA2_CACHES_H_
#define KILN_CORE_SIM_RDNA2_CACHES_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "core/base/splitmix.h"
#include "core/sim/rdna2/memory_rules.h"
#include "core/sim/scene/memory_history.h"

namespace kiln::sim::rdna2 {

inline constexpr uint32_t kCus = 8;
inline constexpr uint32_t WgpOf(uint32_t cu) { return cu / 2; }
inline constexpr uint32_t ArrayOf(uint32_t cu) { return cu / 4; }

// A line as a load finds it.
struct LineCopy {
  uint64_t time = 0;
  // For each byte when it was last stored through the cache, 0 if it was not; null: no byte was.
  const std::array<uint64_t, kLineBytes>* stored = nullptr;

  // Returns the time of a byte, counted from the start of the line.
  uint64_t TimeOf(uint64_t byte) const {
    return stored == nullptr ? time : std::max(time, (*stored)[byte]);
  }
};

class Caches {
 public:
  // Keeps references to both.
  Caches(Splitmix& random, const scene::MemoryHistory& history);

  // Returns the copy of a line that a load of a wave on a CU finds, valid until the next call.
  LineCopy Load(uint32_t cu, bool scalar, uint64_t line, Nearest nearest);

  // A store or atomic of a CU has changed `bytes` bytes of a line, from `first` on, in L2, which
  // now() of the history counts.
  void Change(uint32_t cu, uint64_t line, uint64_t first, uint64_t bytes);

  // Empty the caches of a CU, of its array, of its WGP.
  void EmptyVector(uint32_t cu) { Empty(vector_[cu], arrays_[ArrayOf(cu)].oldest); }
  void EmptyArray(uint32_t cu) { Empty(arrays_[ArrayOf(cu)], history_.now()); }
  void EmptyScalar(uint32_t cu) { Empty(scalar_[WgpOf(cu)], arrays_[ArrayOf(cu)].oldest); }

 private:
  using ByteTimes = std::array<uint64_t, kLineBytes>;

  // All maps are by line, and looked up by it alone, never iterated.
  struct Cache {
    uint64_t emptied = 0;  // when it was emptied last
    uint64_t oldest = 0;   // the earliest time from which copies made since then may be
    std::unordered_map<uint64_t, uint64_t> lines;  // of which time the copies are
    // Facts that outlive being emptied, since the next cache, which refills this one, has them too:
    // the newest copy that loads have found, and when each byte was last stored.
    std::unordered_map<uint64_t, uint64_t> found;
    std::unordered_map<uint64_t, ByteTimes> stored;
  };

  void Empty(Cache& cache, uint64_t oldest);
  static LineCopy CopyOf(const Cache& cache, uint64_t line, uint64_t time);
  static void TakeStored(const Cache& from, uint64_t line, uint64_t until, Cache& to);
  bool Stays();
  uint64_t Between(uint64_t first, uint64_t last);
  uint64_t FromArray(uint32_t cu, uint64_t line);
  uint64_t FromOwn(Cache& own, uint32_t cu, uint64_t line, bool past_array);

  Splitmix& random_;
  const scene::MemoryHistory& history_;
  uint32_t staleness_;  // one in so many copies is used, the others are made anew
  std::array<Cache, kCus> vector_;
  std::array<Cache, kCus / 2> scalar_;
  std::array<Cache, kCus / 4> arrays_;
};

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_CACHES_H_
