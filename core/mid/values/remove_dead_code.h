// Dead code elimination.
//
// Problem: importing and other passes leave computations, results of ifs and loops, loop parameters
// and private or shared stores that nothing observes.
// Invariants: verified MIR in and out. Observable are: stores and atomics on buffers, barriers,
// volatile accesses, and waiting: a loop is removed only if it provably ends (FiniteLoop below), or
// if it does nothing but compute, so that no other invocation could end it. (Programs cannot rely
// on the behaviour of an invocation that never ends; Mesa 25.0 removes such loops too, as its code
// for the corpus shows.) Private and shared memory counts as observed if a needed instruction reads
// it.
// Algorithm: mark from the observable instructions through sources, carried values and the control
// that leads there; sweep unmarked instructions, drop unused results, parameters and trailing
// elements of loads. Each instruction and value is marked once: linear.
// Limits: one rewrite for bisection, all or nothing. Stores that are overwritten before they are
// read stay (memory/remove_dead_stores.h).
#ifndef KILN_CORE_MID_VALUES_REMOVE_DEAD_CODE_H_
#define KILN_CORE_MID_VALUES_REMOVE_DEAD_CODE_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed.
absl::StatusOr<bool> RemoveDeadCode(mir::Module& module, PassContext& context);

// Removes dead code for a transformation whose own result must have none: not a rewrite of its own.
// Returns true if anything changed.
bool SweepDeadCode(mir::Module& module);

// Returns true if the loop ends for all values in its body, nested loops apart: it never continues,
// or every iteration first passes a test that must become true. Recognised is a parameter that
// every continue advances by the same constant, compared with a loop-invariant value (step 1 or -1:
// the parameter takes every value) or, for other steps, from a constant to a constant without
// wrapping.
bool FiniteLoop(const mir::Module& module, mir::InstId loop);

// True if the loop's body, nested ones included, reads no memory that can change and writes none.
bool ComputesOnly(const mir::Module& module, mir::InstId loop);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_VALUES_REMOVE_DEAD_CODE_H_
