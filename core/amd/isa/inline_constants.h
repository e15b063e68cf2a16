// Constants that sources of instructions have without a literal.
//
// `bits` of a constant are 32: those of 16-bit types count by their low half, 64-bit integers are
// sign-extended, doubles have them as their high half and a low half of 0.
#ifndef KILN_CORE_AMD_ISA_INLINE_CONSTANTS_H_
#define KILN_CORE_AMD_ISA_INLINE_CONSTANTS_H_

#include <cstdint>
#include <optional>

#include "core/amd/isa/instruction.h"

namespace kiln::amd::isa {

// Returns the inline constant that a source of this type reads as `bits`, or nothing.
std::optional<Operand> InlineConstant(uint32_t bits, Type type);

// Returns true if a literal of these bits is what the constant means. False for negative numbers as
// 64-bit operands that the hardware zero-extends.
bool LiteralMeans(uint32_t bits, Type type);

}  // namespace kiln::amd::isa

#endif  // KILN_CORE_AMD_ISA_INLINE_CONSTANTS_H_
