#include "core/driver/trace.h"

#include "core/driver/targets.h"
#include "core/driver/tools.h"

namespace kiln {

std::vector<Switch> TraceSwitches() { return SwitchesOf(Backends(), &Backend::trace_switches); }

absl::Status CheckTrace(Target target, const TraceOptions& options) {
  return CheckTrace(BackendOf(target), options);
}

bool TakesRecords(Target target) { return BackendOf(target).analyzes_records; }

absl::StatusOr<Timeline> Trace(Target target, absl::Span<const uint8_t> code,
                               const TraceOptions& options) {
  return TraceBy(BackendOf(target), code, options);
}

}  // namespace kiln
