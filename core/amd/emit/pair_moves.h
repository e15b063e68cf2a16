// Moves two vector registers by one instruction.
#ifndef KILN_CORE_AMD_EMIT_PAIR_MOVES_H_
#define KILN_CORE_AMD_EMIT_PAIR_MOVES_H_

#include "core/amd/emit/program.h"

namespace kiln::amd {

// Replaces two v_mov_b32 between neighbouring registers (or from a scalar pair, or of a constant of
// 64 bits) by a v_lshrrev_b64 by 0, as Mesa 25.0.7 does (aco_lower_to_hw_instr.cpp): one
// instruction of the same bytes and cycles. Looks at runs of moves with nothing between them, up to
// eight rows ahead. Linear.
void PairMoves(Program& program);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_PAIR_MOVES_H_
