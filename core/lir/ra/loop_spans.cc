#include "core/lir/ra/loop_spans.h"

#include <algorithm>

namespace kiln::lir::ra {

namespace {

// Calls f for each block that the thread may go to from this one.
template <class F>
void ForEachThreadSuccessor(const Block& b, F&& f) {
  for (const Edge& e : b.succs) f(e.to.index);
  for (BlockId s : b.physical_succs) f(s.index);
}

}  // namespace

LoopSpans::LoopSpans(const Function& f)
    : last_(f.blocks.size(), 0),
      innermost_(f.blocks.size(), kNone),
      parent_(f.blocks.size(), kNone) {
  std::vector<char> head(f.blocks.size());
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    ForEachThreadSuccessor(f.blocks[b], [&](uint32_t s) {
      if (s > b) return;
      head[s] = 1;
      last_[s] = std::max(last_[s], b);
    });
  }
  std::vector<uint32_t> open;
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    while (!open.empty() && last_[open.back()] < b) open.pop_back();
    if (head[b]) {
      parent_[b] = open.empty() ? kNone : open.back();
      open.push_back(b);
    }
    innermost_[b] = open.empty() ? kNone : open.back();
  }
}

}  // namespace kiln::lir::ra
