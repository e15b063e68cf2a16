#include "core/lir/dominators.h"

#include <algorithm>
#include <utility>

namespace kiln::lir {

Dominators::Dominators(const Function& f)
    : order_(f.blocks.size(), kUnreached),
      idom_(f.blocks.size()),
      enter_(f.blocks.size()),
      leave_(f.blocks.size()) {
  if (f.blocks.empty()) return;
  Number(f);
  Solve(f);
  NumberTree();
}

// Depth-first with an explicit stack: the input decides the nesting, which must not exhaust the
// call stack.
void Dominators::Number(const Function& f) {
  std::vector<char> seen(f.blocks.size());
  std::vector<std::pair<BlockId, size_t>> stack = {{BlockId(0), 0}};
  seen[0] = 1;
  while (!stack.empty()) {
    auto& [b, next] = stack.back();
    const std::vector<Edge>& succs = f.block(b).succs;
    if (next == succs.size()) {
      rpo_.push_back(b);
      stack.pop_back();
      continue;
    }
    const BlockId s = succs[next++].to;
    if (!std::exchange(seen[s.index], 1)) stack.push_back({s, 0});
  }
  std::reverse(rpo_.begin(), rpo_.end());
  for (size_t i = 0; i < rpo_.size(); ++i) order_[rpo_[i].index] = static_cast<uint32_t>(i);
}

BlockId Dominators::Intersect(BlockId a, BlockId b) const {
  while (a != b) {
    while (order_[a.index] > order_[b.index]) a = idom_[a.index];
    while (order_[b.index] > order_[a.index]) b = idom_[b.index];
  }
  return a;
}

void Dominators::Solve(const Function& f) {
  std::vector<std::vector<BlockId>> preds(f.blocks.size());
  for (BlockId b : rpo_) {
    for (const Edge& e : f.block(b).succs) preds[e.to.index].push_back(b);
  }
  idom_[0] = BlockId(0);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 1; i < rpo_.size(); ++i) {
      const BlockId b = rpo_[i];
      BlockId d;
      for (BlockId p : preds[b.index]) {
        if (!idom_[p.index].valid()) continue;
        d = d.valid() ? Intersect(d, p) : p;
      }
      if (d != idom_[b.index]) {
        idom_[b.index] = d;
        changed = true;
      }
    }
  }
  idom_[0] = BlockId();
}

// A parent precedes its children in reverse post order, so subtree sizes add up backwards and
// positions are handed out forwards.
void Dominators::NumberTree() {
  std::vector<uint32_t> size(order_.size(), 1), next(order_.size());
  for (size_t i = rpo_.size(); i-- > 1;) size[idom_[rpo_[i].index].index] += size[rpo_[i].index];
  for (size_t i = 0; i < rpo_.size(); ++i) {
    const uint32_t b = rpo_[i].index;
    uint32_t at = 0;
    if (i != 0) {
      uint32_t& n = next[idom_[b].index];
      at = n;
      n += size[b];
    }
    enter_[b] = at;
    leave_[b] = at + size[b] - 1;
    next[b] = at + 1;
  }
}

}  // namespace kiln::lir
