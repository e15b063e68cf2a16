// Values of source operands: registers, inline constants, literals.
//
// Sources: AMD, "RDNA 2" ISA guide, 30 November 2020, 3.6 and table 3 (operand codes); a 16-bit
// operand takes a float constant as half, a 64-bit one as double; a literal is the upper dword of a
// double, b64 operands extend it by zeros and i64 ones by its sign (LLVM 19, AMDGPUOperandSyntax;
// Mesa 25.0.7, aco_lower_to_hw_instr.cpp).
#ifndef KILN_CORE_SIM_RDNA2_OPERAND_H_
#define KILN_CORE_SIM_RDNA2_OPERAND_H_

#include <cstdint>

#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Returns the bits of a source that is the same in all lanes: 32 bits zero-extended, or 64 if the
// type has them. Not of a VGPR.
uint64_t UniformValue(const WaveState& wave, const isa::Instruction& inst, isa::Operand operand,
                      isa::Type type);

// Returns source `i` of a scalar instruction.
uint64_t ScalarSource(const WaveState& wave, const Op& op, int i);

// Returns the type that decides how source `i` of a vector instruction reads constants.
isa::Type ConstantType(const Op& op, int i);

// Returns a source of a lane: dwords from the VGPR on (at most two), or the uniform value.
uint64_t LaneSource(const WaveState& wave, const Op& op, int i, int lane);

// Returns a 32-bit scalar operand of any instruction (offset registers, selectors); 0 if there is
// none.
uint32_t Scalar32(const WaveState& wave, const Op& op, isa::Operand operand);

// Returns the lane that v_readlane_b32 or v_writelane_b32 selects.
int SelectedLane(const WaveState& wave, const Op& op);

// Returns the first lane that is on, which v_readfirstlane_b32 reads; 0 if none is.
int FirstLane(const WaveState& wave);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_OPERAND_H_
