// Text of EU instructions in the syntax of the iga64 assembler, which accepts it back.
//
// Every decoded instruction can be printed: the text uses the enumerators' names and reads no table
// with columns. A generation whose syntax differs will need a column.
#ifndef KILN_CORE_INTEL_ISA_DISASM_H_
#define KILN_CORE_INTEL_ISA_DISASM_H_

#include <string>

#include "absl/types/span.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/instruction.h"

namespace kiln::intel::isa {

// Returns the text of one instruction, without newline. Branch targets are signed byte distances.
std::string Disassemble(Generation gen, const Instruction& inst);

// Returns the text of a program, one line each, with labels (L<offset>:) at branch targets. Ends
// with a newline.
std::string DisassembleProgram(Generation gen, absl::Span<const PlacedInstruction> program);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_DISASM_H_
