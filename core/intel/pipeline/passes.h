// The passes of the Intel back end in execution order.
#ifndef KILN_CORE_INTEL_PIPELINE_PASSES_H_
#define KILN_CORE_INTEL_PIPELINE_PASSES_H_

#include "absl/types/span.h"
#include "core/base/pass.h"
#include "core/intel/pipeline/work.h"

namespace kiln::intel {

// Passes that run once, before those of IntelPasses at each width.
absl::Span<const Pass<AllWidths>> AllWidthsPasses();
const Level<AllWidths>& AllWidthsLevel();

absl::Span<const Pass<Work>> IntelPasses();
absl::Span<const PassOrder> IntelPassOrder();
const Level<Work>& IntelLevel();

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_PASSES_H_
