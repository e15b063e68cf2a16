#include "core/lir/ra/spill_room.h"

#include <algorithm>
#include <utility>

namespace kiln::lir::ra {

void SpillRoom::NewWalk(bool note) {
  note_ = note;
  evicted_.assign(in_.values, kNothing);
  evictions_.clear();
}

void SpillRoom::End() {
  queued_ = false;
  for (std::vector<Candidate>& heap : queues_) heap.clear();
}

void SpillRoom::Enter(uint32_t p, const Name& name) {
  if (!registers_.Add(p, name)) return;
  if (queued_) Queue(p);
  if (!parked_.Has(p)) total_ += in_.pieces.units(p);
}

void SpillRoom::Leave(uint32_t p) {
  if (!registers_.Remove(p)) return;
  if (!parked_.Has(p)) {
    total_ -= in_.pieces.units(p);
  } else if (queued_) {
    QueueWaiting(p);
  }
}

void SpillRoom::MakeRoom(uint32_t units) {
  while (total_ + units > in_.limit) {
    const Candidate best = FindBest();
    if (best.piece == kNothing) return;
    Evict(best);
  }
}

void SpillRoom::MakeRoomForParams() {
  entering_ = true;
  while (total_ > in_.limit) {
    const Candidate best = FindBest();
    if (best.piece == kNothing) break;
    const ValueId v = in_.pieces.value(best.piece);
    if (!IsParamHere(v)) {
      Evict(best);
      continue;
    }
    MoveToMemory(v, best.distance);
    for (uint32_t p = in_.pieces.first(v); p < in_.pieces.end(v); ++p) {
      if (parked_.Has(p)) Unpark(p);
      Leave(p);
    }
  }
  entering_ = false;
}

SpillRoom::Kind SpillRoom::KindOf(uint32_t p) const {
  const uint32_t units = in_.pieces.units(p);
  if (units < in_.h.register_units) {
    return in_.constant[in_.pieces.value(p).index] ? kConstant : kScalar;
  }
  return units == in_.h.register_units ? kRegister : kRegisters;
}

bool SpillRoom::MayEvict(uint32_t p) const {
  const ValueId v = in_.pieces.value(p);
  if (protect_[p] == epoch_ || !in_.Spillable(v)) return false;
  const bool written = parked_.AsParam(v) || (entering_ && IsParamHere(v));
  return !written || in_.CanLiveInMemory(v);
}

void SpillRoom::Push(const Candidate& c) {
  std::vector<Candidate>& heap = queues_[c.kind];
  heap.push_back(c);
  std::push_heap(heap.begin(), heap.end(), Worse);
}

bool SpillRoom::IsStale(const Candidate& c) const {
  if (c.waiting) {
    return registers_.Has(c.piece) || !parked_.Has(c.piece) ||
           parked_.Distance(c.piece) != c.distance;
  }
  return !registers_.Has(c.piece) || here_.NextUse(c.piece) != c.distance;
}

void SpillRoom::QueueAll() {
  if (std::exchange(queued_, true)) return;
  for (uint32_t p : registers_.list()) Queue(p);
  for (uint32_t p : parked_.list()) {
    if (!registers_.Has(p)) QueueWaiting(p);
  }
}

SpillRoom::Candidate SpillRoom::FindBest() {
  QueueAll();
  Candidate best;
  for (std::vector<Candidate>& heap : queues_) {
    aside_.clear();
    while (!heap.empty()) {
      Candidate c = heap.front();
      const bool stale = IsStale(c);
      if (!stale && MayEvict(c.piece)) {
        if (c.distance != kNever) c.distance -= std::min(c.distance, here_.position);
        if (best.piece == kNothing || c.Before(best)) best = c;
        break;
      }
      std::pop_heap(heap.begin(), heap.end(), Worse);
      heap.pop_back();
      if (!stale) aside_.push_back(c);
    }
    for (const Candidate& c : aside_) Push(c);
  }
  return best;
}

void SpillRoom::Evict(const Candidate& c) {
  const ValueId v = in_.pieces.value(c.piece);
  const uint32_t live = total_;
  if (parked_.Has(c.piece)) Unpark(c.piece);
  Leave(c.piece);
  if (note_ && evicted_[v.index] == kNothing) {
    evicted_[v.index] = static_cast<uint32_t>(evictions_.size());
    evictions_.push_back({v, BlockId(here_.block), live, c.distance, FindBest().distance});
  }
}

void SpillRoom::Unpark(uint32_t p) {
  const ValueId v = in_.pieces.value(p);
  if (parked_.AsParam(v)) MoveToMemory(v, parked_.Distance(p));
  for (const ParkedPieces::Holder& h : parked_.holders(p)) {
    if (in_.param_of[v.index] != h.block) decisions_.Ban(h.block, p);
  }
  parked_.Release(p);
  if (!registers_.Has(p)) total_ -= in_.pieces.units(p);
}

void SpillRoom::MoveToMemory(ValueId param, uint32_t distance) {
  decisions_.MoveToMemory(param, {param, BlockId(here_.block), total_, distance, 0});
  parked_.MovedToMemory(param);
}

}  // namespace kiln::lir::ra
