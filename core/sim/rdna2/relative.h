// Moves whose operands M0 displaces: v_movrels_b32, s_movreld_b64 and kin.
#ifndef KILN_CORE_SIM_RDNA2_RELATIVE_H_
#define KILN_CORE_SIM_RDNA2_RELATIVE_H_

#include <cstdint>

#include "core/sim/rdna2/program.h"
#include "core/sim/rdna2/wave.h"

namespace kiln::sim::rdna2 {

// Operand codes, which may be past the last register: VGPRs from 256 on.
struct RelativeOperands {
  uint64_t from = 0, to = 0;
};

// Returns true for the moves that RelativeOperandsOf knows.
bool IsRelativeMove(isa::Opcode op);

// Returns the first source and the destination that a relative move has with the wave's M0.
// Sources that are no registers are as they were. Source of the displacements: AMD, "RDNA 2" ISA
// guide, the opcodes' pages.
RelativeOperands RelativeOperandsOf(const Op& op, const WaveState& wave);

}  // namespace kiln::sim::rdna2

#endif  // KILN_CORE_SIM_RDNA2_RELATIVE_H_
