// Dead code elimination.
//
// Problem: importing and other passes leave computations, results of ifs and loops, loop
// parameters and private or shared stores that nothing observes.
// Invariants: verified MIR in and out. What is observable: stores and atomics on buffers, barriers,
// volatile accesses, and waiting: a loop is removed only if it provably ends (FiniteLoop below), or
// if it does nothing but compute, so that no other invocation could end it. (An invocation that
// never ends has no meaning that anybody can rely on; Mesa 25.0 removes such loops too, as its code
// for the corpus shows.) Private and shared memory counts as observed if a needed instruction reads
// it. Algorithm: mark from the observable instructions through sources, carried values and the
// control that leads there; sweep what is unmarked, drop unused results, parameters and trailing
// dwords of loads. Each instruction and value is marked once: linear. Limits: one rewrite for
// bisection, all or nothing. Stores that are overwritten before they are read stay.
#ifndef KILN_CORE_MID_VALUES_REMOVE_DEAD_CODE_H_
#define KILN_CORE_MID_VALUES_REMOVE_DEAD_CODE_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed.
absl::StatusOr<bool> RemoveDeadCode(mir::Module& module, PassContext& context);

// True if the loop ends whatever happens in its body, nested loops apart: it never continues, or
// every iteration first passes a test that must become true. Recognised is a parameter that every
// continue advances by the same constant, compared with a loop-invariant value (step 1 or -1: the
// parameter meets every value) or, for other steps, from a constant to a constant without wrapping.
bool FiniteLoop(const mir::Module& module, mir::InstId loop);

// True if the loop's body, nested ones included, reads no memory that can change and writes none.
bool ComputesOnly(const mir::Module& module, mir::InstId loop);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_VALUES_REMOVE_DEAD_CODE_H_
