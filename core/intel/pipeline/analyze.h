// Analyses machine code of any compiler: its effects and its cost.
#ifndef KILN_CORE_INTEL_PIPELINE_ANALYZE_H_
#define KILN_CORE_INTEL_PIPELINE_ANALYZE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/intel/device/device.h"
#include "core/target/analysis.h"

namespace kiln::intel {

// Returns InvalidArgument if the bytes are no program of the device, and says where.
absl::StatusOr<Analysis> AnalyzeCode(const Device& device, absl::Span<const uint8_t> code,
                                     const AnalyzeOptions& options);

// The same for the device of that name, as a row of the driver's table of analysers.
absl::StatusOr<Analysis> AnalyzeTgl(absl::Span<const uint8_t> code, const AnalyzeOptions& options);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_ANALYZE_H_
