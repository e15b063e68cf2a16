// Prints what each form of a scan of the workgroup costs, as the table of core/amd/REPORTS.md: from
// the machine code of programs of a scan and nothing else (core/amd/pipeline/choose_scans.h).
//
// Counts are the scan's own: those of a program that stores what one wave needs no scan for are
// taken off. Latency is the cost model's, of the whole program, which is the same but for the scan.
// --listing prints the programs as well; --trace prints timelines instead,
// --trace=LANES,GROUP,FILE those of a vertex program; --corpus=LIST prints what the form does to
// vertex programs that cull (scan_corpus.h); --test checks what issue and waits have to be.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/trace/trace.h"
#include "core/amd/device/device.h"
#include "core/amd/isa/disasm.h"
#include "core/amd/perf/statistics.h"
#include "core/amd/pipeline/choose_scans.h"
#include "core/amd/pipeline/trace.h"
#include "tests/amd/scan_corpus.h"

namespace kiln::amd {
namespace {

struct Cost {
  ProgramStatistics counted;
  uint32_t lds_dwords = 0;
  int64_t behind_load = 0;  // instructions between the load of counts and its wait
  int64_t lane_reads = 0;   // cycles
  std::string listing;
};

isa::Wave WaveOf(uint32_t width) { return width == 64 ? isa::Wave::k64 : isa::Wave::k32; }

// A failure to compile ends the program.
Cost CostOf(ScanForm form, const ScanShape& shape) {
  const auto program = CompileScan(form, shape);
  if (!program.ok()) {
    std::fprintf(stderr, "%s\n", std::string(program.status().message()).c_str());
    std::exit(1);
  }
  Cost cost;
  cost.counted = CountProgram(program->code, WaveOf(shape.width));
  cost.lds_dwords = program->lds_bytes / 4;
  cost.behind_load = AfterLoad(program->code);
  cost.lane_reads = cost.counted.estimate.stalls[static_cast<size_t>(Stall::kLaneReads)];
  cost.listing = isa::DisassembleProgram(program->code, WaveOf(shape.width));
  return cost;
}

const std::string NameOf(ScanForm form) {
  return std::string(kScanFormNames[static_cast<size_t>(form)]);
}

constexpr ScanShape kShapes[] = {{64, 2, 1}, {64, 4, 1}, {32, 4, 1}, {32, 8, 1},
                                 {64, 2, 2}, {64, 4, 2}, {32, 4, 2}, {32, 8, 2}};

void PrintTable(bool listing) {
  std::printf(
      "| lanes, waves, streams | form | instructions | VALU | SALU | LDS | waits | LDS dwords | "
      "behind the load | readlane waits | latency | chosen |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n");
  for (const ScanShape& shape : kShapes) {
    const Cost frame = CostOf(ScanForm::kByteDot, {shape.width, 1, shape.streams});
    const auto best = FastestScan(kGfx1030, shape);
    for (const ScanForm form : kScanForms) {
      const Cost cost = CostOf(form, shape);
      const ProgramStatistics &own = cost.counted, &of_frame = frame.counted;
      std::printf(
          "| %u, %u, %u | `%s` | %lld | %lld | %lld | %lld | %lld | %u | %lld | %lld | "
          "%lld | %s |\n",
          shape.width, shape.waves, shape.streams, NameOf(form).c_str(),
          static_cast<long long>(own.instructions - of_frame.instructions),
          static_cast<long long>(own.valu - of_frame.valu),
          static_cast<long long>(own.salu - of_frame.salu),
          static_cast<long long>(own.lds - of_frame.lds),
          static_cast<long long>(own.waits - of_frame.waits), cost.lds_dwords,
          static_cast<long long>(cost.behind_load), static_cast<long long>(cost.lane_reads),
          static_cast<long long>(own.estimate.cycles), best.ok() && *best == form ? "yes" : "");
      if (listing) std::printf("\n%s\n", cost.listing.c_str());
    }
  }
}

// Returns the turn of the load of the counts.
int64_t TurnOfLoad(const Timeline& timeline) {
  for (const TimelineInstruction& inst : timeline.instructions) {
    if (inst.text.rfind("ds_read", 0) == 0) return inst.turn;
  }
  return 0;
}

// Prints timelines of the form that Mesa had, of that which replaced it, and of today's, from the
// load of the counts on: what the pictures of that change showed.
void PrintTimelines() {
  constexpr ScanShape kShape = {64, 4, 1};
  constexpr int kColumns = 80;
  for (const ScanForm form : {ScanForm::kDwordScalar, ScanForm::kBytePerm, ScanForm::kByteDot}) {
    const auto program = CompileScan(form, kShape);
    if (!program.ok()) continue;
    client::trace::Trace trace = {
        NameOf(form), "gfx1030", "wave64", TraceProgram(program->code, WaveOf(kShape.width)), 0, 0};
    trace.from = TurnOfLoad(trace.timeline);
    trace.to = trace.timeline.span();
    std::printf("%s\n", client::trace::RenderText(trace, kColumns).c_str());
  }
}

// Prints the timelines of a vertex program that culls, with its scan in the default form and as
// dwords with scalar sums. `what`: lanes, vertices of a group, file. Returns false if it does not
// compile.
bool PrintModule(const std::string& what) {
  const std::vector<std::string> parts = absl::StrSplit(what, absl::MaxSplits(',', 2));
  uint32_t width = 0, group = 0;
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[0], &width) ||
      !absl::SimpleAtoi(parts[1], &group) || width == 0) {
    return false;
  }
  const auto chosen = FastestScan(kGfx1030, {width, group / width, 1});
  if (!chosen.ok()) return false;
  for (const ScanForm form : {*chosen, ScanForm::kDwordScalar}) {
    const auto code = CompiledVertex(parts[2], width, group, form);
    if (code.empty()) return false;
    client::trace::Trace trace = {NameOf(form),
                                  "gfx1030",
                                  absl::StrCat("wave", width),
                                  TraceProgram(code, WaveOf(width)),
                                  0,
                                  0};
    trace.to = trace.timeline.span();
    std::printf("%s\n", client::trace::RenderText(trace, 80).c_str());
  }
  return true;
}

// Checks what the forms are for: bytes leave work for the time of the load, and, of more than two
// waves, fewer scalar instructions.
int Check() {
  int wrong = 0;
  for (const ScanShape& shape : kShapes) {
    const Cost scalar = CostOf(ScanForm::kDwordScalar, shape);
    for (const ScanForm form : {ScanForm::kBytePerm, ScanForm::kByteDot}) {
      const Cost cost = CostOf(form, shape);
      const bool fits =
          cost.behind_load >= 3 && (shape.waves == 2 || cost.counted.salu < scalar.counted.salu);
      if (!fits) {
        ++wrong;
        std::printf("%s of %u waves of %u: %lld behind the load\n%s", NameOf(form).c_str(),
                    shape.waves, shape.width, static_cast<long long>(cost.behind_load),
                    cost.listing.c_str());
      }
    }
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace kiln::amd

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "--test") return kiln::amd::Check();
  if (mode == "--trace") {
    kiln::amd::PrintTimelines();
    return 0;
  }
  if (absl::string_view what = mode; absl::ConsumePrefix(&what, "--trace=")) {
    return kiln::amd::PrintModule(std::string(what)) ? 0 : 1;
  }
  if (absl::string_view list = mode; absl::ConsumePrefix(&list, "--corpus=")) {
    return kiln::amd::ReportCorpus(std::string(list)) ? 0 : 1;
  }
  kiln::amd::PrintTable(mode == "--listing");
  return 0;
}
