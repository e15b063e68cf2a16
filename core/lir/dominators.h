// Dominators over logical edges.
//
// Iterative immediate dominators over a reverse post order (Cooper, Harvey, Kennedy: A Simple, Fast
// Dominance Algorithm). On the reducible graphs of structured code this takes two sweeps. Dominance
// queries take constant time, by interval numbering of the tree.
#ifndef KILN_CORE_LIR_DOMINATORS_H_
#define KILN_CORE_LIR_DOMINATORS_H_

#include <cstdint>
#include <vector>

#include "core/lir/lir.h"

namespace kiln::lir {

class Dominators {
 public:
  explicit Dominators(const Function& f);

  // True if logical edges lead from the entry to the block.
  bool reachable(BlockId b) const { return order_[b.index] != kUnreached; }
  // The immediate dominator; invalid for the entry and for unreachable blocks.
  BlockId idom(BlockId b) const { return idom_[b.index]; }
  // Reflexive. False if either is unreachable.
  bool dominates(BlockId a, BlockId b) const {
    return reachable(a) && reachable(b) && enter_[a.index] <= enter_[b.index] &&
           leave_[b.index] <= leave_[a.index];
  }

 private:
  static constexpr uint32_t kUnreached = ~uint32_t{0};

  void Number(const Function& f);
  void Solve(const Function& f);
  BlockId Intersect(BlockId a, BlockId b) const;
  void NumberTree();

  std::vector<BlockId> rpo_;
  std::vector<uint32_t> order_;  // position in rpo_
  std::vector<BlockId> idom_;
  std::vector<uint32_t> enter_, leave_;  // interval of the dominator tree
};

}  // namespace kiln::lir

#endif  // KILN_CORE_LIR_DOMINATORS_H_
