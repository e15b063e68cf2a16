// Common subexpression elimination.
//
// Problem: importing makes the same address arithmetic and the same loads of uniforms again and
// again. Invariants: verified MIR in and out; only pure instructions (flag P, which includes loads
// of memory that nobody writes) are merged.
// Algorithm: walk in program order with a table of available instructions, scoped like the regions:
// what a region defines is forgotten when it ends, since values are visible only there and inside.
// The table is a hash map used for look-up only. Expected linear time.
// Limits: equal computations in the two sides of an if are not hoisted; loads of writable memory
// are not merged.
#ifndef KILN_CORE_MID_CSE_H_
#define KILN_CORE_MID_CSE_H_

#include <cstdint>

#include "core/mid/simplify.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns the number of instructions replaced; they stay in the program, dead, until DCE.
int64_t EliminateCommonSubexpressions(mir::Module& module, AllowRewrite allow);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_CSE_H_
