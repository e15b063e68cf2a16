// What of gfx1030 LLVM's assembler has no text for.
#ifndef KILN_TESTS_ISA_AMD_TEXT_H_
#define KILN_TESTS_ISA_AMD_TEXT_H_

#include <string>

#include "core/amd/isa/instruction.h"

namespace kiln::tests {

// Returns why llvm-mc cannot assemble the text of a good instruction to its bytes
// (core/amd/isa/ERRATA.md, entries 2, 3 and 8); empty if it should.
std::string WithoutText(const amd::isa::Instruction& inst);

}  // namespace kiln::tests

#endif  // KILN_TESTS_ISA_AMD_TEXT_H_
