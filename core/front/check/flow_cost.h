// Predicts the work of SPIRV-Tools' validator on the control flow of a function.
//
// Problem: the validator's check of structured control flow walks chains of dominators, for every
// edge of every construct, and its dominators and depth-first searches are quadratic as well. A
// kilobyte can keep it busy for seconds. Its work can be predicted from the same graphs in linear
// time, except for the iteration that computes dominators: this is run here as the validator runs
// it, and abandoned when it costs too much.
//
// In: any blocks: duplicate labels, branches to nowhere, invalid merges, unreachable blocks,
// irreducible graphs. Out: steps of some 10 ns (see the weights in the .cc), and the nesting depth
// of constructs. Neither depends on the order of blocks: a block is in a construct if the header
// dominates it and the merge block does not, where a header has an edge to its merge block and its
// continue target besides its branches (the "structural" graph of the SPIR-V specification, 2.11).
//
// Cost: linear in blocks and edges, plus the iteration: at most a nanosecond or two for each step
// that the caller allows. No recursion. Sources: the behaviour of SPIRV-Tools 2023.1 (validate_cfg,
// construct, cfa), and timings of it; K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance
// Algorithm" (2001), which it follows. Limits: fitted to that version.
#ifndef KILN_CORE_FRONT_CHECK_FLOW_COST_H_
#define KILN_CORE_FRONT_CHECK_FLOW_COST_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace kiln::front {

// A block as its instructions describe it. Ids need not be valid.
struct FlowBlock {
  uint32_t label = 0;
  uint32_t merge = 0;            // merge block of its merge instruction; 0: none
  uint32_t continue_target = 0;  // not 0: a loop header
  uint32_t first_target = 0;  // its targets are [first_target, end_target) of FlowFunction::targets
  uint32_t end_target = 0;
  uint32_t phis = 0;
  bool is_switch = false;
  uint64_t uses = 0;  // number of operands defined by other blocks of the function
  uint64_t used = 0;  // number of operands in other blocks that this block defines
};

struct FlowFunction {
  std::vector<FlowBlock> blocks;
  std::vector<uint32_t> targets;      // labels
  std::vector<uint32_t> phi_parents;  // labels, one for each operand of a phi defined in a block
};

struct FlowCost {
  uint64_t steps = 0;
  // maximum of constructs around a block; may be 0 if `steps` is above `most`
  uint64_t nesting = 0;
};

// `most`: steps of interest; for a cost above it any value above it may be returned.
FlowCost CostOfFlow(const FlowFunction& function, uint64_t most);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_CHECK_FLOW_COST_H_
