// Helpers of tests: functions of the Intel machine from text.
#ifndef KILN_CORE_INTEL_LIR_TESTING_H_
#define KILN_CORE_INTEL_LIR_TESTING_H_

#include <string>

#include "core/lir/lir.h"

namespace kiln::intel::testing {

// Returns the function of one block with these lines of values and of instructions, as lir/print.h
// writes them. A text that is no LIR fails the test and gives an empty function.
lir::Function FunctionOf(int width, const std::string& values, const std::string& body = "");

// Returns the first instruction of the first block.
lir::InstId FirstOf(const lir::Function& f);

}  // namespace kiln::intel::testing

#endif  // KILN_CORE_INTEL_LIR_TESTING_H_
