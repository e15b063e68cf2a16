// Operands of allocated LIR as operands of instructions: registers by their units, immediates as
// inline constants or as the instruction's literal.
#ifndef KILN_CORE_AMD_EMIT_OPERANDS_H_
#define KILN_CORE_AMD_EMIT_OPERANDS_H_

#include <cstdint>
#include <optional>

#include "core/amd/isa/instruction.h"
#include "core/lir/lir.h"

namespace kiln::amd {

// Returns the inline constant that a source of this type reads as `bits`, or nothing.
//
// Immediates of LIR have 32 bits: those of 16-bit types count by their low half, 64-bit integers
// are sign-extended, doubles have them as their high half and a low half of 0.
std::optional<isa::Operand> InlineConstant(uint32_t bits, isa::Type type);

// Returns true if a literal of these bits is what the immediate means. False for negative numbers
// as 64-bit operands that the hardware zero-extends.
bool LiteralMeans(uint32_t bits, isa::Type type);

// Returns the register of a value or fixed operand, advanced by `unit` units. The operand must be
// one of the two.
isa::Operand RegisterOf(const lir::Function& f, const lir::Operand& operand, uint32_t unit = 0);

// Returns the units that an operand names: a mask of 64 lanes has two.
uint32_t UnitsOf(const lir::Function& f, const lir::Operand& operand);

// Returns true if the operand is in vector registers.
bool IsVector(const lir::Function& f, const lir::Operand& operand);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_OPERANDS_H_
