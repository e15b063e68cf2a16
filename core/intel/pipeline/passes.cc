#include "core/intel/pipeline/passes.h"

#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/joined.h"
#include "core/intel/emit/emit.h"
#include "core/intel/emit/passes.h"
#include "core/intel/isa/apply_workarounds.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/disasm.h"
#include "core/intel/lir/machine.h"
#include "core/intel/messages/passes.h"
#include "core/intel/optimise/passes.h"
#include "core/intel/pipeline/allocate_registers.h"
#include "core/intel/pipeline/push_uniform_buffers.h"
#include "core/intel/pipeline/schedule.h"
#include "core/intel/select/select.h"
#include "core/intel/swsb/assign_scoreboard.h"
#include "core/lir/order.h"
#include "core/lir/pass_order.h"
#include "core/lir/print.h"
#include "core/lir/verify.h"
#include "core/mid/values/rematerialise_compares.h"
#include "core/target/resolved_passes.h"

namespace kiln::intel {
namespace {

absl::StatusOr<bool> Select(Work& w, PassContext&) {
  absl::StatusOr<lir::Function> f = intel::Select(*w.module, *w.abi, w.at_width);
  if (!f.ok()) return f.status();
  w.lir = *std::move(f);
  HoldPayload(MachineOf(*w.device), StartRegisters(*w.abi, w.at_width), w.lir);
  w.stage = Work::Stage::kSsa;
  return true;
}

template <absl::StatusOr<bool> (*pass)(lir::Function&, PassContext&)>
absl::StatusOr<bool> OnLir(Work& w, PassContext& context) {
  return pass(w.lir, context);
}

// Runs a pass that also needs the device.
template <absl::StatusOr<bool> (*pass)(lir::Function&, const Device&, PassContext&)>
absl::StatusOr<bool> OnDevice(Work& w, PassContext& context) {
  return pass(w.lir, *w.device, context);
}

absl::StatusOr<bool> Emit(Work& w, PassContext&) {
  absl::StatusOr<isa::Program> program =
      intel::Emit(*w.device, w.lir, {w.abi->control_set, w.abi->control_clear});
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

absl::StatusOr<bool> PredicateSmallIfs(Work& w, PassContext& context) {
  const MayRewrite ask = [](void* c) { return static_cast<PassContext*>(c)->Rewrite(); };
  return intel::PredicateSmallIfs(*w.device, w.program, ask, &context) != 0;
}

absl::StatusOr<bool> ApplyWorkarounds(Work& w, PassContext&) {
  const size_t before = w.program.insts.size();
  if (absl::Status s = isa::ApplyWorkarounds(w.program, w.at_width.width); !s.ok()) return s;
  return w.program.insts.size() != before;
}

absl::StatusOr<bool> AssignScoreboard(Work& w, PassContext&) {
  const absl::StatusOr<swsb::SwsbStats> stats = swsb::AssignScoreboard(w.program);
  if (!stats.ok()) return stats.status();
  return true;
}

absl::StatusOr<bool> Encode(Work& w, PassContext&) {
  absl::StatusOr<std::vector<uint8_t>> code = isa::Finalise(w.program);
  if (!code.ok()) return code.status();
  w.code = *std::move(code);
  w.stage = Work::Stage::kBytes;
  return true;
}

// Passes that run once for a shader: its widths share the state that a draw or dispatch sets up.
constexpr Pass<AllWidths> kAllWidths[] = {
    {"push_uniform_buffers", PushUniformBuffers, true, 0,
     "pushes parts of uniform buffers into registers of fragment and vertex threads"},
};

// The optimisations run before allocation; group 1 repeats while something changes.
constexpr auto kOwnPasses = std::to_array<Pass<Work>>({
    {"rematerialise_resolved", IfResolved<Work, mid::RematerialiseCompares>, true, 0,
     "rematerialises compares next to their uses"},
    {"select", Select, false, 0, "selects LIR instructions for MIR at one width"},
    {"propagate_copies", OnLir<PropagateCopies>, true, 1, "makes uses of a move read its source"},
    {"propagate_saturate", OnLir<PropagateSaturate>, true, 1,
     "moves saturation into the instruction that computes the source"},
    {"widen_uniform_results", OnLir<WidenUniformResults>, true, 1,
     "computes uniform results per lane if they are only copied to lanes"},
    {"merge_equal_instructions", OnLir<MergeEqualInstructions>, true, 1,
     "merges equal instructions"},
    {"propagate_conditions", OnLir<PropagateConditions>, true, 1,
     "replaces compares with zero by conditions of the instruction compared"},
    {"remove_dead_instructions", OnLir<RemoveDeadInstructions>, true, 1,
     "removes dead instructions"},
    {"strip_sampler_parameters", OnDevice<StripSamplerParameters>, true, 0,
     "removes trailing zero parameters of sampler messages"},
    {"lower_samplers", OnLir<LowerSamplers>, false, 0,
     "lowers sampler parameter lists to sends, split if the payload is too long"},
    {"halve_messages", OnLir<HalveMessages>, false, 0,
     "splits messages for 32 lanes into two for 16"},
    {"halve_values", OnDevice<HalveValues>, true, 0,
     "computes payloads and uses of split messages in halves of 16 lanes"},
    {"split_sends", OnLir<SplitSends>, true, 0,
     "splits payloads in two, so that fewer registers must be consecutive"},
    {"merge_equal_payloads", OnLir<MergeEqualPayloads>, true, 0,
     "shares payloads between messages that send the same constants or uniform values"},
    {"separate_payloads", OnLir<SeparatePayloads>, false, 0,
     "copies values so that no register is in both payloads of a message"},
    {"vectorise_uniforms", OnLir<VectoriseUniforms>, true, 0,
     "computes uniform results of consecutive components by one instruction"},
    {"place_constants", OnLir<PlaceConstants>, true, 0,
     "moves constants in registers near their uses if there are many"},
    {"free_payload", OnLir<FreePayload>, true, 0,
     "frees registers of the thread payload after their last use"},
    {"prefer_exits", OnLir<PreferExits>, true, 0,
     "marks instructions that discard jumps wait for, to be scheduled first"},
    {"schedule", Schedule, true, 0,
     "schedules for latency, balance and pressure and keeps the best order that fits"},
    {"allocate_registers", AllocateRegisters, false, 0,
     "allocates registers: spills, assigns, resolves parallel copies"},
    {"schedule_allocated", ScheduleAllocated, true, 0,
     "schedules for latency after register allocation"},
    {"emit", Emit, false, 0, "emits machine instructions for LIR"},
    {"remove_empty_sides", OnProgram<RemoveEmptySides>, true, 0,
     "removes the else of ifs with an empty side"},
    {"predicate_small_ifs", PredicateSmallIfs, true, 0,
     "replaces small ifs by predicated instructions"},
    {"predicate_whiles", OnProgram<PredicateWhiles>, true, 0,
     "folds a break before a while into the while's predicate"},
    {"apply_workarounds", ApplyWorkarounds, false, 0, "applies workarounds for hardware errata"},
    {"assign_scoreboard", AssignScoreboard, false, 0,
     "assigns scoreboard waits between dependent instructions"},
    {"compact_instructions", OnProgram<CompactInstructions>, true, 0,
     "marks instructions that have an 8-byte form"},
    {"encode", Encode, false, 0, "encodes machine instructions"},
});
constexpr auto kPasses = Joined(kResolvedPasses<Work>, kOwnPasses);

// A pass that not every device needs.
struct Condition {
  std::string_view pass;
  bool (*needed)(const Device& device);
};
constexpr Condition kConditions[] = {
    {"assign_scoreboard", [](const Device& d) { return d.instructions.software_scoreboard; }},
};

bool IsNeeded(const Device& device, std::string_view pass) {
  for (const Condition& condition : kConditions) {
    if (condition.pass == pass) return condition.needed(device);
  }
  return true;
}

constexpr auto kOwnOrder = std::to_array<PassOrder>({
    {"merge_equal_resolved", "rematerialise_resolved",
     "merging would undo the repetition of compares"},
    {"rematerialise_resolved", "select", "works on MIR"},
    {"select", "propagate_copies", "works on LIR"},
    {"propagate_copies", "strip_sampler_parameters",
     "constant parameters show after copy propagation"},
    {"strip_sampler_parameters", "lower_samplers",
     "the width of a message depends on its number of parameters"},
    {"lower_samplers", "split_sends", "makes the payloads"},
    {"lower_samplers", "halve_messages", "lowering decides the widths of sampler messages"},
    {"halve_messages", "halve_values", "split messages take and return halves"},
    {"halve_values", "split_sends", "parts of payloads are replaced by the sources of their moves"},
    {"remove_dead_instructions", "halve_values", "dead instructions would read halves"},
    {"remove_dead_instructions", "halve_messages", "copy propagation would undo the split's moves"},
    {"split_sends", "separate_payloads", "two payloads may be one value"},
    {"split_sends", "merge_equal_payloads", "makes the payloads"},
    {"merge_equal_payloads", "separate_payloads", "two payloads may be one value"},
    {"remove_dead_instructions", "separate_payloads", "copy propagation would undo the copies"},
    {"separate_payloads", "vectorise_uniforms",
     "uniform values are copied into payloads one by one"},
    {"vectorise_uniforms", "place_constants", "a group of results reads one constant"},
    {"select", "place_constants", "selection places constants at the start of the program"},
    {"remove_dead_instructions", "place_constants", "dead constants need no place"},
    {"select", "free_payload", "selection reserves the payload's registers"},
    {"free_payload", "schedule", "orders are judged by the registers that are left"},
    {"place_constants", "schedule", "constants made near their uses take part in the order"},
    {"separate_payloads", "schedule", "the copies take part in the order"},
    {"select", "prefer_exits", "selection makes the exits"},
    {"prefer_exits", "schedule", "orders depend on the preferred exits"},
    {"remove_dead_instructions", "allocate_registers", "optimisations need SSA form"},
    {"allocate_registers", "emit", "operands need registers"},
    {"emit", "remove_empty_sides", "works on machine instructions"},
    {"remove_empty_sides", "predicate_small_ifs", "small ifs have one side afterwards"},
    {"predicate_small_ifs", "predicate_whiles", "predication makes the breaks"},
    {"predicate_whiles", "assign_scoreboard", "waits depend on the instructions that are left"},
    {"apply_workarounds", "assign_scoreboard", "instructions that workarounds add need waits"},
    {"emit", "assign_scoreboard", "waits belong to the final order"},
    {"assign_scoreboard", "compact_instructions", "adds the syncs, which are compacted"},
    {"assign_scoreboard", "encode", "waits are part of the encoding"},
    {"compact_instructions", "encode", "the encoding depends on the marked forms"},
});
constexpr auto kOrder = Joined(kResolvedOrder, lir::kPassOrder, kOwnOrder);

std::string PrintWork(const Work& w) {
  switch (w.stage) {
    case Work::Stage::kNothing: return PrintResolved(w);
    case Work::Stage::kSsa:
    case Work::Stage::kAllocated: return lir::Print(MachineOf(*w.device), w.lir);
    default: break;
  }
  const auto placed = isa::PlaceInstructions(w.program);
  if (!placed.ok()) return std::string(placed.status().message()) + "\n";
  return isa::DisassembleProgram(w.device->generation, *placed);
}

absl::Status VerifyWork(const Work& w) {
  switch (w.stage) {
    case Work::Stage::kNothing: return VerifyResolved(w);
    case Work::Stage::kSsa: return lir::Verify(MachineOf(*w.device), w.lir);
    case Work::Stage::kAllocated: return lir::VerifyAllocated(MachineOf(*w.device), w.lir);
    default: return absl::OkStatus();
  }
}

std::string PrintRanges(const AllWidths& all) {
  std::string text;
  for (const UniformRange& range : all.abi->uniform_ranges) {
    absl::StrAppend(&text, TextOf(*all.module, range), "\n");
  }
  return text;
}

int64_t CountWork(const Work& w) {
  switch (w.stage) {
    case Work::Stage::kNothing: return 0;
    case Work::Stage::kSsa:
    case Work::Stage::kAllocated: break;
    default: return static_cast<int64_t>(w.program.insts.size());
  }
  return static_cast<int64_t>(lir::CountInstructions(w.lir));
}

}  // namespace

absl::Span<const Pass<AllWidths>> AllWidthsPasses() { return kAllWidths; }

const Level<AllWidths>& AllWidthsLevel() {
  static constexpr Level<AllWidths> level = {"lir", PrintRanges};
  return level;
}

std::vector<Pass<Work>> IntelPasses(const Device& device) {
  std::vector<Pass<Work>> passes;
  for (const Pass<Work>& pass : kPasses) {
    if (IsNeeded(device, pass.name)) passes.push_back(pass);
  }
  return passes;
}

std::vector<PassOrder> IntelPassOrder(const Device& device) {
  std::vector<PassOrder> orders;
  for (const PassOrder& order : kOrder) {
    if (IsNeeded(device, order.first) && IsNeeded(device, order.then)) orders.push_back(order);
  }
  return orders;
}

const Level<Work>& IntelLevel() {
  static constexpr Level<Work> level = {"lir", PrintWork, VerifyWork, CountWork};
  return level;
}

std::vector<PassRow> PassRows(const Device& device) {
  std::vector<PassRow> rows = Rows(AllWidthsPasses());
  const std::vector<Pass<Work>> at_width = IntelPasses(device);
  for (const PassRow& row : Rows(absl::MakeConstSpan(at_width))) rows.push_back(row);
  return rows;
}

}  // namespace kiln::intel
