// What is left to do about inputs and outputs when all is emitted.
#ifndef KILN_CORE_FRONT_FINISH_FINISH_INTERFACE_H_
#define KILN_CORE_FRONT_FINISH_FINISH_INTERFACE_H_

#include "absl/status/status.h"
#include "core/mir/mir.h"

namespace kiln::front {

// Drops inputs and outputs that nothing uses, and puts the others in the order that mir.h asks for.
// Arrays with locations of which no element is chosen by value become an input or output for each
// element used, and those of 64 bits dwords (split_interface.h). What follows from them is noted:
// whether there is an invocation a sample (Vulkan specification, "Sample Shading": an input that
// differs by sample asks for it), and that without a depth there is no relation of depths. Errors:
// INVALID_ARGUMENT (overlaps, a depth without its mode), and refusals (int64_interface).
absl::Status FinishInterface(mir::Module& module);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_FINISH_FINISH_INTERFACE_H_
