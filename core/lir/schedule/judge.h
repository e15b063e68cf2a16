// Which of several orders of one block is the best, without running the allocator.
//
// An order that exceeds the registers less is better, since spills cost more than any order gains;
// among those that fit, the one with fewer cycles, then with the lower peak. Reserves for
// fragmentation are the caller's: they belong to the limit.
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
  int64_t over = 0;      // units above the limits, in 1024ths of their pools
  int64_t cycles = 0;
  int64_t peak = 0;      // in 1024ths of the pools, summed
};

inline bool Better(const Merit& a, const Merit& b) {
  if (a.over != b.over) return a.over < b.over;
  return a.cycles != b.cycles ? a.cycles < b.cycles : a.peak < b.peak;
}

// By pool: units in use at the worst place, the limit, and the pool's size.
inline Merit MeritOf(absl::Span<const uint32_t> peak, absl::Span<const int64_t> limit,
                     absl::Span<const int64_t> size, int64_t cycles) {
  Merit m;
  m.cycles = cycles;
  for (size_t p = 0; p < peak.size(); ++p) {
    m.over += std::max<int64_t>(0, peak[p] - limit[p]) * 1024 / size[p];
    m.peak += int64_t{peak[p]} * 1024 / size[p];
  }
  return m;
}

}  // namespace kiln::lir::schedule

#endif  // KILN_CORE_LIR_SCHEDULE_JUDGE_H_
