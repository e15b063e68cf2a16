#include "client/compile/compile_pair.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/source/entry_points.h"
#include "client/source/link_stages.h"
#include "core/base/cause.h"
#include "proto/launch_record_convert.h"

namespace kiln::client {
namespace {

using kiln::v1::Capabilities;
using kiln::v1::CompileRequest;
using kiln::v1::SpecConstant;
using kiln::v1::TargetResult;

constexpr char kVertex[] = "vertex", kFragment[] = "fragment";
constexpr size_t kFiles = 2;

// Returns the stages of the entry points that may be meant, each once.
std::vector<std::string> StagesOf(const CompileRequest& request,
                                  const std::array<std::string, kFiles>& entries) {
  if (request.has_glsl()) return {request.glsl().stage()};
  std::vector<std::string> stages;
  for (const EntryPoint& e : EntryPointsOf(request.spirv())) {
    const std::string& wanted = entries[e.stage == kFragment ? 1 : 0];
    if (!wanted.empty() && e.name != wanted) continue;
    if (std::find(stages.begin(), stages.end(), e.stage) == stages.end()) stages.push_back(e.stage);
  }
  return stages;
}

bool Has(const std::vector<std::string>& stages, const char* stage) {
  return std::find(stages.begin(), stages.end(), stage) != stages.end();
}

// Returns which of the two is the vertex shader.
absl::StatusOr<size_t> FindVertex(const std::array<PairFile, kFiles>& named,
                                  const std::array<LoadedFile, kFiles>& files,
                                  const std::array<std::string, kFiles>& entries) {
  if (!named[0].stage.empty()) return named[0].stage == kVertex ? 0 : 1;
  std::array<std::vector<std::string>, kFiles> stages;
  for (size_t i = 0; i < kFiles; ++i) stages[i] = StagesOf(files[i].request, entries);
  for (size_t i = 0; i < kFiles; ++i) {
    if (Has(stages[i], kVertex) && Has(stages[1 - i], kFragment)) return i;
  }
  const auto words = [&](size_t i) {
    const std::string list = absl::StrJoin(stages[i], ", ");
    return absl::StrCat(files[i].name, " is ",
                        stages[i].empty() ? "a module without a matching entry point"
                        : list.empty()    ? "of another stage"
                                          : list);
  };
  return WithForeignCause(
      absl::InvalidArgumentError(
          absl::StrCat("two files must be a vertex and a fragment shader of one pipeline; ",
                       words(0), ", ", words(1), "; `kiln batch` compiles files separately")),
      "not_a_pair");
}

// Returns the error as one of the command line's, with its cause.
absl::Status UsageError(const absl::Status& error) {
  return WithForeignCause(absl::InvalidArgumentError(error.message()), CauseOf(error));
}

absl::Status CheckOptions(const CompileSettings& settings) {
  if (!settings.source.stage.empty()) {
    return absl::InvalidArgumentError(
        "--stage: not with two files; the stage of each follows from its name or its entry points");
  }
  if (settings.request.options().state().has_next_stage_reads()) {
    return absl::InvalidArgumentError(
        "--state: next_stage_reads is derived from the fragment shader of the pair; leave it out");
  }
  return absl::OkStatus();
}

// Reduces a request for several targets to one target.
LoadedFile For(const LoadedFile& file, const char* stage, const std::string& entry,
               const std::string& target) {
  LoadedFile one = file;
  one.request.clear_targets();
  one.request.add_targets(target);
  if (!one.request.has_glsl()) one.request.set_stage(stage);
  one.request.set_entry_point(entry);
  if (one.request.glsl().has_hlsl()) {
    one.request.mutable_glsl()->mutable_hlsl()->set_entry_point(entry);
  }
  one.request.mutable_outputs()->set_launch_record(true);
  return one;
}

const TargetResult* Made(const FileOutcome& outcome) {
  if (outcome.results.size() != 1) return nullptr;
  const TargetResult& result = outcome.results[0];
  const bool made = result.status() == TargetResult::OK && result.variants_size() != 0;
  return made ? &result : nullptr;
}

// The records tell what the shaders read and write: those of a service of another version would say
// that it is nothing.
absl::Status CheckVersions(const TargetResult& made) {
  for (const auto& variant : made.variants()) {
    if (absl::Status s = kiln::proto::CheckVersion(variant.launch()); !s.ok()) return s;
  }
  return absl::OkStatus();
}

// A mismatch becomes the fragment shader's result.
void Compare(const std::string& vertex, const TargetResult& vertex_result, const std::string& name,
             TargetResult* fragment, std::vector<std::string>* warnings) {
  const InterfaceFaults faults = CompareStages(vertex_result, *fragment);
  for (const std::string& what : faults.undefined) {
    warnings->push_back(absl::StrCat(name, ": ", fragment->target(), ": ", what, " by ", vertex,
                                     ": its value is undefined, and Vulkan forbids it if ", vertex,
                                     " does not declare it"));
    kiln::v1::Remark& remark = *fragment->add_remarks();
    remark.set_kind("undefined_input");
    remark.set_text(what);
  }
  if (faults.mismatched.empty()) return;
  fragment->set_status(TargetResult::INVALID);
  fragment->set_cause("interface_mismatch");
  fragment->set_message(absl::StrCat("inputs do not match the outputs of ", vertex, ": ",
                                     absl::StrJoin(faults.mismatched, "; ")));
  fragment->clear_variants();
}

// Removes what is asked of vertex shaders alone, and refused with others.
void ClearVertexOptions(kiln::v1::CompileOptions* options) {
  options->clear_ngg_group();
  if (!options->has_state()) return;
  options->mutable_state()->clear_instance_rates();
  options->mutable_state()->clear_primitive_culling();
}

void Append(const FileOutcome& from, FileOutcome* to) {
  to->results.insert(to->results.end(), from.results.begin(), from.results.end());
  to->file_error.Update(from.file_error);
}

}  // namespace

absl::StatusOr<PairOutcome> CompilePair(Service* service, const Capabilities& capabilities,
                                        const CompileSettings& settings,
                                        const std::array<PairFile, 2>& files,
                                        const std::vector<SpecConstant>* vertex_spec) {
  if (absl::Status s = CheckOptions(settings); !s.ok()) return s;
  const auto entries = EntriesOfPair(settings.request.entry_point());
  if (!entries.ok()) return entries.status();
  std::array<LoadedFile, kFiles> loaded;
  for (size_t i = 0; i < kFiles; ++i) {
    CompileSettings own = settings;
    own.source.stage = files[i].stage;
    own.source.output = files[i].output;
    loaded[i] = LoadFile(own, files[i].path, files[i].name);
    if (!loaded[i].error.ok()) return UsageError(loaded[i].error);
  }
  const auto found = FindVertex(files, loaded, *entries);
  if (!found.ok()) return found.status();
  const size_t vertex = *found, fragment = 1 - *found;
  const std::string& vertex_name = loaded[vertex].name;
  const std::string& fragment_name = loaded[fragment].name;
  PairOutcome outcome;
  for (const std::string& target : settings.request.targets()) {
    LoadedFile second = For(loaded[fragment], kFragment, (*entries)[1], target);
    ClearVertexOptions(second.request.mutable_options());
    auto next = CompileLoaded(service, capabilities, settings, second);
    if (!next.ok()) return next.status();
    if (Made(*next) == nullptr) {
      Append(*next, &outcome.files[fragment]);
      outcome.warnings.push_back(absl::StrCat(vertex_name, ": ", target,
                                              ": not compiled: the inputs of ", fragment_name,
                                              " are not known"));
      continue;
    }
    if (absl::Status s = CheckVersions(*Made(*next)); !s.ok()) return s;
    LoadedFile first = For(loaded[vertex], kVertex, (*entries)[0], target);
    auto* options = first.request.mutable_options();
    options->clear_widths();
    if (vertex_spec != nullptr) {
      first.request.mutable_spec_constants()->Assign(vertex_spec->begin(), vertex_spec->end());
    }
    options->mutable_state()->clear_fragment();
    if (!ReadsEachVertex(*Made(*next))) {
      *options->mutable_state()->mutable_next_stage_reads() = ReadsOf(*Made(*next));
    }
    auto front = CompileLoaded(service, capabilities, settings, first);
    if (!front.ok()) return front.status();
    if (const TargetResult* made = Made(*front); made != nullptr) {
      if (absl::Status s = CheckVersions(*made); !s.ok()) return s;
      Compare(vertex_name, *made, fragment_name, &next->results[0], &outcome.warnings);
    }
    Append(*front, &outcome.files[vertex]);
    Append(*next, &outcome.files[fragment]);
  }
  for (size_t i = 0; i < kFiles; ++i) TakeSource(&loaded[i], &outcome.files[i]);
  return outcome;
}

namespace {

// Adds a result for each target that the file has none for.
void AddMissing(const CompileRequest& request, const TargetResult& missing, FileOutcome* outcome) {
  std::vector<TargetResult> results;
  auto made = outcome->results.begin();
  for (const std::string& target : request.targets()) {
    if (made != outcome->results.end() && made->target() == target) {
      results.push_back(std::move(*made++));
    } else {
      results.push_back(missing);
      results.back().set_target(target);
    }
  }
  outcome->results = std::move(results);
}

}  // namespace

absl::StatusOr<PairOutcome> CompilePairOfBatch(Service* service, const Capabilities& capabilities,
                                               const CompileSettings& settings,
                                               const std::array<PairFile, 2>& files,
                                               const std::vector<SpecConstant>* vertex_spec) {
  absl::StatusOr<PairOutcome> outcome =
      CompilePair(service, capabilities, settings, files, vertex_spec);
  if (!outcome.ok() && !absl::IsInvalidArgument(outcome.status())) return outcome;
  TargetResult missing;
  missing.set_status(TargetResult::INVALID);
  missing.set_cause("other_stage_failed");
  missing.set_message(
      absl::StrCat("not compiled: the inputs of ", files[1].name, " are not known"));
  if (!outcome.ok()) {
    missing.set_cause(CauseOf(outcome.status()));
    missing.set_message(std::string(outcome.status().message()));
    outcome.emplace();
    for (size_t i = 0; i < kFiles; ++i) outcome->files[i].read = {{files[i].path, files[i].name}};
  }
  for (size_t i = 0; i < kFiles; ++i) {
    missing.set_stage(files[i].stage);
    AddMissing(settings.request, missing, &outcome->files[i]);
  }
  return outcome;
}

}  // namespace kiln::client
