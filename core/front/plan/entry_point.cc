#include "core/front/plan/entry_point.h"

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/base/shader_stage.h"
#include "core/base/utf8.h"
#include "core/front/check/coverage.h"
#include "core/front/check/refusal.h"
#include "core/mir/immediates.h"

namespace kiln::front {
namespace {

using Entries = std::vector<const SpirvEntryPoint*>;

std::optional<mir::Stage> StageOf(spv::ExecutionModel model) {
  switch (model) {
    case spv::ExecutionModel::GLCompute: return mir::Stage::kCompute;
    case spv::ExecutionModel::Fragment: return mir::Stage::kFragment;
    case spv::ExecutionModel::Vertex: return mir::Stage::kVertex;
    default: return std::nullopt;
  }
}

// Returns the name of the model's stage and a blank ("fragment "), or nothing.
std::string StageName(spv::ExecutionModel model) {
  const auto number = static_cast<uint32_t>(model);
  for (const ShaderStageRow& row : kShaderStages) {
    if (number == row.model || number == row.older_model) return std::string(row.name) + " ";
  }
  return "";
}

// Returns the first names and the number of further ones, for messages.
std::string Names(const Entries& entries, bool stages = false) {
  constexpr size_t kNamed = 20;
  std::string names;
  for (size_t i = 0; i < std::min(kNamed, entries.size()); ++i) {
    const std::string stage = stages ? StageName(entries[i]->model) : "";
    names += " " + stage + "\"" + Quoted(entries[i]->name) + "\"";
  }
  if (entries.size() > kNamed) {
    names += " and " + std::to_string(entries.size() - kNamed) + " more";
  }
  return names.empty() ? " none" : names;
}

bool Has(const Entries& entries, mir::Stage stage) {
  return std::any_of(entries.begin(), entries.end(),
                     [stage](const SpirvEntryPoint* e) { return StageOf(e->model) == stage; });
}

// Returns the error of a request that several entry points fit. The module is valid.
absl::Status Ambiguous(const std::string& message) {
  return WithCause(absl::InvalidArgumentError(message), "ambiguous_entry_point");
}

// Chooses the stage if the request names none. In a module of several stages it is compute if the
// request names no entry point either; a name that several stages share is an error.
absl::StatusOr<mir::Stage> OnlyStage(const Entries& entries, bool named) {
  if (!named && Has(entries, mir::Stage::kCompute)) return mir::Stage::kCompute;
  const SpirvEntryPoint& first = *entries.front();
  if (std::none_of(entries.begin(), entries.end(),
                   [](const SpirvEntryPoint* e) { return StageOf(e->model).has_value(); })) {
    return Refused(CauseOf(first.model), "entry point " + Quoted(first.name), first.function);
  }
  if (std::any_of(entries.begin(), entries.end(),
                  [&](const SpirvEntryPoint* e) { return e->model != first.model; })) {
    return Ambiguous("the module has entry points of several stages; name one with --stage:" +
                     Names(entries, true));
  }
  return *StageOf(first.model);
}

}  // namespace

absl::StatusOr<EntryPoint> FindEntryPoint(const SpirvModule& spirv, const std::string& name,
                                          std::optional<mir::Stage> stage) {
  Entries meant;
  Entries all;
  for (const SpirvEntryPoint& e : spirv.entry_points) {
    all.push_back(&e);
    if (name.empty() || e.name == name) meant.push_back(&e);
  }
  if (meant.empty()) {
    return absl::NotFoundError("no entry point \"" + Quoted(name) + "\"; the module has" +
                               Names(all));
  }
  if (!stage.has_value()) {
    absl::StatusOr<mir::Stage> only = OnlyStage(meant, !name.empty());
    if (!only.ok()) return only.status();
    stage = *only;
  }
  const std::string stage_name(mir::kStageNames[static_cast<int>(*stage)]);
  std::erase_if(meant, [&](const SpirvEntryPoint* e) { return StageOf(e->model) != stage; });
  if (meant.empty()) {
    return absl::NotFoundError(absl::StrCat("no ", stage_name, " entry point \"", Quoted(name),
                                            "\"; the module has", Names(all)));
  }
  const auto nameless = std::find_if(meant.begin(), meant.end(),
                                     [](const SpirvEntryPoint* e) { return e->name.empty(); });
  if (meant.size() > 1 && nameless == meant.end()) {
    return Ambiguous(absl::StrCat("several ", stage_name,
                                  " entry points; name one with --entry:", Names(meant)));
  }
  const SpirvEntryPoint* entry = meant.size() > 1 ? *nameless : meant.front();
  if (spirv.Function(entry->function) == nullptr) {
    return Invalid("entry point is not a function", entry->function);
  }
  return EntryPoint{entry, *stage};
}

}  // namespace kiln::front
