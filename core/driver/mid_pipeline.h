// The target-independent passes in execution order.
#ifndef KILN_CORE_DRIVER_MID_PIPELINE_H_
#define KILN_CORE_DRIVER_MID_PIPELINE_H_

#include "absl/types/span.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln {

absl::Span<const Pass<mir::Module>> MidPasses();
absl::Span<const PassOrder> MidPassOrder();
const Level<mir::Module>& MidLevel();

}  // namespace kiln

#endif  // KILN_CORE_DRIVER_MID_PIPELINE_H_
