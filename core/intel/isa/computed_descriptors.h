// What is known of message descriptors that a program computes.
//
// Problem: which registers a send reads and writes is in its descriptors; one that comes from a0 is
// not in the instruction, and without more knowledge the longest payloads have to be assumed.
// Algorithm: compilers make such a descriptor right before the send, from a value and the constant
// part, by `or` or `add` with an immediate. The last write of that dword of a0 in the same straight
// line of code is looked for, at most kReach instructions back; if it is of this form, the
// immediate is noted in SendFields::desc or ex_desc (the flags still say that it is in a register;
// the value's own bits are not known, but lengths are not among them). ToProgram does this for
// programs of any compiler; emission knows the lengths it makes. Linear. Limits: an addition that
// carries into the lengths would be misread; an index has a few bits.
#ifndef KILN_CORE_INTEL_ISA_COMPUTED_DESCRIPTORS_H_
#define KILN_CORE_INTEL_ISA_COMPUTED_DESCRIPTORS_H_

#include "core/intel/isa/program.h"

namespace kiln::intel::isa {

void NoteComputedDescriptors(Program& program);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_COMPUTED_DESCRIPTORS_H_
