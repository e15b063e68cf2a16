// Orders the instructions of each block. DESIGN.md has the whole picture.
//
// Before allocation, per block, candidates are compared (judge.h): the original order, the latency
// order, the pressure order, and balanced ones, which follow the latency order as far as registers
// allow on top of the pressure order or the original one (hoist_scheduler.h). The latency order is
// taken at once if it is faster than the original and its values fit the pools minus a reserve;
// only otherwise are the others made. Live sets at the block's ends do not depend on the order, so
// blocks are compared one by one without running the allocator.
//
// After allocation the latency policy is applied to the dependences of registers, and its order
// taken if it is faster.
//
// With preferred exits (InstFlags kPreferredExit) the latency order and the balanced ones are made
// for each alternative (list_scheduler.h, Exits), and compared.
//
// Cycles are those of in-order issue with the machine's timings (Machine::timing) through one
// block; operations still in flight from the block before are not known. Cycles after a preferred
// exit in its window count less (Timing::percent_after).
//
// Invariants: the terminator stays last; the result verifies if the input did; the same input gives
// the same order. Windows have at most kMaxWindow instructions, which makes the cost linear.
#ifndef KILN_CORE_LIR_SCHEDULE_SCHEDULE_H_
#define KILN_CORE_LIR_SCHEDULE_SCHEDULE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/lir/lir.h"
#include "core/lir/liveness.h"
#include "core/lir/machine.h"
#include "core/lir/schedule/judge.h"

namespace kiln::lir::schedule {

struct ScheduleOptions {
  // Per pool: units to leave free for fragmentation. Missing entries are 0.
  std::vector<uint32_t> reserve;
  // Per pool: further units that the balanced policy leaves free where it runs ahead, since a
  // register that is reused at once waits for its last use.
  std::vector<uint32_t> balanced;
  // Per pool whose excess is saved in registers of another: cost of a unit, in cycles
  // (PoolLimit::excess).
  std::vector<uint32_t> excess;
  // Looks for an order with fewer live values also where all values of the function fit at once.
  bool fewest_live = true;
  // If not null, the place of the function's liveness: read if it is there, else filled in if it is
  // needed. Afterwards it lacks the deaths of the new order (Liveness::Reorder).
  std::optional<Liveness>* live = nullptr;
};

struct ScheduleStats {
  uint32_t blocks[kPolicies] = {};  // that took each policy's order
  int64_t cycles_before = 0;        // estimates, summed over blocks without weights
  int64_t cycles_after = 0;
  int64_t cycles_latency = 0;  // with the latency order in every block, if it fitted
  uint32_t blocks_over = 0;    // blocks that no candidate fits

  uint32_t of(Policy p) const { return blocks[static_cast<size_t>(p)]; }
  // Blocks whose order is not the original one.
  uint32_t changed() const {
    return of(Policy::kLatency) + of(Policy::kBalanced) + of(Policy::kPressure);
  }
};

ScheduleStats ScheduleBeforeAllocation(const Machine& machine, Function* f,
                                       const ScheduleOptions& options);
ScheduleStats ScheduleAfterAllocation(const Machine& machine, Function* f);

}  // namespace kiln::lir::schedule

#endif  // KILN_CORE_LIR_SCHEDULE_SCHEDULE_H_
