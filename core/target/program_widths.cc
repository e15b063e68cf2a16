#include "core/target/program_widths.h"

#include <algorithm>
#include <vector>

#include "core/base/cause.h"

namespace kiln {

bool IsWanted(const CompileOptions& options, int width) {
  if (options.required_subgroup_size != 0 && options.required_subgroup_size != width) return false;
  const std::vector<int>& widths = options.widths;
  return widths.empty() || std::find(widths.begin(), widths.end(), width) != widths.end();
}

bool IsOfWidthOnly(const absl::Status& refusal) {
  return refusal.code() == absl::StatusCode::kResourceExhausted;
}

absl::Status NoWidth(const absl::Status& refused) {
  if (!refused.ok()) return refused;
  return Unsupported("dispatch_width", "requested widths, none of which the target has");
}

}  // namespace kiln
