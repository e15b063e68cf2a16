// Chooses the token that each send and math instruction sets.
//
// Any choice is correct: the dataflow works on tokens, and a wait for a token covers every
// instruction that set it. The choice decides how many unrelated instructions a wait covers. In
// program order, a token whose waits are all past is taken first (the one free longest). Otherwise
// the token whose wait comes soonest is taken, so that tokens whose waits come later are not
// disturbed. Cost: O(instructions x operands).
#ifndef KILN_CORE_INTEL_SWSB_TOKENS_H_
#define KILN_CORE_INTEL_SWSB_TOKENS_H_

#include <cstdint>
#include <vector>

#include "core/intel/isa/program.h"

namespace kiln::intel::swsb {

inline constexpr int8_t kNoToken = -1;

struct TokenPlan {
  std::vector<int8_t> token;  // by instruction; kNoToken for in-order ones and end of thread
  int reused = 0;             // times a token was taken from one still awaited
};

TokenPlan AssignTokens(const isa::Program& program, const std::vector<isa::Footprint>& footprints);

}  // namespace kiln::intel::swsb

#endif  // KILN_CORE_INTEL_SWSB_TOKENS_H_
