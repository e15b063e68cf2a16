// Removes from outputs what the next stage does not read.
//
// Problem: a shader writes all that any other may want of it; in a pair of stages much of that is
// read by nobody, and so is what it was computed from.
// Invariants: verified MIR in and out. Built-ins stay: fixed functions read them. Components at
// locations that are not read become undefined, and a store without any other goes; what fed them
// is for remove_dead_code. Of a choice by value all elements count. Outputs of 64 bits, which come
// from no importer, stay. Algorithm: one walk. Linear.
#ifndef KILN_CORE_MID_MEMORY_REMOVE_UNREAD_OUTPUTS_H_
#define KILN_CORE_MID_MEMORY_REMOVE_UNREAD_OUTPUTS_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// True if anything changed. One rewrite for each store. `reads(location, component)`: whether the
// next stage does.
absl::StatusOr<bool> RemoveUnreadOutputs(mir::Module& module,
                                         absl::FunctionRef<bool(uint32_t, uint32_t)> reads,
                                         PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_MEMORY_REMOVE_UNREAD_OUTPUTS_H_
