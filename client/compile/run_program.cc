// See run_program.h.
#include "client/compile/run_program.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/paths.h"
#include "client/cli/terminal.h"
#include "client/compile/compile_file.h"
#include "client/compile/compile_pair.h"
#include "client/output/code_file.h"
#include "client/output/result_json.h"
#include "client/output/result_text.h"
#include "client/request/request_options.h"
#include "client/request/spec_constant.h"
#include "client/run/fit.h"
#include "client/service/service_flags.h"
#include "core/base/cause.h"
#include "proto/launch_record_convert.h"

namespace kiln::client {
namespace {

constexpr uint64_t kMaxRecordBytes = uint64_t{256} << 20;

std::vector<uint8_t> BytesIn(const std::string& text) { return {text.begin(), text.end()}; }

// Returns the widest variant; --widths chooses which are compiled.
absl::StatusOr<Program> ProgramOf(const std::string& name, const kiln::v1::TargetResult& result) {
  const kiln::v1::Variant* widest = nullptr;
  for (const auto& variant : result.variants()) {
    if (widest == nullptr || variant.width() > widest->width()) widest = &variant;
  }
  if (widest == nullptr) return absl::InternalError("the service returned no machine code");
  absl::StatusOr<out::LaunchRecord> record = proto::FromProto(widest->launch());
  if (!record.ok()) return record.status();
  const absl::StatusOr<Target> target = ParseTarget(result.target());
  if (!target.ok()) return target.status();
  return Program{*target, name, widest->name(), BytesIn(widest->code()), *std::move(record)};
}

// Adds specialisation constants of the job, except those that --spec sets.
absl::Status AddSpecConstants(const std::vector<std::string>& spec,
                              kiln::v1::CompileRequest* request) {
  const auto constants = ParseSpecConstants(spec);
  if (!constants.ok()) return constants.status();
  std::set<uint32_t> given;
  for (const auto& constant : request->spec_constants()) given.insert(constant.id());
  for (const auto& constant : *constants) {
    if (given.count(constant.id()) == 0) *request->add_spec_constants() = constant;
  }
  return absl::OkStatus();
}

// Returns settings for machine code and launch records.
absl::StatusOr<CompileSettings> SettingsFor(const ParsedFlags& flags, const run::Job& job) {
  absl::StatusOr<CompileSettings> settings = SettingsFromFlags(flags);
  if (!settings.ok()) return settings.status();
  if (absl::Status s = AddSpecConstants(job.spec, &settings->request); !s.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(flags.Get("buffers"), ": ", s.message()));
  }
  settings->request.mutable_outputs()->set_binary(true);
  settings->request.mutable_outputs()->set_launch_record(true);
  return settings;
}

// Takes the program of a file, or shows why there is none.
absl::StatusOr<ExitCode> Take(const std::string& name, const FileOutcome& outcome,
                              const Environment& environment, Program* program) {
  const std::string cause = CauseOf(outcome.file_error);
  if (cause == "cannot_read" || cause == "no_stage") {
    return absl::InvalidArgumentError(outcome.file_error.message());
  }
  if (outcome.results.empty()) return kExitSomeFailed;  // the other one of a pair failed
  const kiln::v1::TargetResult& result = outcome.results[0];
  if (result.status() != kiln::v1::TargetResult::OK) {
    absl::FPrintF(stderr, "%s\n", FailureText(name, result, environment.err_colour));
    return ExitCodeOf(result.status());
  }
  absl::StatusOr<Program> made = ProgramOf(name, result);
  if (!made.ok()) return made.status();
  *program = *std::move(made);
  return kExitOk;
}

std::string NameOfFile(const std::string& file) { return file == "-" ? "stdin" : file; }

absl::StatusOr<ExitCode> TakePair(const std::array<std::string, 2>& files,
                                  const PairOutcome& outcome, const Environment& environment,
                                  Programs* programs) {
  for (const std::string& warning : outcome.warnings) {
    absl::FPrintF(stderr, "kiln: warning: %s\n", Printable(warning));
  }
  ExitCode code = kExitOk;
  std::array<Program, 2> made;
  for (size_t i = 0; i < 2; ++i) {
    absl::StatusOr<ExitCode> taken =
        Take(NameOfFile(files[i]), outcome.files[i], environment, &made[i]);
    if (!taken.ok()) return taken;
    code = Worse(code, *taken);
  }
  if (code != kExitOk) return code;
  const size_t vertex = made[0].launch.stage == "vertex" ? 0 : 1;
  programs->vertex = std::move(made[vertex]);
  programs->main = std::move(made[1 - vertex]);
  return code;
}

}  // namespace

absl::Status RefuseCompileFlags(const ParsedFlags& flags) {
  for (const Flag& flag : CompileFlags()) {
    if (flag.name == "target" || !flags.Has(flag.Key())) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(flag.name.empty() ? "-" : "--", flag.Key(),
                     " is an option for compiling; the file is machine code and is not compiled"));
  }
  return absl::OkStatus();
}

absl::Status CheckHasCompiler(const kiln::v1::Capabilities& capabilities,
                              const std::vector<std::string>& targets) {
  for (const auto& known : capabilities.targets()) {
    if (known.code_generation_version() != 0) continue;
    if (std::find(targets.begin(), targets.end(), known.name()) == targets.end()) continue;
    return WithCause(absl::UnimplementedError(absl::StrCat(
                         "refused (missing_compiler): the target ", known.name(),
                         " has tools for machine code of other compilers, and no compiler yet; "
                         "with --launch=FILE its simulator runs such code")),
                     "missing_compiler");
  }
  return absl::OkStatus();
}

absl::Status CheckServiceCompiles(const ParsedFlags& flags) {
  const std::vector<std::string> names = flags.Commas("target");
  const bool in_doubt = std::any_of(names.begin(), names.end(), [](const std::string& name) {
    const absl::StatusOr<Target> target = ParseTarget(name);
    return target.ok() && !CheckCompiler(*target).ok();
  });
  if (!in_doubt) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<Service>> service = OpenService(flags, 1);
  if (!service.ok()) return service.status();
  const auto capabilities = (*service)->GetCapabilities();
  if (!capabilities.ok()) return capabilities.status();
  return CheckHasCompiler(*capabilities, names);
}

absl::StatusOr<Program> ReadProgram(const ParsedFlags& flags) {
  absl::StatusOr<std::string> code = ReadCodeFile(flags);
  if (!code.ok()) return code.status();
  const std::string path = flags.Get("launch");
  absl::StatusOr<std::string> text = ReadWholeFile(path, kMaxRecordBytes);
  if (!text.ok()) return text.status();
  absl::StatusOr<out::LaunchRecord> record = proto::LaunchRecordFromJson(*text);
  if (!record.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", record.status().message()));
  }
  const std::string name = flags.Get("target");
  if (!record->target.empty() && record->target != name) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is the launch record of a program for ",
                                                   record->target, ", not for ", name));
  }
  if (absl::Status s = run::CheckRecordIsOf(*text, *record, *code); !s.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": ", s.message(), " (", flags.arguments()[0], ")"));
  }
  const absl::StatusOr<Target> target = ParseTarget(name);
  if (!target.ok()) return target.status();
  return Program{*target, flags.arguments()[0], VariantName(*target, record->dispatch_width),
                 BytesIn(*code), *std::move(record)};
}

absl::StatusOr<std::optional<Program>> ReadContained(const ParsedFlags& flags) {
  const std::vector<std::string> targets = flags.Commas("target");
  if (flags.arguments().size() != 1 || flags.arguments()[0] == "-" || targets.size() != 1) {
    return std::nullopt;
  }
  const absl::StatusOr<Target> target = ParseTarget(targets[0]);
  if (!target.ok()) return std::nullopt;
  const absl::StatusOr<std::string> file = ReadCodeFile(flags);
  if (!file.ok()) return std::nullopt;  // those who read shaders say why
  std::vector<uint8_t> code = BytesIn(*file);
  const auto record = RecordInFile(*target, code);
  if (!record.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(flags.arguments()[0], ": ", record.status().message()));
  }
  if (!record->has_value()) return std::nullopt;
  return Program{*target, flags.arguments()[0], VariantName(*target, (*record)->dispatch_width),
                 std::move(code), **record};
}

absl::StatusOr<ExitCode> CompilePrograms(const ParsedFlags& flags, const Environment& environment,
                                         const run::Job& job, Programs* programs) {
  absl::StatusOr<CompileSettings> settings = SettingsFor(flags, job);
  if (!settings.ok()) return settings.status();
  absl::StatusOr<std::unique_ptr<Service>> service = OpenService(flags, 1);
  if (!service.ok()) return service.status();
  auto capabilities = (*service)->GetCapabilities();
  if (!capabilities.ok()) return capabilities.status();
  absl::Status checked = CheckSettings(*capabilities, (*service)->Name(), &*settings);
  if (!checked.ok()) return checked;
  const std::vector<std::string>& files = flags.arguments();
  if (files.size() == 1) {
    absl::StatusOr<FileOutcome> outcome =
        CompileFile(service->get(), *capabilities, *settings, files[0], NameOfFile(files[0]));
    if (!outcome.ok()) return outcome.status();
    return Take(NameOfFile(files[0]), *outcome, environment, &programs->main);
  }
  const std::array<std::string, 2> both = {files[0], files[1]};
  const auto vertex_spec = ParseSpecConstants(job.vertex_spec);
  if (!vertex_spec.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(flags.Get("buffers"), ": ", vertex_spec.status().message()));
  }
  absl::StatusOr<PairOutcome> outcome =
      CompilePair(service->get(), *capabilities, *settings,
                  {PairFile{both[0], NameOfFile(both[0]), "", ""},
                   PairFile{both[1], NameOfFile(both[1]), "", ""}},
                  job.has_vertex_spec ? &*vertex_spec : nullptr);
  if (!outcome.ok()) return outcome.status();
  return TakePair(both, *outcome, environment, programs);
}

}  // namespace kiln::client
