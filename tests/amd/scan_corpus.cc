// See scan_corpus.h.
#include "tests/amd/scan_corpus.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "core/amd/device/device.h"
#include "core/amd/isa/opcodes.h"
#include "core/amd/perf/program.h"
#include "core/amd/perf/statistics.h"
#include "core/amd/pipeline/choose_scans.h"
#include "core/amd/select/scan_form.h"
#include "core/driver/compile.h"
#include "core/out/launch_record.h"

namespace kiln::amd {
namespace {

// A setting of the launch, and the number of waves that scan.
struct Setting {
  uint32_t width = 0, group = 0;
  ScanShape shape() const { return {width, group / width, 1}; }
};
constexpr Setting kSettings[] = {{64, 128}, {64, 256}, {32, 128}, {32, 256}};

// The forms' figures of one program. Order: that of kFigures.
constexpr size_t kNumFigures = 8;
using Figures = std::array<double, kNumFigures>;
constexpr const char* kFigures[kNumFigures] = {
    "instructions", "VALU", "SALU", "LDS", "waits", "behind the load", "readlane waits", "latency"};
constexpr size_t kInstructions = 0, kLatency = 7;

std::optional<std::vector<uint32_t>> WordsOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in || bytes.size() % 4 != 0) return std::nullopt;
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

// Returns nothing if the program is refused or does not cull.
std::optional<std::vector<isa::PlacedInstruction>> CodeOf(const Prepared& prepared,
                                                          const Setting& setting, ScanForm form) {
  CompileOptions options;
  options.widths = {static_cast<int>(setting.width)};
  options.ngg_group = setting.group;
  options.scan = std::string(kScanFormNames[static_cast<size_t>(form)]);
  const auto compiled = Compile(prepared, Target::kGfx1030, options, nullptr, {});
  if (!compiled.ok() || compiled->variants.size() != 1) return std::nullopt;
  const Variant& v = compiled->variants[0];
  const out::AmdLaunch& amd = out::AmdOf(v.launch);
  if (amd.vertex.primgen_passthru_en) return std::nullopt;
  auto code = DecodeCode({v.code.data(), amd.instruction_bytes});
  if (!code.ok()) return std::nullopt;
  return *std::move(code);
}

std::optional<Figures> FiguresOf(const Prepared& prepared, const Setting& setting, ScanForm form) {
  const auto code = CodeOf(prepared, setting, form);
  if (!code) return std::nullopt;
  const ProgramStatistics s =
      CountProgram(*code, setting.width == 64 ? isa::Wave::k64 : isa::Wave::k32);
  const auto lane_reads = s.estimate.stalls[static_cast<size_t>(Stall::kLaneReads)];
  Figures f{};
  const int64_t figures[kNumFigures] = {s.instructions, s.valu,           s.salu,
                                        s.lds,          s.waits,          AfterLoad(*code),
                                        lane_reads,     s.estimate.cycles};
  for (size_t i = 0; i < kNumFigures; ++i) f[i] = static_cast<double>(figures[i]);
  return f;
}

// The figures of the modules that cull, by form: equally many, in one order.
struct Rows {
  std::array<std::vector<Figures>, std::size(kScanForms)> of;
  std::vector<std::string> modules;

  const std::vector<Figures>& Of(ScanForm form) const { return of[static_cast<size_t>(form)]; }
};

void AddModule(const std::string& path, const Prepared& prepared, const Setting& setting,
               Rows& rows) {
  std::array<Figures, std::size(kScanForms)> all;
  for (size_t i = 0; i < all.size(); ++i) {
    const std::optional<Figures> made = FiguresOf(prepared, setting, kScanForms[i]);
    if (!made) return;
    all[i] = *made;
  }
  for (size_t i = 0; i < all.size(); ++i) rows.of[i].push_back(all[i]);
  rows.modules.push_back(path.substr(path.rfind('/') + 1));
}

// How a figure of some modules changes between two forms.
struct Change {
  size_t lower = 0, higher = 0;
  Interval percent;  // of the first form's
};
Change ChangeOf(absl::Span<const Figures> from, absl::Span<const Figures> to, size_t figure) {
  Change change;
  std::vector<double> percents;
  for (size_t i = 0; i < from.size(); ++i) {
    const double before = from[i][figure], after = to[i][figure];
    change.lower += after < before ? 1 : 0;
    change.higher += after > before ? 1 : 0;
    percents.push_back(100 * (after - before) / before);
  }
  change.percent = IntervalOf(percents);
  return change;
}

void PrintChange(const Change& change) {
  std::printf(" %zu, %zu, %+.2f ± %.2f %% |", change.lower, change.higher, change.percent.mean,
              change.percent.half);
}

void PrintSetting(const Setting& setting, const Rows& rows) {
  const std::vector<Figures>& scalar = rows.Of(ScanForm::kDwordScalar);
  const ScanShape shape = setting.shape();
  for (const ScanForm form : kScanForms) {
    const std::vector<Figures>& own = rows.Of(form);
    const bool base = form == ScanForm::kDwordScalar;
    std::printf("| %u, %u, %u, %u | `%s` |", setting.width, setting.group, shape.waves,
                shape.streams, std::string(kScanFormNames[static_cast<size_t>(form)]).c_str());
    for (size_t f = 0; f < kNumFigures; ++f) {
      double sum = 0;
      for (size_t i = 0; i < own.size(); ++i) sum += own[i][f] - (base ? 0 : scalar[i][f]);
      const double mean = own.empty() ? 0 : sum / static_cast<double>(own.size());
      std::printf(base ? " %.2f |" : " %+.2f |", mean);
    }
    std::printf(" %u |", LdsDwords(form, shape));
    if (base || own.empty()) {
      std::printf(" | |\n");
      continue;
    }
    PrintChange(ChangeOf(scalar, own, kInstructions));
    PrintChange(ChangeOf(scalar, own, kLatency));
    std::printf("\n");
  }
}

// A module whose latency is lower with another form than the default one.
struct Excess {
  double cycles = 0;
  std::string module;
  ScanForm best = ScanForm::kDwordDpp;
};

std::vector<Excess> ExcessesOf(const Rows& rows, ScanForm chosen) {
  std::vector<Excess> list;
  for (size_t i = 0; i < rows.modules.size(); ++i) {
    ScanForm best = chosen;
    for (const ScanForm form : kScanForms) {
      if (rows.Of(form)[i][kLatency] < rows.Of(best)[i][kLatency]) best = form;
    }
    if (best == chosen) continue;
    list.push_back(
        {rows.Of(chosen)[i][kLatency] - rows.Of(best)[i][kLatency], rows.modules[i], best});
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Excess& a, const Excess& b) { return a.cycles > b.cycles; });
  return list;
}

// Prints in how many modules the default form is not the one with the lowest latency.
void PrintChosen(absl::Span<const Rows> all) {
  constexpr size_t kShown = 5;
  std::printf(
      "\n| lanes, group | default form | modules with a lower latency by another form | cycles more: "
      "mean, most | most: modules |\n|---|---|---:|---|---|\n");
  for (size_t s = 0; s < all.size(); ++s) {
    const auto chosen = FastestScan(kGfx1030, kSettings[s].shape());
    if (!chosen.ok()) continue;
    const std::vector<Excess> list = ExcessesOf(all[s], *chosen);
    double sum = 0;
    for (const Excess& e : list) sum += e.cycles;
    const auto n = static_cast<double>(list.size());
    std::printf(
        "| %u, %u | `%s` | %zu of %zu | %.1f, %.0f |", kSettings[s].width, kSettings[s].group,
        std::string(kScanFormNames[static_cast<size_t>(*chosen)]).c_str(), list.size(),
        all[s].modules.size(), list.empty() ? 0 : sum / n, list.empty() ? 0 : list[0].cycles);
    for (size_t i = 0; i < std::min(kShown, list.size()); ++i) {
      std::printf("%s `%s` (%.0f, `%s`)", i == 0 ? "" : ",", list[i].module.c_str(), list[i].cycles,
                  std::string(kScanFormNames[static_cast<size_t>(list[i].best)]).c_str());
    }
    std::printf(" |\n");
  }
}

void PrintHead() {
  std::printf("| lanes, group, waves, streams | form |");
  for (const char* name : kFigures) std::printf(" %s |", name);
  std::printf(
      " LDS dwords | instructions: fewer, more, change | latency: lower, higher, change |\n");
  std::printf("|---|---|");
  for (size_t i = 0; i < kNumFigures + 1; ++i) std::printf("---:|");
  std::printf("---|---|\n");
}

}  // namespace

int64_t AfterLoad(absl::Span<const isa::PlacedInstruction> code) {
  std::optional<size_t> load;
  for (size_t i = 0; i < code.size(); ++i) {
    const isa::Opcode op = code[i].inst.op;
    const isa::OpcodeInfo& info = isa::Info(op);
    if (op == isa::Opcode::kVReadlaneB32) break;
    if (info.encoding == isa::Encoding::kDs && info.Has(isa::opcode_flag::kLoad)) load = i;
  }
  if (!load) return 0;
  for (size_t i = *load + 1; i < code.size(); ++i) {
    if (code[i].inst.op == isa::Opcode::kSWaitcnt) return static_cast<int64_t>(i - *load - 1);
  }
  return 0;
}

Interval IntervalOf(absl::Span<const double> values) {
  if (values.size() < 2) return {values.empty() ? 0 : values[0], 0};
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double v : values) sum += v;
  const double mean = sum / n;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return {mean, 1.96 * std::sqrt(squares / (n - 1) / n)};
}

std::vector<isa::PlacedInstruction> CompiledVertex(const std::string& path, uint32_t width,
                                                   uint32_t group, ScanForm form) {
  const auto words = WordsOf(path);
  if (!words) return {};
  const auto prepared = Prepare(*words, {}, nullptr, {});
  if (!prepared.ok()) return {};
  return CodeOf(**prepared, {width, group}, form).value_or(std::vector<isa::PlacedInstruction>());
}

bool ReportCorpus(const std::string& list) {
  std::ifstream in(list);
  if (!in) return false;
  std::array<Rows, std::size(kSettings)> rows;
  size_t modules = 0, prepared_modules = 0;
  for (std::string path; std::getline(in, path);) {
    ++modules;
    const auto words = WordsOf(path);
    if (!words) continue;
    const auto prepared = Prepare(*words, {}, nullptr, {});
    if (!prepared.ok()) continue;
    ++prepared_modules;
    for (size_t i = 0; i < rows.size(); ++i) AddModule(path, **prepared, kSettings[i], rows[i]);
  }
  std::printf("Modules: %zu, read by the front end: %zu, that cull:", modules, prepared_modules);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::printf(" %zu (%u lanes, groups of %u)", rows[i].modules.size(), kSettings[i].width,
                kSettings[i].group);
  }
  std::printf("\n\n");
  PrintHead();
  for (size_t i = 0; i < rows.size(); ++i) PrintSetting(kSettings[i], rows[i]);
  PrintChosen(rows);
  return true;
}

}  // namespace kiln::amd
