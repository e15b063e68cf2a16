// The passes over MIR in execution order: those that no target changes, and those that a target
// asks for.
#ifndef KILN_CORE_DRIVER_MID_PIPELINE_H_
#define KILN_CORE_DRIVER_MID_PIPELINE_H_

#include <vector>

#include "absl/types/span.h"
#include "core/base/pass.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"

namespace kiln {

// Prepare's.
absl::Span<const Pass<mir::Module>> NeutralPasses();
const Level<mir::Module>& NeutralLevel();

// Compile's, for one target.
struct Lowering {
  mir::Module& module;
  const mid::Features& features;
};
absl::Span<const Pass<Lowering>> LoweringPasses();
const Level<Lowering>& LoweringLevel();

// Of both tables, one behind the other.
std::vector<PassRow> MidRows();
absl::Span<const PassOrder> MidPassOrder();

}  // namespace kiln

#endif  // KILN_CORE_DRIVER_MID_PIPELINE_H_
