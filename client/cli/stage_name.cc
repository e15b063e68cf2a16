// Names of shader stages: see stage_name.h.
#include "client/cli/stage_name.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/shader_stage.h"

namespace kiln::client {
namespace {

absl::string_view EndingOf(absl::string_view file) {
  size_t dot = file.rfind('.');
  return dot == absl::string_view::npos ? absl::string_view() : file.substr(dot + 1);
}

}  // namespace

std::string StageFromName(absl::string_view name) {
  for (const ShaderStageRow& row : kShaderStages) {
    if (row.ending.empty()) continue;
    if (name == absl::string_view(row.ending.data(), row.ending.size()) ||
        name == absl::string_view(row.name.data(), row.name.size())) {
      return std::string(row.name);
    }
  }
  return "";
}

std::string StageFromFileName(absl::string_view file) {
  if (absl::ConsumeSuffix(&file, ".glsl") || absl::ConsumeSuffix(&file, ".spv")) {
    return StageFromName(EndingOf(file));
  }
  absl::string_view ending = EndingOf(file);
  return ending.size() == 4 ? StageFromName(ending) : "";
}

bool IsGlslFileName(absl::string_view file) {
  absl::string_view ending = EndingOf(file);
  return ending == "glsl" || (ending.size() == 4 && !StageFromName(ending).empty());
}

std::string StageNames() {
  std::string names;
  for (const ShaderStageRow& row : kShaderStages) {
    if (row.ending.empty()) continue;
    absl::StrAppend(&names, names.empty() ? "" : ", ", std::string(row.ending));
  }
  return names;
}

}  // namespace kiln::client
