// Allocated LIR operands as EU operands: registers, sub-registers, regions.
#ifndef KILN_CORE_INTEL_EMIT_OPERANDS_H_
#define KILN_CORE_INTEL_EMIT_OPERANDS_H_

#include "core/intel/isa/instruction.h"
#include "core/lir/lir.h"

namespace kiln::intel {

inline constexpr int kGrfBytes = 32;

isa::Operand NullOperand(isa::Type type);
isa::Operand ImmediateOperand(uint32_t bits, isa::Type type);
isa::Operand AccumulatorOperand(isa::Type type);

// The operand from `first_lane` on, as destination, or as source of an instruction of `lanes`
// lanes. Uniform values with one component named are read as scalars; with eight, as vectors. Lanes
// stand as far apart as the value's elements are wide: a 16-bit operand of a 32-bit value has
// stride 2. `group`: the instruction's first lane, which counts in values that have all lanes of
// the thread.
isa::Operand Destination(const lir::Function& f, const lir::Operand& o, int first_lane,
                         int group = 0);
isa::Operand Source(const lir::Function& f, const lir::Operand& o, int lanes, int first_lane,
                    int group = 0);

// The first byte of an allocated value's component in the register file, and an operand at a byte
// of it, without region.
inline int FirstByte(const lir::Operand& o) { return static_cast<int>(o.reg) * 4 + o.sub; }
isa::Operand BytePlace(int byte, isa::Type type);

// The whole registers that a message payload or result starts at.
isa::Operand Payload(const lir::Operand& o);

// Unit of the flag pool -> flag register and sub-register.
void SetFlag(isa::Instruction& inst, const lir::Operand& flag);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_OPERANDS_H_
