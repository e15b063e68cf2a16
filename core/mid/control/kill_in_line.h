// Turns branches that only kill into kills on a condition.
//
// Problem: `if (alpha < t) discard;` arrives as an if with a kill in it. As `discard c` it costs no
// branch, adds no nesting, and lets the code after it be combined with the code before it.
//   if a { A; kill x; yield } else { yield }               becomes  A; kill a and x
//   if a { kill true; unreachable } else { yield }         becomes  kill a
// and likewise with the sides exchanged; several ifs around a kill become a conjunction. A kill
// after another on the same condition is removed.
//
// Invariants: verified MIR in and out; no kill is moved past anything. A is a few pure instructions
// that any lane may execute, as in convert_if_to_select.
//
// In the second form, a discard may let its lanes continue as helpers, which they could not do past
// unreachable. Their results are not observable, but they must end: a loop may end only because the
// program discarded the lanes for which it would not. So such a discard is left unchanged inside a
// loop, and before a loop that is not known to end: by its number of iterations
// (analysis/loop_analysis.h), or by a counter or mask (analysis/loop_ends.h). Demoted and
// terminated lanes behave the same in both forms.
//
// Cost: linear, except for the analysis of loops that follow a discard.
// Source: SPIR-V specification, OpKill ("ceases all further processing", by termination or by
// demotion) and OpTerminateInvocation.
#ifndef KILN_CORE_MID_CONTROL_KILL_IN_LINE_H_
#define KILN_CORE_MID_CONTROL_KILL_IN_LINE_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed. One rewrite for each if or kill removed.
absl::StatusOr<bool> KillInLine(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_CONTROL_KILL_IN_LINE_H_
