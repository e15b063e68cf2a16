// The layout of variables in slots of four dwords, as far as fragment and vertex programs share it
// (ABI.md of the back ends, "Fragments", "Vertices").
#ifndef KILN_CORE_TARGET_INTERFACE_H_
#define KILN_CORE_TARGET_INTERFACE_H_

#include <cstdint>
#include <vector>

#include "absl/container/btree_map.h"
#include "core/mir/mir.h"
#include "core/out/launch_record.h"

namespace kiln {

inline constexpr uint32_t kDistancesPerSlot = 4;

// Returns the number of a distance among all: cull distances follow clip distances. `list` has the
// variable: the inputs, or the outputs, of its module.
uint32_t DistanceNumber(const std::vector<mir::Interface>& list, const mir::Interface& distances,
                        uint32_t element);

// Returns the number of clip and cull distances together; at most kMaxDistances may be used (Mesa
// 25.0.7, 3DSTATE_VS: a mask of eight bits for either; Vulkan, maxCombinedClipAndCullDistances).
inline constexpr uint64_t kMaxDistances = 8;
uint64_t CountDistances(const std::vector<mir::Interface>& list);

// Notes the elements that a load of an input may read, or a store to an output may write: all if a
// value selects the element. `touched` is indexed by element.
void NoteElements(const mir::Module& module, mir::InstId access, std::vector<bool>& touched);

struct UsedPart {
  out::LocationPart part;
  bool flat = false;
  bool per_vertex = false;
};

// The parts of locations that instructions read or write. Loads without used results and stores of
// undefined values do not count. If a value selects the element, all elements count. Components
// have 32 bits; values of 16 bits are passed on in 32, too, and there are none of 64 (front).
using LocationParts = absl::btree_map<uint32_t, std::vector<UsedPart>>;  // by location
LocationParts PartsRead(const mir::Module& module);
LocationParts PartsWritten(const mir::Module& module);

// Returns true if the instruction changes memory that other threads can see.
bool ChangesMemory(mir::Op op);

}  // namespace kiln

#endif  // KILN_CORE_TARGET_INTERFACE_H_
