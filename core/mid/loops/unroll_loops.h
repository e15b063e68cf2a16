// Unrolls loops whose number of iterations is known.
//
// Problem: a counted loop pays compare, branch and counter in each iteration, hides constants
// (offsets, table entries, conditions on the counter) from every other pass, and keeps private
// arrays that it indexes in memory.
// Invariants: verified MIR in and out. The loop stays an instruction, but runs once and has no
// parameters and no continue; its breaks stay. remove_dead_control_flow then removes the loop
// itself.
// Algorithm: innermost loops first. loop_analysis.h says how many iterations there are and how many
// instructions are left after folding; the rule in unroll_loops.cc decides. Iterations are copied
// one after the other and folded on the way, so that code the counter excludes is never built.
// Early continues are nested first (nest_exits.h), so that each iteration has one end. Loops that
// run at most one iteration are always replaced. A loop around one that was just unrolled waits for
// the next run, when the size of the inner one is known. Invariant computations under conditions
// move before the loop first (hoist_invariants.h): copies under conditions of their own would not
// be merged.
// Cost: linear in the instructions walked and created: budgets::kLoopSteps and the rule bound both
// for each loop.
// Not done: unrolling by a factor. With an unknown bound it repeats the exit test in every copy,
// and with a known one that is too large the code grows and only the branch is saved; neither lets
// anything fold.
// Measured on 1,514 programs of the corpus and not done either: leaving loops around loops rolled
// (instructions -0.90 %, cycles of the model +3.2 %: it assumes ten iterations for every loop); a
// larger limit where folding removes more than 3/8 of a loop's work (instructions +1.65 %, cycles
// -0.02 %); hoisting all invariants before deciding what to unroll (smaller bodies then miss the
// limits: cycles +11.8 %).
#ifndef KILN_CORE_MID_LOOPS_UNROLL_LOOPS_H_
#define KILN_CORE_MID_LOOPS_UNROLL_LOOPS_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/base/pass.h"
#include "core/mid/analysis/loop_analysis.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed. One rewrite for each loop.
absl::StatusOr<bool> UnrollLoops(mir::Module& module, PassContext& context);

// Unrolls loops that the caller chose: none is inside another, and their iterations are bounded.
bool UnrollTheseLoops(mir::Module& module, absl::Span<const UnrollableLoop> loops,
                      PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOOPS_UNROLL_LOOPS_H_
