// Good Gen12 programs to mutate: machine code in files, and MIR programs compiled here.
#ifndef KILN_TESTS_ISA_GOOD_PROGRAMS_H_
#define KILN_TESTS_ISA_GOOD_PROGRAMS_H_

#include <string>
#include <vector>

#include "core/intel/isa/decode.h"

namespace kiln::tests {

using Program = std::vector<intel::isa::PlacedInstruction>;

// Reads each binary, and compiles each MIR file at every width. Binaries with verifier findings
// before any mutation are named on standard error and left out; returns false if a MIR file does
// not compile or has findings.
bool ReadPrograms(const std::vector<std::string>& mir, const std::vector<std::string>& binaries,
                  std::vector<Program>* programs);

}  // namespace kiln::tests

#endif  // KILN_TESTS_ISA_GOOD_PROGRAMS_H_
