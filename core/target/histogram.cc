#include "core/target/histogram.h"

#include <algorithm>

namespace kiln {

std::vector<std::pair<std::string, int64_t>> MostFrequentFirst(const Histogram& counts) {
  std::vector<std::pair<std::string, int64_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return rows;
}

}  // namespace kiln
