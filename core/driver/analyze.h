// Analyses behaviour and cost of machine code made by any compiler: for the command line, the
// second header of the core beside compile.h.
#ifndef KILN_CORE_DRIVER_ANALYZE_H_
#define KILN_CORE_DRIVER_ANALYZE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/driver/compile.h"
#include "core/target/analysis.h"

namespace kiln {

// InvalidArgument: the bytes are no program of the target; the message names the position.
absl::StatusOr<Analysis> Analyze(Target target, absl::Span<const uint8_t> code,
                                 const AnalyzeOptions& options = {});

}  // namespace kiln

#endif  // KILN_CORE_DRIVER_ANALYZE_H_
