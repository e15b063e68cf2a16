// What fragment and vertex programs have in common in how their variables lie in slots of four
// dwords (core/intel/ABI.md, "Fragments", "Vertices").
#ifndef KILN_CORE_INTEL_ABI_INTERFACE_H_
#define KILN_CORE_INTEL_ABI_INTERFACE_H_

#include <cstdint>
#include <vector>

#include "absl/container/btree_map.h"
#include "core/mir/mir.h"
#include "core/out/launch_record.h"

namespace kiln::intel {

inline constexpr uint32_t kDistancesPerSlot = 4;

// The number of a distance among all: those to cull by lie behind those to clip by. `list` has the
// variable: the inputs, or the outputs, of its module.
uint32_t DistanceNumber(const std::vector<mir::Interface>& list, const mir::Interface& distances,
                        uint32_t element);

// Distances to clip and to cull by, together, and how many there may be (Mesa 25.0.7, 3DSTATE_VS: a
// mask of eight bits for either; Vulkan, maxCombinedClipAndCullDistances).
inline constexpr uint64_t kMaxDistances = 8;
uint64_t CountDistances(const std::vector<mir::Interface>& list);

// Notes the elements that a load of an input may read, or a store to an output may write: all if a
// value chooses. `touched` is by element.
void NoteElements(const mir::Module& module, mir::InstId access, std::vector<bool>& touched);

// What instructions read of locations, or write to them: loads of which no result is used and
// stores of what has no value do not count. Of a choice by value all elements do. Components have
// the 32 bits that are passed on of 16, too; there are none of 64 (front).
using LocationParts = absl::btree_map<uint32_t, std::vector<out::LocationPart>>;  // by location
LocationParts PartsRead(const mir::Module& module);
LocationParts PartsWritten(const mir::Module& module);

// Does the instruction change memory that others see?
bool ChangesMemory(mir::Op op);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_ABI_INTERFACE_H_
