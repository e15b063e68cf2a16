// Unrolls all loops that keep a private array in memory, if its elements then fit into registers.
//
// Problem: unroll_loops weighs each loop for itself. A tile of sums is indexed by several loops,
// each too long to be unrolled alone, and stays in memory: two messages for each element and
// iteration. But unrolled unconditionally, as a shader's [[unroll]] requests, a tile that is too
// large is spilled element by element, which is worse than the messages of four elements that it
// replaces.
// Invariants: verified MIR in and out.
// Algorithm: array_loops.h finds the loops and their worth. They are unrolled in a copy of the
// module, on which the passes run that follow from it; if an array is gone and at most
// budgets::kLiveDwords dwords are live at once, the copy replaces the module. The number of live
// dwords cannot be predicted: in uVkCompute's products with the default sizes all rows of a tile
// turn out to be one.
// Cost: a copy and its passes, only for modules with such loops; on the corpus every copy made is
// kept.
// Not done: obeying the hints of OpLoopMerge, as Mesa does. Measured, 22 programs of the corpus
// change: instructions up to x 14.7, cycles of im2col x 1.50, of solve_tri x 0.77.
#ifndef KILN_CORE_MID_ARRAYS_UNROLL_ARRAY_LOOPS_H_
#define KILN_CORE_MID_ARRAYS_UNROLL_ARRAY_LOOPS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed. Counts the rewrites of the passes tried, even if the copy is
// dropped.
absl::StatusOr<bool> UnrollArrayLoops(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ARRAYS_UNROLL_ARRAY_LOOPS_H_
