// Decides which descriptors are in the binding and sampler tables, and which in memory (ABI.md,
// "Bindless descriptors").
//
// In: the resources that a module uses. Out: the bindings that move to memory, a function of the
// module alone. Arrays without length move. If a table overflows, the largest bindings move first,
// the last one of equals. All descriptors of a (set, binding) that have the same description move
// together and share a memory. Cost: resources times those of one binding; moves times bindings, of
// which there are few.
#ifndef KILN_CORE_INTEL_ABI_DESCRIPTOR_TABLES_H_
#define KILN_CORE_INTEL_ABI_DESCRIPTOR_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/intel/device/device.h"
#include "core/mir/mir.h"

namespace kiln::intel {

// By MIR resource.
struct ResourceUses {
  const std::vector<bool>& surface;
  const std::vector<bool>& sampler;
  const std::vector<bool>& raw_image;  // has another format in its surface state
  uint64_t other_entries = 0;          // entries of the binding table
};

struct Binding {
  std::vector<size_t> resources;
  uint64_t surfaces = 0;  // table entries that they would take
  uint64_t samplers = 0;
  uint64_t elements = 0;  // one more than the last element that is used
  bool unsized = false;
  bool surfaces_in_memory = false;
  bool samplers_in_memory = false;
};

// Returns the bindings used, in the order of their first resources. ResourceExhausted
// (too_many_descriptors) if no choice fits.
absl::StatusOr<std::vector<Binding>> ChooseTables(const mir::Module& module, const Limits& limits,
                                                  const ResourceUses& uses);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_ABI_DESCRIPTOR_TABLES_H_
