// Compares orders of one block without running the allocator.
//
// An order that exceeds the registers by less is better, since spills cost more than any order
// gains; among those that fit, the one with fewer cycles, then the one with the lower peak. Units
// above the limit of a pool whose values are saved in registers of another pool (flags) cost cycles
// instead, but only where nothing is spilled: there more is live meanwhile. Reserves for
// fragmentation are the caller's business and part of the limit.
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
  bool fits = true;    // no pool is above its limit, not even one whose excess costs cycles
  int64_t cycles = 0;  // including the cost of saved values
  int64_t peak = 0;    // in 1024ths of the pools, summed
};

inline bool Better(const Merit& a, const Merit& b) {
  if (a.over != b.over) return a.over < b.over;
  return a.cycles != b.cycles ? a.cycles < b.cycles : a.peak < b.peak;
}

struct PoolLimit {
  int64_t units = 0;   // units that may be in use
  int64_t size = 0;    // of the pool
  int64_t excess = 0;  // cycles per unit above the limit; 0: the excess is spilled
};

// Rates an order. By pool: the peak of units in use, and the limits.
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
