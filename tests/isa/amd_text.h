// Tells which instructions of gfx1030 have no text of LLVM's assembler.
#ifndef KILN_TESTS_ISA_AMD_TEXT_H_
#define KILN_TESTS_ISA_AMD_TEXT_H_

#include <string>

#include "core/amd/isa/instruction.h"

namespace kiln::tests {

// Returns why llvm-mc cannot assemble the text of a good instruction to its bytes
// (core/amd/isa/ERRATA.md, entries 2, 3, 8 and 9); empty if it should.
std::string WithoutText(const amd::isa::Instruction& inst);

// Returns the instruction without registers in fields that it does not use, and with the bits that
// LLVM sets where they mean nothing.
amd::isa::Instruction WithoutUnused(amd::isa::Instruction inst);

}  // namespace kiln::tests

#endif  // KILN_TESTS_ISA_AMD_TEXT_H_
