// Analyses behaviour and cost of machine code made by any compiler, for the command line.
#ifndef KILN_CORE_DRIVER_ANALYZE_H_
#define KILN_CORE_DRIVER_ANALYZE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/driver/compile.h"
#include "core/target/analysis.h"
#include "core/target/switches.h"

namespace kiln {

// Returns the switches of all targets' analyses, in the order of the targets.
std::vector<Switch> AnalysisSwitches();

// Returns Unimplemented, with the cause missing_tool, if the target has no analysis, or not one of
// the switches, or none that takes a launch record.
absl::Status CheckAnalysis(Target target, const AnalyzeOptions& options);

// InvalidArgument: the bytes are no program of the target; the message names the position.
// FailedPrecondition: the launch record is not of this program. Also the error of CheckAnalysis.
absl::StatusOr<Analysis> Analyze(Target target, absl::Span<const uint8_t> code,
                                 const AnalyzeOptions& options = {});

}  // namespace kiln

#endif  // KILN_CORE_DRIVER_ANALYZE_H_
