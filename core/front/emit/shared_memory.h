// Layout of variables in shared memory, computed here unless decorations give it.
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

// Assigns offsets to the variables that reachable code mentions, and sets the module's sizes of
// shared memory and push constants. Returns false after an error.
bool LayOutShared(ImportContext& c);

// Clears shared memory before any other code, if ImportOptions or an initialiser requires it.
void ClearShared(ImportContext& c);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_SHARED_MEMORY_H_
