// Loops that go on by what an atomic gives come to an end for lanes that help.
//
// Problem: an atomic of a helper has no effect and gives it anything at all, on hardware that masks
// it the same thing every time: whatever its register held. In
//   while (atomicCompSwap(lock, 0, 1) != 0) {}
// the helper waits for ever, and with it its thread, which is a hang of the whole device.
//
// Algorithm: of a loop that is not known to end (analysis/loop_ends.h) and has an exit on whose way
// a condition depends on the result of an atomic in the loop, all such conditions on the way to the
// first such exit become "or it was a helper when the iteration began". What a helper's atomic
// gives is undefined, so that leaving there is one of the things that may happen to it, with values
// that belong to it. A lane that is demoted behind its atomic has a result that is defined, and
// goes by it, since its neighbours in the quad may read what it computes. Values depend on an
// atomic also where it decides which way a loop was left or what of it was skipped: a lock that an
// inner loop tries for gives its outer loop true or false. Conditions between the atomic and that
// exit which depend on no atomic stay as they are: helpers meet them as others do. Invariants:
// verified MIR in and out; nothing changes for lanes that are no helpers. Cost: linear, but for
// loops in loops, by each of which values are followed once more. Limits: values are not followed
// through private arrays. Loops that wait for plain loads to change are not looked at: what a load
// gives a helper is what is there. Nor are those that count to what an atomic in front of them
// gave.
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

// True if anything changed. Nothing to do outside of fragments.
absl::StatusOr<bool> EndHelperLoops(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_END_HELPER_LOOPS_H_
