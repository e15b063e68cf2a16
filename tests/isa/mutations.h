// Changes of one instruction, each of which breaks a named rule of the EU; they measure the EU
// verifier.
//
// A mutation states the rule that it breaks and the rule's source. Its code decides from the
// encoding's fields, with arithmetic of its own, whether it applies to an instruction: it never
// calls core/intel/isa/verify, which is under test. Mutants that the encoding cannot express are
// dropped by the harness.
#ifndef KILN_TESTS_ISA_MUTATIONS_H_
#define KILN_TESTS_ISA_MUTATIONS_H_

#include <random>
#include <vector>

#include "core/intel/isa/decode.h"

namespace kiln::tests {

struct Mutation {
  const char* name;
  const char* breaks;  // the rule
  const char* source;
  // Changes instruction `i`; false if it does not apply there.
  bool (*apply)(std::vector<intel::isa::PlacedInstruction>& program, size_t i, std::mt19937& rng);
};

const std::vector<Mutation>& Mutations();

}  // namespace kiln::tests

#endif  // KILN_TESTS_ISA_MUTATIONS_H_
