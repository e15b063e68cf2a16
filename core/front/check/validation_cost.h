// Predicts the work of SPIRV-Tools' validator on a module.
//
// Problem: the validator is made for the modules that compilers emit. On others its time is
// unbounded: several of its checks are products of two counts, or walk graphs as trees. These costs
// can be predicted in one walk over the instructions (control flow, the worst, by flow_cost.h). A
// service refuses modules that would cost too much (bounds.h), by a count that is the same on every
// machine.
//
// In: any words in host order; malformed parts may be left out, since the validator stops at them.
// Out: steps of some 10 ns on the machine of the timings (the weights, in the .cc), and the nesting
// depth of control flow. The sum is for a valid module; an invalid one is validated twice
// (validate.h). Cost: linear in the words, except for the parts named in flow_cost.h. Sources: the
// behaviour of SPIRV-Tools 2023.1, and timings of modules made for each product. Limits: fitted to
// that version. Work that is linear in the words is assumed to be the same everywhere.
#ifndef KILN_CORE_FRONT_CHECK_VALIDATION_COST_H_
#define KILN_CORE_FRONT_CHECK_VALIDATION_COST_H_

#include <cstdint>
#include <string_view>

#include "absl/types/span.h"

namespace kiln::front {

struct ValidationCost {
  uint64_t steps = 0;
  std::string_view mostly;  // the largest part of them
  uint32_t function = 0;    // the last one counted
  uint64_t nesting = 0;     // maximum of control-flow constructs around a block
  uint32_t deepest = 0;     // the function with that maximum
};

// `most`: steps of interest, as in flow_cost.h.
ValidationCost CostOfValidation(absl::Span<const uint32_t> words, uint64_t most);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_VALIDATION_COST_H_
