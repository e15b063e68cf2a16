// Replaces operations that depend on the subgroup's size, once it is chosen: sizes become
// constants, masks of lanes arithmetic on the lane's number, dwords of ballots beyond the size 0,
// clusters of its size or more the whole subgroup. A ballot of true is a constant if all lanes
// of full subgroups are active.
//
// Invariants: verified MIR in and out; no subgroup_size, num_subgroups, lane_mask remains. Runs on
// a copy for each dispatch width, followed by folding. Linear.
// Limits: subgroups of up to 64 lanes.
#ifndef KILN_CORE_MID_LOWER_RESOLVE_SUBGROUP_SIZE_H_
#define KILN_CORE_MID_LOWER_RESOLVE_SUBGROUP_SIZE_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if ResolveSubgroupSize would change anything.
bool DependsOnSubgroupSize(const mir::Module& module);

// size: a power of two up to 64.
void ResolveSubgroupSize(mir::Module& module, uint32_t size);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_RESOLVE_SUBGROUP_SIZE_H_
