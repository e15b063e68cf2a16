// Terminates helper lanes' loops whose exit depends on an atomic.
//
// Problem: a helper's atomic has no effect and an undefined result, on hardware that masks it the
// same one every time: the old contents of its register. In
//   while (atomicCompSwap(lock, 0, 1) != 0) {}
// the helper waits for ever, and with it its thread, which hangs the whole device.
//
// Algorithm: for each loop that is not known to end (analysis/loop_ends.h), finds the first exit
// that is under a condition which depends on the result of an atomic in the loop. All such
// conditions on the way to that exit become "or it was a helper when the iteration began". Since
// the result of a helper's atomic is undefined, leaving there is one of its possible behaviours,
// with values that belong to it. A lane that is demoted after its atomic has a defined result and
// follows it, since its neighbours in the quad may read what it computes. Values depend on an
// atomic also if it decides which exit of a loop is taken or which code in it is skipped: an inner
// loop that tries to take a lock gives its outer loop true or false. Conditions between the atomic
// and that exit which depend on no atomic stay as they are: they hold for helpers as for other
// lanes.
// Invariants: verified MIR in and out; nothing changes for lanes that are no helpers.
// Cost: linear, except that each nested loop follows its values once more.
// Limits: values are not followed through private arrays. Two kinds of loops are left alone: loops
// that wait for plain loads to change, since a helper's load gives the real value; and loops that
// count to the result of an atomic before them.
//
// Source: Vulkan specification, "Helper Invocations" ("The values returned by such atomic
// operations are undefined"). Mesa 25.0.7 does nothing of the kind for this hardware, and its
// programs hang here.
#ifndef KILN_CORE_MID_LOWER_END_HELPER_LOOPS_H_
#define KILN_CORE_MID_LOWER_END_HELPER_LOOPS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed. Does nothing outside of fragments.
absl::StatusOr<bool> EndHelperLoops(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_END_HELPER_LOOPS_H_
