// Orders the instructions of each block.
//
// Before allocation, per block, candidates are judged (judge.h): the original order, the latency
// order, the pressure order, and the balanced ones, which are the pressure order and the original
// one with as much of the latency order as registers allow (hoist_scheduler.h). The latency order
// is taken at once where it is faster than the original and its values fit the pools minus a
// reserve; only else are the others made. Live sets at the block's ends do not depend on the order,
// so blocks are judged one by one without running the allocator.
//
// After allocation the latency policy is applied to the dependences of registers, if faster.
//
// Where exits are preferred (InstFlags kPreferredExit) the latency order and the balanced ones are
// made with what that may mean and without it (list_scheduler.h, Exits), and judged.
//
// Cycles are those of in-order issue with the target's timings (Target::timing) through one block;
// what the block before it has left unfinished is not known. What comes behind a preferred exit in
// its window counts less (Timing::behind).
//
// Invariants: the terminator stays last; the result verifies if the input did; the same input gives
// the same order. Windows have at most kMaxWindow instructions, which makes the cost linear.
#ifndef KILN_CORE_LIR_SCHEDULE_SCHEDULE_H_
#define KILN_CORE_LIR_SCHEDULE_SCHEDULE_H_

#include <cstdint>
#include <vector>

#include "core/lir/lir.h"
#include "core/lir/schedule/judge.h"
#include "core/lir/target.h"

namespace kiln::lir::schedule {

struct ScheduleOptions {
  // Per pool: units to leave free for fragmentation. Missing entries are 0.
  std::vector<uint32_t> reserve;
  // As many more that the balanced policy leaves free where it runs ahead: a register that is used
  // anew at once waits for what it held.
  std::vector<uint32_t> balanced;
  // Per pool whose excess is saved in another's registers: what a unit of it costs, in cycles
  // (PoolLimit::excess).
  std::vector<uint32_t> excess;
};

struct ScheduleStats {
  uint32_t blocks[kPolicies] = {};  // that took each policy's order
  int64_t cycles_before = 0;        // estimates, summed over blocks without weights
  int64_t cycles_after = 0;
  int64_t cycles_latency = 0;  // with the latency order in every block, would it fit
  uint32_t blocks_over = 0;    // blocks that no candidate fits

  uint32_t of(Policy p) const { return blocks[static_cast<size_t>(p)]; }
  // Blocks whose order is not the original one.
  uint32_t changed() const {
    return of(Policy::kLatency) + of(Policy::kBalanced) + of(Policy::kPressure);
  }
};

ScheduleStats ScheduleBeforeAllocation(const Target& target, Function* f,
                                       const ScheduleOptions& options);
ScheduleStats ScheduleAfterAllocation(const Target& target, Function* f);

}  // namespace kiln::lir::schedule

#endif  // KILN_CORE_LIR_SCHEDULE_SCHEDULE_H_
