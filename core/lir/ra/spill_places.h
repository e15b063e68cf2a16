// Assigns slots to stores and fills: the last step, when all accesses are known.
//
// Values share a slot if their accesses do not interleave in layout order; a loop that has only
// some of a value's accesses belongs to its range as a whole, which covers parked lanes.
#ifndef KILN_CORE_LIR_RA_SPILL_PLACES_H_
#define KILN_CORE_LIR_RA_SPILL_PLACES_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/lir/ra/spill.h"
#include "core/lir/ra/spill_code.h"
#include "core/lir/ra/spill_input.h"

namespace kiln::lir::ra {

// Writes the slots into the code and counts. ResourceExhausted ("scratch_too_large") if masked
// stores do not fit within their reach. Adds to the statistics those of `evictions` whose values
// have a slot.
absl::Status AssignPlaces(const SpillInput& in, absl::Span<const Eviction> params,
                          absl::Span<const Eviction> others, SpillCode* code, SpillStats* stats);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SPILL_PLACES_H_
