// Assigns spilled values to slots in scratch memory: linear scan over ranges of positions.
//
// Values whose ranges do not overlap may share a slot. Masked ones come first, because masked
// stores reach only the beginning of scratch memory. A slot is reused for the same size only;
// spilled values have few sizes. Cost: n log n.
#ifndef KILN_CORE_LIR_RA_SCRATCH_PLACES_H_
#define KILN_CORE_LIR_RA_SCRATCH_PLACES_H_

#include <cstdint>
#include <vector>

namespace kiln::lir::ra {

struct ScratchRange {
  uint32_t first = 0, last = 0;  // positions, both included
  uint32_t units = 0;
  bool masked = false;
  uint32_t place = 0;  // the result: first unit
};

// Fills in `place`; returns the total number of units. `*masked_end`: the end of the masked slots.
uint32_t AssignScratchPlaces(std::vector<ScratchRange>* ranges, uint32_t* masked_end);

}  // namespace kiln::lir::ra

#endif  // KILN_CORE_LIR_RA_SCRATCH_PLACES_H_
