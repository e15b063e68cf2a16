// Removes control flow that decides nothing.
//
// Problem: early returns become loops that run once, unrolling and folding leave constant
// conditions, and branches cost more on a GPU than what they skip.
// Invariants: verified MIR in and out. Afterwards:
//   * no if has a constant condition, or nothing to do on both sides;
//   * an if that leaves on one side has nothing on the other: its instructions moved after the if;
//   * no code follows an instruction that cannot be passed, such as a discard or termination of all
//     lanes (it ends with unreachable instead); no kill has a condition that is always false;
//   * a loop without continue is a loop only if its breaks cannot be written as ifs.
// Algorithm: one walk, inner regions first, each list rebuilt once. A loop that runs once,
//   loop { A; if c { B; break x } else { yield }; C; break y }
// becomes  A; if c { B; yield x } else { C; yield y }; each early exit adds one level of nesting,
// hence the bound kMaxNestedExits (nest_exits.h). Linear except for that factor. unreachable is
// trusted: a side that ends with it is not taken, and if it follows an if that leaves on one side,
// that side is taken.
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
