// Timelines of machine code made by any compiler, for the command line.
#ifndef KILN_CORE_DRIVER_TRACE_H_
#define KILN_CORE_DRIVER_TRACE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/driver/compile.h"
#include "core/target/switches.h"
#include "core/target/timeline.h"

namespace kiln {

// Returns the switches of all targets' timelines, in the order of the targets.
std::vector<Switch> TraceSwitches();

// Returns Unimplemented, with the cause missing_tool, if the target has no timelines, or not one of
// the switches, or none that takes a launch record.
absl::Status CheckTrace(Target target, const TraceOptions& options);

// Returns true if the target's timelines take launch records.
bool TakesRecords(Target target);

// InvalidArgument: the bytes are no program of the target; the message names the position.
// FailedPrecondition: the launch record is not of this program. Unimplemented: the cost model does
// not know an instruction of it; also the error of CheckTrace.
absl::StatusOr<Timeline> Trace(Target target, absl::Span<const uint8_t> code,
                               const TraceOptions& options = {});

}  // namespace kiln

#endif  // KILN_CORE_DRIVER_TRACE_H_
