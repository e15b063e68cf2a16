// Table of analysers, apart from targets.cc so that programs that only compile do not link them.
#include "core/driver/analyze.h"

#include "core/intel/pipeline/analyze.h"

namespace kiln {
namespace {

// In the order of Target.
constexpr absl::StatusOr<Analysis> (*kAnalyze[])(absl::Span<const uint8_t>,
                                                 const AnalyzeOptions&) = {intel::AnalyzeTgl};

}  // namespace

absl::StatusOr<Analysis> Analyze(Target target, absl::Span<const uint8_t> code,
                                 const AnalyzeOptions& options) {
  return kAnalyze[static_cast<size_t>(target)](code, options);
}

}  // namespace kiln
