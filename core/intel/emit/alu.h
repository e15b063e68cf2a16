// Emission of EU instructions as they are, cut into parts that the hardware can execute. Internal
// to this folder.
#ifndef KILN_CORE_INTEL_EMIT_ALU_H_
#define KILN_CORE_INTEL_EMIT_ALU_H_

#include "absl/status/status.h"
#include "core/intel/emit/context.h"

namespace kiln::intel {

// Emits one EU instruction, or one for each 8 lanes.
absl::Status EmitPlain(EmitContext& em, lir::InstId id, isa::Opcode op);
// Emit operations on all bytes of each lane: copies, and the parts of swaps. Qwords are moved as
// pairs of dwords: first one half of each of 8 lanes, then the other, so that the mask applies to
// the right lanes; without a mask, dwords are moved in register order.
absl::Status EmitCopy(EmitContext& em, lir::InstId id);
absl::Status EmitXor(EmitContext& em, lir::InstId id);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_ALU_H_
