// Places for what is stored and filled: the last step, when all accesses are known.
//
// Values share a place whose accesses do not interleave in layout order; a loop that has only some
// of a value's accesses belongs to its range as a whole, which covers parked lanes.
#ifndef KILN_CORE_LIR_RA_SPILL_PLACES_H_
#define KILN_CORE_LIR_RA_SPILL_PLACES_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/lir/ra/spill.h"
#include "core/lir/ra/spill_code.h"
#include "core/lir/ra/spill_input.h"

namespace kiln::lir::ra {

// Writes the places into the code and counts. ResourceExhausted ("scratch_too_large") if masked
// stores do not fit where they reach. Gives the statistics those of `evictions` whose values have a
// place.
absl::Status AssignPlaces(const SpillInput& in, absl::Span<const Eviction> params,
                          absl::Span<const Eviction> others, SpillCode* code, SpillStats* stats);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SPILL_PLACES_H_
