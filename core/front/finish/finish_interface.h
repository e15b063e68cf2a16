// Finishes inputs and outputs after all code is emitted.
#ifndef KILN_CORE_FRONT_FINISH_FINISH_INTERFACE_H_
#define KILN_CORE_FRONT_FINISH_FINISH_INTERFACE_H_

#include "absl/status/status.h"
#include "core/mir/mir.h"

namespace kiln::front {

// Drops unused inputs and outputs, and sorts the others in the order that mir.h requires. Splits
// arrays with locations, if no element is chosen by value, into an input or output for each element
// used, and 64-bit ones into dwords (split_interface.h). Removes the depth mode of a fragment
// shader that writes no depth. Errors: INVALID_ARGUMENT (overlaps, a depth without its mode), and
// refusals (int64_interface).
absl::Status FinishInterface(mir::Module& module);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_FINISH_FINISH_INTERFACE_H_
