// Emission of spills and fills: messages between registers and the scratch memory of the thread.
// Internal to this folder.
#ifndef KILN_CORE_INTEL_EMIT_SCRATCH_H_
#define KILN_CORE_INTEL_EMIT_SCRATCH_H_

#include "absl/status/status.h"
#include "core/intel/emit/context.h"

namespace kiln::intel {

// Emits a spill or fill, cut into messages of the available sizes. Oword blocks have at most 4
// registers.
absl::Status EmitScratch(EmitContext& em, lir::InstId id);
absl::Status EmitMergeSpill(EmitContext& em, lir::InstId id);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_SCRATCH_H_
