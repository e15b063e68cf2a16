#include "core/amd/pipeline/compile.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/amd/abi/abi.h"
#include "core/amd/abi/float_mode.h"
#include "core/amd/isa/instruction.h"
#include "core/amd/isa/wave_limits.h"
#include "core/amd/perf/statistics.h"
#include "core/amd/pipeline/choose_scans.h"
#include "core/amd/pipeline/passes.h"
#include "core/amd/pipeline/recorded.h"
#include "core/amd/pipeline/statistics.h"
#include "core/amd/pipeline/work.h"
#include "core/base/cause.h"
#include "core/base/step.h"
#include "core/mir/immediates.h"
#include "core/target/program_widths.h"

namespace kiln::amd {
namespace {

constexpr int kWaveSizes[] = {32, 64};

isa::Wave WaveOf(uint32_t lanes) { return lanes == 64 ? isa::Wave::k64 : isa::Wave::k32; }

uint32_t LanesOfGroup(const mir::Module& m) {
  return m.local_size[0] * m.local_size[1] * m.local_size[2];
}

// Returns the most VGPRs with which all waves of a workgroup fit one CU.
uint32_t MaxVgprs(const mir::Module& m, uint32_t lanes) {
  const auto waves = static_cast<int>((LanesOfGroup(m) + lanes - 1) / lanes);
  const int needed = (waves + isa::kSimdsOfCu - 1) / isa::kSimdsOfCu;
  int vgprs = isa::kVgprCount;
  while (vgprs > 8 && isa::WavesByRegisters(vgprs, WaveOf(lanes)) < needed) vgprs -= 8;
  return static_cast<uint32_t>(vgprs);
}

// Returns a refusal of this size of waves alone.
absl::Status CheckSize(const mir::Module& m, const CompileOptions& options, int lanes) {
  const auto size = static_cast<uint32_t>(lanes);
  if (options.require_full_subgroups && m.local_size[0] % size != 0) {
    return BeyondLimit(
        "partial_subgroups",
        absl::StrCat("workgroup of size ", m.local_size[0], " in x, at ", size, " lanes"),
        m.local_size_id);
  }
  return absl::OkStatus();
}

absl::Status CheckModule(const mir::Module& m) {
  constexpr uint32_t kMaxInvocations = 1024, kMaxShared = isa::kLdsOfCu;
  if (LanesOfGroup(m) > kMaxInvocations) {
    return Unsupported("too_many_invocations", "workgroup", m.local_size_id);
  }
  if (m.shared_bytes > kMaxShared) {
    return Unsupported("shared_memory_too_large", "shared variables", m.shared_id);
  }
  return CheckFloatModes(m);
}

absl::StatusOr<Variant> MakeVariant(const Abi& abi, Work w, Sink* sink) {
  const Step step(sink, "count_program", "out", static_cast<int>(w.lanes));
  const ProgramStatistics counted = CountProgram(w.binary.program, WaveOf(w.lanes));
  Variant v;
  v.name = VariantName(w.lanes);
  v.width = static_cast<int>(w.lanes);
  const uint32_t inputs = abi.fragment ? abi.fragment->input_vgprs()
                          : abi.vertex ? abi.vertex->input_vgprs()
                                       : 0;
  const ProgramShape shape = {w.lanes,
                              std::max(static_cast<uint32_t>(counted.vgprs), inputs),
                              static_cast<uint32_t>(counted.sgprs),
                              w.binary.instruction_bytes,
                              static_cast<uint32_t>(w.binary.bytes.size()),
                              w.scratch_bytes_per_lane(),
                              w.shared_bytes};
  v.launch = LaunchOf(abi, shape);
  const absl::StatusOr<Recorded> recorded = ReadRecord(v.launch, w.binary.bytes.size());
  if (!recorded.ok()) return recorded.status();
  const SpillFacts spilled = {.sgprs = w.spilled_sgprs, .vgprs = w.spilled_vgprs};
  v.statistics =
      StatisticsOf({.counted = counted, .recorded = recorded->facts, .spilled = spilled});
  v.code = std::move(w.binary.bytes);
  if (abi.kind == AbiKind::kKernarg) {
    out::AmdHsaKernel kernel = KernelOf(abi, shape);
    kernel.code = std::move(v.code);
    v.code = out::AmdHsaCodeObject(kernel);
    v.launch.code_bytes = static_cast<uint32_t>(v.code.size());
    v.launch.entry = out::AmdHsaCodeOffset(kernel);
  }
  return v;
}

// Marks the variant that needs the fewest cycles for 64 lanes once latency is hidden, the one with
// the larger waves of two equals: half as many waves fetch instructions.
void MarkPreferred(std::vector<Variant>& variants) {
  if (variants.empty()) return;
  const auto cycles = [](const Variant& v) { return v.statistics.At("inverse_throughput"); };
  Variant* best = &variants.front();
  for (Variant& v : variants) {
    if (cycles(v) <= cycles(*best)) best = &v;
  }
  std::get<out::AmdLaunch>(best->launch.arch).preferred_wave_size = true;
}

}  // namespace

// Sources: opcodes.def for instructions; derivatives and gradients: images.cc; offsets of texels
// have 6 bits (core/amd/isa, MIMG).
constexpr mid::Features kFeatures = {
    .int64 = false,
    .int8 = false,
    .dot4 = kGfx1030.dot_products,
    .float_atomics = {.add = false, .min_max = true, .on_images = false, .of_16_bits = false},
    .half_floats = true,
    .addresses = true,
    .shared_int64_atomics = true,
    .float64 = true,
    .float64_atomics = true,  // minima and maxima; additions by compare-exchanges
    .barycentrics = true,
    .clocks = true,
    .int64_images = true,
    .rounding_by_width = true,
    .sample_offsets = {.least = -32, .most = 31, .by_lane = true},
    .most_lanes = 64,
    .derivatives = mid::Derivatives::kEverywhere,
    .gradients = {.of_cubes = false,
                  .least_level_with_reference = true,
                  .least_level_with_offsets = true,
                  .samplers_in_table = 0},
    .divides_directions = true,
    .constant_addends = mid::Features::Addends::kOneLiteral,
    .fuses_all_widths = true,
    .conditions_in_flags = false,
    .access = {.lane = 16, .block = 64, .shared_block_alignment = 16, .block_of_constants = true}};
const mid::Features kGfx1030Features = kFeatures;

mid::Features FeaturesOf(const Device& device) {
  mid::Features features = kFeatures;
  features.dot4 = device.dot_products;
  return features;
}

std::string VariantName(uint32_t width) { return absl::StrCat("wave", width); }

absl::StatusOr<Compiled> CompileModule(const mir::Module& m, const CompileOptions& options,
                                       Runner& runner, Sink* sink) {
  return CompileWaves(kGfx1030, FindScanForm(options.scan), m, options, runner, sink);
}

absl::StatusOr<Compiled> CompileWaves(const Device& device, std::optional<ScanForm> scan,
                                      const mir::Module& m, const CompileOptions& options,
                                      Runner& runner, Sink* sink) {
  if (absl::Status s = CheckModule(m); !s.ok()) return s;
  const AbiKind kind =
      options.container == out::Container::kAmdHsa ? AbiKind::kKernarg : AbiKind::kDriver;
  absl::StatusOr<Abi> abi =
      AssignAbi(m, kind, options.state, options.ngg_group == 0 ? kGroupSize : options.ngg_group);
  if (!abi.ok()) return abi.status();
  Compiled out;
  absl::Status refused;
  for (const int lanes : kWaveSizes) {
    if (!IsWanted(options, lanes)) continue;
    Work work;
    work.module = &m;
    work.abi = &*abi;
    work.lanes = static_cast<uint32_t>(lanes);
    work.max_vgprs = MaxVgprs(m, work.lanes);
    work.check = options.passes.verify_each;
    runner.set_width(lanes);
    absl::Status s = CheckSize(m, options, lanes);
    if (scan) {
      work.scans = AllScans(*scan);
    } else if (s.ok()) {
      s = ChooseScans(device, m, *abi, work.lanes, &work.scans);
    }
    if (s.ok()) s = runner.Run(WorkLevel(), Passes(), work);
    if (s.ok() && work.stage != Work::Stage::kBytes) continue;  // stopped on request
    if (!s.ok()) {
      if (!IsOfWidthOnly(s)) return s;
      if (refused.ok()) refused = s;
      continue;
    }
    absl::StatusOr<Variant> made = MakeVariant(*abi, std::move(work), sink);
    if (!made.ok()) return AsOwnFault(made.status());
    out.variants.push_back(*std::move(made));
  }
  if (out.variants.empty() && !runner.stopped()) return NoWidth(refused);
  MarkPreferred(out.variants);
  return out;
}

}  // namespace kiln::amd
