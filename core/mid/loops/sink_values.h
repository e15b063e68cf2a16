// Moves computations into the branch that needs them.
//
// Problem: a value that is computed before an if but used on one side only is computed for lanes,
// and kept in registers by lanes, that never need it.
// Invariants: verified MIR in and out. Pure ops move, and loads from memory that is not written
// (uniform buffers, push constants, tables, sampled images, unchanging storage buffers); never into
// a loop, where they would run in every iteration. MIR has no region after a loop to which a value
// could sink out of the loop's body.
// Algorithm: an instruction's new region is the innermost one that contains all uses of its
// results, cut off at the first loop on the way. An instruction stays if sinking would lengthen the
// live ranges of more values than it defines. Instructions are visited last first, so that the
// sources of a sunk instruction see its new region: whole chains sink in one walk. A sunk
// instruction goes to the start of its region, in the old order. Linear except for the walk to the
// common region (nesting).
#ifndef KILN_CORE_MID_LOOPS_SINK_VALUES_H_
#define KILN_CORE_MID_LOOPS_SINK_VALUES_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed. One rewrite for each instruction.
absl::StatusOr<bool> SinkValues(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOOPS_SINK_VALUES_H_
