// Emits the operations of LIR that are instructions.
#ifndef KILN_CORE_AMD_EMIT_INSTRUCTIONS_H_
#define KILN_CORE_AMD_EMIT_INSTRUCTIONS_H_

#include "core/amd/emit/context.h"

namespace kiln::amd {

// Appends an isa operation: operands by the convention of lir/ops.h, fields from its side row, in
// the shortest form. A vector instruction with kNoMask executes with all lanes on. Fails if the
// encoding or a rule of isa/verify.h refuses the instruction: selection broke a limit.
void EmitInstruction(Context& c, lir::InstId i);

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_EMIT_INSTRUCTIONS_H_
