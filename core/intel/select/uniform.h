// Which MIR values live in file U: one copy for the thread instead of one a lane.
//
// A value qualifies if every active lane computes the same from it AND the uniform register always
// holds what active lanes expect, although writes to U ignore the execution mask and, on fused
// EUs, a thread may run through blocks with all its lanes off. So results of `if` and `loop`
// never live in U (a skipped side could overwrite them), and loop parameters do only if the loop
// has one continue, the end of its body: every lane that is still in the loop takes it.
//
// Algorithm: optimistic fixed point over loop parameters; a round is linear, the number of rounds
// is bounded by the parameters that are demoted one after another (in practice two or three).
#ifndef KILN_CORE_INTEL_SELECT_UNIFORM_H_
#define KILN_CORE_INTEL_SELECT_UNIFORM_H_

#include <vector>

#include "core/mir/mir.h"

namespace kiln::intel {

// By value index. Constants and undefined values are uniform.
std::vector<bool> FindUniformValues(const mir::Module& module);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_UNIFORM_H_
