// What the entry point asks for by its execution modes.
#ifndef KILN_CORE_FRONT_EMIT_MODES_H_
#define KILN_CORE_FRONT_EMIT_MODES_H_

#include <cstdint>

namespace kiln::front {

struct ImportContext;

// Where derivatives in a compute shader are taken (emit_derivative.cc).
enum class DerivativeGroup : uint8_t { kNone, kLinear, kQuads };

// Of the entry point that is the function of this id: the size of its workgroups or what a fragment
// asks for, float controls and the group for derivatives, into the module being made, whose stage
// is known, and ImportContext::derivative_group. False after an error.
bool ReadModes(ImportContext& c, uint32_t entry_function);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_EMIT_MODES_H_
