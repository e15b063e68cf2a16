// What fragment and vertex programs have in common in how their variables lie in slots of four dwords
// (core/intel/ABI.md, "Fragments", "Vertices").
#ifndef KILN_CORE_INTEL_ABI_INTERFACE_H_
#define KILN_CORE_INTEL_ABI_INTERFACE_H_

#include <cstdint>
#include <vector>

#include "core/mir/mir.h"

namespace kiln::intel {

inline constexpr uint32_t kDistancesPerSlot = 4;

// The number of a distance among all: those to cull by lie behind those to clip by. `list` has the
// variable: the inputs, or the outputs, of its module.
uint32_t DistanceNumber(const std::vector<mir::Interface>& list, const mir::Interface& distances,
                        uint32_t element);

// Notes the elements of its input that a load may read: all if a value chooses. `read` is by element.
void NoteElements(const mir::Module& module, mir::InstId load, std::vector<bool>& read);

// Does the instruction change memory that others see?
bool ChangesMemory(mir::Op op);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_ABI_INTERFACE_H_
