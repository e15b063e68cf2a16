// Allocated LIR operands as EU operands: registers, sub-registers, regions.
#ifndef KILN_CORE_INTEL_EMIT_OPERANDS_H_
#define KILN_CORE_INTEL_EMIT_OPERANDS_H_

#include "core/intel/isa/instruction.h"
#include "core/lir/lir.h"

namespace kiln::intel {

using isa::kGrfBytes;

isa::Operand NullOperand(isa::Type type);
isa::Operand ImmediateOperand(uint32_t bits, isa::Type type);
isa::Operand AccumulatorOperand(isa::Type type);

// Returns the operand from `first_lane` on as a destination, or as a source of an instruction of
// `lanes` lanes. Uniform values with one component named are read as scalars, with eight as
// vectors. The distance of lanes is the width of the value's elements: a 16-bit operand of a 32-bit
// value has stride 2. `group` is the instruction's first lane; it counts only in values that hold
// all lanes of the thread.
isa::Operand Destination(const lir::Function& f, const lir::Operand& o, int first_lane,
                         int group = 0);
isa::Operand Source(const lir::Function& f, const lir::Operand& o, int lanes, int first_lane,
                    int group = 0);

// FirstByte returns the first byte of an allocated value's component in the register file;
// BytePlace returns an operand at a byte of the file, without region.
inline int FirstByte(const lir::Operand& o) { return static_cast<int>(o.reg) * 4 + o.sub; }
isa::Operand BytePlace(int byte, isa::Type type);

// Returns the whole registers that hold a message's payload or result.
isa::Operand Payload(const lir::Operand& o);

// Sets the instruction's flag register and sub-register from a unit of the flag pool.
void SetFlag(isa::Instruction& inst, const lir::Operand& flag);

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_EMIT_OPERANDS_H_
