#include "core/lir/ra/next_use.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/lir/exits.h"

namespace kiln::lir::ra {

namespace {

constexpr uint32_t kFarthest = 1u << 30;

uint32_t Plus(uint32_t a, uint32_t b) { return std::min(kFarthest, a + b); }

// Merges two adjacent ascending parts.
void Merge(std::vector<uint32_t>* v, size_t middle) {
  if (middle == 0 || middle == v->size()) return;
  std::inplace_merge(v->begin(), v->begin() + static_cast<std::ptrdiff_t>(middle), v->end());
}

}  // namespace

NextUses::NextUses(const Machine& t, const Function& f, const Pieces& pieces,
                   const LoopSpans& loops, const std::vector<uint32_t>& at_exits)
    : t_(t),
      at_exits_(at_exits),
      pieces_(pieces),
      loops_(loops),
      entry_(f.blocks.size()),
      scratch_(pieces.count(), kNever) {
  for (const LiveIn& l : f.live_ins) {
    if (!l.held) continue;
    for (uint32_t p = pieces.first(l.value); p < pieces.end(l.value); ++p) held_.push_back(p);
  }
  std::sort(held_.begin(), held_.end());
  std::vector<std::vector<uint32_t>> preds(f.blocks.size());
  for (uint32_t b = 0; b < f.blocks.size(); ++b) {
    for (const Edge& e : f.blocks[b].succs) preds[e.to.index].push_back(b);
  }
  // Blocks with a successor whose distances changed since they were visited.
  std::vector<char> due(f.blocks.size(), 1);
  for (bool again = true; again;) {
    again = false;
    for (uint32_t b = static_cast<uint32_t>(f.blocks.size()); b-- > 0;) {
      if (!std::exchange(due[b], 0) || !Update(f, b)) continue;
      for (uint32_t p : preds[b]) {
        due[p] = 1;
        again |= p >= b;
      }
    }
  }
}

void NextUses::AtExit(const Function& f, uint32_t b, std::vector<uint32_t>* out,
                      std::vector<uint32_t>* touched) const {
  const auto note = [&](uint32_t p, uint32_t distance) {
    if ((*out)[p] == kNever) touched->push_back(p);
    (*out)[p] = std::min((*out)[p], distance);
  };
  for (const Edge& e : f.blocks[b].succs) {
    uint32_t length = 1;
    for (uint32_t h = loops_.innermost(b); !loops_.contains(h, e.to.index); h = loops_.parent(h)) {
      length = Plus(length, kLoopExit);
    }
    size_t sorted = touched->size();
    for (const PieceDistance& d : entry_[e.to.index]) note(d.piece, Plus(d.distance, length));
    Merge(touched, sorted);
    sorted = touched->size();
    for (const Operand& o : f.args(e)) {
      pieces_.ForEach(o, [&](uint32_t p) { note(p, 0); });
    }
    std::sort(touched->begin() + static_cast<std::ptrdiff_t>(sorted), touched->end());
    Merge(touched, sorted);
  }
  if (!f.blocks[b].succs.empty()) return;
  for (uint32_t p : held_) note(p, kFarthest);
}

bool NextUses::Update(const Function& f, uint32_t b) {
  touched_.clear();
  AtExit(f, b, &scratch_, &touched_);
  const size_t sorted = touched_.size();
  const Block& block = f.blocks[b];
  const auto length = static_cast<uint32_t>(block.insts.size());
  for (uint32_t p : touched_) scratch_[p] = Plus(scratch_[p], length);
  const auto define = [&](ValueId v) {
    for (uint32_t p = pieces_.first(v); p < pieces_.end(v); ++p) scratch_[p] = kNever;
  };
  const auto use = [&](uint32_t p, uint32_t k) {
    if (scratch_[p] == kNever) touched_.push_back(p);
    scratch_[p] = k;
  };
  for (uint32_t k = length; k-- > 0;) {
    for (const Operand& o : f.defs(block.insts[k])) {
      if (IsValue(o)) define(o.value());
    }
    for (const Operand& o : f.uses(block.insts[k])) {
      pieces_.ForEach(o, [&](uint32_t p) { use(p, k); });
    }
    if (at_exits_.empty() || !IsExit(t_, f, block.insts[k])) continue;
    for (uint32_t p : at_exits_) use(p, k);
  }
  for (ValueId v : block.params) define(v);
  if (b == 0) {
    for (const LiveIn& l : f.live_ins) define(l.value);
  }
  std::sort(touched_.begin() + static_cast<std::ptrdiff_t>(sorted), touched_.end());
  Merge(&touched_, sorted);
  std::vector<PieceDistance>& now = now_;
  now.clear();
  for (uint32_t p : touched_) {
    if (scratch_[p] != kNever) now.push_back({p, scratch_[p]});
    scratch_[p] = kNever;
  }
  const bool same = now.size() == entry_[b].size() &&
                    std::equal(now.begin(), now.end(), entry_[b].begin(),
                               [](const PieceDistance& x, const PieceDistance& y) {
                                 return x.piece == y.piece && x.distance == y.distance;
                               });
  if (same) return false;
  entry_[b].assign(now.begin(), now.end());
  return true;
}

}  // namespace kiln::lir::ra
