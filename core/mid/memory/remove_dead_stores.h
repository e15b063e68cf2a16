// Removes stores that are overwritten, or whose memory ends, before they can be read.
//
// Problem: importing writes composites whole and then piece by piece, zeroes shared and private
// memory that is filled at once, and keeps results in memory to the end.
// Invariants: verified MIR in and out. A store is removed if every element of it is stored again on
// every path before an access that may read it (alias.h) and before a barrier, at which other
// invocations may read; private and shared memory is not read after the end of the program.
// Volatile stores stay, and atomics count as reads.
// Algorithm: one walk backwards over the tree with the set of elements (at most kMaxElements) that
// are overwritten from here on. Sides of an if start from the state after it, and elements that
// both overwrite are overwritten before it. A break has the state after its loop; at a continue,
// and before a loop, the set is empty. Linear, times kMaxElements for memory accesses.
#ifndef KILN_CORE_MID_MEMORY_REMOVE_DEAD_STORES_H_
#define KILN_CORE_MID_MEMORY_REMOVE_DEAD_STORES_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed. One rewrite for each store.
absl::StatusOr<bool> RemoveDeadStores(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_MEMORY_REMOVE_DEAD_STORES_H_
