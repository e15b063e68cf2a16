// LIR functions from text, for tests of this folder.
#ifndef KILN_CORE_AMD_OPTIMISE_TESTING_H_
#define KILN_CORE_AMD_OPTIMISE_TESTING_H_

#include <string>

#include "core/lir/lir.h"

namespace kiln::amd::testing {

// Returns a function of gfx1030 at 32 lanes: values %0 to %3 are given per lane, %4 is a scalar, %5
// a vector of two dwords, %6 to %44 are vector registers. `body` is the text of its blocks. An
// empty function, and a test failure, if the text is none.
lir::Function Parsed(const std::string& body);

// Returns the text from the first block on.
std::string BlocksText(const lir::Function& f);

// Returns how often `part` is in the text.
int Count(const std::string& text, const std::string& part);

}  // namespace kiln::amd::testing

#endif  // KILN_CORE_AMD_OPTIMISE_TESTING_H_
