// Splits 64-bit inputs and outputs into dwords.
//
// A location has four components of 32 bits. A 64-bit scalar takes two of them, its low half first,
// and a vector of three or four continues in the next location, so it becomes two variables. Loads
// combine the halves and stores split them, so that no code after the importer has 64-bit inputs or
// outputs.
//
// Source: Vulkan specification, "Location and Component Assignment". Limit: an element may be
// chosen by value only in arrays whose elements take one location.
#ifndef KILN_CORE_FRONT_FINISH_SPLIT_INTERFACE_H_
#define KILN_CORE_FRONT_FINISH_SPLIT_INTERFACE_H_

#include "absl/status/status.h"
#include "core/mir/mir.h"

namespace kiln::front {

// Returns the number of locations of an element.
uint32_t LocationsOf(const mir::Interface& variable);

// Takes a module whose inputs and outputs are sorted; they stay so. Errors: a refusal
// (int64_interface).
absl::Status SplitInterface(mir::Module& module);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_FINISH_SPLIT_INTERFACE_H_
