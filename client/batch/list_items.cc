// Items as text and as a manifest: see list_items.h.
#include "client/batch/list_items.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/cli/paths.h"
#include "client/cli/terminal.h"
#include "client/request/pipeline_state.h"
#include "client/request/register_shift.h"
#include "client/request/spec_constant.h"

namespace kiln::client {
namespace {

using Json = nlohmann::ordered_json;

// Adds constants and those of the item's permutation.
template <typename Constants>
void AddSpec(const char* key, const Constants& constants, const Permutation& added, Json* line) {
  (*line)[key] = Json::array();
  for (const auto& constant : constants) (*line)[key].push_back(SpecConstantText(constant));
  for (const auto& constant : added.spec_constants) {
    (*line)[key].push_back(SpecConstantText(constant));
  }
}

void AddOptions(const ItemOptions& options, const std::string& root, const CompileSettings& common,
                Json* line) {
  const auto add = [line](const char* key, const auto& value) {
    if (value.has_value()) (*line)[key] = *value;
  };
  if (!options.name.empty()) (*line)["name"] = options.name;
  if (!options.targets.empty()) (*line)["targets"] = options.targets;
  add("entry", options.entry_point);
  if (options.language.has_value()) {
    (*line)["lang"] = *options.language == Language::kHlsl ? "hlsl" : "glsl";
  }
  add("row_major", options.row_major);
  if (options.register_shifts.has_value()) {
    (*line)["register_shifts"] = Json::array();
    for (const auto& shift : *options.register_shifts) {
      (*line)["register_shifts"].push_back(RegisterShiftText(shift));
    }
  }
  const Permutation& added = options.added;
  if (options.defines.has_value() || !added.defines.empty()) {
    Json& defines = (*line)["defines"] = options.defines.value_or(common.source.defines);
    for (const std::string& define : added.defines) defines.push_back(define);
  }
  for (const std::string& folder : options.folders) {
    (*line)["include_dirs"].push_back(root.empty() ? folder : RelativeTo(root, folder));
  }
  if (options.spec_constants.has_value()) {
    AddSpec("spec", *options.spec_constants, added, line);
  } else if (!added.spec_constants.empty()) {
    AddSpec("spec", common.request.spec_constants(), added, line);
  }
  if (options.vertex_spec.has_value()) AddSpec("vertex_spec", *options.vertex_spec, added, line);
  add("widths", options.widths);
  add("subgroup_size", options.subgroup_size);
  add("full_subgroups", options.full_subgroups);
  add("dispatch_base", options.dispatch_base);
  add("container", options.container);
  add("no_validate", options.no_validate);
  add("disable_passes", options.disabled_passes);
  if (options.state.has_value()) {
    const std::string state = PipelineStateJson(*options.state);
    (*line)["state"] = state.empty() ? Json::object() : Json::parse(state);
  }
}

}  // namespace

std::string ItemText(const BatchItem& item) {
  std::string text = Printable(item.label);
  if (item.fragment.has_value()) absl::StrAppend(&text, " + ", Printable(item.fragment->label));
  return text;
}

std::string ItemJson(const BatchItem& item, const std::string& root,
                     const CompileSettings& common) {
  Json line;
  const auto path = [&](const std::string& p) { return root.empty() ? p : RelativeTo(root, p); };
  if (item.fragment.has_value()) {
    line["vertex"] = path(item.path);
    line["fragment"] = path(item.fragment->path);
  } else {
    line["file"] = path(item.path);
    if (item.options != nullptr && !item.options->stage.empty())
      line["stage"] = item.options->stage;
  }
  if (item.options != nullptr) AddOptions(*item.options, root, common, &line);
  return line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kiln::client
