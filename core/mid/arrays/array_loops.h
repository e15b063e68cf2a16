// Which loops have to be unrolled so that private arrays can become values, and whether that pays.
//
// Problem: an array stays in memory as long as any access has an offset that is not constant. A
// tile of sums is cleared, added to and written out by loops of their own: each is too long to be
// unrolled for itself, and unrolling some of them without the others gains nothing. Algorithm: for
// each loop, innermost first, loop_analysis.h says whether all accesses in it have known offsets
// once it and the loops inside are unrolled; the innermost loops for which that holds are the
// roots. An array with an unknown offset outside of the roots cannot be freed. For the others the
// rule weighs what is left of all roots of the array against the accesses to memory that go. Cost:
// one walk over the iterations of each loop that has unknown offsets (loop_analysis.h's bounds).
#ifndef KILN_CORE_MID_ARRAYS_ARRAY_LOOPS_H_
#define KILN_CORE_MID_ARRAYS_ARRAY_LOOPS_H_

#include <vector>

#include "core/mid/analysis/loop_analysis.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// The loops to unroll, none inside another, in the order of the text.
std::vector<UnrollableLoop> LoopsThatKeepArrays(const mir::Module& module);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ARRAYS_ARRAY_LOOPS_H_
