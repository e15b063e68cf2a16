// The passes over MIR in execution order: the neutral ones, those that remove outputs the next
// stage does not read, and the lowerings for a target.
#ifndef KILN_CORE_DRIVER_MID_PIPELINE_H_
#define KILN_CORE_DRIVER_MID_PIPELINE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/base/pass.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"
#include "core/target/pipeline_state.h"

namespace kiln {

// The passes that Prepare runs.
absl::Span<const Pass<mir::Module>> NeutralPasses();
const Level<mir::Module>& NeutralLevel();

// Module and inputs of the passes that Compile runs if it knows what the next stage reads. If they
// change something the neutral passes run again.
struct Linking {
  mir::Module& module;
  const std::vector<ReadLocation>& reads;  // ascending by location
};
absl::Span<const Pass<Linking>> LinkingPasses();
const Level<Linking>& LinkingLevel();

// Module and inputs of the passes that Compile runs for one target.
struct Lowering {
  mir::Module& module;
  const mid::Features& features;
  uint32_t view_mask = 0;  // as in PipelineState
  // The module is as the neutral passes left it, which would change nothing more in it. Passes that
  // change it clear this; those that only repeat a neutral pass are left out as long as it is set.
  bool settled = false;
};
absl::Span<const Pass<Lowering>> LoweringPasses();
const Level<Lowering>& LoweringLevel();

// The rows of these three tables, in this order.
std::vector<PassRow> MidRows();
absl::Span<const PassOrder> MidPassOrder();

}  // namespace kiln

#endif  // KILN_CORE_DRIVER_MID_PIPELINE_H_
