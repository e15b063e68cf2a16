#include "core/intel/pipeline/schedule.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/intel/lir/target.h"
#include "core/lir/schedule/schedule.h"

namespace kiln::intel {
namespace {

// Units of each pool that scheduling leaves free for fragmentation. 8 GRFs; on the corpus the
// allocator needed none (core/lir/ra/DESIGN.md), flags have their own spilling.
constexpr uint32_t kGrfReserve = 64;
// What the balanced order leaves beyond that: 32 GRFs. With 0 the corpus' cycles are 0.07 % more in
// total, and 7 more variants of 1,531 have more instructions.
constexpr uint32_t kGrfBalanced = 256;

// Where every block has the latency order there was nothing to choose.
void RemarkSchedule(const lir::schedule::ScheduleStats& stats, PassContext& context) {
  using lir::schedule::Policy;
  const uint32_t constrained = stats.of(Policy::kBalanced) + stats.of(Policy::kPressure);
  if (constrained == 0 && stats.blocks_over == 0) return;
  std::string text = "blocks by order:";
  for (int p = 0; p < lir::schedule::kPolicies; ++p) {
    absl::StrAppend(&text, " ", std::string(lir::schedule::kPolicyNames[p]), " ", stats.blocks[p]);
  }
  absl::StrAppend(&text, "; cycles of one pass through all blocks ", stats.cycles_before, " -> ",
                  stats.cycles_after, " (latency order alone ", stats.cycles_latency, "); ",
                  stats.blocks_over, " blocks exceed the registers in any order");
  context.Remark("schedule_chosen", 0, std::move(text));
}

std::vector<lir::InstId> OrderOf(const lir::Function& f) {
  std::vector<lir::InstId> order;
  order.reserve(f.insts.size());
  for (const lir::Block& b : f.blocks) order.insert(order.end(), b.insts.begin(), b.insts.end());
  return order;
}

}  // namespace

absl::StatusOr<bool> Schedule(Work& w, PassContext& context) {
  if (!context.Rewrite()) return false;
  w.unscheduled = OrderOf(w.lir);
  const lir::schedule::ScheduleStats stats = lir::schedule::ScheduleBeforeAllocation(
      TargetOf(*w.device), &w.lir, {.reserve = {kGrfReserve, 0}, .balanced = {kGrfBalanced, 0}});
  RemarkSchedule(stats, context);
  return stats.changed() != 0;
}

absl::StatusOr<bool> ScheduleAllocated(Work& w, PassContext& context) {
  if (!context.Rewrite()) return false;
  return lir::schedule::ScheduleAfterAllocation(TargetOf(*w.device), &w.lir).changed() != 0;
}

}  // namespace kiln::intel
