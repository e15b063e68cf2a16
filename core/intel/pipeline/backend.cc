#include "core/intel/pipeline/backend.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/base/step.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/disasm.h"
#include "core/intel/pipeline/analyze.h"
#include "core/intel/pipeline/count.h"
#include "core/intel/pipeline/passes.h"
#include "core/intel/pipeline/simulate.h"
#include "core/intel/pipeline/statistics.h"
#include "core/intel/pipeline/trace.h"
#include "core/intel/pipeline/widths.h"
#include "core/target/program_widths.h"

namespace kiln::intel {
namespace {

void RemarkRefusal(Sink* sink, int width, const absl::Status& why) {
  if (sink == nullptr) return;
  Remark remark;
  remark.pass = "choose_widths";
  remark.kind = "width_refused";
  remark.width = width;
  remark.spirv_id = SpirvIdOf(why);
  remark.text =
      absl::StrCat(VariantName(static_cast<uint32_t>(width)), ": ", std::string(why.message()));
  sink->OnRemark(remark);
}

// Remarks on a width that needs a narrower program besides and was compiled alone: it can be
// inspected and simulated, but not enabled.
void RemarkAlone(const Abi& abi, const Compiled& made, Sink* sink) {
  if (sink == nullptr || !abi.fragment || made.variants.size() != 1) return;
  if (!NeedsNarrower(made.variants[0].width)) return;
  Remark remark;
  remark.pass = "choose_widths";
  remark.kind = "width_alone";
  remark.width = made.variants[0].width;
  remark.text = absl::StrCat(
      made.variants[0].name,
      ": the hardware runs it only together with a program of 8 or 16 lanes of this shader");
  sink->OnRemark(remark);
}

absl::StatusOr<Abi> AssignAbiStep(const mir::Module& m, const Device& device,
                                  const PipelineState& state, Sink* sink) {
  const Step step(sink, "assign_abi", "lir");
  return AssignAbi(m, device, state);
}

// Returns true for a refusal that only excludes a width: it says nothing of what the shader needs.
bool OnlyExcludesWidth(const absl::Status& s) {
  const CauseInfo* row = FindCause(CauseOf(s));
  return row != nullptr && row->kind == CauseKind::kWidth;
}

// Keeps in `told` the refusal to tell if no width is compiled: the narrowest width's, but before
// all that only exclude a width the first one that says what the shader needs. `told` is ok at
// first.
void KeepReason(const absl::Status& s, absl::Status* told) {
  if (told->ok() || (OnlyExcludesWidth(*told) && !OnlyExcludesWidth(s))) *told = s;
}

absl::StatusOr<std::string> Disassemble(const Device& device, absl::Span<const uint8_t> code) {
  const isa::Generation gen = device.generation;
  const auto placed = isa::DecodeProgram(gen, code);
  if (!placed.ok()) return placed.status();
  return isa::DisassembleProgram(gen, *placed);
}

// The functions of a row of the driver's table, for one device.
template <const Device& (*device)()>
struct Row {
  static std::vector<PassRow> Passes() { return PassRows(device()); }
  static absl::StatusOr<Compiled> Compile(const mir::Module& m, const CompileOptions& options,
                                          Runner& runner, Sink* sink) {
    return CompileWidths(device(), m, options, runner, sink);
  }
  static absl::StatusOr<std::string> Disassemble(absl::Span<const uint8_t> code) {
    return intel::Disassemble(device(), code);
  }
  static absl::StatusOr<Analysis> Analyze(absl::Span<const uint8_t> code,
                                          const AnalyzeOptions& options) {
    return AnalyzeCode(device(), code, options);
  }
  static absl::StatusOr<Timeline> Trace(absl::Span<const uint8_t> code,
                                        const TraceOptions& options) {
    return TraceCode(device(), code, options);
  }
};

const mid::Features kTglFeatures = FeaturesOf(Tgl());

}  // namespace

absl::StatusOr<Compiled> CompileWidths(const Device& device, const mir::Module& m,
                                       const CompileOptions& options, Runner& runner, Sink* sink) {
  absl::StatusOr<Abi> abi = AssignAbiStep(m, device, options.state, sink);
  if (!abi.ok()) return abi.status();
  AllWidths all = {&m, &options, &*abi};
  if (absl::Status s = runner.Run(AllWidthsLevel(), AllWidthsPasses(), all); !s.ok()) return s;
  const std::vector<Pass<Work>> passes = IntelPasses(device);
  Compiled out;
  std::vector<WidthCosts> narrower;  // of `out`
  absl::Status refused;              // ok: no width was refused
  const bool choose = options.widths.empty() && options.required_subgroup_size == 0;
  for (int width : kWidths) {
    if (!IsWanted(options, width)) continue;
    Work work(device);
    work.module = &m;
    work.abi = &*abi;
    work.check = options.passes.verify_each;
    work.may_spill = !choose || MaySpill(narrower);
    runner.set_width(width);
    const auto at_width = AtWidth(m, *abi, width, options.require_full_subgroups);
    if (at_width.ok()) work.at_width = *at_width;
    absl::Status s = at_width.status();
    if (s.ok() && choose) s = WorthTrying(m.stage, width, narrower);
    if (s.ok()) s = runner.Run(IntelLevel(), absl::MakeConstSpan(passes), work);
    if (s.ok() && work.stage != Work::Stage::kBytes) continue;  // stopped on request
    WidthResult made;
    if (s.ok()) {
      absl::StatusOr<WidthResult> result = MakeVariant(m, *abi, std::move(work), sink);
      if (!result.ok()) return AsOwnFault(result.status());
      made = *std::move(result);
      if (choose) s = WorthKeeping(m.stage, made.costs, narrower);
    }
    if (!s.ok()) {
      if (!IsOfWidthOnly(s)) return s;
      RemarkRefusal(sink, width, s);
      KeepReason(s, &refused);
      continue;
    }
    out.variants.push_back(std::move(made.variant));
    narrower.push_back(made.costs);
  }
  if (out.variants.empty() && !runner.stopped()) return NoWidth(refused);
  RemarkAlone(*abi, out, sink);
  return out;
}

// Sources of missing features: lower_float_atomics.h, lower_gradients.h, normalize_directions.h;
// core/intel/ABI.md, "Limits", for 64-bit atomics, rounding (one field of cr0 for all widths) and
// texel offsets (nibbles of a sampler message's header). An
// untyped message moves four dwords per lane, a block at one offset 64 bytes; blocks of shared
// memory are aligned to owords (messages of the data port, core/intel/isa/messages.def). Addends:
// rule "three-source immediate" of core/intel/isa/verify.cc.
mid::Features FeaturesOf(const Device& device) {
  const Instructions& has = device.instructions;
  return {.int64 = false,
          .int8 = false,
          .dot4 = has.dot4,
          .float_atomics = {.add = false, .min_max = true, .on_images = false, .of_16_bits = false},
          .half_floats = has.half_floats,
          .addresses = has.addresses,
          .shared_int64_atomics = false,
          .float64 = false,
          .float64_atomics = false,
          .barycentrics = false,
          .clocks = false,
          .int64_images = false,
          .rounding_by_width = false,
          .sample_offsets = {.least = -8, .most = 7, .by_lane = false},
          .most_lanes = 32,
          .derivatives = mid::Derivatives::kInFragments,
          .gradients = {.of_cubes = false,
                        .least_level_with_reference = false,
                        .least_level_with_offsets = false,
                        .samplers_in_table = 16},
          .divides_directions = false,
          .constant_addends = mid::Features::Addends::kExactHalves,
          .fuses_all_widths = false,
          .conditions_in_flags = true,
          .access = {
              .lane = 16, .block = 64, .shared_block_alignment = 16, .block_of_constants = false}};
}

const Backend kTglBackend = {.name = "tgl",
                             .code_generation_version = 16,
                             .abi_version = 4,
                             .features = &kTglFeatures,
                             .statistics = StatisticRows,
                             .passes = Row<Tgl>::Passes,
                             .compile = Row<Tgl>::Compile,
                             .variant_name = VariantName,
                             .disassemble = Row<Tgl>::Disassemble,
                             .analyze = Row<Tgl>::Analyze,
                             .trace = Row<Tgl>::Trace,
                             .simulate = SimulateTgl,
                             .analysis_switches = kAnalysisSwitches,
                             .simulation_switches = kSimulationSwitches};

}  // namespace kiln::intel
