// The timeline of machine code of any compiler, by the cost model (core/intel/perf/estimate.h).
#ifndef KILN_CORE_INTEL_PIPELINE_TRACE_H_
#define KILN_CORE_INTEL_PIPELINE_TRACE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/intel/device/device.h"
#include "core/target/timeline.h"

namespace kiln::intel {

// Returns InvalidArgument if the bytes are no program of the device, and says where; Unimplemented
// for a message whose cost is not known.
absl::StatusOr<Timeline> TraceCode(const Device& device, absl::Span<const uint8_t> code,
                                   const TraceOptions& options);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_TRACE_H_
