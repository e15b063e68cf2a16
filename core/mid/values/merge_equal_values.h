// Global value numbering: one value for what is known to be equal.
//
// Problem: importing makes the same address arithmetic and the same loads again and again, reads
// what was just written, and tests what a test around it has already decided.
// Invariants: verified MIR in and out. Merged are
//   * pure instructions (flag P) of equal op, flags, immediates and sources;
//   * loads with an earlier load or store of the same place and type (alias.h), if no access that
//     may touch it and no barrier lies between: other invocations' writes become visible only by
//     synchronisation. Volatile accesses are neither given away nor answered; coherent ones not
//     from one iteration of a loop to another, where programs wait for others to write;
//   * results of an if, results of a loop, parameters of a loop that always carry the same values;
//   * uses of a condition, but by jumps, where it is known: in the sides of its if and, where one
//   side leaves the
//     region, behind it; likewise an integer that was compared equal to a constant.
// Algorithm: one walk in program order. Pure instructions are in a hash table that is scoped like
// the regions (it is looked up, never iterated). What memory holds is a list of the last
// kMaxPlaces known places; sides of an if start from a copy, and what both leave untouched is known
// behind it. A loop first forgets what its body may write (a summary by kind of memory, made
// once). Expected linear time with kMaxPlaces as a factor for memory accesses.
// Limits: computations in the two sides of an if are not merged with each other; a load is answered
// only whole. Convergent ops are not pure and are left alone.
// Sources: P. Briggs, K. Cooper, L. Simpson, "Value Numbering", 1997 (dominator-based scoping).
#ifndef KILN_CORE_MID_VALUES_MERGE_EQUAL_VALUES_H_
#define KILN_CORE_MID_VALUES_MERGE_EQUAL_VALUES_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed; what was replaced stays, dead, until DCE.
absl::StatusOr<bool> MergeEqualValues(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_VALUES_MERGE_EQUAL_VALUES_H_
