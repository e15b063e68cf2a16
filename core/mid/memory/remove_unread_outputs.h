// Removes output components that the next stage does not read.
//
// Problem: a shader writes every output that some other shader may need; in a pair of stages many
// of these are unused, and so are the values from which they were computed.
// Invariants: verified MIR in and out. Built-ins stay: fixed functions read them. Components at
// locations that are not read become undefined, and a store without any other is removed;
// remove_dead_code removes the code that computed them. A store to an element chosen by value
// counts as a store to all elements. Outputs of 64 bits, which no importer creates, stay.
// Algorithm: one walk. Linear.
#ifndef KILN_CORE_MID_MEMORY_REMOVE_UNREAD_OUTPUTS_H_
#define KILN_CORE_MID_MEMORY_REMOVE_UNREAD_OUTPUTS_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if anything changed. One rewrite for each store. `reads(location, component)`
// returns true if the next stage reads it.
absl::StatusOr<bool> RemoveUnreadOutputs(mir::Module& module,
                                         absl::FunctionRef<bool(uint32_t, uint32_t)> reads,
                                         PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_MEMORY_REMOVE_UNREAD_OUTPUTS_H_
