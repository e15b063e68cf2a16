// Compiles one file: see compile_file.h.
#include "client/compile/compile_file.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/source/entry_points.h"
#include "client/source/source.h"
#include "core/base/cause.h"

namespace kiln::client {
namespace {

using kiln::v1::Capabilities;
using kiln::v1::CompileRequest;
using kiln::v1::CompileResponse;
using kiln::v1::TargetResult;

// Repeats the result for every target.
std::vector<TargetResult> ForAllTargets(const CompileRequest& request, const TargetResult& one) {
  std::vector<TargetResult> results;
  for (const std::string& target : request.targets()) {
    results.push_back(one);
    results.back().set_target(target);
  }
  return results;
}

TargetResult Failed(TargetResult::Status status, const std::string& cause,
                    const std::string& message, const std::string& stage) {
  TargetResult result;
  result.set_status(status);
  result.set_cause(cause);
  result.set_message(message);
  result.set_stage(stage);
  return result;
}

// Makes a result of a call that failed because of its request. False: it failed for other reasons.
bool ResultOfCallError(const absl::Status& status, const std::string& name,
                       const std::string& stage, TargetResult* result) {
  std::string message = absl::StrCat(name, ": ", status.message());
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      *result = Failed(TargetResult::INVALID, "rejected_request", message, stage);
      return true;
    case absl::StatusCode::kResourceExhausted:
      *result = Failed(TargetResult::INVALID, "too_large", message, stage);
      return true;
    case absl::StatusCode::kDeadlineExceeded:
      *result = Failed(TargetResult::TIMED_OUT, "deadline",
                       absl::StrCat(message, "; --timeout=SECONDS allows more"), stage);
      return true;
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kDataLoss:
      *result = Failed(TargetResult::CRASHED, "service_error", message, stage);
      return true;
    default: return false;
  }
}

// Returns the request's entry point as far as the request shows it: the one that it names, else the
// module's only one, or that of the text.
std::string EntryOf(const CompileRequest& request) {
  if (!request.entry_point().empty()) return request.entry_point();
  if (request.has_glsl()) return EntryPointOf(request.glsl());
  const std::vector<EntryPoint> entries = EntryPointsOf(request.spirv());
  return entries.size() == 1 ? entries[0].name : "";
}

// Sets the entry point in results without one.
void SetEntry(const std::string& entry, std::vector<TargetResult>* results) {
  for (TargetResult& result : *results) {
    if (result.entry_point().empty()) result.set_entry_point(entry);
  }
}

absl::StatusOr<FileOutcome> NotLoaded(const CompileSettings& settings, const absl::Status& error) {
  const TargetResult failed = Failed(TargetResult::INVALID, CauseOf(error),
                                     std::string(error.message()), settings.request.stage());
  return FileOutcome{ForAllTargets(settings.request, failed), error};
}

absl::StatusOr<FileOutcome> Call(Service* service, const Capabilities& capabilities,
                                 const CompileSettings& settings, const LoadedFile& file) {
  const CompileRequest& request = file.request;
  FileOutcome outcome;
  std::string stage = request.has_glsl() ? request.glsl().stage() : request.stage();
  if (TargetResult refusal; !stage.empty() && !StageIsCompiled(capabilities, stage, &refusal)) {
    outcome.results = ForAllTargets(request, refusal);
    return outcome;
  }
  if (TargetResult refusal; !TextIsTaken(capabilities, request, &refusal)) {
    outcome.results = ForAllTargets(request, refusal);
    return outcome;
  }
  absl::StatusOr<CompileResponse> response = service->Compile(request);
  if (!response.ok()) {
    TargetResult result;
    if (!ResultOfCallError(response.status(), file.name, stage, &result)) return response.status();
    outcome.results = ForAllTargets(request, result);
    return outcome;
  }
  for (TargetResult& result : *response->mutable_results()) {
    if (result.stage().empty()) result.set_stage(stage);
    if (result.status() == TargetResult::INVALID && !file.missing.empty()) {
      absl::StrAppend(result.mutable_message(), result.message().empty() ? "" : "\n",
                      DescribeMissing(file.missing, settings.source.folders));
    }
    outcome.results.push_back(std::move(result));
  }
  return outcome;
}

}  // namespace

std::optional<std::vector<kiln::v1::SpecConstant>> VertexSpecOf(const ItemOptions* item) {
  if (item == nullptr || !item->vertex_spec.has_value()) return std::nullopt;
  std::vector<kiln::v1::SpecConstant> constants = *item->vertex_spec;
  const auto& added = item->added.spec_constants;
  constants.insert(constants.end(), added.begin(), added.end());
  return constants;
}

CompileSettings SettingsOf(const CompileSettings& common, const ItemOptions* item) {
  CompileSettings settings = common;
  if (item == nullptr) return settings;
  CompileRequest& request = settings.request;
  if (!item->targets.empty()) {
    request.clear_targets();
    for (const std::string& target : item->targets) request.add_targets(target);
  }
  if (!item->stage.empty()) {
    request.set_stage(item->stage);
    settings.source.stage = item->stage;
  }
  if (item->language.has_value()) settings.source.language = *item->language;
  if (item->row_major.has_value()) settings.source.hlsl.set_row_major(*item->row_major);
  if (item->register_shifts.has_value()) {
    settings.source.hlsl.mutable_register_shifts()->Assign(item->register_shifts->begin(),
                                                           item->register_shifts->end());
  }
  if (item->entry_point.has_value()) request.set_entry_point(*item->entry_point);
  if (item->defines.has_value()) settings.source.defines = *item->defines;
  // The item's folders come first; the common ones (a library of includes) are still searched.
  settings.source.folders.insert(settings.source.folders.begin(), item->folders.begin(),
                                 item->folders.end());
  if (item->spec_constants.has_value()) {
    request.clear_spec_constants();
    for (const auto& constant : *item->spec_constants) *request.add_spec_constants() = constant;
  }
  settings.source.defines.insert(settings.source.defines.end(), item->added.defines.begin(),
                                 item->added.defines.end());
  for (const auto& constant : item->added.spec_constants) {
    *request.add_spec_constants() = constant;
  }
  auto* options = request.mutable_options();
  if (item->state.has_value()) *options->mutable_state() = *item->state;
  if (item->widths.has_value()) {
    options->clear_widths();
    for (uint32_t width : *item->widths) options->add_widths(width);
  }
  if (item->subgroup_size.has_value()) options->set_required_subgroup_size(*item->subgroup_size);
  if (item->full_subgroups.has_value()) options->set_require_full_subgroups(*item->full_subgroups);
  if (item->dispatch_base.has_value()) options->set_dispatch_base(*item->dispatch_base);
  if (item->container.has_value()) options->set_container(*item->container);
  if (item->no_validate.has_value()) options->set_no_validate(*item->no_validate);
  if (item->disabled_passes.has_value()) {
    options->clear_disabled_passes();
    for (const std::string& pass : *item->disabled_passes) options->add_disabled_passes(pass);
  }
  return settings;
}

LoadedFile LoadFile(const CompileSettings& settings, const std::string& path,
                    const std::string& name) {
  LoadedFile file;
  file.name = name;
  file.request = settings.request;
  file.error = LoadSource(path, name, settings.source, &file.request, &file.missing, &file.read);
  return file;
}

void TakeSource(LoadedFile* file, FileOutcome* outcome) {
  outcome->read = std::move(file->read);
  const auto failed = [](const TargetResult& r) { return r.status() != TargetResult::OK; };
  if (file->request.has_glsl() &&
      std::any_of(outcome->results.begin(), outcome->results.end(), failed)) {
    outcome->glsl = std::move(*file->request.mutable_glsl());
  }
}

absl::StatusOr<FileOutcome> CompileLoaded(Service* service, const Capabilities& capabilities,
                                          const CompileSettings& settings, const LoadedFile& file) {
  absl::StatusOr<FileOutcome> outcome = Call(service, capabilities, settings, file);
  if (outcome.ok()) SetEntry(EntryOf(file.request), &outcome->results);
  return outcome;
}

absl::StatusOr<FileOutcome> CompileFile(Service* service, const Capabilities& capabilities,
                                        const CompileSettings& settings, const std::string& path,
                                        const std::string& name) {
  LoadedFile file = LoadFile(settings, path, name);
  absl::StatusOr<FileOutcome> outcome = file.error.ok()
                                            ? CompileLoaded(service, capabilities, settings, file)
                                            : NotLoaded(settings, file.error);
  if (!outcome.ok()) return outcome;
  if (!file.error.ok()) SetEntry(EntryOf(file.request), &outcome->results);
  TakeSource(&file, &*outcome);
  return outcome;
}

}  // namespace kiln::client
