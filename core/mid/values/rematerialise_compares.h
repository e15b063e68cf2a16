// Repeats compares next to the ifs and selects that use them.
//
// Problem: targets test conditions in flags, of which there are few and which live within a
// straight line of code. A condition used elsewhere would be kept as a number in a register and be
// compared with zero there: repeating the compare costs the same instruction and needs no register,
// if its operands are in registers there anyway.
// Invariants: verified MIR in and out; a compare is not repeated in its own line
// (core/mir/straight_lines.h): selection decides how many flags a line can hold. A compare (through
// `not`s) without uses left is removed.
// Algorithm: one walk gives each instruction its position in program order and each value the last
// position at which it is needed (a value from outside of a loop: the loop's end). Each compare is
// repeated for all its distant flags or for none. Repeating saves the part of the compare's live
// range after its other uses; it costs the growth of its operands' live ranges. Both are counted in
// positions; a value per lane counts kLanesOfOne times a uniform one, and the saving counts
// kUnstored times if the condition is not needed as a number. Earlier decisions count for later
// ones. Selects of one line share a compare. A select between a constant and zero is an `and` with
// a condition that is kept as a number, and no reason to repeat the compare. Linear except for the
// depth of loops.
// Sources: Mesa's compiler repeats every compare that an if or select in another block uses,
// without regard to live ranges.
// Limits: live ranges are counted in program order before scheduling.
#ifndef KILN_CORE_MID_VALUES_REMATERIALISE_COMPARES_H_
#define KILN_CORE_MID_VALUES_REMATERIALISE_COMPARES_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed. One rewrite for each compare repeated.
absl::StatusOr<bool> RematerialiseCompares(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_VALUES_REMATERIALISE_COMPARES_H_
