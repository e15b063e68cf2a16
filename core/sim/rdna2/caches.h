// The caches between waves and L2, in memory mode: how old the copy is that a load is answered
// from.
//
// A copy of a line is a time, of which scene/memory_history.h knows the content. Vector loads of a
// CU share L0, scalar loads of a WGP (two CUs) a cache of their own; both are filled from the L1 of
// the shader array, which is filled from L2. Stores and atomics write L2 at once when they take
// effect; the copies of the line in the CU's L0 and in its array's L1 become new with them, others
// stay old.
//
// A line that no load of this run has brought in may be there all the same (kCopiesMayBeOthers),
// from any time since the cache was last emptied. A cache may also drop any line. Both happen at
// random, by the seed. The loads of one CU of one line, with the same bits, never go back in time.
//
// The topology is made up: two arrays of two WGPs. Workgroups are placed at random.
#ifndef KILN_CORE_SIM_RDNA2_CACHES_H_
#define KILN_CORE_SIM_RDNA2_CACHES_H_

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

class Caches {
 public:
  // Keeps references to both.
  Caches(Splitmix& random, const scene::MemoryHistory& history);

  // Returns the time whose content a load of a wave on a CU finds in a line.
  uint64_t Load(uint32_t cu, bool scalar, uint64_t line, Nearest nearest);

  // A store or atomic of a CU has changed a line in L2, which now() of the history counts.
  void Change(uint32_t cu, uint64_t line);

  // Empty the caches of a CU, of its array, of its WGP.
  void EmptyVector(uint32_t cu) { Empty(vector_[cu]); }
  void EmptyArray(uint32_t cu) { Empty(arrays_[ArrayOf(cu)]); }
  void EmptyScalar(uint32_t cu) { Empty(scalar_[WgpOf(cu)]); }

 private:
  struct Cache {
    uint64_t emptied = 0;
    // When copies were made, by line. Looked up by line alone, never iterated.
    std::unordered_map<uint64_t, uint64_t> lines;
  };

  void Empty(Cache& cache);
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
