// Repeats compares beside the ifs and selects that ask for them.
//
// Problem: targets test conditions in flags, of which there are few and which live within a
// straight line of code. A condition asked for elsewhere would be kept as a number in a register
// and be compared with zero there: repeating the compare costs the same instruction and needs no
// register, if its operands are in registers there anyway. Invariants: verified MIR in and out; no
// compare in a line (core/mir/straight_lines.h) is repeated there: how many flags a line can hold
// is selection's business. A compare (through `not`s) that has no use left is removed. Algorithm:
// one walk gives each instruction its place in program order and each value the last place where it
// is needed (a value from outside of a loop: the loop's end). Each compare is repeated for all its
// distant flags or for none: repeating saves its own life behind its other uses and costs what it
// adds to its operands' lives, in places, a value per lane counting kLanesOfOne times a uniform
// one, and counts kUnstored times where nobody wants the condition as a number. Earlier decisions
// count for later ones. Selects of one line share a compare. A select between a constant and zero
// is an `and` with a condition that is kept as a number, and no reason to repeat that. Linear but
// for the depth of loops. Sources: the reference compiler repeats whatever an if or select in
// another block asks for, without looking at lives. Limits: lives
// are counted in program order before scheduling.
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
