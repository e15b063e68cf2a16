// The passes over MIR in execution order: those that no target changes, what the next stage lets
// go, and those that a target asks for.
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

// Prepare's.
absl::Span<const Pass<mir::Module>> NeutralPasses();
const Level<mir::Module>& NeutralLevel();

// Compile's, where it is told what the next stage reads. Where they change something the neutral
// ones run again.
struct Linking {
  mir::Module& module;
  const std::vector<ReadLocation>& reads;  // ascending by location
};
absl::Span<const Pass<Linking>> LinkingPasses();
const Level<Linking>& LinkingLevel();

// Compile's, for one target.
struct Lowering {
  mir::Module& module;
  const mid::Features& features;
  uint32_t view_mask = 0;  // PipelineState's
};
absl::Span<const Pass<Lowering>> LoweringPasses();
const Level<Lowering>& LoweringLevel();

// Of these tables, one behind the other.
std::vector<PassRow> MidRows();
absl::Span<const PassOrder> MidPassOrder();

}  // namespace kiln

#endif  // KILN_CORE_DRIVER_MID_PIPELINE_H_
