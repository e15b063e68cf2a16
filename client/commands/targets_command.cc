// kiln targets: capabilities of the service.
#include <google/protobuf/util/json_util.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/terminal.h"
#include "client/commands/command.h"
#include "client/service/service_flags.h"
#include "core/driver/analyze.h"
#include "core/driver/simulate.h"
#include "core/driver/trace.h"

namespace kiln::client {
namespace {

using kiln::v1::Capabilities;

absl::StatusOr<std::string> JsonText(const Capabilities& capabilities) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  std::string json;
  auto status = google::protobuf::util::MessageToJsonString(capabilities, &json, options);
  if (!status.ok()) return absl::InternalError(status.ToString());
  return json + "\n";
}

const char* Word(Capabilities::StatisticInfo::Better better) {
  switch (better) {
    case Capabilities::StatisticInfo::LOWER: return "lower";
    case Capabilities::StatisticInfo::HIGHER: return "higher";
    default: return "-";
  }
}

std::string StatisticsText(const Capabilities::TargetInfo& target) {
  std::string text = absl::StrCat("\nstatistics of ", Printable(target.name()),
                                  "\nname                 unit          better  counts\n");
  for (const auto& s : target.statistics()) {
    absl::StrAppend(
        &text, absl::StrFormat("%-20s %-13s %-7s %s\n", Printable(s.name()), Printable(s.unit()),
                               Word(s.better()), Printable(s.counts())));
  }
  return text;
}

// Returns the commands for machine code of a target that this program has the tools for.
std::string ToolsText(const std::string& name) {
  const absl::StatusOr<Target> target = ParseTarget(name);
  if (!target.ok()) return "-";
  std::vector<std::string> commands;
  if (CheckDisassembler(*target).ok()) commands.push_back("disasm");
  if (CheckAnalysis(*target, {}).ok()) commands.push_back("analyze");
  if (CheckTrace(*target, {}).ok()) commands.push_back("trace");
  if (CheckSimulation(*target, {}).ok()) commands.push_back("run");
  return commands.empty() ? "-" : absl::StrJoin(commands, ", ");
}

// Returns the version, or that there is no compiler for the target (proto/kiln/v1/compile.proto).
std::string VersionText(const Capabilities::TargetInfo& target) {
  const uint32_t version = target.code_generation_version();
  return version == 0 ? "no compiler" : absl::StrCat(version);
}

// Returns a line for each container that a target has besides raw code.
std::string ContainersText(const Capabilities& c) {
  std::string text;
  for (const auto& target : c.targets()) {
    for (const auto& container : target.containers()) {
      absl::StrAppend(&text, "container ", Printable(container.name()), ": ",
                      Printable(target.name()), ", ",
                      Printable(absl::StrJoin(container.stages(), ", ")), "\n");
    }
  }
  return text;
}

// Returns a line for each target that has forms of scans.
std::string ScansText(const Capabilities& c) {
  std::string text;
  for (const auto& target : c.targets()) {
    if (target.scans().empty()) continue;
    absl::StrAppend(&text, "scans of ", Printable(target.name()), ": ",
                    Printable(absl::StrJoin(target.scans(), ", ")), "\n");
  }
  return text;
}

// Returns a line for each target that has workgroups of vertices.
std::string NggGroupsText(const Capabilities& c) {
  std::string text;
  for (const auto& target : c.targets()) {
    if (target.ngg_groups().empty()) continue;
    absl::StrAppend(&text, "workgroups of vertices of ", Printable(target.name()), ": ",
                    absl::StrJoin(target.ngg_groups(), ", "), "\n");
  }
  return text;
}

std::string Text(const Capabilities& c, const std::string& service, bool passes, bool statistics) {
  std::string text =
      absl::StrCat(Printable(service), ", version ", Printable(c.version()), ", glslang ",
                   Printable(c.glslang_version()), "\n\ntarget    code generation   ABI   tools\n");
  for (const auto& target : c.targets()) {
    absl::StrAppend(&text, absl::StrFormat("%-9s %15s %5d   %s\n", Printable(target.name()),
                                           VersionText(target), target.abi_version(),
                                           ToolsText(target.name())));
  }
  absl::StrAppend(&text, "\nknown stages: ", Printable(absl::StrJoin(c.stages(), ", ")),
                  "\n"
                  "(features that a target does not support are refused with a named cause)\n");
  text += ContainersText(c) + ScansText(c) + NggGroupsText(c);
  for (const auto& target : c.targets()) {
    if (statistics) text += StatisticsText(target);
  }
  if (!passes) return text;
  absl::StrAppend(&text, "\npass                           level     optional\n");
  for (const auto& pass : c.passes()) {
    absl::StrAppend(&text, absl::StrFormat("%-30s %-9s %-8s %s\n", Printable(pass.name()),
                                           Printable(pass.level()), pass.optional() ? "yes" : "no",
                                           Printable(pass.summary())));
  }
  return text;
}

ExitCode Run(const ParsedFlags& flags, const Environment& environment) {
  if (!flags.arguments().empty()) {
    return Fail(absl::InvalidArgumentError("`kiln targets` takes no argument"), environment);
  }
  absl::StatusOr<std::unique_ptr<Service>> service = OpenService(flags, 1);
  if (!service.ok()) return Fail(service.status(), environment);
  absl::StatusOr<Capabilities> capabilities = (*service)->GetCapabilities();
  if (!capabilities.ok()) return Fail(capabilities.status(), environment);
  absl::StatusOr<std::string> text =
      environment.json
          ? JsonText(*capabilities)
          : Text(*capabilities, (*service)->Name(), flags.Has("passes"), flags.Has("statistics"));
  if (!text.ok()) return Fail(text.status(), environment);
  return PrintAndExit(*text, environment);
}

}  // namespace

Command TargetsCommand() {
  return {
      "targets",
      "",
      "list targets, stages and passes of the service",
      "Prints the targets that the daemon, or with --local this installation, knows.\n"
      "The code generation version changes when the bytes produced for a target may change; a\n"
      "target without a compiler has none: only its tools are there.\n"
      "The tools of a target are the commands that read or run its machine code, here and without\n"
      "the daemon. The statistics of a target are the figures that its results have, under these\n"
      "names.\n",
      "  kiln targets\n"
      "  kiln targets --passes\n"
      "  kiln targets --statistics\n"
      "  kiln targets --local --json\n",
      JoinFlags({{{"passes", 0, "", false, "also list the passes, and which of them are optional"},
                  {"statistics", 0, "", false, "also list the statistics of each target"}},
                 ServiceFlags()}),
      Run};
}

}  // namespace kiln::client
