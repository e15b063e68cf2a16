// The place of variables in shared memory, which is laid out here unless decorations say how.
#ifndef KILN_CORE_FRONT_EMIT_SHARED_MEMORY_H_
#define KILN_CORE_FRONT_EMIT_SHARED_MEMORY_H_

#include <cstdint>
#include <vector>

namespace kiln::front {

struct ImportContext;

// Constant once laid out.
struct SharedLayout {
  std::vector<uint32_t> offsets;  // by index of SpirvModule::variables
  bool in_blocks = false;         // laid out by decorations
};

// Gives the variables that reachable code mentions their place, and the module its sizes of shared
// memory and push constants. False after an error.
bool LayOutShared(ImportContext& c);

// Clears it, if that is wanted (ImportOptions, or an initialiser), before anything else is emitted.
void ClearShared(ImportContext& c);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_SHARED_MEMORY_H_
