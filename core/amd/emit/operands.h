// Registers of allocated LIR as operands of instructions.
#ifndef KILN_CORE_AMD_EMIT_OPERANDS_H_
#define KILN_CORE_AMD_EMIT_OPERANDS_H_

#include <cstdint>

#include "core/amd/isa/instruction.h"
#include "core/lir/lir.h"

namespace kiln::amd {

// Returns the register of a value or fixed operand, advanced by `unit` units. The operand must be
// one of the two.
isa::Operand RegisterOf(const lir::Function& f, const lir::Operand& operand, uint32_t unit = 0);

// Returns the units that an operand names: a mask of 64 lanes has two.
uint32_t UnitsOf(const lir::Function& f, const lir::Operand& operand);

// Returns true if the operand is in vector registers.
bool IsVector(const lir::Function& f, const lir::Operand& operand);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_OPERANDS_H_
