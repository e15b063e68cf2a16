#include "core/intel/pipeline/widths.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/cause.h"

namespace kiln::intel {
bool IsWanted(const CompileOptions& options, int width) {
  if (options.required_subgroup_size != 0 && options.required_subgroup_size != width) return false;
  const std::vector<int>& widths = options.widths;
  return widths.empty() || std::find(widths.begin(), widths.end(), width) != widths.end();
}

absl::Status WorthTrying(const Work& w, int width, const std::vector<Variant>& narrower) {
  if (width <= 16 || narrower.empty()) return absl::OkStatus();
  if (w.module->stage != mir::Stage::kCompute) {
    return WithCause(absl::ResourceExhaustedError(absl::StrCat(
                         "twice the registers of ", narrower.back().name, " (",
                         narrower.back().statistics.registers, "); compiled if asked for")),
                     "width_loses");
  }
  return WithCause(
      absl::ResourceExhaustedError(absl::StrCat(
          "twice the registers of ", narrower.back().name, ", which fits the workgroup as well (",
          narrower.back().statistics.registers, " registers); compiled if asked for")),
      "width_loses");
}

absl::Status WorthKeeping(const Work& w, const std::vector<Variant>& narrower) {
  if (w.spills + w.fills == 0 || narrower.empty()) return absl::OkStatus();
  const Variant& other = narrower.back();
  if (other.statistics.spills + other.statistics.fills != 0) return absl::OkStatus();
  return WithCause(
      absl::ResourceExhaustedError(absl::StrCat(w.spills, " spills and ", w.fills, " fills; ",
                                                other.name, " has none; compiled if asked for")),
      "width_loses");
}

}  // namespace kiln::intel
