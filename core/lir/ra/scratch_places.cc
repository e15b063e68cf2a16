#include "core/lir/ra/scratch_places.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

namespace kiln::lir::ra {

namespace {

// Assigns the ranges of one kind from unit `next` on; returns the first unit after them.
uint32_t Assign(std::vector<ScratchRange>& ranges, bool masked, uint32_t next) {
  std::vector<uint32_t> order;
  for (uint32_t k = 0; k < ranges.size(); ++k) {
    if (ranges[k].masked == masked) order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return ranges[a].first < ranges[b].first; });
  using Active = std::pair<uint32_t, uint32_t>;  // last position, range
  std::priority_queue<Active, std::vector<Active>, std::greater<>> active;
  std::map<uint32_t, std::vector<uint32_t>> free;  // by units: slots
  for (uint32_t k : order) {
    while (!active.empty() && active.top().first < ranges[k].first) {
      const ScratchRange& ended = ranges[active.top().second];
      free[ended.units].push_back(ended.place);
      active.pop();
    }
    std::vector<uint32_t>& places = free[ranges[k].units];
    if (places.empty()) {
      ranges[k].place = next;
      next += ranges[k].units;
    } else {
      ranges[k].place = places.back();
      places.pop_back();
    }
    active.push({ranges[k].last, k});
  }
  return next;
}

}  // namespace

uint32_t AssignScratchPlaces(std::vector<ScratchRange>* ranges, uint32_t* masked_end) {
  *masked_end = Assign(*ranges, true, 0);
  return Assign(*ranges, false, *masked_end);
}

}  // namespace kiln::lir::ra
