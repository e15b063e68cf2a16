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

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed; what was replaced stays, dead, until DCE.
absl::StatusOr<bool> EliminateCommonSubexpressions(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_CSE_H_
