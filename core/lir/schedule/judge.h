// Which of several orders of one block is the best, without running the allocator.
//
// An order that exceeds the registers less is better, since spills cost more than any order gains;
// among those that fit, the one with fewer cycles, then with the lower peak. What exceeds a pool
// whose values are saved in registers of another (flags) costs cycles instead, but only where
// nothing is spilled: more is live meanwhile. Reserves for fragmentation are the caller's: they
// belong to the limit.
#ifndef KILN_CORE_LIR_SCHEDULE_JUDGE_H_
#define KILN_CORE_LIR_SCHEDULE_JUDGE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/types/span.h"

namespace kiln::lir::schedule {

enum class Policy : uint8_t { kSource, kLatency, kBalanced, kPressure };
inline constexpr int kPolicies = 4;
inline constexpr std::string_view kPolicyNames[] = {"source", "latency", "balanced", "pressure"};

struct Merit {
  int64_t over = 0;    // units above the limits, in 1024ths of their pools
  bool fits = true;    // nothing is above a limit, not even what costs cycles
  int64_t cycles = 0;  // and those of what is saved
  int64_t peak = 0;    // in 1024ths of the pools, summed
};

inline bool Better(const Merit& a, const Merit& b) {
  if (a.over != b.over) return a.over < b.over;
  return a.cycles != b.cycles ? a.cycles < b.cycles : a.peak < b.peak;
}

struct PoolLimit {
  int64_t units = 0;   // that may be in use
  int64_t size = 0;    // of the pool
  int64_t excess = 0;  // cycles that a unit above the limit costs; 0: it is spilled
};

// By pool: units in use at the worst place, and the limits.
inline Merit MeritOf(absl::Span<const uint32_t> peak, absl::Span<const PoolLimit> limits,
                     int64_t cycles) {
  Merit m;
  m.cycles = cycles;
  int64_t spilled = 0, excess = 0;
  for (size_t p = 0; p < peak.size(); ++p) {
    const PoolLimit& limit = limits[p];
    const int64_t over = std::max<int64_t>(0, peak[p] - limit.units);
    m.over += over * 1024 / limit.size;
    m.peak += int64_t{peak[p]} * 1024 / limit.size;
    if (limit.excess == 0) spilled += over;
    excess += over * limit.excess;
  }
  m.fits = m.over == 0;
  if (spilled != 0) return m;
  m.over = 0;
  m.cycles += excess;
  return m;
}

}  // namespace kiln::lir::schedule

#endif  // KILN_CORE_LIR_SCHEDULE_JUDGE_H_
