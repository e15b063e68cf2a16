// Operations of fragment programs: positions of pixels, and masks of lanes with effects. Internal
// to this folder.
#ifndef KILN_CORE_INTEL_EMIT_FRAGMENT_H_
#define KILN_CORE_INTEL_EMIT_FRAGMENT_H_

#include "absl/status/status.h"
#include "core/intel/emit/context.h"

namespace kiln::intel {

absl::Status EmitPixelPlaces(EmitContext& em, lir::InstId id);
absl::Status EmitSampleIds(EmitContext& em, lir::InstId id);
absl::Status EmitSampleOffsets(EmitContext& em, lir::InstId id);
absl::Status EmitPackLanes(EmitContext& em, lir::InstId id);
absl::Status EmitDispatched(EmitContext& em, lir::InstId id);
absl::Status EmitStartDead(EmitContext& em, lir::InstId id);
absl::Status EmitKill(EmitContext& em, lir::InstId id);
absl::Status EmitLive(EmitContext& em, lir::InstId id);
// Appends the halt of a discard jump; the structure finds its branch targets.
absl::Status EmitDiscardJump(EmitContext& em, lir::InstId id);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_FRAGMENT_H_
