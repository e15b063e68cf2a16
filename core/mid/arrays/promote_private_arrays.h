// Turns private arrays into values.
//
// Problem: a private array lives in scratch memory: an access costs an address and a message per
// lane, and nothing sees through it. Once loops are unrolled most offsets are constants.
// Invariants: verified MIR in and out; an array is promoted whole or not at all; arrays that nobody
// accesses are dropped and the rest renumbered.
// Algorithm: each element of a promoted array is a variable. One walk over the tree carries its
// current value; an if gives the values that its sides leave different, a loop takes as parameters
// and gives as results the elements stored in it. (Parameters and results nobody reads are
// remove_dead_code's.) An element that was never stored is undefined.
// An offset that is not constant, but a multiple of a step:
//   load: a tree of selects over the elements it may mean, one test for each bit of the index;
//   store: one compare for each place, and a select for each element.
// What lies outside of the array at a constant offset is undefined: a load gives an undefined
// value, a store none (SPIR-V, OpAccessChain). Such accesses are common behind a test of the
// counter, once the last iteration is a copy of its own. The rule: elements are aligned and all of
// 4 bytes; arrays of up to budgets::kPromotedElements, or budgets::kIndexedElements if an offset is
// not constant, and then only if the selects cost less than the accesses to memory that go
// (kAccessCost for each). An access outside of the array by a variable offset gives some value, as
// Vulkan allows. Cost: linear, with a factor of the nesting of loops for the elements stored in
// them; selects are bounded by the rule.
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
