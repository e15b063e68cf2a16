// Orders the instructions of each block.
//
// Before allocation, per block: the latency order is taken if it is faster than the original and
// its values fit the pools minus a reserve; else the pressure order, if it lowers the number of
// live units and the original does not fit or is slower; else the original stays. Live sets at the
// block's ends do not depend on the order, so blocks are judged one by one without running the
// allocator.
//
// After allocation the latency policy is applied to the dependences of registers, if faster.
//
// Invariants: the terminator stays last; the result verifies if the input did; the same input gives
// the same order. Windows have at most kMaxWindow instructions, which makes the cost linear.
#ifndef KILN_CORE_LIR_SCHEDULE_SCHEDULE_H_
#define KILN_CORE_LIR_SCHEDULE_SCHEDULE_H_

#include <cstdint>
#include <vector>

#include "core/lir/lir.h"
#include "core/lir/target.h"

namespace kiln::lir::schedule {

struct ScheduleOptions {
  // Per pool: units to leave free for fragmentation. Missing entries are 0.
  std::vector<uint32_t> reserve;
};

struct ScheduleStats {
  uint32_t blocks_latency = 0;   // blocks that took the latency order
  uint32_t blocks_pressure = 0;  // blocks that took the pressure order
  int64_t cycles_before = 0;     // estimates, summed over blocks without weights
  int64_t cycles_after = 0;
};

ScheduleStats ScheduleBeforeAllocation(const Target& target, Function* f,
                                       const ScheduleOptions& options);
ScheduleStats ScheduleAfterAllocation(const Target& target, Function* f);

}  // namespace kiln::lir::schedule

#endif  // KILN_CORE_LIR_SCHEDULE_SCHEDULE_H_
