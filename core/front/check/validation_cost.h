// What SPIRV-Tools' validator will spend on a module.
//
// Problem: the validator is made for the modules that compilers emit. On others it takes time
// without end: several of its checks are products of two counts, or walk graphs as trees. What
// those come to can be told beforehand, in one walk over the instructions (flow_cost.h: control
// flow, the worst). A service refuses what would cost too much (bounds.h), by a count which is the
// same on every machine.
//
// In: any words in host order; what is malformed may be left out, since the validator stops at it.
// Out: steps of some 10 ns on the machine of the timings (the weights, in the .cc), and how deep
// control flow nests. The sum is what a valid module takes; one that is not valid is validated
// twice (validate.h). Cost: linear in the words, but for what flow_cost.h says. Sources: what
// SPIRV-Tools 2023.1 does, and timings of modules made for each product. Limits: fitted to that
// version. What is linear in the words is taken for the same everywhere.
#ifndef KILN_CORE_FRONT_CHECK_VALIDATION_COST_H_
#define KILN_CORE_FRONT_CHECK_VALIDATION_COST_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"

namespace kiln::front {

struct ValidationCost {
  uint64_t steps = 0;
  std::string_view mostly;  // what most of them are for
  uint32_t function = 0;    // the last that was looked at
  uint64_t nesting = 0;     // most constructs of control flow around one block
  uint32_t deepest = 0;     // the function that has them
};

// `most`: steps of interest, as in flow_cost.h.
ValidationCost CostOfValidation(absl::Span<const uint32_t> words, uint64_t most);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_VALIDATION_COST_H_
