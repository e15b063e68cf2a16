// Unrolls all loops that keep a private array in memory, if its elements then fit into registers.
//
// Problem: unroll_loops weighs each loop for itself. A tile of sums is indexed by several loops,
// each too long to be unrolled alone, and stays in memory: two messages for each element and
// iteration. But unrolled blindly, as a shader's [[unroll]] asks, a tile that is too large is
// spilled element by element, which is worse than the messages of four that it replaces.
// Invariants: verified MIR in and out.
// Algorithm: array_loops.h finds the loops and what they are worth. They are unrolled in a copy,
// which goes through the passes that follow from it; if an array is gone and at most
// budgets::kLiveDwords dwords live at once, the copy is the module. How many live cannot be said
// before: in uVkCompute's products with the default sizes all rows of a tile turn out to be one.
// Cost: a copy and its passes, for modules with such loops only; on the corpus there is none that
// is not taken. Not done: obeying the hints of OpLoopMerge, as Mesa does. Measured, 22 programs of
// the corpus change: instructions up to x 14.7, cycles of im2col x 1.50, of solve_tri x 0.77.
#ifndef KILN_CORE_MID_ARRAYS_UNROLL_ARRAY_LOOPS_H_
#define KILN_CORE_MID_ARRAYS_UNROLL_ARRAY_LOOPS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed. Rewrites are those of the passes tried, also where the copy is dropped.
absl::StatusOr<bool> UnrollArrayLoops(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ARRAYS_UNROLL_ARRAY_LOOPS_H_
