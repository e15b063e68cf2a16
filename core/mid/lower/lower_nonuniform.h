// Makes the indices of descriptor arrays uniform, and the texel offsets of samples.
//
// Problem: one message names one surface, one sampler and, unless it gathers, one offset in texels
// for all its lanes; lanes that chose different ones must be served one after another.
// Invariants: verified MIR in and out. Afterwards every index of a descriptor (the first source of
// instructions with the flag indexed, the index of a sampler) and every offset of a sample, unless
// each lane may have its own (Features), is a constant, uniform for the subgroup by analysis, or a
// read_first or read_lane, and no instruction has the flag nonuniform. Algorithm: an access marked
// nonuniform whose index differs between lanes becomes a loop: the lanes that agree with the first
// one execute the access with that one's index and leave. An access that takes derivatives within
// quads needs all four lanes. There all lanes execute it with the index of the first lane that is
// not served yet, and those that agree keep the result. Offsets need no mark: they may always
// differ. Without the mark the index is dynamically uniform by Vulkan's rules, and the first lane's
// index is that of all: the read_first has the flag uniform. An index that analysis finds uniform
// is not changed: a back end that holds it per lane (the counter of a loop that lanes leave one by
// one) uses any active lane's. Linear; a loop takes as many iterations as there are different
// indices in the subgroup. Source: Vulkan, "Shader Interfaces", NonUniform decoration;
// VK_KHR_maintenance8 for the offsets.
#ifndef KILN_CORE_MID_LOWER_LOWER_NONUNIFORM_H_
#define KILN_CORE_MID_LOWER_LOWER_NONUNIFORM_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mid/features.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed.
absl::StatusOr<bool> LowerNonuniform(mir::Module& module, const Features& features,
                                     PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_LOWER_NONUNIFORM_H_
