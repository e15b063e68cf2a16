// Statistics for tests of reports: one of each sort.
#ifndef KILN_CLIENT_REPORT_TESTING_H_
#define KILN_CLIENT_REPORT_TESTING_H_

#include <vector>

#include "client/report/results.h"

namespace kiln::client::report {

enum Kind { kInstructions, kCycles, kSpills, kLoops, kWaves, kForm, kKindCount };

inline const std::vector<StatisticKind>& Kinds() {
  static const auto* const kinds = new std::vector<StatisticKind>{
      {"instructions", Direction::kLower}, {"cycles", Direction::kLower},
      {"spills", Direction::kLower},       {"loops", Direction::kLower, /*shape=*/true},
      {"waves", Direction::kHigher},       {"form", Direction::kNeither}};
  return *kinds;
}

inline Numbers NoNumbers() { return Numbers(kKindCount, -1); }

}  // namespace kiln::client::report

#endif  // KILN_CLIENT_REPORT_TESTING_H_
