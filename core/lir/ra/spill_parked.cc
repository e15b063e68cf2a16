#include "core/lir/ra/spill_parked.h"

#include <iterator>

namespace kiln::lir::ra {

namespace {

void FindLeast(ParkedPieces::Holders* h, size_t from) {
  for (size_t k = from; k < h->size(); ++k) {
    ParkedPieces::Holder& at = (*h)[k];
    at.least = k == 0 ? at.next : std::min(at.next, (*h)[k - 1].least);
  }
}

}  // namespace

void ParkedPieces::NewWalk() {
  while (!waiting_.empty()) Release(waiting_.back());
  waits_.clear();
  moved_to_memory_.clear();
}

void ParkedPieces::Enter(uint32_t b) {
  for (ValueId v : moved_to_memory_) {
    for (uint32_t p = in_.pieces.first(v); p < in_.pieces.end(v); ++p) {
      Remove(p, in_.param_of[v.index]);
    }
  }
  moved_to_memory_.clear();
  const absl::Span<const BlockId> waits = in_.l.waits(BlockId(b));
  changed_.clear();
  std::set_difference(waits_.begin(), waits_.end(), waits.begin(), waits.end(),
                      std::back_inserter(changed_));
  for (BlockId j : changed_) StopWaiting(j.index);
  changed_.clear();
  std::set_difference(waits.begin(), waits.end(), waits_.begin(), waits_.end(),
                      std::back_inserter(changed_));
  for (BlockId j : changed_) StartWaiting(j.index, b);
  waits_.assign(waits.begin(), waits.end());
}

void ParkedPieces::Join(uint32_t j, uint32_t b) {
  if (!std::binary_search(waits_.begin(), waits_.end(), BlockId(j))) return;
  Residents had(&ends_.exit[b]), before(&ends_.exit[in_.preds[j][0]]);
  for (const PieceDistance& d : in_.next.at_entry(j)) {
    const Resident* r = had.Find(d.piece);
    const Resident* other = before.Find(d.piece);
    if (r == nullptr || other == nullptr || !(r->name == other->name)) Remove(d.piece, j);
  }
}

void ParkedPieces::Release(uint32_t p) {
  holders_[p].clear();
  waiting_[waiting_index_[p]] = waiting_.back();
  waiting_index_[waiting_.back()] = waiting_index_[p];
  waiting_.pop_back();
  units_ -= in_.pieces.units(p);
}

bool ParkedPieces::AsParam(ValueId v) const {
  if (in_.param_of[v.index] == kNothing || decisions_.InMemory(v)) return false;
  const auto waits = in_.l.waits(BlockId(here_.block));
  return std::binary_search(waits.begin(), waits.end(), BlockId(in_.param_of[v.index]));
}

void ParkedPieces::Add(uint32_t p, uint32_t block, uint32_t next) {
  Holders& h = holders_[p];
  if (h.empty()) {
    waiting_index_[p] = static_cast<uint32_t>(waiting_.size());
    waiting_.push_back(p);
    units_ += in_.pieces.units(p);
  }
  size_t k = h.size();
  while (k > 0 && h[k - 1].block < block) --k;
  h.insert(h.begin() + static_cast<std::ptrdiff_t>(k), {block, next, next});
  FindLeast(&h, k);
}

void ParkedPieces::Remove(uint32_t p, uint32_t block) {
  Holders& h = holders_[p];
  size_t k = h.size();
  while (k > 0 && h[k - 1].block < block) --k;
  if (k == 0 || h[k - 1].block != block) return;
  h.erase(h.begin() + static_cast<std::ptrdiff_t>(k - 1));
  FindLeast(&h, k - 1);
  if (h.empty()) Release(p);
}

// Calls f for the pieces that lanes parked for j hold: those live into j, and its parameters.
template <class F>
void ParkedPieces::ForEachWaitingFor(uint32_t j, F&& f) const {
  for (const PieceDistance& d : in_.next.at_entry(j)) {
    f(d.piece, d.distance, decisions_.Banned(j, d.piece));
  }
  for (ValueId v : in_.f.blocks[j].params) {
    for (uint32_t p = in_.pieces.first(v); p < in_.pieces.end(v); ++p) {
      const bool read = in_.l.used(in_.l.first_slot(v) + in_.pieces.comp(p));
      f(p, 0, decisions_.InMemory(v) || !read);
    }
  }
}

void ParkedPieces::StopWaiting(uint32_t j) {
  ForEachWaitingFor(j, [&](uint32_t p, uint32_t, bool) { Remove(p, j); });
}

void ParkedPieces::StartWaiting(uint32_t j, uint32_t b) {
  const uint32_t place = j > b ? here_.start(j) : here_.start(in_.loops.last(j) + 1);
  const uint32_t from = LastBefore(j, b);
  Residents had(from == kNothing ? nullptr : &ends_.exit[from]);
  ForEachWaitingFor(j, [&](uint32_t p, uint32_t distance, bool in_memory) {
    if (in_memory) return;
    // A piece that the lanes had in no register when they left is in memory for them.
    if (from != kNothing && in_.param_of[in_.pieces.value(p).index] != j) {
      const Resident* r = had.Find(p);
      if (r == nullptr || !GoesTo(in_, *r, j)) return;
    }
    Add(p, j, place + distance);
  });
}

uint32_t ParkedPieces::LastBefore(uint32_t j, uint32_t b) const {
  uint32_t last = kNothing;
  for (uint32_t p : in_.preds[j]) {
    if (p < b) last = p;
  }
  return last;
}

}  // namespace kiln::lir::ra
