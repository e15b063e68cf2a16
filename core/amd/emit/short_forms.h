// Gives an instruction its shortest form.
#ifndef KILN_CORE_AMD_EMIT_SHORT_FORMS_H_
#define KILN_CORE_AMD_EMIT_SHORT_FORMS_H_

#include "core/amd/isa/instruction.h"

namespace kiln::amd {

// Takes an instruction with all operands of its opcode (the lane masks of VOP2 and VOPC too) and
// returns an equivalent one of the fewest bytes: VOP1, VOP2, VOPC instead of VOP3 where modifiers
// and registers allow it, with sources exchanged where that helps; v_fmac, v_fmaak, v_fmamk for
// v_fma; s_movk, s_addk, s_mulk, s_cmpk for literals of 16 bits. Instructions whose form is DPP or
// SDWA lose only the operands that their form implies. `scc_used`: the result in SCC is read.
isa::Instruction Shortest(const isa::Instruction& inst, bool scc_used);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_SHORT_FORMS_H_
