// Moves computations into the branch that needs them.
//
// Problem: what is computed in front of an if but used on one side only is computed for lanes, and
// kept in registers by lanes, that never need it.
// Invariants: verified MIR in and out. Pure ops move, and loads from memory that nobody writes
// (uniform buffers, push constants, tables, sampled images); never into a loop, where they would
// run in every iteration; out of a loop's body into what follows is not a place MIR has.
// Algorithm: a value's place is the innermost region that holds all its uses, cut off at the first
// loop on the way. An instruction stays if sinking would make more values live on than it defines.
// Instructions are looked at last first, so that what a sunk instruction uses sees
// its new place: whole chains sink in one walk. A sunk instruction goes to the front of its region,
// in the old order. Linear but for the walk to the common region (nesting).
#ifndef KILN_CORE_MID_LOOPS_SINK_VALUES_H_
#define KILN_CORE_MID_LOOPS_SINK_VALUES_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed. One rewrite for each instruction.
absl::StatusOr<bool> SinkValues(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOOPS_SINK_VALUES_H_
