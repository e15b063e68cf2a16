#include "core/intel/pipeline/passes.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/intel/emit/emit.h"
#include "core/intel/emit/peephole.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/disasm.h"
#include "core/intel/isa/workarounds.h"
#include "core/intel/lir/ops.h"
#include "core/intel/lir/target.h"
#include "core/intel/messages/passes.h"
#include "core/intel/optimise/passes.h"
#include "core/intel/select/select.h"
#include "core/intel/swsb/swsb.h"
#include "core/lir/liveness.h"
#include "core/lir/print.h"
#include "core/lir/ra/allocate.h"
#include "core/lir/ra/check.h"
#include "core/lir/schedule/schedule.h"
#include "core/lir/verify.h"
#include "core/mid/dce.h"
#include "core/mid/gvn.h"
#include "core/mid/rematerialise_compares.h"
#include "core/mid/resolve_subgroup_size.h"
#include "core/mid/simplify.h"

namespace kiln::intel {
namespace {

constexpr auto kGen = isa::Generation::kGen12;

// Per-thread scratch space comes in powers of two from 1 KiB.
uint32_t ScratchBytes(uint32_t wanted) {
  if (wanted == 0) return 0;
  uint32_t bytes = 1024;
  while (bytes < wanted) bytes *= 2;
  return bytes;
}

// Most modules are the same at all widths and are not copied.
absl::StatusOr<bool> ResolveSubgroupSizePass(Work& w, PassContext& context) {
  if (!mid::DependsOnSubgroupSize(*w.module)) return false;
  w.resolved = *w.module;
  mid::ResolveSubgroupSize(w.resolved, static_cast<uint32_t>(w.width));
  constexpr std::pair<std::string_view, absl::StatusOr<bool> (*)(mir::Module&, PassContext&)>
      kCleanUp[] = {{"simplify", mid::Simplify},
                    {"merge_equal_values", mid::MergeEqualValues},
                    {"remove_dead_code", mid::EliminateDeadCode},
                    {"rematerialise_compares", mid::RematerialiseCompares}};
  for (const auto& [name, pass] : kCleanUp) {
    const absl::StatusOr<bool> changed = context.RunOptional(name, pass, w.resolved);
    if (!changed.ok()) return changed;
  }
  w.module = &w.resolved;
  return true;
}

absl::StatusOr<bool> SelectPass(Work& w, PassContext&) {
  absl::StatusOr<lir::Function> f = Select(*w.module, *w.abi, w.width);
  if (!f.ok()) return f.status();
  w.lir = *std::move(f);
  w.stage = Work::Stage::kSsa;
  return true;
}

template <absl::StatusOr<bool> (*pass)(lir::Function&, PassContext&)>
absl::StatusOr<bool> OnLir(Work& w, PassContext& context) {
  return pass(w.lir, context);
}

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

absl::StatusOr<bool> SchedulePass(Work& w, PassContext& context) {
  if (!context.Rewrite()) return false;
  w.unscheduled = OrderOf(w.lir);
  const lir::schedule::ScheduleStats stats = lir::schedule::ScheduleBeforeAllocation(
      Gen12Target(), &w.lir, {.reserve = {kGrfReserve, 0}, .balanced = {kGrfBalanced, 0}});
  RemarkSchedule(stats, context);
  return stats.changed() != 0;
}

absl::StatusOr<lir::ra::AllocationStats> Allocate(Work& w, bool spill,
                                                  std::vector<lir::Pressure>* pressure = nullptr) {
  const lir::Function ssa = w.check ? w.lir : lir::Function();
  // Live-in 0 is r0, the header of scratch messages; it ends the thread as well, so it stays.
  absl::StatusOr<lir::ra::AllocationStats> stats =
      spill ? lir::ra::AllocateWithSpills(Gen12Target(), &w.lir, w.lir.live_ins[0].value)
            : lir::ra::Allocate(Gen12Target(), &w.lir, pressure);
  if (!stats.ok() || !w.check) return stats;
  if (absl::Status s = lir::ra::CheckAllocation(Gen12Target(), ssa, w.lir); !s.ok()) return s;
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
    context.Remark("spill", v.spirv_id,
                   absl::StrCat("%", e.value.index, " (", v.comps, " component(s)) in block ",
                                e.block.index, ": ", (e.live + 7) / 8,
                                " registers live, its next use is ", e.distance,
                                " instructions away, the next candidate's ", e.runner_up));
  }
}

// Spilled values lie first, where scratch block messages reach; private arrays behind them.
absl::Status PlaceScratch(Work& w, uint32_t spill_bytes) {
  const uint32_t arrays = w.abi->scratch_bytes_per_lane * static_cast<uint32_t>(w.width);
  constexpr uint32_t kBaseGranule = 1024;  // of the base in a message's header
  const uint32_t first = (spill_bytes + kBaseGranule - 1) / kBaseGranule * kBaseGranule;
  const uint64_t wanted = arrays == 0 ? spill_bytes : uint64_t{first} + arrays;
  if (absl::Status s = CheckScratch(*w.module, wanted, w.width); !s.ok()) return s;
  w.scratch_bytes = ScratchBytes(static_cast<uint32_t>(wanted));
  if (spill_bytes == 0 || arrays == 0) return absl::OkStatus();
  for (const lir::Block& b : w.lir.blocks) {
    for (lir::InstId i : b.insts) {
      lir::Inst& in = w.lir.inst(i);
      if (in.op == kScratchHeader && in.num_uses == 1) in.aux = first;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> AllocatePass(Work& w, PassContext& context) {
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
  if (absl::Status s = PlaceScratch(w, 4 * spill.scratch_units); !s.ok()) return s;
  w.stage = Work::Stage::kAllocated;
  return true;
}

absl::StatusOr<bool> ScheduleAllocatedPass(Work& w, PassContext& context) {
  if (!context.Rewrite()) return false;
  return lir::schedule::ScheduleAfterAllocation(Gen12Target(), &w.lir).changed() != 0;
}

absl::StatusOr<bool> EmitPass(Work& w, PassContext&) {
  absl::StatusOr<isa::Program> program =
      Emit(w.lir, {w.abi->control_set, w.abi->control_clear});
  if (!program.ok()) return program.status();
  w.program = *std::move(program);
  w.stage = Work::Stage::kProgram;
  return true;
}

template <int (*pass)(isa::Program&, MayRewrite, void*)>
absl::StatusOr<bool> OnProgram(Work& w, PassContext& context) {
  const MayRewrite ask = [](void* c) { return static_cast<PassContext*>(c)->Rewrite(); };
  return pass(w.program, ask, &context) != 0;
}

absl::StatusOr<bool> WorkaroundsPass(Work& w, PassContext&) {
  const size_t before = w.program.insts.size();
  isa::ApplyWorkarounds(w.program, w.width);
  return w.program.insts.size() != before;
}

absl::StatusOr<bool> ScoreboardPass(Work& w, PassContext&) {
  const absl::StatusOr<swsb::SwsbStats> stats = swsb::AssignScoreboard(w.program);
  if (!stats.ok()) return stats.status();
  return true;
}

absl::StatusOr<bool> EncodePass(Work& w, PassContext&) {
  absl::StatusOr<std::vector<uint8_t>> code = isa::Finalise(kGen, w.program);
  if (!code.ok()) return code.status();
  w.code = *std::move(code);
  w.stage = Work::Stage::kBytes;
  return true;
}

// The optimisations run before allocation; group 1 repeats while something changes.
constexpr Pass<Work> kPasses[] = {
    {"resolve_subgroup_size", ResolveSubgroupSizePass, false, 0, 0, 0, kPreservesAll,
     "what depends on the subgroup's size, at this width"},
    {"select", SelectPass, false, 0, 0, 0, kPreservesAll, "MIR to LIR at one width"},
    {"propagate_copies", OnLir<PropagateCopies>, true, 1, 0, 0, kPreservesAll,
     "uses of moves read the move's source"},
    {"propagate_saturate", OnLir<PropagateSaturate>, true, 1, 0, 0, kPreservesAll,
     "saturating moves become saturation of their source"},
    {"widen_uniform_results", OnLir<WidenUniformResults>, true, 1, 0, 0, kPreservesAll,
     "uniform results that lanes copy are computed per lane"},
    {"merge_equal_instructions", OnLir<MergeEqualInstructions>, true, 1, 0, 0, kPreservesAll,
     "one instruction for equal ones"},
    {"propagate_conditions", OnLir<PropagateConditions>, true, 1, 0, 0, kPreservesAll,
     "tests of zero become conditions of the instruction tested"},
    {"remove_dead_instructions", OnLir<RemoveDeadInstructions>, true, 1, 0, 0, kPreservesAll,
     "instructions whose results nobody uses"},
    {"strip_sampler_parameters", OnLir<StripSamplerParameters>, true, 0, 0, 0, kPreservesAll,
     "trailing zero parameters of sampler messages are not sent"},
    {"lower_samplers", OnLir<LowerSamplers>, false, 0, 0, 0, kPreservesAll,
     "parameter lists become sends of the width that fits"},
    {"halve_messages", OnLir<HalveMessages>, false, 0, 0, 0, kPreservesAll,
     "messages for 32 lanes become two for 16"},
    {"split_sends", OnLir<SplitSends>, true, 0, 0, 0, kPreservesAll,
     "payloads in two parts, so that less must lie together"},
    {"merge_equal_payloads", OnLir<MergeEqualPayloads>, true, 0, 0, 0, kPreservesAll,
     "one payload for messages that send the same constants or uniform values"},
    {"separate_payloads", OnLir<SeparatePayloads>, false, 0, 0, 0, kPreservesAll,
     "no register is in both payloads of a message"},
    {"place_constants", OnLir<PlaceConstants>, true, 0, 0, 0, kPreservesAll,
     "constants in registers are made near their uses where there are many"},
    {"schedule", SchedulePass, true, 0, 0, 0, kPreservesAll,
     "of orders for latency, balance and pressure the best that fits"},
    {"allocate_registers", AllocatePass, false, 0, 0, 0, kPreservesAll,
     "spills where nothing fits, assignment, parallel copies"},
    {"schedule_allocated", ScheduleAllocatedPass, true, 0, 0, 0, kPreservesAll,
     "order for latency with registers fixed"},
    {"emit", EmitPass, false, 0, 0, 0, kPreservesAll, "LIR to machine instructions"},
    {"remove_empty_sides", OnProgram<RemoveEmptySides>, true, 0, 0, 0, kPreservesAll,
     "an if without instructions on one side needs no else"},
    {"predicate_small_ifs", OnProgram<PredicateSmallIfs>, true, 0, 0, 0, kPreservesAll,
     "small ifs become predicated instructions"},
    {"predicate_whiles", OnProgram<PredicateWhiles>, true, 0, 0, 0, kPreservesAll,
     "a break before a while becomes its condition"},
    {"apply_workarounds", WorkaroundsPass, false, 0, 0, 0, kPreservesAll,
     "errata of the hardware"},
    {"assign_scoreboard", ScoreboardPass, false, 0, 0, 0, kPreservesAll,
     "waits between dependent instructions"},
    {"encode", EncodePass, false, 0, 0, 0, kPreservesAll, "machine instructions to bytes"},
};

constexpr PassOrder kOrder[] = {
    {"resolve_subgroup_size", "select", "lane masks are not selected"},
    {"select", "propagate_copies", "there is no LIR before"},
    {"remove_dead_instructions", "schedule", "dead instructions would take part in the order"},
    {"propagate_copies", "strip_sampler_parameters", "parameters must be known to be constant"},
    {"strip_sampler_parameters", "lower_samplers", "width depends on the number of parameters"},
    {"lower_samplers", "split_sends", "makes the payloads"},
    {"lower_samplers", "halve_messages", "parameter lists have widths of their own"},
    {"halve_messages", "split_sends", "makes payloads"},
    {"remove_dead_instructions", "halve_messages", "copy propagation would undo its moves"},
    {"split_sends", "separate_payloads", "two payloads may be one value"},
    {"split_sends", "merge_equal_payloads", "makes the payloads"},
    {"merge_equal_payloads", "separate_payloads", "two payloads may be one value"},
    {"remove_dead_instructions", "separate_payloads", "copy propagation would undo it"},
    {"select", "place_constants", "makes them at the start of the program"},
    {"remove_dead_instructions", "place_constants", "places are for what is read"},
    {"place_constants", "schedule", "constants made near their uses take part in the order"},
    {"separate_payloads", "schedule", "its moves take part in the order"},
    {"schedule", "allocate_registers", "the pressure order needs SSA form"},
    {"allocate_registers", "schedule_allocated", "copies take part in the order"},
    {"schedule_allocated", "emit", "works on LIR"},
    {"remove_dead_instructions", "allocate_registers", "optimisations need SSA form"},
    {"allocate_registers", "emit", "operands need registers"},
    {"emit", "remove_empty_sides", "works on machine instructions"},
    {"remove_empty_sides", "predicate_small_ifs", "leaves ifs with one side"},
    {"predicate_small_ifs", "predicate_whiles", "makes the predicated breaks"},
    {"predicate_whiles", "assign_scoreboard", "waits depend on the instructions that are left"},
    {"apply_workarounds", "assign_scoreboard", "what it adds needs waits"},
    {"emit", "assign_scoreboard", "waits belong to the final order"},
    {"assign_scoreboard", "encode", "waits are part of the encoding"},
};

std::string PrintWork(const Work& w) {
  switch (w.stage) {
    case Work::Stage::kNothing: return "";
    case Work::Stage::kSsa:
    case Work::Stage::kAllocated: return lir::Print(Gen12Target(), w.lir);
    default: break;
  }
  const absl::StatusOr<std::vector<isa::Instruction>> insts =
      isa::ResolveBranches(kGen, w.program);
  if (!insts.ok()) return std::string(insts.status().message()) + "\n";
  std::vector<isa::PlacedInstruction> placed;
  for (const isa::Instruction& i : *insts) {
    placed.push_back({static_cast<uint32_t>(16 * placed.size()), i});
  }
  return isa::DisassembleProgram(kGen, placed);
}

absl::Status VerifyWork(const Work& w) {
  switch (w.stage) {
    case Work::Stage::kSsa: return lir::Verify(Gen12Target(), w.lir);
    case Work::Stage::kAllocated: return lir::VerifyAllocated(Gen12Target(), w.lir);
    default: return absl::OkStatus();
  }
}

int64_t CountWork(const Work& w) {
  switch (w.stage) {
    case Work::Stage::kNothing: return 0;
    case Work::Stage::kSsa:
    case Work::Stage::kAllocated: break;
    default: return static_cast<int64_t>(w.program.insts.size());
  }
  int64_t n = 0;
  for (const lir::Block& b : w.lir.blocks) n += static_cast<int64_t>(b.insts.size());
  return n;
}

}  // namespace

absl::Span<const Pass<Work>> IntelPasses() { return kPasses; }
absl::Span<const PassOrder> IntelPassOrder() { return kOrder; }

const Level<Work>& IntelLevel() {
  static constexpr Level<Work> level = {"lir", PrintWork, VerifyWork, CountWork};
  return level;
}

}  // namespace kiln::intel
