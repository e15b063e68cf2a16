// Text of EU instructions in the syntax of the iga64 assembler, which accepts it back.
//
// What has been decoded can be printed: text reads no table with columns, names being those of the
// enumerators. A generation whose syntax differs is a column yet to be made.
#ifndef KILN_CORE_INTEL_ISA_DISASM_H_
#define KILN_CORE_INTEL_ISA_DISASM_H_

#include <string>

#include "absl/types/span.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/instruction.h"

namespace kiln::intel::isa {

// One instruction, without newline. Branch targets are printed as signed byte distances.
std::string Disassemble(Generation gen, const Instruction& inst);

// A program, one line each, with labels (L<offset>:) at branch targets. Ends with a newline.
std::string DisassembleProgram(Generation gen, absl::Span<const PlacedInstruction> program);

}  // namespace kiln::intel::isa

#endif  // KILN_CORE_INTEL_ISA_DISASM_H_
