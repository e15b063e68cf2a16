// One list scheduler, two directions, policies as comparators.
//
// Latency (top down): of the nodes whose producers have issued, the one with the least
//   (exit_unblocked_time, time at which it is unblocked or now, -longest path, original order).
//   Without exits the first part is infinite for all and changes nothing.
// Pressure (bottom up): of the nodes whose consumers are placed, the one that makes the fewest units
//   live above it, net of those it defines; then the latest in the original order.
//
// Deterministic: the keys end in the original order. O(n log n) heap operations over nodes and
// edges.
#ifndef KILN_CORE_LIR_SCHEDULE_LIST_SCHEDULER_H_
#define KILN_CORE_LIR_SCHEDULE_LIST_SCHEDULER_H_

#include <cstdint>
#include <vector>

#include "core/lir/lir.h"
#include "core/lir/schedule/dag.h"
#include "core/lir/target.h"

namespace kiln::lir::schedule {

// Orders of the nodes, as indices.
std::vector<uint32_t> OrderForLatency(const std::vector<DagNode>& dag);

// `live_after`: per value, its components that something after the window needs (0 to comps), in
// value order; the function only reads entries of values in the window.
std::vector<uint32_t> OrderForPressure(const Target& target, const Function& f,
                                       const std::vector<DagNode>& dag,
                                       const std::vector<char>& live_after);

// Cycles until the last result of this order is there, issuing in order and one at a time.
int EstimateCycles(const std::vector<DagNode>& dag, const std::vector<uint32_t>& order);

}  // namespace kiln::lir::schedule

#endif  // KILN_CORE_LIR_SCHEDULE_LIST_SCHEDULER_H_
