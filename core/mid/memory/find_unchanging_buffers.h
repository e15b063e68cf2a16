// Finds storage buffers that are not written while the program runs.
//
// Problem: loads of storage buffers are ordered with stores, atomics and barriers, stay in loops
// and are repeated after a barrier, though most buffers of most shaders are only read.
// Invariants: verified MIR in and out; code does not change. Afterwards Resource::unchanging is set
// for buffers that the module does not write, neither by this resource nor by one that may be the
// same memory: one of the same binding, one declared Aliased (or this one is), or memory accessed
// by address (alias.h). Volatile and coherent accesses are not affected: they read what others
// write. By Vulkan's memory model, no other dispatch or host writes memory that a program reads
// otherwise (such accesses race).
// Algorithm: one walk. The flag is never cleared: no pass adds a write to a buffer that has none
// (verify.h checks that). Linear in instructions and resources.
#ifndef KILN_CORE_MID_MEMORY_FIND_UNCHANGING_BUFFERS_H_
#define KILN_CORE_MID_MEMORY_FIND_UNCHANGING_BUFFERS_H_

#include "absl/status/statusor.h"
#include "core/base/pass.h"
#include "core/mir/mir.h"

namespace kiln::mid {

// Returns true if a buffer was found. One rewrite for each.
absl::StatusOr<bool> FindUnchangingBuffers(mir::Module& module, PassContext& context);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_MEMORY_FIND_UNCHANGING_BUFFERS_H_
