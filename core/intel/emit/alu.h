// Instructions of the EU as they are, cut into parts that the hardware can do.
// Internal to this folder.
#ifndef KILN_CORE_INTEL_EMIT_ALU_H_
#define KILN_CORE_INTEL_EMIT_ALU_H_

#include "absl/status/status.h"
#include "core/intel/emit/context.h"

namespace kiln::intel {

// One EU instruction, or one for each 8 lanes.
absl::Status EmitPlain(EmitContext& em, lir::InstId id, isa::Opcode op);
// What concerns all bytes of each lane. Qwords are moved as pairs of dwords: one half of 8 lanes
// after the other, so that the mask is that of the lanes, or without a mask as the registers lie.
absl::Status EmitWhole(EmitContext& em, lir::InstId id, isa::Opcode op);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_ALU_H_
