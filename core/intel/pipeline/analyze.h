// Analyses machine code of any compiler: its effects and its cost.
#ifndef KILN_CORE_INTEL_PIPELINE_ANALYZE_H_
#define KILN_CORE_INTEL_PIPELINE_ANALYZE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/intel/device/device.h"
#include "core/target/analysis.h"
#include "core/target/switches.h"

namespace kiln::intel {

inline constexpr Switch kAnalysisSwitches[] = {
    {"fusion", "also list waits missing if blocks are entered with all channels off"}};

// With "fusion" there is a further kind of waits: hazards that need a block entered with all
// channels off, as the thread fused with this one may cause (sim/eu/control_flow.h).
// Returns InvalidArgument if the bytes are no program of the device, and says where.
absl::StatusOr<Analysis> AnalyzeCode(const Device& device, absl::Span<const uint8_t> code,
                                     const AnalyzeOptions& options);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_ANALYZE_H_
