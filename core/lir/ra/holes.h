// Searches the holes of a set of taken units: from `first` (`from`) to before `end`, for `units`
// free ones that start at `phase` modulo `alignment`; kNowhere if there is none. Linear in the
// set's holes.
#ifndef KILN_CORE_LIR_RA_HOLES_H_
#define KILN_CORE_LIR_RA_HOLES_H_

#include <cstdint>

#include "core/lir/ra/unit_set.h"

namespace kiln::lir::ra {

inline constexpr uint32_t kNowhere = ~uint32_t{0};

// Best fit: in the smallest hole, the first or the last range. `*best_size`: size of the hole.
inline uint32_t BestHole(const UnitSet& taken, uint32_t first, uint32_t end, uint32_t units,
                         uint32_t alignment, uint32_t phase, bool from_top, uint32_t* best_size) {
  uint32_t best = kNowhere;
  for (uint32_t at = first; at < end;) {
    const uint32_t lo = taken.next_free(at, end);
    const uint32_t hi = taken.next_member(lo, end);
    at = hi;
    const uint32_t low =
        (lo + alignment - 1 - phase + alignment) / alignment * alignment - alignment + phase;
    if (lo >= hi || low + units > hi) continue;
    const uint32_t high = low + (hi - units - low) / alignment * alignment;
    if (best != kNowhere && (from_top ? hi - lo > *best_size : hi - lo >= *best_size)) continue;
    best = from_top ? high : low;
    *best_size = hi - lo;
  }
  return best;
}

// The first range at or above `from`.
inline uint32_t FirstFit(const UnitSet& taken, uint32_t from, uint32_t end, uint32_t units,
                         uint32_t alignment, uint32_t phase) {
  for (uint32_t at = from; at < end;) {
    const uint32_t lo = taken.next_free(at, end);
    const uint32_t hi = taken.next_member(lo, end);
    const uint32_t low =
        (lo + alignment - 1 - phase + alignment) / alignment * alignment - alignment + phase;
    if (lo < hi && low + units <= hi) return low;
    at = hi;
  }
  return kNowhere;
}

// The last range at or above `first`.
inline uint32_t LastFit(const UnitSet& taken, uint32_t first, uint32_t end, uint32_t units,
                        uint32_t alignment, uint32_t phase) {
  uint32_t last = kNowhere;
  for (uint32_t at = first; at < end;) {
    const uint32_t lo = taken.next_free(at, end);
    const uint32_t hi = taken.next_member(lo, end);
    at = hi;
    const uint32_t low =
        (lo + alignment - 1 - phase + alignment) / alignment * alignment - alignment + phase;
    if (lo < hi && low + units <= hi) last = low + (hi - units - low) / alignment * alignment;
  }
  return last;
}

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_HOLES_H_
