// Moves computations that every iteration repeats in front of the loop.
//
// Problem: address arithmetic, conversions and loads of constants inside loops whose sources are
// not carried by the loop. Invariants: verified MIR in and out. What moves is pure, so that running
// it once where the loop would have run no iteration changes nothing; memory reads among them
// (uniform buffers, push constants, tables, storage buffers that nobody writes, sampled images; out
// of bounds they read something) move only from the body of the loop itself and one loop at a time,
// so that a read guarded by an if is not made for nothing. Accesses through a descriptor that a
// value chooses stay: no index out of range may reach hardware. Convergent ops are not pure and
// stay. Comparisons stay too: a flag that lives through a loop is worth more than the compare.
// Algorithm: one walk. A value's level is the number of loops around its definition; an instruction
// goes in front of the outermost loop that is deeper than all its sources' levels. What moved
// counts as defined there, so chains move in one walk. Linear. Limit: budgets::kHoistedValues
// values per loop, the first in program order: each stays alive through the loop.
#ifndef KILN_CORE_MID_LOOPS_HOIST_INVARIANTS_H_
#define KILN_CORE_MID_LOOPS_HOIST_INVARIANTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed. One rewrite for each instruction.
absl::StatusOr<bool> HoistInvariants(mir::Module& module, PassContext& context);

// For a loop about to be unrolled: takes out of its body what its iterations would each compute on
// a condition though it is the same for all (pure operations other than reads, and what they are
// computed from; not products of floats, which form_fma wants beside their sums; conditions, too:
// rematerialise_compares brings them back to who asks for flags), and returns it in order. It
// belongs in front of the loop. (What is computed without a condition is one value after unrolling
// as it is.) Linear in the module's values and the loop's size.
std::vector<mir::InstId> TakeInvariants(mir::Module& module, mir::InstId loop);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOOPS_HOIST_INVARIANTS_H_
