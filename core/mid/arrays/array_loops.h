// Finds the loops that must be unrolled so that private arrays can become values, if that pays.
//
// Problem: an array stays in memory as long as any access has an offset that is not constant. A
// tile of sums is cleared, added to and written out by separate loops: each is too long to be
// unrolled for itself, and unrolling some of them without the others gains nothing.
// Algorithm: for each loop, innermost first, loop_analysis.h says if all accesses in it have known
// offsets once it and the loops inside are unrolled; the innermost loops for which that holds are
// the roots. An array with an unknown offset outside of the roots stays in memory. For the other
// arrays, the instructions left of all roots of the array are weighed against the memory accesses
// removed.
// Cost: one walk over the iterations of each loop that has unknown offsets (loop_analysis.h's
// bounds).
#ifndef KILN_CORE_MID_ARRAYS_ARRAY_LOOPS_H_
#define KILN_CORE_MID_ARRAYS_ARRAY_LOOPS_H_

#include <vector>

#include "core/mid/analysis/loop_analysis.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns the loops to unroll, none inside another, in program order.
std::vector<UnrollableLoop> LoopsThatKeepArrays(const mir::Module& module);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ARRAYS_ARRAY_LOOPS_H_
