// The row of the driver's table of analysers, apart from backend.cc so that programs that only
// compile do not link the analyses.
#include "core/intel/pipeline/analyze.h"

namespace kiln::intel {

absl::StatusOr<Analysis> AnalyzeTgl(absl::Span<const uint8_t> code, const AnalyzeOptions& options) {
  return AnalyzeCode(Tgl(), code, options);
}

}  // namespace kiln::intel
