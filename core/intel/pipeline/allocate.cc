#include "core/intel/pipeline/allocate.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/intel/lir/ops.h"
#include "core/intel/lir/target.h"
#include "core/lir/liveness.h"
#include "core/lir/ra/allocate.h"
#include "core/lir/ra/check.h"
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

// Exchanges the order of instructions within blocks.
void SwapOrder(lir::Function& f, std::vector<lir::InstId>& order) {
  auto at = order.begin();
  for (lir::Block& b : f.blocks) at = std::swap_ranges(b.insts.begin(), b.insts.end(), at);
}

absl::StatusOr<lir::ra::AllocationStats> Allocate(Work& w, bool spill,
                                                  std::vector<lir::Pressure>* pressure = nullptr) {
  const lir::Function ssa = w.check ? w.lir : lir::Function();
  // Live-in 0 is r0, the header of scratch messages; it ends the thread as well, so it stays.
  absl::StatusOr<lir::ra::AllocationStats> stats =
      spill ? lir::ra::AllocateWithSpills(TargetOf(*w.device), &w.lir, w.lir.live_ins[0].value)
            : lir::ra::Allocate(TargetOf(*w.device), &w.lir, pressure);
  if (!stats.ok() || !w.check) return stats;
  if (absl::Status s = lir::ra::CheckAllocation(TargetOf(*w.device), ssa, w.lir); !s.ok()) return s;
  return stats;
}

// What no order of instructions fits is spilled, from the order that needs less.
absl::StatusOr<lir::ra::AllocationStats> AllocateOrSpill(Work& w, PassContext& context) {
  std::vector<lir::Pressure> scheduled, unscheduled;
  absl::StatusOr<lir::ra::AllocationStats> stats = Allocate(w, false, &scheduled);
  if (!absl::IsResourceExhausted(stats.status())) return stats;
  if (!w.unscheduled.empty()) {
    context.Remark("schedule_undone", 0, std::string(stats.status().message()));
    SwapOrder(w.lir, w.unscheduled);
    stats = Allocate(w, false, &unscheduled);
    if (!absl::IsResourceExhausted(stats.status())) return stats;
    if (unscheduled[kPoolGrf].physical >= scheduled[kPoolGrf].physical) {
      SwapOrder(w.lir, w.unscheduled);
    }
  }
  return Allocate(w, true);
}

void RemarkSpills(const lir::Function& f, const lir::ra::SpillStats& spill, PassContext& context) {
  for (const lir::ra::Eviction& e : spill.evictions) {
    const lir::Value& v = f.value(e.value);
    context.Remark(
        "spill", v.spirv_id,
        absl::StrCat("%", e.value.index, " (", v.comps, " component(s)) in block ", e.block.index,
                     ": ", (e.live + 7) / 8, " registers live, its next use is ", e.distance,
                     " instructions away, the next candidate's ", e.runner_up));
  }
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

absl::StatusOr<bool> AllocateRegisters(Work& w, PassContext& context) {
  absl::StatusOr<lir::ra::AllocationStats> stats = AllocateOrSpill(w, context);
  if (!stats.ok()) return stats.status();
  w.unscheduled.clear();
  const lir::ra::SpillStats& spill = stats->spill;
  RemarkSpills(w.lir, spill, context);
  w.spills = spill.spills;
  w.fills = spill.fills;
  w.spill_bytes = int64_t{4} * spill.spill_units;
  w.fill_bytes = int64_t{4} * spill.fill_units;
  context.set_max_live((stats->max_live[kPoolGrf].logical + 7) / 8);
  w.grf_used = (stats->top[kPoolGrf] + 7) / 8;
  const auto scratch = LayOutScratch(*w.module, w.at_width, 4 * spill.scratch_units);
  if (!scratch.ok()) return scratch.status();
  w.scratch_bytes = scratch->bytes;
  w.stage = Work::Stage::kAllocated;
  return true;
}

absl::StatusOr<bool> ScheduleAllocated(Work& w, PassContext& context) {
  if (!context.Rewrite()) return false;
  return lir::schedule::ScheduleAfterAllocation(TargetOf(*w.device), &w.lir).changed() != 0;
}

}  // namespace kiln::intel
