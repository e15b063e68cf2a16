#include "core/intel/pipeline/schedule.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/intel/lir/machine.h"
#include "core/lir/order.h"
#include "core/lir/schedule/schedule.h"

namespace kiln::intel {
namespace {

// Units that scheduling leaves free for fragmentation: 8 GRFs. The balanced orders leave as many
// again, since they reuse registers at once. The careful order leaves twice as many each. Measured
// on bench.txt at SIMD32, fragment and compute, cycles against those with 8, 32 and no careful
// order: 0.9377 and 0.9805; with 4 for the second figure 0.9393 and 0.9837, with 12 0.9396 and
// 0.9822; careful with 16 and 32 0.9405 and 0.9831, with 8 and 16 0.9436 and 0.9806.
constexpr uint32_t kGrfReserve = 64, kGrfBalanced = 64;
constexpr uint32_t kCarefulReserve = 128, kCarefulBalanced = 128;
// Cycles for each granule of 16 lanes of flags in excess: a move to a register and one back, each
// with a wait. With 20, SIMD32 has 0.3 % more instructions in the fragment shaders; with 320, 0.1 %
// fewer and 0.1 % more cycles.
constexpr uint32_t kFlagExcess = 80;

lir::schedule::ScheduleStats Order(Work& w, uint32_t reserve, uint32_t balanced) {
  return lir::schedule::ScheduleBeforeAllocation(
      MachineOf(*w.device), &w.lir,
      {.reserve = {reserve, 0}, .balanced = {balanced, 0}, .excess = {0, kFlagExcess}});
}

// Remarks on the choice. If every block has the latency order, there was no choice to make.
void RemarkSchedule(const lir::schedule::ScheduleStats& stats, PassContext& context) {
  using lir::schedule::Policy;
  const uint32_t constrained = stats.of(Policy::kBalanced) + stats.of(Policy::kPressure);
  if (constrained == 0 && stats.blocks_over == 0) return;
  std::string text = "blocks by order:";
  for (int p = 0; p < lir::schedule::kPolicies; ++p) {
    absl::StrAppend(&text, " ", std::string(lir::schedule::kPolicyNames[p]), " ", stats.blocks[p]);
  }
  absl::StrAppend(&text, "; cycles of one pass through all blocks ", stats.cycles_before, " -> ",
                  stats.cycles_after, " (the latency order alone ", stats.cycles_latency, "); ",
                  stats.blocks_over, " blocks exceed the registers in any order");
  context.Remark("schedule_chosen", 0, std::move(text));
}

}  // namespace

absl::StatusOr<bool> Schedule(Work& w, PassContext& context) {
  if (!context.Rewrite()) return false;
  w.unscheduled = lir::OrderOf(w.lir);
  const lir::schedule::ScheduleStats stats = Order(w, kGrfReserve, kGrfBalanced);
  w.schedule_fits = stats.blocks_over == 0;
  RemarkSchedule(stats, context);
  return stats.changed() != 0;
}

void ScheduleCarefully(Work& w, PassContext& context) {
  RemarkSchedule(Order(w, kCarefulReserve, kCarefulBalanced), context);
}

absl::StatusOr<bool> ScheduleAllocated(Work& w, PassContext& context) {
  if (!context.Rewrite()) return false;
  return lir::schedule::ScheduleAfterAllocation(MachineOf(*w.device), &w.lir).changed() != 0;
}

}  // namespace kiln::intel
