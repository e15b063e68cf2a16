// MIR -> machine code: chooses widths, runs the back end's pipeline at each, collects variants.
#include "core/driver/compile.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/step.h"
#include "core/driver/mid_pipeline.h"
#include "core/driver/prepared.h"
#include "core/intel/isa/computed_descriptors.h"
#include "core/intel/isa/disasm.h"
#include "core/intel/perf/statistics.h"
#include "core/intel/pipeline/passes.h"

namespace kiln {
namespace intel {
namespace {

constexpr int kWidths[] = {8, 16, 32};

PassOptions RunnerOptions(const CompileOptions& o) {
  PassOptions r;
  r.disabled = o.disabled_passes;
  r.bisect_limit = o.bisect_limit;
  r.print_after = o.print_after;
  r.stop_after = o.stop_after;
  r.verify_each = o.verify_each;
  return r;
}

void Remarked(Sink* sink, int width, const absl::Status& why) {
  if (sink == nullptr) return;
  Remark remark;
  remark.pass = "choose_widths";
  remark.kind = "width_refused";
  remark.width = width;
  remark.spirv_id = SpirvIdOf(why);
  remark.text = absl::StrCat("SIMD", width, ": ", std::string(why.message()));
  sink->OnRemark(remark);
}

// A workgroup runs on one dual subslice: its threads must be there together.
absl::Status FitsThreads(const mir::Module& m, int width) {
  const uint32_t threads = ThreadsPerGroup(m, width);
  if (threads <= kMaxThreadsPerGroup) return absl::OkStatus();
  const absl::Status s = absl::ResourceExhaustedError(
      absl::StrCat("the workgroup needs ", threads, " threads of ", width, " lanes; the limit is ",
                   kMaxThreadsPerGroup));
  return WithSpirvId(WithCause(s, "workgroup_too_large"), m.local_size_id);
}

// VUID-VkPipelineShaderStageCreateInfo-pNext-02757 and flags-02758: subgroups are full if their size
// divides the workgroup's in x.
absl::Status IsFull(const mir::Module& m, int width) {
  if (m.local_size[0] % static_cast<uint32_t>(width) == 0) return absl::OkStatus();
  const absl::Status s = absl::ResourceExhaustedError(
      absl::StrCat("full subgroups are required, and ", width,
                   " lanes do not divide the workgroup's size in x, ", m.local_size[0]));
  return WithSpirvId(WithCause(s, "partial_subgroups"), m.local_size_id);
}

bool IsWanted(const CompileOptions& options, int width) {
  if (options.required_subgroup_size != 0 && options.required_subgroup_size != width) return false;
  const std::vector<int>& widths = options.widths;
  return widths.empty() || std::find(widths.begin(), widths.end(), width) != widths.end();
}

absl::StatusOr<Abi> AssignAbiStep(const mir::Module& m, Sink* sink) {
  const Step step(sink, "assign_abi", "lir");
  return AssignAbi(m);
}

// The statistics are those of the bytes; they are counted from the program that the bytes were
// encoded from, which saves decoding them, and compared where passes are verified. What the program
// knows and its bytes do not say is forgotten first.
absl::StatusOr<ProgramStatistics> CountWork(Work& w) {
  w.program.indirect.clear();
  isa::NoteComputedDescriptors(w.program);
  const absl::StatusOr<ProgramStatistics> counted = CountProgram(w.program);
  if (!counted.ok() || !w.check) return counted;
  const absl::StatusOr<ProgramStatistics> of_bytes =
      CountProgram(isa::Generation::kGen12, w.code);
  if (!of_bytes.ok()) return of_bytes.status();
  if (*of_bytes != *counted) return absl::InternalError("the bytes have other statistics");
  return counted;
}

// Takes `w` over, whose memory is released here as well.
absl::StatusOr<Variant> MakeVariant(const mir::Module& m, const Abi& abi, Work w, Sink* sink) {
  const Step step(sink, "count_program", "out", w.width);
  const absl::StatusOr<ProgramStatistics> counted = CountWork(w);
  if (!counted.ok()) return counted.status();
  Variant v;
  v.name = absl::StrCat("SIMD", w.width);
  v.width = w.width;
  v.launch = MakeLaunchRecord(m, abi, w.width);
  v.launch.code_bytes = static_cast<uint32_t>(w.code.size());
  v.launch.grf_used = w.grf_used;
  v.launch.scratch_bytes_per_thread = w.scratch_bytes;
  v.statistics.instructions = counted->instructions;
  v.statistics.sync_instructions = counted->sync_instructions;
  v.statistics.sends = counted->sends;
  v.statistics.loops = counted->loops;
  v.statistics.registers = counted->registers;
  v.statistics.cycles = counted->cycles;
  v.statistics.spills = w.spills;
  v.statistics.fills = w.fills;
  v.statistics.spill_bytes = w.spill_bytes;
  v.statistics.fill_bytes = w.fill_bytes;
  v.statistics.bytes = static_cast<int64_t>(w.code.size());
  v.code = std::move(w.code);
  return v;
}

// A refusal of this width alone: another may do.
bool OfWidthOnly(const absl::Status& s) { return s.code() == absl::StatusCode::kResourceExhausted; }

// Which widths win where none is asked for. The rules are Mesa's (brw_simd_selection.cpp,
// reference facts 3.8): 32 lanes take twice the registers of 16 and execute no faster, so they are
// for workgroups that do not fit otherwise; a width that spills loses to a narrower one that does
// not.
absl::Status WorthTrying(int width, const std::vector<Variant>& narrower) {
  if (width <= 16 || narrower.empty()) return absl::OkStatus();
  return WithCause(absl::ResourceExhaustedError(absl::StrCat(
                       "twice the registers of ", narrower.back().name,
                       ", which fits the workgroup as well (", narrower.back().statistics.registers,
                       " registers); compiled if asked for")),
                   "width_loses");
}

absl::Status WorthKeeping(const Work& w, const std::vector<Variant>& narrower) {
  if (w.spills + w.fills == 0 || narrower.empty()) return absl::OkStatus();
  const Variant& other = narrower.back();
  if (other.statistics.spills + other.statistics.fills != 0) return absl::OkStatus();
  return WithCause(absl::ResourceExhaustedError(absl::StrCat(
                       w.spills, " spills and ", w.fills, " fills; ", other.name,
                       " has none; compiled if asked for")),
                   "width_loses");
}

}  // namespace

absl::StatusOr<Compiled> CompileIntel(const Prepared& prepared, const CompileOptions& options,
                                      Sink* sink, const Budget& budget) {
  const mir::Module& m = prepared.module;
  const absl::StatusOr<Abi> abi = AssignAbiStep(m, sink);
  if (!abi.ok()) return abi.status();
  const PassOptions runner_options = RunnerOptions(options);
  Runner runner(runner_options, sink, budget);
  runner.set_rewrites(prepared.rewrites);
  Compiled out;
  out.stage = "compute";
  absl::Status refused = WithCause(
      absl::UnimplementedError("the target is compiled at SIMD8, SIMD16 and SIMD32; none was asked for"),
      "dispatch_width");
  const bool choose = options.widths.empty() && options.required_subgroup_size == 0;
  for (int width : kWidths) {
    if (!IsWanted(options, width)) continue;
    Work work;
    work.module = &m;
    work.abi = &*abi;
    work.width = width;
    work.check = options.verify_each;
    runner.set_width(width);
    absl::Status s = FitsThreads(m, width);
    if (s.ok()) s = CheckScratch(m, uint64_t{abi->scratch_bytes_per_lane} * width, width);
    if (s.ok() && options.require_full_subgroups) s = IsFull(m, width);
    if (s.ok() && choose) s = WorthTrying(width, out.variants);
    if (s.ok()) s = runner.Run(IntelLevel(), IntelPasses(), work);
    if (s.ok() && choose) s = WorthKeeping(work, out.variants);
    if (!s.ok()) {
      if (!OfWidthOnly(s)) return s;
      Remarked(sink, width, s);
      refused = s;
      continue;
    }
    if (work.stage != Work::Stage::kBytes) continue;  // stopped on request
    absl::StatusOr<Variant> variant = MakeVariant(m, *abi, std::move(work), sink);
    if (!variant.ok()) return AsOwnFault(variant.status());
    out.variants.push_back(*std::move(variant));
  }
  if (out.variants.empty() && !runner.stopped()) return refused;
  return out;
}

}  // namespace intel

absl::StatusOr<Compiled> Compile(const Prepared& prepared, Target target,
                                 const CompileOptions& options, Sink* sink,
                                 const Budget& budget) {
  PassOptions check;
  check.disabled = options.disabled_passes;
  check.print_after = options.print_after;
  check.stop_after = options.stop_after;
  std::vector<PassRow> rows = Rows(MidPasses());
  for (const PassRow& row : Rows(intel::IntelPasses())) rows.push_back(row);
  if (absl::Status s = CheckOptions(rows, check); !s.ok()) return s;
  if (prepared.stopped) return Compiled{target, prepared.info.stage, {}};
  switch (target) {
    case Target::kTgl: return intel::CompileIntel(prepared, options, sink, budget);
  }
  return absl::InvalidArgumentError("unknown target");
}

absl::StatusOr<std::string> Disassemble(Target target, absl::Span<const uint8_t> code) {
  (void)target;  // tgl is all there is
  constexpr auto kGen = intel::isa::Generation::kGen12;
  const auto placed = intel::isa::DecodeProgram(kGen, code);
  if (!placed.ok()) return placed.status();
  return intel::isa::DisassembleProgram(kGen, *placed);
}

}  // namespace kiln
