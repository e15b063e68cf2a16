// Turns private arrays into values.
//
// Problem: a private array lives in scratch memory: an access costs an address and a message per
// lane, and no pass sees through it. Once loops are unrolled most offsets are constants.
// Invariants: verified MIR in and out; an array is promoted whole or not at all; arrays without
// accesses are dropped and the rest renumbered.
// Algorithm: each element of a promoted array is a variable. One walk over the tree carries its
// current value; an if yields the variables that its sides leave different, a loop takes as
// parameters and gives as results the elements stored in it. (remove_dead_code drops unused
// parameters and results.) An element that was never stored is undefined. An offset that is not
// constant, but a multiple of a step:
//   load: a tree of selects over the possible elements, one test for each bit of the index;
//   store: one compare for each place, and a select for each element.
// An access outside of the array at a constant offset is undefined: a load gives an undefined
// value, a store has no effect (SPIR-V, OpAccessChain). Such accesses are common after a test of
// the counter, once the last iteration is a copy of its own.
// Promoted are arrays whose elements are aligned and all of 4 bytes, of up to
// budgets::kPromotedElements, or budgets::kIndexedElements if an offset is not constant, and then
// only if the selects cost less than the memory accesses removed (budgets::kScratchAccessCost
// each). A load outside of the array by a variable offset gives some value, as Vulkan allows.
// Cost: linear, with a factor of the nesting of loops for the elements stored in them; selects are
// bounded by the rule above.
#ifndef KILN_CORE_MID_ARRAYS_PROMOTE_PRIVATE_ARRAYS_H_
#define KILN_CORE_MID_ARRAYS_PROMOTE_PRIVATE_ARRAYS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed. One rewrite for each array.
absl::StatusOr<bool> PromotePrivateArrays(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_ARRAYS_PROMOTE_PRIVATE_ARRAYS_H_
