// Arranges a function's control flow for structured emission.
//
// Problem: MIR has only nested `if` and `loop`; SPIR-V has blocks and branches that leave several
// constructs at once (return, break out of a switch in a loop, fallthrough).
//
// The blocks become a tree. A block's parent is the nearest common ancestor, in this tree, of its
// forward predecessors. This is the dominator tree, except that the declared merge blocks of loops
// are children of their header, with the consequences of that. A block with a single forward
// predecessor is emitted at that edge (it is "inline"); any other is a "label", emitted after the
// code of its parent's subtree that can reach it. A label child of a loop header lies inside the
// loop or after it (`outside`). So all code is sequence, if and loop, and a branch to a label
// means: leave everything up to the point where the label's code is. The emitter decides how such
// exits are carried (flow.h).
//
// Out: for every reachable block its position in the tree, preorder intervals for O(1) visibility
// tests, and whether the subtree of an inline block always leaves or restarts its innermost loop
// (then the code after it need not be nested in an else). Irreducible control flow is
// INVALID_ARGUMENT. Cost: O(n log n) in blocks and edges. Sources: the tree is the one of N.
// Ramsey, "Beyond Relooper" (ICFP 2022), with merge blocks of loops pulled out; loop nest by P.
// Havlak, "Nesting of reducible and irreducible loops" (1997).
#ifndef KILN_CORE_FRONT_PLAN_CFG_H_
#define KILN_CORE_FRONT_PLAN_CFG_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "core/front/spirv/spirv.h"

namespace kiln::front {

constexpr uint32_t kNoBlock = 0xffffffffu;

// Upper bound of the number of distinct targets, the default included, of a switch whose cases are
// divided by equality: the selector is compared with every literal of one half, and the default is
// reached from one point. The cases of a larger switch are divided by one unsigned comparison with
// the middle literal; its default is reached from both halves and is therefore a label. A label
// costs instructions: with a dozen cases there were 14 % more. With 600 cases the comparisons
// saved, and their results that need not stay live, are worth more than that: 10 % fewer
// instructions, 40 % fewer messages, and no spills instead of 205.
constexpr size_t kComparedCases = 32;

// Local indices of blocks; mostly one or two.
using BlockList = absl::InlinedVector<uint32_t, 4>;

struct CfgBlock {
  bool reachable = false;
  bool loop_header = false;  // has a back edge
  bool label = false;        // emitted at its parent, not at the edge to it
  bool many_edges = false;   // the default of a switch with more than kComparedCases
  bool outside = false;      // label child of a loop header, after the loop
  // inline: control never reaches the end of the subtree within its loop
  bool always_jumps = false;
  uint32_t parent = kNoBlock;
  uint32_t loop = kNoBlock;      // the header of the innermost loop this block is emitted in;
                                 // for a header: the loop around its own
  uint32_t order = 0;            // reverse postorder
  uint32_t pre = 0;              // preorder number in the tree
  uint32_t inside_end = 0;       // header: end of the preorder interval inside its loop
  uint32_t end = 0;              // end of the subtree's preorder interval
  std::vector<uint32_t> labels;  // label children inside, by order
  std::vector<uint32_t> outside_labels;  // label children after the loop, by order
  BlockList successors;                  // distinct, ascending
};

struct Cfg {
  std::vector<CfgBlock> blocks;       // local index: block number minus first_block
  std::vector<uint32_t> by_order;     // reachable blocks in reverse postorder
  std::vector<uint32_t> by_preorder;  // reachable blocks in preorder

  // Returns true if a value defined in block d can be used in block u without being carried.
  bool Visible(uint32_t d, uint32_t u) const {
    const CfgBlock& def = blocks[d];
    const CfgBlock& use = blocks[u];
    return def.pre <= use.pre && use.pre < (def.loop_header ? def.inside_end : def.end);
  }
  // Returns true if block b is emitted inside the loop of header h (the header included).
  bool InLoop(uint32_t b, uint32_t h) const {
    return blocks[h].pre <= blocks[b].pre && blocks[b].pre < blocks[h].inside_end;
  }
};

// Returns the arrangement of one function. Errors: irreducible control flow and malformed branches
// (INVALID_ARGUMENT), refusals (nesting_too_deep, import_linkage).
absl::StatusOr<Cfg> BuildCfg(const SpirvModule& module, const SpirvFunction& function);

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_PLAN_CFG_H_
