// Inputs and outputs of 64 bits as dwords.
//
// A location has four components of 32 bits. A 64-bit scalar takes two of them, its low half first,
// and a vector of three or four runs on into the next location: it becomes two variables. Loads
// give both halves and put them together, stores take them apart, so that nothing behind the
// importer has 64-bit inputs or outputs.
//
// Source: Vulkan specification, "Location and Component Assignment".
// Limit: an element chosen by value is one of an array whose elements take one location.
#ifndef KILN_CORE_FRONT_FINISH_SPLIT_INTERFACE_H_
#define KILN_CORE_FRONT_FINISH_SPLIT_INTERFACE_H_

#include "absl/status/status.h"
#include "core/mir/mir.h"

namespace kiln::front {

// Locations of an element.
uint32_t LocationsOf(const mir::Interface& variable);

// Of a module whose inputs and outputs are in order; they stay so. Errors: a refusal
// (int64_interface).
absl::Status SplitInterface(mir::Module& module);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_FINISH_SPLIT_INTERFACE_H_
