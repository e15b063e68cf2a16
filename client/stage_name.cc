// Names of shader stages: see stage_name.h.
#include "client/stage_name.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace kiln::client {
namespace {

// glslang's file name endings, the API's names.
constexpr std::pair<const char*, const char*> kStages[] = {
    {"comp", "compute"},
    {"vert", "vertex"},
    {"frag", "fragment"},
    {"geom", "geometry"},
    {"tesc", "tessellation_control"},
    {"tese", "tessellation_evaluation"},
    {"mesh", "mesh"},
    {"task", "task"},
};

absl::string_view EndingOf(absl::string_view file) {
  size_t dot = file.rfind('.');
  return dot == absl::string_view::npos ? absl::string_view() : file.substr(dot + 1);
}

}  // namespace

std::string StageFromName(absl::string_view name) {
  for (auto [ending, stage] : kStages) {
    if (name == ending || name == stage) return stage;
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
  for (auto [ending, stage] : kStages) absl::StrAppend(&names, names.empty() ? "" : ", ", ending);
  return names;
}

}  // namespace kiln::client
