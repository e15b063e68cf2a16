// Changes of one instruction of gfx1030, or of a program, each of which breaks a named rule; they
// measure the verifier.
//
// A mutation states the rule that it breaks and the rule's source. Its code decides from the
// instruction's fields, with arithmetic of its own, whether it applies: it never calls
// core/amd/isa/verify, which is under test.
#ifndef KILN_TESTS_ISA_AMD_MUTATIONS_H_
#define KILN_TESTS_ISA_AMD_MUTATIONS_H_

#include <random>
#include <vector>

#include "core/amd/isa/instruction.h"

namespace kiln::tests {

struct AmdMutation {
  const char* name;
  const char* source;
  // Changes the instruction; false if it does not apply to it.
  bool (*apply)(amd::isa::Instruction& inst, amd::isa::Wave wave, std::mt19937& rng);
};

const std::vector<AmdMutation>& AmdMutations();

struct AmdProgramMutation {
  const char* name;
  const char* source;
  // Changes a program that ends with s_endpgm and has no clauses and branches; false if it cannot.
  bool (*apply)(std::vector<amd::isa::Instruction>& program, std::mt19937& rng);
};

const std::vector<AmdProgramMutation>& AmdProgramMutations();

}  // namespace kiln::tests

#endif  // KILN_TESTS_ISA_AMD_MUTATIONS_H_
