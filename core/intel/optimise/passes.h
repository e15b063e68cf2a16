// Passes on LIR in SSA form, one function a file. All but SeparatePayloads are optional and
// bisectable.
#ifndef KILN_CORE_INTEL_OPTIMISE_PASSES_H_
#define KILN_CORE_INTEL_OPTIMISE_PASSES_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/lir/lir.h"
#include "core/lir/target.h"

namespace kiln::intel {

// Uses of a move read the move's source, with its negation and absolute value where the
// instruction can do that itself.
absl::StatusOr<bool> PropagateCopies(lir::Function& f, PassContext& context);

// A saturating move becomes the saturation of the instruction that made its source.
absl::StatusOr<bool> PropagateSaturate(lir::Function& f, PassContext& context);

// A compare with 0 becomes the condition of the instruction that made its source; of a stored
// boolean, the flag of the compare that stored it.
absl::StatusOr<bool> PropagateConditions(lir::Function& f, PassContext& context);

// One instruction for equal ones where the first dominates the others.
absl::StatusOr<bool> MergeEqualInstructions(lir::Function& f, PassContext& context);

// Computes a uniform result per lane if all that happens to it is being copied to lanes.
absl::StatusOr<bool> WidenUniformResults(lir::Function& f, PassContext& context);

// Removes instructions without effect whose results nobody uses.
absl::StatusOr<bool> RemoveDeadInstructions(lir::Function& f, PassContext& context);

// One payload for messages of a block that send the same constants and uniform values.
absl::StatusOr<bool> MergeEqualPayloads(lir::Function& f, PassContext& context);

// One instruction for uniform results that differ in the component that their sources name.
absl::StatusOr<bool> VectoriseUniforms(lir::Function& f, PassContext& context);

// Makes constants that must be in registers near their uses where there are many.
absl::StatusOr<bool> PlaceConstants(lir::Function& f, PassContext& context);

// What a thread starts with, so many registers from the first on, stays in them to the program's
// end, read or not (lir::LiveIn::held; those of no live-in are reserved). Of selected code, before
// any pass.
void HoldPayload(const lir::Target& target, uint32_t registers, lir::Function& f);

// Undoes that, register by register: behind its last use the payload is allocatable.
absl::StatusOr<bool> FreePayload(lir::Function& f, PassContext& context);

// Marks exits, so that schedules issue what they wait for before other work.
absl::StatusOr<bool> PreferExits(lir::Function& f, PassContext& context);

// Gives the two payloads of a message different values. Needed for correctness.
absl::StatusOr<bool> SeparatePayloads(lir::Function& f, PassContext& context);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_OPTIMISE_PASSES_H_
