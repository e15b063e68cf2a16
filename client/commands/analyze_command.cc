// kiln analyze: counts and costs of machine code, without any service.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/commands/command.h"
#include "client/compile/run_program.h"
#include "client/output/code_file.h"
#include "client/request/choices.h"
#include "client/request/switch_flags.h"
#include "core/driver/analyze.h"

namespace kiln::client {
namespace {

using Json = nlohmann::ordered_json;
using Counts = std::vector<std::pair<std::string, int64_t>>;

constexpr size_t kMaxListed = 12;

std::string CountsText(absl::string_view title, const Counts& counts) {
  std::string text = absl::StrCat(title, ":");
  for (size_t i = 0; i < counts.size() && i < kMaxListed; ++i) {
    absl::StrAppend(&text, " ", counts[i].first, " ", counts[i].second);
  }
  if (counts.size() > kMaxListed) {
    absl::StrAppend(&text, ", ", counts.size() - kMaxListed, " other kinds");
  }
  return text + "\n";
}

// `count`: the number of all; `lines` holds at least the first of them.
std::string ListText(absl::string_view title, const std::vector<std::string>& lines,
                     int64_t count) {
  std::string text = absl::StrCat(title, ": ", count, "\n");
  const size_t shown = std::min(lines.size(), kMaxListed);
  for (size_t i = 0; i < shown; ++i) absl::StrAppend(&text, "  ", lines[i], "\n");
  if (count > static_cast<int64_t>(shown)) {
    absl::StrAppend(&text, "  and ", count - static_cast<int64_t>(shown), " more\n");
  }
  return text;
}

std::string WaitsText(const WaitFindings& waits) {
  if (!waits.not_judged.empty())
    return absl::StrCat(std::string(waits.title), ": not checked: ", waits.not_judged, "\n");
  return ListText(std::string(waits.title), waits.texts, waits.count);
}

// Returns the figures that are counted, or those that are estimated: "instructions 15, sync 3".
std::string FiguresText(const Analysis& a, bool estimated) {
  std::string text;
  for (const Statistic& s : a.statistics.Known()) {
    if (s.row->estimated != estimated) continue;
    std::string label(s.row->header);
    if (label.empty()) label = absl::StrReplaceAll(std::string(s.row->name), {{"_", " "}});
    absl::StrAppend(&text, text.empty() ? "" : ", ", label, " ", s.value);
  }
  return text;
}

std::string CyclesText(const Analysis& a) {
  if (!a.cycles_not_judged.empty()) {
    return absl::StrCat("cycles: not estimated: ", a.cycles_not_judged, "\n");
  }
  std::string text = absl::StrCat(
      FiguresText(a, true), "; throughput bound by ", a.bottleneck, ": ", a.throughput_cycles,
      " per thread\n  unit                 busy      waits     queues\n");
  for (const UnitCost& u : a.units) {
    absl::StrAppendFormat(&text, "  %-14s %10d %10d %10d\n", u.name, u.busy, u.waits, u.queues);
  }
  return text;
}

std::string Text(const Analysis& a) {
  std::string text = absl::StrCat(FiguresText(a, false), "\n", CyclesText(a));
  absl::StrAppend(&text, CountsText("messages", a.messages), CountsText("opcodes", a.opcodes));
  if (a.redundant_syncs) {
    absl::StrAppend(&text, "redundant syncs: ", a.redundant_syncs->size(), "\n");
  }
  for (const WaitFindings& waits : a.waits) text += WaitsText(waits);
  return text +
         ListText("broken restrictions", a.findings, static_cast<int64_t>(a.findings.size()));
}

Json CountsJson(const Counts& counts) {
  Json json = Json::object();
  for (const auto& [name, count] : counts) json[name] = count;
  return json;
}

// Adds NAME, the texts; also NAME_count if these are not all; NAME_not_judged instead if nothing is
// judged.
void AddWaits(const WaitFindings& waits, Json& json) {
  const std::string name(waits.name);
  if (!waits.not_judged.empty()) {
    json[name + "_not_judged"] = waits.not_judged;
    return;
  }
  json[name] = waits.texts;
  if (waits.count > static_cast<int64_t>(waits.texts.size())) json[name + "_count"] = waits.count;
}

// Adds the figures that are counted, or those that are estimated.
void AddFigures(const Analysis& a, bool estimated, Json& json) {
  for (const Statistic& s : a.statistics.Known()) {
    if (s.row->estimated == estimated) json[std::string(s.row->name)] = s.value;
  }
}

// Adds the cost model's figures, or cycles_not_judged.
void AddCycles(const Analysis& a, Json& json) {
  if (!a.cycles_not_judged.empty()) {
    json["cycles_not_judged"] = a.cycles_not_judged;
    return;
  }
  AddFigures(a, true, json);
  json["bottleneck"] = a.bottleneck;
  json["throughput_cycles"] = a.throughput_cycles;
  json["units"] = Json::array();
  for (const UnitCost& u : a.units) {
    json["units"].push_back(
        {{"name", u.name}, {"busy", u.busy}, {"waits", u.waits}, {"queues", u.queues}});
  }
}

std::string JsonText(const std::string& file, absl::string_view target, const Analysis& a) {
  Json json = {{"file", file}, {"target", std::string(target)}};
  AddFigures(a, false, json);
  json["messages"] = CountsJson(a.messages);
  json["opcodes"] = CountsJson(a.opcodes);
  if (a.redundant_syncs) json["redundant_syncs"] = *a.redundant_syncs;
  json["findings"] = a.findings;
  AddCycles(a, json);
  for (const WaitFindings& waits : a.waits) AddWaits(waits, json);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Reads the code, and its launch record if there is one.
absl::Status Read(const ParsedFlags& flags, Program* program) {
  if (flags.Has("launch")) {
    absl::StatusOr<Program> read = ReadProgram(flags);
    if (!read.ok()) return read.status();
    *program = *std::move(read);
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> code = ReadCodeFile(flags);
  if (code.ok()) program->code.assign(code->begin(), code->end());
  return code.status();
}

ExitCode Run(const ParsedFlags& flags, const Environment& environment) {
  absl::StatusOr<Target> target = TargetOf(flags);
  if (!target.ok()) return Fail(target.status(), environment);
  AnalyzeOptions options = {.switches = Given(AnalysisSwitches(), flags)};
  Program program;
  if (flags.Has("launch")) options.record = &program.launch;
  if (absl::Status s = CheckAnalysis(*target, options); !s.ok()) return Fail(s, environment);
  if (absl::Status s = Read(flags, &program); !s.ok()) return Fail(s, environment);
  const std::string& file = flags.arguments()[0];
  absl::StatusOr<Analysis> analysis = Analyze(*target, program.code, options);
  if (absl::IsFailedPrecondition(analysis.status())) {
    const std::string text =
        absl::StrCat(flags.Get("launch"), ": ", analysis.status().message(), " (", file, ")");
    return Fail(absl::InvalidArgumentError(text), environment);
  }
  if (!analysis.ok()) {
    // The file is wrong, not the command line.
    Fail(
        absl::InvalidArgumentError(absl::StrCat(file, ": ", analysis.status().message(), "; is it ",
                                                flags.Get("target"), " machine code?")),
        environment);
    return kExitSomeFailed;
  }
  return PrintAndExit(
      environment.json ? JsonText(file, flags.Get("target"), *analysis) : Text(*analysis),
      environment);
}

}  // namespace

Command AnalyzeCommand() {
  return {
      "analyze",
      "FILE|-",
      "count instructions and estimate cycles of machine code of any compiler",
      "FILE is a .bin that `kiln compile -o` wrote, or machine code of any other compiler.\n"
      "Prints the target's statistics, the cost model's cycles by unit (not measured on hardware),\n"
      "messages, waits, and violated restrictions, among them a path past the program's end.\n"
      "A missing wait is listed if two lanes of a thread can reach it, whatever their data;\n"
      "where only a run can find it (kiln run), the output says that waits are not checked.\n"
      "Redundant waits are counted if the target's rules tell them. A mode that the target does\n"
      "not have is an error. Spills cannot be recognised in machine code. --launch adds what\n"
      "only a launch record has, such as shared memory, if the target's analysis takes one. A code\n"
      "object of ROCm (.hsaco) has that in itself.\n",
      "  kiln analyze --target=tgl out/saxpy.comp.tgl.16.bin\n"
      "  kiln compile --target=tgl --widths=16 -o - tests/shaders/saxpy.comp | kiln analyze --target=tgl --json -\n"
      "  kiln analyze --target=gfx1030 --launch=client/examples/square.launch.json client/examples/square.bin\n",
      JoinFlags(
          {{{"target", 't', "T", false,
             "target of the machine code; `kiln targets` lists the targets", TargetChoices()}},
           {{"launch", 0, "FILE", false, "launch record of FILE"}},
           FlagsOf(AnalysisSwitches())}),
      Run};
}

}  // namespace kiln::client
