// Emits the pseudo operations between lanes: reductions, scans, and shuffles over the whole wave.
#ifndef KILN_CORE_AMD_EMIT_SCANS_H_
#define KILN_CORE_AMD_EMIT_SCANS_H_

#include "core/amd/emit/context.h"

namespace kiln::amd {

// Returns false if the operation is none of them.
bool EmitScan(Context& c, lir::InstId i);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_SCANS_H_
