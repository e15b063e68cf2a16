// Emission of pseudo operations on lanes that become short sequences. Internal to this folder.
#ifndef KILN_CORE_INTEL_EMIT_PSEUDO_H_
#define KILN_CORE_INTEL_EMIT_PSEUDO_H_

#include "absl/status/status.h"
#include "core/intel/emit/context.h"

namespace kiln::intel {

// Lane numbers 0..7 are a packed immediate; each further part is an earlier one plus the number of
// its lanes.
absl::Status EmitLaneIds(EmitContext& em, lir::InstId id);
// low = a * b.low; scratch = a * b.high; low.high word += scratch.low word.
absl::Status EmitMul32(EmitContext& em, lir::InstId id);
// acc0 = a * b.low word; mach adds the rest and gives the high dword. The accumulator has 8
// dword lanes.
absl::Status EmitMulHigh(EmitContext& em, lir::InstId id);
// The conversion writes half of each dword; the move then clears the rest.
absl::Status EmitF2f16(EmitContext& em, lir::InstId id);
// Each move writes one part of every element: a destination with a stride, at most two registers.
absl::Status EmitPack(EmitContext& em, lir::InstId id);
absl::Status EmitSameAddress(EmitContext& em, lir::InstId id);
absl::Status EmitInterleave(EmitContext& em, lir::InstId id);
// Response i holds the lanes from i * lanes on, of every component.
absl::Status EmitJoin(EmitContext& em, lir::InstId id);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_PSEUDO_H_
