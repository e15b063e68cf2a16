// Analyses machine code of any compiler: its effects and its cost.
#ifndef KILN_CORE_AMD_PIPELINE_ANALYZE_H_
#define KILN_CORE_AMD_PIPELINE_ANALYZE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/amd/pipeline/read_code.h"
#include "core/target/analysis.h"
#include "core/target/switches.h"

namespace kiln::amd {

inline constexpr Switch kAnalysisSwitches[] = {kWave64};

// Returns the code as text. Names of lane masks are those of the waves that the code shows
// (perf/program.h). Both functions take what is in front of the first s_code_end, and return
// InvalidArgument, which says where, for bytes that are no program.
absl::StatusOr<std::string> DisassembleCode(absl::Span<const uint8_t> code);

// The size of waves is what the launch record says, or else what the code shows; "wave64" says it
// of code that shows none. Waits are not judged, which takes a run (sim/rdna2, contract mode).
// FailedPrecondition: the record is not of this program.
absl::StatusOr<Analysis> AnalyzeCode(absl::Span<const uint8_t> code, const AnalyzeOptions& options);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_ANALYZE_H_
