// Finds the known part of message descriptors that a program computes.
//
// Problem: the registers that a send reads and writes follow from its descriptors. A descriptor in
// a0 is not in the instruction, and without more knowledge the longest payloads have to be assumed.
//
// Algorithm: compilers make such a descriptor right before the send, from a value and the constant
// part, by `or` or `add` with an immediate. The last write of that dword of a0 in the same straight
// line of code is searched, at most kReach instructions back. If it has this form, the immediate is
// noted in SendFields::desc or ex_desc (the flags still say that the descriptor is in a register;
// the value's own bits are not known, but lengths are not among them). ToProgram does this for
// programs of any compiler; emission knows the lengths it makes. Cost: linear.
//
// Limits: an addition that carries into the lengths would be misread; an index has a few bits.
#ifndef KILN_CORE_INTEL_ISA_COMPUTED_DESCRIPTORS_H_
#define KILN_CORE_INTEL_ISA_COMPUTED_DESCRIPTORS_H_

#include "core/intel/isa/program.h"

namespace kiln::intel::isa {

void NoteComputedDescriptors(Program& program);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_COMPUTED_DESCRIPTORS_H_
