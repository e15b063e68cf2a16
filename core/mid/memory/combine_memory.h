// Combines accesses of neighbouring elements into one as large as the target supports, and reads at
// an offset that lanes share into one block.
//
// Problem: importing splits composites into scalars, so a matrix or a struct becomes a message per
// element or column; a target moves several consecutive dwords a lane in one access, and for all
// lanes together a block (Features::access). Blocks include gaps, as unused results.
// Invariants: verified MIR in and out. Only accesses of one memory with elements of one size, whose
// offsets differ by constants, are combined, within one list of instructions. Volatile accesses do
// not move. Loads move up to the first of their group, stores down to the last, and neither crosses
// an access that may overlap it (alias.h): a group records the writes that passed it, for members
// that join later.
// Algorithm: one walk over each list with the groups open at that point (at most kMaxOpen, none
// longer than kMaxSpan instructions, which bounds both cost and live ranges). Finishing a group
// sorts it by offset and cuts it into runs. Near-linear.
// Limits: addresses must be in halves (lower_int64); accesses to private arrays are not combined;
// gaps are filled in blocks only.
#ifndef KILN_CORE_MID_MEMORY_COMBINE_MEMORY_H_
#define KILN_CORE_MID_MEMORY_COMBINE_MEMORY_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed. One rewrite for each combined access.
absl::StatusOr<bool> CombineMemory(mir::Module& module, const Features& features,
                                   PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_MEMORY_COMBINE_MEMORY_H_
