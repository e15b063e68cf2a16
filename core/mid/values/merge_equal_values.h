// Global value numbering: one value for all computations known to be equal.
//
// Problem: importing emits the same address arithmetic and the same loads again and again, loads
// values that were just stored, and tests conditions that an enclosing test has already decided.
// Invariants: verified MIR in and out. Merged are
//   * pure instructions (flag P) of equal op, flags, immediates and sources;
//   * loads with an earlier load or store of the same location and type (alias.h), if no access
//     that may overlap it and no barrier is between: other invocations' writes become visible only
//     by synchronisation. Volatile accesses are neither replaced nor recorded; coherent ones are
//     not kept from one iteration of a loop to another, where programs wait for others to write;
//   * results of an if, results of a loop, parameters of a loop that always carry the same values;
//   * uses of a condition, except by jumps, where its value is known: in the sides of its if and,
//     if one side leaves the region, after it; likewise an integer that was compared equal to a
//     constant.
// Algorithm: one walk in program order. Pure instructions are in a hash table that is scoped like
// the regions (it is looked up, never iterated). The known contents of memory are a list of the
// last kMaxEntries elements; sides of an if start from a copy, and entries that both leave
// untouched are known after it. A loop first forgets the memory that its body may write (a summary
// by kind of memory, computed once). Expected linear time with kMaxEntries as a factor for memory
// accesses.
// Limits: computations in the two sides of an if are not merged with each other; a load is replaced
// only as a whole. Convergent ops are not pure and are left alone.
// Sources: P. Briggs, K. Cooper, L. Simpson, "Value Numbering", 1997 (dominator-based scoping).
#ifndef KILN_CORE_MID_VALUES_MERGE_EQUAL_VALUES_H_
#define KILN_CORE_MID_VALUES_MERGE_EQUAL_VALUES_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed. Replaced instructions stay, dead, until remove_dead_code.
absl::StatusOr<bool> MergeEqualValues(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_VALUES_MERGE_EQUAL_VALUES_H_
