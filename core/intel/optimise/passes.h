// Passes on LIR in SSA form; each is in a file of its own. All but SeparatePayloads are optional
// and bisectable.
#ifndef KILN_CORE_INTEL_OPTIMISE_PASSES_H_
#define KILN_CORE_INTEL_OPTIMISE_PASSES_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/lir/lir.h"
#include "core/lir/machine.h"

namespace kiln::intel {

// Makes uses of a move read the move's source, with its negation and absolute value if the
// instruction has these modifiers.
absl::StatusOr<bool> PropagateCopies(lir::Function& f, PassContext& context);

// Replaces a saturating move by the saturation of the instruction that made its source.
absl::StatusOr<bool> PropagateSaturate(lir::Function& f, PassContext& context);

// Replaces a compare with 0 by a condition of the instruction that made its source; for a stored
// boolean, by the flag of the compare that stored it.
absl::StatusOr<bool> PropagateConditions(lir::Function& f, PassContext& context);

// Replaces equal instructions by the first one if that dominates the others.
absl::StatusOr<bool> MergeEqualInstructions(lir::Function& f, PassContext& context);

// Computes a uniform result per lane if its only uses are copies to lanes.
absl::StatusOr<bool> WidenUniformResults(lir::Function& f, PassContext& context);

// Removes instructions without effects whose results are unused.
absl::StatusOr<bool> RemoveDeadInstructions(lir::Function& f, PassContext& context);

// Shares one payload between messages of a block that send the same constants and uniform values.
absl::StatusOr<bool> MergeEqualPayloads(lir::Function& f, PassContext& context);

// Computes by one instruction uniform results that differ in the components of their sources only.
absl::StatusOr<bool> VectoriseUniforms(lir::Function& f, PassContext& context);

// Moves constants that must be in registers near their uses, if there are many.
absl::StatusOr<bool> PlaceConstants(lir::Function& f, PassContext& context);

// Holds the data that a thread starts with, in this many registers from the first on, in these
// registers to the program's end, read or not (lir::LiveIn::held; registers of no live-in are
// reserved). For selected code, before any pass.
void HoldPayload(const lir::Machine& target, uint32_t registers, lir::Function& f);

// Undoes HoldPayload, register by register: after its last use the payload is allocatable.
absl::StatusOr<bool> FreePayload(lir::Function& f, PassContext& context);

// Marks exits, so that schedules issue the instructions that they wait for before other work.
absl::StatusOr<bool> PreferExits(lir::Function& f, PassContext& context);

// Gives the two payloads of a message different values. Needed for correctness.
absl::StatusOr<bool> SeparatePayloads(lir::Function& f, PassContext& context);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_OPTIMISE_PASSES_H_
