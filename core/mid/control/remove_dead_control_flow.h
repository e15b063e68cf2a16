// Removes control flow that decides nothing.
//
// Problem: early returns become loops that run once, unrolling and folding leave constant
// conditions, and branches cost more on a GPU than what they skip.
// Invariants: verified MIR in and out. Afterwards:
//   * no if has a constant condition, or nothing to do on both sides;
//   * an if that leaves on one side has nothing on the other: that moved behind it;
//   * nothing follows what cannot be passed, a discard or termination of all lanes among it (such a
//     place ends with unreachable); nobody is killed on a condition that is never so;
//   * a loop without continue is a loop only if its breaks cannot be written as ifs.
// Algorithm: one walk, inner regions first, each list rebuilt once. A loop that runs once,
//   loop { A; if c { B; break x } else { yield }; C; break y }
// becomes  if c { B; yield x } else { C; yield y }  behind A; each early exit nests one deeper,
// hence the bound kMaxNestedExits (nest_exits.h). Linear but for that factor.
// unreachable is taken at its word: a side that ends so is not taken, and where it follows an if
// that leaves on one side, that side is.
#ifndef KILN_CORE_MID_CONTROL_REMOVE_DEAD_CONTROL_FLOW_H_
#define KILN_CORE_MID_CONTROL_REMOVE_DEAD_CONTROL_FLOW_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed. One rewrite for each if or loop removed or reshaped.
absl::StatusOr<bool> RemoveDeadControlFlow(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_CONTROL_REMOVE_DEAD_CONTROL_FLOW_H_
