// The passes of the Intel back end in execution order.
#ifndef KILN_CORE_INTEL_PIPELINE_PASSES_H_
#define KILN_CORE_INTEL_PIPELINE_PASSES_H_

#include <vector>

#include "absl/types/span.h"
#include "core/base/pass.h"
#include "core/intel/device/device.h"
#include "core/intel/pipeline/work.h"

namespace kiln::intel {

// Passes that run once, before those of IntelPasses at each width.
absl::Span<const Pass<AllWidths>> AllWidthsPasses();
const Level<AllWidths>& AllWidthsLevel();

// Returns the passes that the device needs; the table has those of all devices.
std::vector<Pass<Work>> IntelPasses(const Device& device);
// Returns the constraints on these.
std::vector<PassOrder> IntelPassOrder(const Device& device);
const Level<Work>& IntelLevel();

// Returns the rows of both tables, in execution order.
std::vector<PassRow> PassRows(const Device& device);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_PIPELINE_PASSES_H_
