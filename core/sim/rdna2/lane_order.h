// The order in which lanes take effect that the machine leaves open.
#ifndef KILN_CORE_SIM_RDNA2_LANE_ORDER_H_
#define KILN_CORE_SIM_RDNA2_LANE_ORDER_H_

#include <cstdint>

#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

enum class LaneOrder : uint8_t { kAscending, kDescending };

// Calls `f(lane)` for each lane that is on.
template <typename F>
void ForLanes(uint64_t exec, LaneOrder order, F f) {
  for (int i = 0; i < kMaxLanes; ++i) {
    const int lane = order == LaneOrder::kAscending ? i : kMaxLanes - 1 - i;
    if ((exec >> lane & 1) != 0) f(lane);
  }
}

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_LANE_ORDER_H_
