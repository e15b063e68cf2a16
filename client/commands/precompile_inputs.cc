// Reads the command line of `kiln precompile`: see precompile_inputs.h.
#include "client/commands/precompile_inputs.h"

#include "absl/strings/str_cat.h"
#include "client/cli/terminal.h"
#include "client/commands/batch_inputs.h"
#include "client/commands/open_many.h"
#include "client/precompile/file_job.h"
#include "client/precompile/inputs.h"

namespace kiln::client {
namespace {

constexpr char kPressureFolder[] = "/proc/pressure";
// Flags whose values a capture has for each stage, or that make items of files.
constexpr const char* kOfFiles[] = {"stage",         "entry",         "spec",
                                    "state",         "subgroup-size", "full-subgroups",
                                    "dispatch-base", "permutations"};

absl::Status ReadFlags(const ParsedFlags& flags, PrecompileInputs* inputs) {
  const bool lists = flags.Has("list-items");
  if (!lists && (flags.Get("output").empty() || flags.Get("output") == "-")) {
    return absl::InvalidArgumentError("-o FILE is needed: the database of results");
  }
  absl::StatusOr<CompileSettings> settings = SettingsFromFlags(flags);
  if (!settings.ok()) return settings.status();
  inputs->settings = *std::move(settings);
  WarnOfMissingFolders(inputs->settings);
  inputs->settings.source.root = flags.Get("root");
  const absl::StatusOr<size_t> jobs = JobsOf(flags);
  if (!jobs.ok()) return jobs.status();
  inputs->jobs = *jobs;
  if (flags.Has("shard")) {
    const absl::StatusOr<Shard> shard = ParseShard(flags.Get("shard"));
    if (!shard.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--shard: ", shard.status().message()));
    }
    inputs->shard = *shard;
  }
  if (flags.Has("pause-above")) {
    auto limits = ParsePressureLimits(flags.Get("pause-above"));
    if (!limits.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--pause-above: ", limits.status().message()));
    }
    auto gate = PressureGate::Make(*std::move(limits), kPressureFolder);
    if (!gate.ok()) return gate.status();
    inputs->gate = *std::move(gate);
  }
  return absl::OkStatus();
}

absl::Status ReadInputs(const ParsedFlags& flags, const std::vector<std::string>& flag_names,
                        const std::function<void(const std::string&)>& say,
                        PrecompileInputs* inputs) {
  if (flags.arguments().empty() && !NamesItems(flags)) {
    return absl::InvalidArgumentError(
        "there is nothing to compile: give captures (*.foz), folders, files, --pair, --list or "
        "--manifest=FILE.jsonl");
  }
  const absl::StatusOr<InputPaths> paths = SplitInputs(flags.arguments());
  if (!paths.ok()) return paths.status();
  for (const std::string& base : paths->captures) {
    for (const char* flag : kOfFiles) {
      if (!flags.Has(flag)) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("--", flag, ": a capture says this of each stage itself; leave it out"));
    }
    absl::StatusOr<std::unique_ptr<Capture>> capture = Capture::Open(base);
    if (!capture.ok()) return capture.status();
    if (!(*capture)->trouble().empty()) say((*capture)->trouble());
    inputs->captures.emplace_back(base, *std::move(capture));
  }
  auto files = ReadItems(flags, paths->others, flag_names, inputs->settings);
  if (!files.ok()) return files.status();
  inputs->files = *std::move(files);
  if (!inputs->captures.empty() || !inputs->files.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "there is nothing to compile: no capture and no shader is found");
}

}  // namespace

std::vector<std::string> PrecompileInputs::FilesRead(const ParsedFlags& flags) const {
  std::vector<std::string> read = {flags.Get("list"), flags.Get("manifest"), flags.Get("output")};
  for (const auto& [name, capture] : captures) read.push_back(name);
  const std::vector<std::string> of_items = FilesOfItems(files);
  read.insert(read.end(), of_items.begin(), of_items.end());
  return read;
}

std::set<std::string> PrecompileInputs::Targets() const {
  std::set<std::string> targets(settings.request.targets().begin(),
                                settings.request.targets().end());
  for (const BatchItem& file : files) {
    if (file.options == nullptr) continue;
    targets.insert(file.options->targets.begin(), file.options->targets.end());
  }
  return targets;
}

// A capture's pipelines are listed by name; only files make a manifest.
absl::StatusOr<ExitCode> PrecompileInputs::PrintItems(const ParsedFlags& flags,
                                                      const Environment& environment) const {
  for (const auto& [name, capture] : captures) {
    for (const PipelineId& id : capture->pipelines()) {
      if (environment.json || !shard.Has(name, id.Name())) continue;
      const absl::Status printed = Print(absl::StrCat(Printable(name), ":", id.Name(), "\n"));
      if (!printed.ok()) return printed;
    }
  }
  std::vector<BatchItem> of_shard;
  for (const BatchItem& file : files) {
    if (shard.Has(kFilesSource, NameInDatabase(file))) of_shard.push_back(file);
  }
  return client::PrintItems(of_shard, flags, settings, environment);
}

absl::Status ReadPrecompileInputs(const ParsedFlags& flags,
                                  const std::vector<std::string>& flag_names,
                                  const std::function<void(const std::string&)>& say,
                                  PrecompileInputs* inputs) {
  const absl::Status read = ReadFlags(flags, inputs);
  return read.ok() ? ReadInputs(flags, flag_names, say, inputs) : read;
}

}  // namespace kiln::client
