// The passes of gfx1030, in execution order.
#ifndef KILN_CORE_AMD_PIPELINE_PASSES_H_
#define KILN_CORE_AMD_PIPELINE_PASSES_H_

#include <vector>

#include "absl/types/span.h"
#include "core/amd/pipeline/work.h"
#include "core/base/pass.h"

namespace kiln::amd {

absl::Span<const Pass<Work>> Passes();
absl::Span<const PassOrder> PassOrders();  // constraints on the order, with their reasons
const Level<Work>& WorkLevel();
std::vector<PassRow> PassRows();

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_PIPELINE_PASSES_H_
