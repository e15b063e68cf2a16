// Turns branches that do nothing but kill into kills on a condition.
//
// Problem: `if (alpha < t) discard;` arrives as an if with a kill in it. As `discard c` it costs no
// branch, takes no part in nesting, and lets what follows be combined with what is before.
//   if a { A; kill x; yield } else { yield }               becomes  A; kill a and x
//   if a { kill true; unreachable } else { yield }         becomes  kill a
// and likewise with the sides changed; several ifs around a kill become a conjunction. A kill
// behind another on the same condition goes.
//
// Invariants: verified MIR in and out; no kill is moved past anything. A is a few pure instructions
// that any lane may execute, as in convert_if_to_select.
//
// A discard may let its lanes go on as helpers, which behind unreachable they could not. What they
// compute is not seen, but they must come to an end: a loop may end only because the program
// discarded the lanes for which it would not. So such a discard stays where it is inside a loop and
// where a loop follows that is not known to end: by its iterations (analysis/loop_analysis.h), or
// by a counter that steps by 1 towards a bound that the loop does not change. Demoted and
// terminated lanes do the same in both forms.
//
// Cost: linear, but for the analysis of loops that follow a discard.
// Source: SPIR-V specification, OpKill ("ceases all further processing", by termination or by
// demotion) and OpTerminateInvocation.
#ifndef KILN_CORE_MID_CONTROL_KILL_IN_LINE_H_
#define KILN_CORE_MID_CONTROL_KILL_IN_LINE_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed. One rewrite for each if or kill that vanishes.
absl::StatusOr<bool> KillInLine(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_CONTROL_KILL_IN_LINE_H_
