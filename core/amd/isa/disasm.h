// Text of gfx1030 instructions in the syntax of LLVM's assembler (llvm-mc -mcpu=gfx1030), which
// accepts it back.
//
// Every decoded instruction can be printed. Four things have no text of their own in that syntax
// (ERRATA.md): unused operand fields of buffers and exports, op_sel_hi of a source that VOP3P
// lacks, literals that an inline constant could be, and literals wider than their 16-bit operand.
#ifndef KILN_CORE_AMD_ISA_DISASM_H_
#define KILN_CORE_AMD_ISA_DISASM_H_

#include <string>

#include "absl/types/span.h"
#include "core/amd/isa/decode.h"
#include "core/amd/isa/instruction.h"

namespace kiln::amd::isa {

// Returns the text of one instruction, without newline. Branch targets are distances in dwords.
std::string Disassemble(const Instruction& inst, Wave wave);

// Returns the text of a program, one line each, with labels (L<offset>:) at branch targets within
// it. Ends with a newline.
std::string DisassembleProgram(absl::Span<const PlacedInstruction> program, Wave wave);

// Returns the name of one register, or of scc: "v3", "vcc_lo".
std::string RegisterName(Operand operand);

// Returns the byte offset that a branch at `placed` goes to, or -1 if it is none.
int64_t BranchTarget(const PlacedInstruction& placed);

}  // namespace kiln::amd::isa

#endif  // KILN_CORE_AMD_ISA_DISASM_H_
