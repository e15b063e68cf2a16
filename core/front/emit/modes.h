// The execution modes of the entry point.
#ifndef KILN_CORE_FRONT_EMIT_MODES_H_
#define KILN_CORE_FRONT_EMIT_MODES_H_

#include <cstdint>

namespace kiln::front {

struct ImportContext;

// How invocations of a compute shader form quads for derivatives (emit_derivative.cc).
enum class DerivativeGroup : uint8_t { kNone, kLinear, kQuads };

// Reads the execution modes of the entry point whose function has this id: workgroup size or
// fragment modes, float controls and the group for derivatives. Writes them to the MIR module,
// whose stage is known, and to ImportContext::derivative_group. Returns false after an error.
bool ReadModes(ImportContext& c, uint32_t entry_function);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_MODES_H_
