#include "core/amd/pipeline/passes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/amd/cull/cull.h"
#include "core/amd/emit/avoid_hazards.h"
#include "core/amd/emit/emit.h"
#include "core/amd/isa/wave_limits.h"
#include "core/amd/lir/machine.h"
#include "core/amd/lir/ops.h"
#include "core/amd/optimise/mix_words.h"
#include "core/amd/optimise/pair_words.h"
#include "core/amd/pipeline/reload_descriptors.h"
#include "core/amd/pipeline/schedule.h"
#include "core/amd/pipeline/scratch.h"
#include "core/amd/select/select.h"
#include "core/amd/waits/form_clauses.h"
#include "core/amd/waits/insert_waits.h"
#include "core/base/cause.h"
#include "core/base/joined.h"
#include "core/lir/def_use.h"
#include "core/lir/merge_equal.h"
#include "core/lir/order.h"
#include "core/lir/pass_order.h"
#include "core/lir/print.h"
#include "core/lir/ra/allocate_checked.h"
#include "core/lir/remove_dead.h"
#include "core/lir/schedule/schedule.h"
#include "core/lir/verify.h"
#include "core/target/resolved_passes.h"

namespace kiln::amd {
namespace {

// Vertex programs that cull get a module of their own at each size of waves.
absl::StatusOr<bool> CullPrimitives(Work& w, PassContext&) {
  if (!w.abi->vertex || !w.abi->vertex->culls) return false;
  w.resolved = *w.module;
  w.module = &w.resolved;
  absl::Status s = amd::CullPrimitives(w.resolved, *w.abi->vertex, w.lanes);
  if (!s.ok()) return s;
  return true;
}

absl::StatusOr<bool> Select(Work& w, PassContext&) {
  absl::StatusOr<Selected> made = amd::Select(*w.module, *w.abi, w.lanes, w.scans);
  if (!made.ok()) return made.status();
  if (made->shared_bytes > isa::kLdsOfCu) {
    return BeyondLimit("shared_memory_too_large", "shared variables and scans of the workgroup",
                       w.module->shared_id);
  }
  w.shared_bytes = made->shared_bytes;
  w.lir = std::move(made->function);
  w.private_bytes = made->private_bytes;
  w.lir.pool_units = {w.max_vgprs, kSgprUnits, 1};
  w.stage = Work::Stage::kSsa;
  return true;
}

absl::StatusOr<bool> PairWords(Work& w, PassContext& context) {
  return amd::PairWords(Gfx1030Machine(), w.lir, [&] { return context.Rewrite(); });
}

absl::StatusOr<bool> MixWords(Work& w, PassContext& context) {
  return amd::MixWords(w.lir, [&] { return context.Rewrite(); });
}

absl::StatusOr<bool> MergeEqualInstructions(Work& w, PassContext& context) {
  return lir::MergeEqual(Gfx1030Machine(), w.lir, [&] { return context.Rewrite(); });
}

absl::StatusOr<bool> RemoveDeadInstructions(Work& w, PassContext& context) {
  lir::DefUse info = lir::FindDefUse(w.lir);
  return lir::RemoveDead(Gfx1030Machine().ops, w.lir, info, [&] { return context.Rewrite(); });
}

// ---- Scheduling and allocation.

absl::StatusOr<bool> Schedule(Work& w, PassContext& context) {
  return context.Rewrite() && ScheduleForWaves(w);
}

using Allocated = absl::StatusOr<lir::ra::AllocationStats>;

// Allocates with the vector registers of the step that the schedule fits, else of larger ones.
// `allocate` returns the result, and whether more of them might help.
template <class Allocate>
Allocated AllocateBySteps(Work& w, const Allocate& allocate) {
  const uint32_t all = w.lir.pool_units[kPoolVgpr];
  for (uint32_t step = w.vgpr_goal; step != 0 && step < all; step = LargerStep(w, step)) {
    w.lir.pool_units[kPoolVgpr] = step;
    auto [within, more_help] = allocate();
    w.lir.pool_units[kPoolVgpr] = all;
    if (!absl::IsResourceExhausted(within.status()) || !more_help) return std::move(within);
  }
  return allocate().first;
}

// Spills: scalars alone if that does, to lanes of a register within the step, which costs no waves;
// else what all registers do not hold. `vectors`: that are live at once.
Allocated AllocateWithSpills(Work& w, uint32_t vectors) {
  const uint32_t all = w.lir.pool_units[kPoolVgpr];
  const auto spill = [&]() -> Allocated {
    const uint32_t step = w.lir.pool_units[kPoolVgpr];
    const absl::Status larger = absl::ResourceExhaustedError("vector registers are missing");
    if (step < all && vectors >= step) return larger;
    lir::Function attempt = w.lir;
    Allocated stats = lir::ra::AllocateWithSpillsChecked(Gfx1030Machine(), &attempt, w.check);
    if (!stats.ok()) return stats;
    if (step < all && attempt.spill_units != 0) return larger;
    w.lir = std::move(attempt);
    return stats;
  };
  return AllocateBySteps(w, [&] { return std::pair(spill(), true); });
}

// Allocates registers. If no order of instructions fits, descriptors are loaded where they are read
// and a new schedule is made; if that does not fit either, spills from the original order.
Allocated AllocateOrSpill(Work& w, PassContext& context) {
  lir::ra::Demand demand;
  const auto allocate = [&] {
    Allocated stats = lir::ra::AllocateChecked(Gfx1030Machine(), &w.lir, w.check, &demand,
                                               {w.live ? &*w.live : nullptr, w.pressure});
    return std::pair(std::move(stats), (demand.lacking >> kPoolVgpr & 1) != 0);
  };
  Allocated stats = AllocateBySteps(w, allocate);
  if (!absl::IsResourceExhausted(stats.status())) return stats;
  if (!w.unscheduled.empty()) {
    context.Remark("schedule_undone", 0, std::string(stats.status().message()));
    lir::SwapOrder(w.lir, w.unscheduled);
    w.pressure.clear();
    stats = AllocateBySteps(w, allocate);
    if (!absl::IsResourceExhausted(stats.status())) return stats;
  }
  const uint32_t vectors = demand.pressure[kPoolVgpr].logical;
  if (vectors <= w.lir.pool_units[kPoolVgpr] && ReloadDescriptors(w.lir)) {
    context.Remark("descriptors_reloaded", 0, std::string(stats.status().message()));
    w.live.reset();
    w.pressure.clear();
    if (!w.unscheduled.empty()) ScheduleForWaves(w);
    return AllocateOrSpill(w, context);
  }
  return AllocateWithSpills(w, vectors);
}

absl::StatusOr<bool> AllocateRegisters(Work& w, PassContext& context) {
  absl::StatusOr<lir::ra::AllocationStats> stats = AllocateOrSpill(w, context);
  if (!stats.ok()) return stats.status();
  w.unscheduled.clear();
  w.live.reset();
  w.pressure.clear();
  w.spill_bytes = 4 * w.lir.spill_units;
  w.spilled_vgprs = stats->spill.scratch_units;
  w.spilled_sgprs = stats->spill.lane_places;
  context.set_max_live(stats->max_live[kPoolVgpr].logical);
  w.copies_inserted = stats->copies_inserted != 0 || w.lir.spill_units != 0;
  w.stage = Work::Stage::kAllocated;
  return true;
}

// The order of before allocation is as good as it was where nothing has been added.
absl::StatusOr<bool> ScheduleAllocated(Work& w, PassContext& context) {
  if (!w.copies_inserted || !context.Rewrite()) return false;
  return lir::schedule::ScheduleAfterAllocation(Gfx1030Machine(), &w.lir).changed() != 0;
}

// ---- Machine code.

VertexStart StartOf(const VertexAbi& abi) {
  VertexStart start = {kGroupSgpr, kWaveSgpr, kPrimitiveVgpr};
  if (const auto* id = abi.ParameterOf(VertexParameter::Source::kPrimitiveId)) {
    start.primitive_id = {kPrimitiveIdVgpr, id->slot};
  }
  return start;
}

absl::StatusOr<bool> Emit(Work& w, PassContext&) {
  EmitOptions options;
  options.spill_offset = w.private_bytes;
  if (const std::optional<FragmentAbi>& fragment = w.abi->fragment) {
    if (!fragment->controls.empty()) options.prim_mask = fragment->prim_mask;
    options.whole_quads = fragment->helpers != Helpers::kNone;
    options.notes_helpers = fragment->helpers == Helpers::kNoted;
  }
  if (w.abi->vertex) {
    options.all_lanes = w.abi->vertex->culls;
    if (!w.abi->vertex->culls) options.vertex = StartOf(*w.abi->vertex);
  }
  absl::StatusOr<Program> program = amd::Emit(w.lir, options);
  if (!program.ok()) return program.status();
  w.program = *std::move(program);
  if (w.scratch_bytes_per_lane() != 0) AddScratchPrologue(*w.abi, w.program);
  w.stage = Work::Stage::kProgram;
  return true;
}

absl::StatusOr<bool> FormClauses(Work& w, PassContext& context) {
  return amd::FormClauses(w.program, [&] { return context.Rewrite(); });
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

constexpr auto kOwnPasses = std::to_array<Pass<Work>>({
    {"select", Select, false, 0, "selects LIR instructions for MIR at one width"},
    {"pair_words", PairWords, true, 0,
     "computes two operations of 16 bits by one packed instruction"},
    {"mix_words", MixWords, true, 0, "lets sums and products of singles read halves"},
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
    {"form_clauses", FormClauses, true, 0,
     "announces runs of loads by s_clause, for a wave to issue together"},
    {"insert_waits", InsertWaits, false, 0, "inserts waits for the counters of memory operations"},
    {"encode", Encode, false, 0, "encodes machine instructions"},
});
constexpr std::array kFirstPasses = {
    Pass<Work>{"cull_primitives", CullPrimitives, false, 0,
               "lets vertex programs leave out primitives that cannot be seen"}};
constexpr auto kPasses = Joined(kFirstPasses, Joined(kResolvedPasses<Work>, kOwnPasses));

constexpr auto kOwnOrder = std::to_array<PassOrder>({
    {"cull_primitives", "resolve_subgroup_size", "numbers vertices by lane masks"},
    {"select", "pair_words", "works on LIR"},
    {"pair_words", "merge_equal_instructions", "words may be put together in one way twice"},
    {"pair_words", "mix_words", "packed operations leave conversions of high words"},
    {"mix_words", "remove_dead_instructions", "conversions may be dead"},
    {"select", "merge_equal_instructions", "works on LIR"},
    {"merge_equal_instructions", "remove_dead_instructions", "sources of what went may be dead"},
    {"emit", "form_clauses", "clauses are of neighbours in the final order"},
    {"form_clauses", "insert_waits", "waits of all loads of a clause come before it"},
    {"emit", "insert_waits", "waits belong to the final order"},
    {"insert_waits", "encode", "waits are instructions"},
});
constexpr auto kOrder = Joined(kResolvedOrder, lir::kPassOrder, kOwnOrder);

std::string PrintWork(const Work& w) {
  switch (w.stage) {
    case Work::Stage::kNothing: return PrintResolved(w);
    case Work::Stage::kSsa:
    case Work::Stage::kAllocated: return lir::Print(Gfx1030Machine(), w.lir);
    default: return ProgramText(w.program);
  }
}

absl::Status VerifyWork(const Work& w) {
  switch (w.stage) {
    case Work::Stage::kNothing: return VerifyResolved(w);
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
  return static_cast<int64_t>(lir::CountInstructions(w.lir));
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
