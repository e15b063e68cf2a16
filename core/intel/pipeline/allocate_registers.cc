#include "core/intel/pipeline/allocate_registers.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/ops.h"
#include "core/intel/pipeline/schedule.h"
#include "core/intel/pipeline/widths.h"
#include "core/lir/liveness.h"
#include "core/lir/order.h"
#include "core/lir/ra/allocate_checked.h"

namespace kiln::intel {
namespace {

// Allocates registers. If no order of instructions fits, spills from the order that needs fewer.
absl::StatusOr<lir::ra::AllocationStats> AllocateOrSpill(Work& w, PassContext& context) {
  const lir::Machine& machine = MachineOf(*w.device);
  lir::ra::Demand scheduled, unscheduled;
  const auto allocate = [&](lir::ra::Demand* demand) {
    return lir::ra::AllocateChecked(machine, &w.lir, w.check, demand);
  };
  absl::StatusOr<lir::ra::AllocationStats> stats = allocate(&scheduled);
  if (!absl::IsResourceExhausted(stats.status())) return stats;
  if (!w.unscheduled.empty()) {
    context.Remark("schedule_undone", 0, std::string(stats.status().message()));
    lir::SwapOrder(w.lir, w.unscheduled);
    if (w.schedule_fits) {
      std::vector<lir::InstId> order = lir::OrderOf(w.lir);
      ScheduleCarefully(w, context);
      stats = allocate(nullptr);
      if (!absl::IsResourceExhausted(stats.status())) return stats;
      lir::SwapOrder(w.lir, order);
    }
    stats = allocate(&unscheduled);
    if (!absl::IsResourceExhausted(stats.status())) return stats;
    if (unscheduled.pressure[kPoolGrf].physical >= scheduled.pressure[kPoolGrf].physical) {
      lir::SwapOrder(w.lir, w.unscheduled);
    }
  }
  if (!w.may_spill) return Loses("spills, and a narrower width does not");
  return lir::ra::AllocateWithSpillsChecked(machine, &w.lir, w.check);
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
  const auto scratch = LayOutScratch(*w.module, w.at_width, 4 * spill.scratch_units);
  if (!scratch.ok()) return scratch.status();
  w.scratch_bytes = scratch->bytes;
  w.stage = Work::Stage::kAllocated;
  return true;
}

}  // namespace kiln::intel
