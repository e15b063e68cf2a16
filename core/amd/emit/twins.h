// Opcodes that compute the same with sources 0 and 1 exchanged.
#ifndef KILN_CORE_AMD_EMIT_TWINS_H_
#define KILN_CORE_AMD_EMIT_TWINS_H_

#include <optional>

#include "core/amd/isa/opcodes.h"

namespace kiln::amd {

// Returns the opcode whose result for (b, a) is that of `op` for (a, b): the opcode itself if it is
// commutative, v_subrev for v_sub, "greater" for "less"; nothing if there is none.
std::optional<isa::Opcode> TwinOf(isa::Opcode op);

// Returns the s_cmpk opcode of an s_cmp opcode, or nothing.
std::optional<isa::Opcode> CompareWithSimm(isa::Opcode op);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_TWINS_H_
