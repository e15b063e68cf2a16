// The timeline of machine code of any compiler, by the cost model (core/amd/perf/estimate.h).
#ifndef KILN_CORE_AMD_PIPELINE_TRACE_H_
#define KILN_CORE_AMD_PIPELINE_TRACE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/amd/isa/decode.h"
#include "core/amd/isa/instruction.h"
#include "core/amd/pipeline/read_code.h"
#include "core/target/switches.h"
#include "core/target/timeline.h"

namespace kiln::amd {

inline constexpr Switch kTraceSwitches[] = {kWave64};

// Takes what AnalyzeCode takes, with the same errors.
absl::StatusOr<Timeline> TraceCode(absl::Span<const uint8_t> code, const TraceOptions& options);

Timeline TraceProgram(absl::Span<const isa::PlacedInstruction> program, isa::Wave wave);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_TRACE_H_
