// Changes of one instruction that each break a named rule of the EU: what the EU verifier is
// measured with.
//
// A mutation says itself what it breaks and who says so; whether it applies to an instruction is
// decided here, from the encoding's fields, with arithmetic of its own: nothing is asked of
// core/intel/isa/verify, which is the accused. Mutants that the encoding cannot express are no
// mutants (the harness drops them).
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
