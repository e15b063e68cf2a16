// Judges a variant's machine code by the verifier of its target's instruction set.
#ifndef KILN_TESTS_EXEC_FINDINGS_H_
#define KILN_TESTS_EXEC_FINDINGS_H_

#include <string>

#include "core/driver/compile.h"
#include "core/target/compiled.h"

namespace kiln::exec {

// Returns the rules that the code breaks, one a line with the variant's name; "" if there are none.
// Code that does not decode is a finding.
std::string Findings(Target target, const Variant& variant);

}  // namespace kiln::exec

#endif  // KILN_TESTS_EXEC_FINDINGS_H_
