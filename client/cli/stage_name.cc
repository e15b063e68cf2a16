// Names of shader stages: see stage_name.h.
#include "client/cli/stage_name.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/shader_stage.h"

namespace kiln::client {
namespace {

absl::string_view EndingOf(absl::string_view file) {
  size_t dot = file.rfind('.');
  return dot == absl::string_view::npos ? absl::string_view() : file.substr(dot + 1);
}

// HLSL's names of stages, in profiles and in endings of file names.
struct HlslStage {
  absl::string_view prefix;
  absl::string_view stage;
};
constexpr HlslStage kHlslStages[] = {
    {"cs", "compute"},
    {"ps", "fragment"},
    {"vs", "vertex"},
    {"gs", "geometry"},
    {"hs", "tessellation_control"},
    {"ds", "tessellation_evaluation"},
    {"ms", "mesh"},
    {"as", "task"},
};

std::string StageFromPrefix(absl::string_view prefix) {
  for (const HlslStage& row : kHlslStages) {
    if (absl::EqualsIgnoreCase(prefix, row.prefix)) return std::string(row.stage);
  }
  return "";
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
  if (absl::EndsWithIgnoreCase(file, ".hlsl")) {
    file.remove_suffix(5);
    const std::string stage = StageFromName(EndingOf(file));
    return stage.empty() ? StageFromPrefix(EndingOf(file)) : stage;
  }
  if (absl::ConsumeSuffix(&file, ".glsl") || absl::ConsumeSuffix(&file, ".spv")) {
    return StageFromName(EndingOf(file));
  }
  absl::string_view ending = EndingOf(file);
  return ending.size() == 4 ? StageFromName(ending) : "";
}

std::string StageFromProfile(absl::string_view profile) {
  const std::vector<absl::string_view> parts = absl::StrSplit(profile, '_');
  const auto is_number = [](absl::string_view text) {
    return text.size() == 1 &&
           (absl::ascii_isdigit(static_cast<unsigned char>(text[0])) || text[0] == 'x');
  };
  if (parts.size() != 3 || !is_number(parts[1]) || !is_number(parts[2])) return "";
  return StageFromPrefix(parts[0]);
}

bool IsHlslFileName(absl::string_view file) {
  const absl::string_view ending = EndingOf(file);
  return absl::EqualsIgnoreCase(ending, "hlsl") || absl::EqualsIgnoreCase(ending, "hlsli");
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
