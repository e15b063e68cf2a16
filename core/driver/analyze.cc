#include "core/driver/analyze.h"

#include "core/driver/targets.h"
#include "core/driver/tools.h"

namespace kiln {

std::vector<Switch> AnalysisSwitches() {
  return SwitchesOf(Backends(), &Backend::analysis_switches);
}

absl::Status CheckAnalysis(Target target, const AnalyzeOptions& options) {
  return CheckAnalysis(BackendOf(target), options);
}

absl::StatusOr<Analysis> Analyze(Target target, absl::Span<const uint8_t> code,
                                 const AnalyzeOptions& options) {
  return AnalyzeBy(BackendOf(target), code, options);
}

}  // namespace kiln
