#include "core/amd/pipeline/passes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "core/amd/emit/avoid_hazards.h"
#include "core/amd/emit/emit.h"
#include "core/amd/lir/machine.h"
#include "core/amd/lir/ops.h"
#include "core/amd/pipeline/schedule.h"
#include "core/amd/pipeline/scratch.h"
#include "core/amd/select/select.h"
#include "core/amd/waits/insert_waits.h"
#include "core/lir/merge_equal.h"
#include "core/lir/print.h"
#include "core/lir/ra/allocate.h"
#include "core/lir/ra/check.h"
#include "core/lir/schedule/schedule.h"
#include "core/lir/verify.h"
#include "core/mid/values/merge_equal_values.h"
#include "core/mid/values/remove_dead_code.h"
#include "core/mid/values/simplify.h"
#include "core/mir/print.h"
#include "core/mir/verify.h"

namespace kiln::amd {
namespace {

absl::StatusOr<bool> ResolveSubgroupSize(Work& w, PassContext& context) {
  return ResolveSubgroupSizeOf(w, context);
}

absl::StatusOr<bool> Select(Work& w, PassContext&) {
  absl::StatusOr<Selected> made = amd::Select(*w.module, *w.abi, w.lanes);
  if (!made.ok()) return made.status();
  w.lir = std::move(made->function);
  w.private_bytes = made->private_bytes;
  w.lir.pool_units = {w.max_vgprs, kSgprUnits, 1};
  w.stage = Work::Stage::kSsa;
  return true;
}

absl::StatusOr<bool> MergeEqualInstructions(Work& w, PassContext& context) {
  return lir::MergeEqual(Gfx1030Machine(), w.lir, [&] { return context.Rewrite(); });
}

// ---- Dead code.

// Removes instructions without effects whose definitions have no uses. Marks from the uses; linear.
absl::StatusOr<bool> RemoveDeadInstructions(Work& w, PassContext& context) {
  lir::Function& f = w.lir;
  const lir::Machine& machine = Gfx1030Machine();
  std::vector<uint32_t> uses(f.values.size());
  std::vector<lir::InstId> def(f.values.size());
  const auto count = [&](const lir::Operand& o) { uses[o.id] += IsValue(o) ? 1 : 0; };
  for (const lir::Block& b : f.blocks) {
    for (lir::InstId id : b.insts) {
      for (const lir::Operand& o : f.uses(id)) {
        if (IsValue(o)) count(o);
      }
      for (const lir::Operand& o : f.defs(id)) {
        if (IsValue(o)) def[o.id] = id;
      }
    }
    for (const lir::Edge& e : b.succs) {
      for (const lir::Operand& o : f.args(e)) {
        if (IsValue(o)) count(o);
      }
    }
  }
  std::vector<bool> dead(f.insts.size());
  std::vector<lir::InstId> work;
  const auto visit = [&](lir::InstId id) {
    constexpr uint32_t kKept = lir::kOpSideEffect | lir::kOpTerminator | lir::kOpBarrier;
    if (dead[id.index] || (machine.ops[f.inst(id).op].flags & kKept) != 0) return;
    for (const lir::Operand& o : f.defs(id)) {
      if (!IsValue(o) || uses[o.id] != 0) return;
    }
    if (!context.Rewrite()) return;
    dead[id.index] = true;
    work.push_back(id);
  };
  for (const lir::Block& b : f.blocks) {
    for (lir::InstId id : b.insts) visit(id);
  }
  const bool changed = !work.empty();
  while (!work.empty()) {
    const lir::InstId id = work.back();
    work.pop_back();
    for (const lir::Operand& o : f.uses(id)) {
      if (IsValue(o) && --uses[o.id] == 0 && def[o.id].valid()) visit(def[o.id]);
    }
  }
  for (lir::Block& b : f.blocks) {
    b.insts.erase(std::remove_if(b.insts.begin(), b.insts.end(),
                                 [&](lir::InstId id) { return dead[id.index]; }),
                  b.insts.end());
  }
  return changed;
}

// ---- Scheduling and allocation.

absl::StatusOr<bool> Schedule(Work& w, PassContext& context) {
  return context.Rewrite() && ScheduleForWaves(w);
}

void SwapOrder(lir::Function& f, std::vector<lir::InstId>& order) {
  auto at = order.begin();
  for (lir::Block& b : f.blocks) at = std::swap_ranges(b.insts.begin(), b.insts.end(), at);
}

absl::StatusOr<lir::ra::AllocationStats> Allocate(Work& w, bool spill,
                                                  std::vector<lir::Pressure>* pressure) {
  const lir::Function ssa = w.check ? w.lir : lir::Function();
  absl::StatusOr<lir::ra::AllocationStats> stats =
      spill ? lir::ra::AllocateWithSpills(Gfx1030Machine(), &w.lir)
            : lir::ra::Allocate(Gfx1030Machine(), &w.lir, pressure);
  if (!stats.ok() || !w.check) return stats;
  if (absl::Status s = lir::ra::CheckAllocation(Gfx1030Machine(), ssa, w.lir); !s.ok()) return s;
  return stats;
}

// Allocates registers: of the step that the schedule fits, else of larger ones. If no order of
// instructions fits, spills from the original order.
absl::StatusOr<lir::ra::AllocationStats> AllocateOrSpill(Work& w, PassContext& context) {
  std::vector<lir::Pressure> pressure;
  const uint32_t all = w.lir.pool_units[kPoolVgpr];
  for (uint32_t step = w.vgpr_goal; step != 0 && step < all; step = LargerStep(w, step)) {
    w.lir.pool_units[kPoolVgpr] = step;
    absl::StatusOr<lir::ra::AllocationStats> within = Allocate(w, false, &pressure);
    w.lir.pool_units[kPoolVgpr] = all;
    if (!absl::IsResourceExhausted(within.status())) return within;
  }
  absl::StatusOr<lir::ra::AllocationStats> stats = Allocate(w, false, &pressure);
  if (!absl::IsResourceExhausted(stats.status())) return stats;
  if (!w.unscheduled.empty()) {
    context.Remark("schedule_undone", 0, std::string(stats.status().message()));
    SwapOrder(w.lir, w.unscheduled);
    stats = Allocate(w, false, &pressure);
    if (!absl::IsResourceExhausted(stats.status())) return stats;
  }
  return Allocate(w, true, &pressure);
}

absl::StatusOr<bool> AllocateRegisters(Work& w, PassContext& context) {
  absl::StatusOr<lir::ra::AllocationStats> stats = AllocateOrSpill(w, context);
  if (!stats.ok()) return stats.status();
  w.unscheduled.clear();
  w.spill_bytes = 4 * w.lir.spill_units;
  w.spilled_vgprs = stats->spill.spills;
  context.set_max_live(stats->max_live[kPoolVgpr].logical);
  w.stage = Work::Stage::kAllocated;
  return true;
}

absl::StatusOr<bool> ScheduleAllocated(Work& w, PassContext& context) {
  if (!context.Rewrite()) return false;
  return lir::schedule::ScheduleAfterAllocation(Gfx1030Machine(), &w.lir).changed() != 0;
}

// ---- Machine code.

absl::StatusOr<bool> Emit(Work& w, PassContext&) {
  EmitOptions options;
  options.spill_offset = w.private_bytes;
  absl::StatusOr<Program> program = amd::Emit(w.lir, options);
  if (!program.ok()) return program.status();
  w.program = *std::move(program);
  if (w.scratch_bytes_per_lane() != 0) AddScratchPrologue(*w.abi, w.program);
  w.stage = Work::Stage::kProgram;
  return true;
}

absl::StatusOr<bool> InsertWaits(Work& w, PassContext&) {
  amd::InsertWaits(w.program);
  AvoidHazards(w.program);
  return true;
}

absl::StatusOr<bool> Encode(Work& w, PassContext&) {
  absl::StatusOr<Binary> binary = Finalise(w.program, w.module->constant_data);
  if (!binary.ok()) return binary.status();
  w.binary = *std::move(binary);
  w.stage = Work::Stage::kBytes;
  return true;
}

constexpr Pass<Work> kPasses[] = {
    {"resolve_subgroup_size", ResolveSubgroupSize, false, 0,
     "replaces values that depend on the subgroup size by those of this width"},
    {"simplify_resolved", IfResolved<Work, mid::Simplify>, true, 0,
     "folds what the subgroup size made constant"},
    {"merge_equal_resolved", IfResolved<Work, mid::MergeEqualValues>, true, 0,
     "merges values that the subgroup size made equal"},
    {"remove_dead_resolved", IfResolved<Work, mid::RemoveDeadCode>, true, 0,
     "removes values that the subgroup size made dead"},
    {"select", Select, false, 0, "selects LIR instructions for MIR at one width"},
    {"merge_equal_instructions", MergeEqualInstructions, true, 0,
     "merges instructions that compute the same"},
    {"remove_dead_instructions", RemoveDeadInstructions, true, 0, "removes dead instructions"},
    {"schedule", Schedule, true, 0,
     "schedules for latency, balance and pressure and keeps the best order that fits"},
    {"allocate_registers", AllocateRegisters, false, 0,
     "allocates registers: spills, assigns, resolves parallel copies"},
    {"schedule_allocated", ScheduleAllocated, true, 0,
     "schedules for latency after register allocation"},
    {"emit", Emit, false, 0, "emits machine instructions for LIR"},
    {"insert_waits", InsertWaits, false, 0, "inserts waits for the counters of memory operations"},
    {"encode", Encode, false, 0, "encodes machine instructions"},
};

constexpr PassOrder kOrder[] = {
    {"resolve_subgroup_size", "select", "operations on lane masks have no selection"},
    {"resolve_subgroup_size", "simplify_resolved", "sizes become constants"},
    {"simplify_resolved", "merge_equal_resolved", "folding makes values equal"},
    {"merge_equal_resolved", "remove_dead_resolved", "merging leaves values without uses"},
    {"remove_dead_resolved", "select", "works on MIR"},
    {"select", "merge_equal_instructions", "works on LIR"},
    {"merge_equal_instructions", "remove_dead_instructions", "sources of what went may be dead"},
    {"remove_dead_instructions", "schedule", "dead instructions would take part in the order"},
    {"schedule", "allocate_registers", "the pressure order needs SSA form"},
    {"allocate_registers", "schedule_allocated", "copies take part in the order"},
    {"schedule_allocated", "emit", "works on LIR"},
    {"emit", "insert_waits", "waits belong to the final order"},
    {"insert_waits", "encode", "waits are instructions"},
};

std::string PrintWork(const Work& w) {
  switch (w.stage) {
    case Work::Stage::kNothing: return w.is_resolved() ? mir::Print(w.resolved) : "";
    case Work::Stage::kSsa:
    case Work::Stage::kAllocated: return lir::Print(Gfx1030Machine(), w.lir);
    default: return ProgramText(w.program);
  }
}

absl::Status VerifyWork(const Work& w) {
  switch (w.stage) {
    case Work::Stage::kNothing: return w.is_resolved() ? mir::Verify(w.resolved) : absl::OkStatus();
    case Work::Stage::kSsa: return lir::Verify(Gfx1030Machine(), w.lir);
    case Work::Stage::kAllocated: return lir::VerifyAllocated(Gfx1030Machine(), w.lir);
    default: return absl::OkStatus();
  }
}

int64_t CountWork(const Work& w) {
  switch (w.stage) {
    case Work::Stage::kNothing: return 0;
    case Work::Stage::kSsa:
    case Work::Stage::kAllocated: break;
    default: return static_cast<int64_t>(w.program.rows.size());
  }
  int64_t n = 0;
  for (const lir::Block& b : w.lir.blocks) n += static_cast<int64_t>(b.insts.size());
  return n;
}

}  // namespace

absl::Span<const Pass<Work>> Passes() { return kPasses; }
absl::Span<const PassOrder> PassOrders() { return kOrder; }

const Level<Work>& WorkLevel() {
  static constexpr Level<Work> level = {"lir", PrintWork, VerifyWork, CountWork};
  return level;
}

std::vector<PassRow> PassRows() { return Rows(Passes()); }

}  // namespace kiln::amd
