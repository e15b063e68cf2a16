// Machine code of the pseudo operations between lanes (core/intel/lir/ops.h): ballots and reads of
// other lanes. scans.h has reductions and scans.
//
// Internal to this folder.
//
// A lane of a register is read through a0. Nothing else uses a0, and it is set right before: the
// value's first byte plus the byte offset that selection has computed. That offset is below the
// value's length in all lanes, also in those that are off, so an address never leaves the register.
// Reads by a constant pattern inside quads and of neighbouring groups use regions: one move for
// each position in a group of four lanes, or for each group. These moves are NoMask, since a
// channel of such a move is not the lane that it writes.
#ifndef KILN_CORE_INTEL_EMIT_LANES_H_
#define KILN_CORE_INTEL_EMIT_LANES_H_

#include "absl/status/status.h"
#include "core/intel/emit/context.h"

namespace kiln::intel {

absl::Status EmitBallot(EmitContext& em, lir::InstId id);
absl::Status EmitBroadcast(EmitContext& em, lir::InstId id);
absl::Status EmitShuffle(EmitContext& em, lir::InstId id);
absl::Status EmitQuadBroadcast(EmitContext& em, lir::InstId id);
absl::Status EmitQuadDifference(EmitContext& em, lir::InstId id);
absl::Status EmitXorLanes(EmitContext& em, lir::InstId id);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_LANES_H_
