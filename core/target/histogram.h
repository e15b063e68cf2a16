// Counts by name, for the analysis of programs.
#ifndef KILN_CORE_TARGET_HISTOGRAM_H_
#define KILN_CORE_TARGET_HISTOGRAM_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kiln {

using Histogram = std::map<std::string, int64_t>;

// Returns the rows with the most frequent first, equal counts ordered by name.
std::vector<std::pair<std::string, int64_t>> MostFrequentFirst(const Histogram& counts);

}  // namespace kiln

#endif  // KILN_CORE_TARGET_HISTOGRAM_H_
