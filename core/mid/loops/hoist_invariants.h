// Moves loop-invariant computations before the loop.
//
// Problem: address arithmetic, conversions and loads of constants inside loops whose sources are
// not carried by the loop.
// Invariants: verified MIR in and out. Only pure instructions move, so that executing them once
// where the loop would have run no iteration changes nothing. Memory reads among them (uniform
// buffers, push constants, tables, unchanging storage buffers, sampled images; out of bounds they
// give some value) move only from the body of the loop itself and out of one loop at a time, so
// that a read guarded by an if is not executed without need. Accesses through a descriptor chosen
// by value stay: no index out of range may reach hardware. Convergent ops are not pure and stay.
// Comparisons stay too: a flag that is live through a loop costs more than the compare.
// Algorithm: one walk. A value's level is the number of loops around its definition; an instruction
// moves before the outermost loop that is deeper than the levels of all its sources. Moved
// instructions count as defined there, so chains move in one walk. Linear.
// Limits: budgets::kHoistedValues values per loop, the first in program order: each stays live
// through the loop.
#ifndef KILN_CORE_MID_LOOPS_HOIST_INVARIANTS_H_
#define KILN_CORE_MID_LOOPS_HOIST_INVARIANTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed. One rewrite for each instruction.
absl::StatusOr<bool> HoistInvariants(mir::Module& module, PassContext& context);

// For a loop about to be unrolled: takes invariant computations under conditions out of its body,
// each of which would be repeated by every iteration, and returns them in order; they belong before
// the loop. These are pure operations other than reads, and the operations that they use; not
// products of floats, which form_fma needs next to their sums; but also conditions, which
// rematerialise_compares repeats where flags are needed. (Invariants that are computed
// unconditionally become one value after unrolling anyway.) Linear in the module's values and the
// loop's size.
std::vector<mir::InstId> TakeInvariants(mir::Module& module, mir::InstId loop);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOOPS_HOIST_INVARIANTS_H_
