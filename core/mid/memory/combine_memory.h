// Combines accesses of neighbouring elements into one as large as the target takes, and reads at an
// offset that lanes share into one block.
//
// Problem: importing splits composites into scalars, so a matrix or a struct becomes a message per
// element or column; a target moves several consecutive dwords a lane in one access, and for all
// lanes together a block (Features::access). In blocks gaps are read as well: results that nobody
// uses. Invariants: verified MIR in and out. Only accesses of one memory with elements of one size,
// whose offsets differ by constants, are combined, in one region's straight line. Nothing volatile
// moves. Loads move up to the first of their group, stores down to the last, and neither crosses an
// access that might touch the same place (alias.h): a group remembers the writes that it has let
// pass, for those who join later. Algorithm: one walk over each list with the groups open at that
// point (at most kMaxOpen, none longer than kMaxSpan instructions, which bounds both cost and live
// ranges); closing a group sorts it by offset and cuts it into runs. Near-linear. Limits: addresses
// must be in halves (lower_int64); no reordering of accesses to private arrays; gaps are filled in
// blocks only.
#ifndef KILN_CORE_MID_MEMORY_COMBINE_MEMORY_H_
#define KILN_CORE_MID_MEMORY_COMBINE_MEMORY_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed. One rewrite for each combined access made.
absl::StatusOr<bool> CombineMemory(mir::Module& module, const Features& features,
                                   PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_MEMORY_COMBINE_MEMORY_H_
