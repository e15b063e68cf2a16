// Keeps the rules of gfx1030 about neighbouring instructions.
#ifndef KILN_CORE_AMD_EMIT_AVOID_HAZARDS_H_
#define KILN_CORE_AMD_EMIT_AVOID_HAZARDS_H_

#include "core/amd/emit/program.h"

namespace kiln::amd {

// Inserts v_nop, after waits have been inserted: between a v_cmpx and a v_permlane directly behind
// it (RDNA 2 ISA guide, 6.10), and before an s_denorm_mode within three wait states of a float
// atomic of vector memory, if neither a vector instruction nor a wait is between (LLVM 19,
// GCNHazardRecognizer, FPAtomicToDenormMode). Rows are looked at in their order and over branches
// forward and back. Linear.
void AvoidHazards(Program& program);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_AVOID_HAZARDS_H_
