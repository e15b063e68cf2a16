#include "core/lir/ra/spill_edges.h"

#include <algorithm>

#include "core/lir/build.h"

namespace kiln::lir::ra {

void SpillEdges::Arguments(uint32_t b) {
  const Block& block = in_.f.blocks[b];
  if (block.succs.size() != 1 || block.succs[0].num_args == 0) return;
  const Edge e = block.succs[0];
  to_ = e.to.index;
  params_ = in_.f.block(e.to).params;
  args_.assign(in_.f.args(e).begin(), in_.f.args(e).end());
  Store();
  room_.Unprotect();
  for (size_t k = 0; k < args_.size(); ++k) {
    // Drops arguments without uses: they would all have to be in registers at once.
    if (!IsRead(params_[k])) {
      args_[k] = NoOperand(args_[k].comps);
      code_.Rename(e.first_arg + static_cast<uint32_t>(k), args_[k]);
    }
    if (!decisions_.InMemory(params_[k])) {
      in_.pieces.ForEach(args_[k], [&](uint32_t p) { room_.Protect(p); });
    }
  }
  for (size_t k = 0; k < args_.size(); ++k) {
    if (decisions_.InMemory(params_[k]) || !IsValue(args_[k])) continue;
    const Operand o = fills_.InRegisters(args_[k]);
    code_.Rename(e.first_arg + static_cast<uint32_t>(k), o);
  }
}

bool SpillEdges::IsRead(ValueId param) const {
  const uint32_t first = in_.l.first_slot(param);
  for (uint32_t c = 0; c < in_.f.value(param).comps; ++c) {
    if (in_.l.used(first + c)) return true;
  }
  return false;
}

void SpillEdges::Store() {
  Begin();
  room_.Unprotect();
  for (size_t k : early_) Take(k);
  for (size_t n = pending_.size(); n-- > 0;) {
    if (readers_[params_[pending_[n]].index] == 0) ready_.push_back(pending_[n]);
  }
  StoreReady();
  for (size_t k : pending_) {
    if (done_[k]) continue;
    BreakCycle(k);
    StoreReady();
  }
}

void SpillEdges::Begin() {
  pending_.clear();
  ready_.clear();
  early_.clear();
  done_.assign(args_.size(), 0);
  taken_.assign(args_.size(), Operand());
  readers_.resize(in_.values, 0);
  for (size_t k = 0; k < args_.size(); ++k) {
    const bool same = IsValue(args_[k]) && args_[k].value() == params_[k];
    if (IsValue(args_[k]) && decisions_.InMemory(params_[k]) && !same) pending_.push_back(k);
  }
  for (size_t k : pending_) readers_[args_[k].id] += ReadsPlace(k);
  for (size_t k = 0; k < args_.size() && !pending_.empty(); ++k) {
    const bool kept = !decisions_.InMemory(params_[k]) && ReadsPlace(k);
    if (kept && IsPending(WriterOf(k))) early_.push_back(k);
  }
}

bool SpillEdges::ReadsPlace(size_t k) const {
  return IsValue(args_[k]) && in_.param_of[args_[k].id] == to_ && decisions_.InMemory(args_[k]);
}

bool SpillEdges::IsPending(size_t k) const {
  return std::binary_search(pending_.begin(), pending_.end(), k);
}

size_t SpillEdges::WriterOf(size_t k) const {
  return static_cast<size_t>(std::find(params_.begin(), params_.end(), args_[k].value()) -
                             params_.begin());
}

Operand SpillEdges::Take(size_t k) {
  const Operand o = fills_.InRegisters(args_[k]);
  in_.pieces.ForEach(args_[k], [&](uint32_t p) { room_.Protect(p); });
  return o;
}

void SpillEdges::WasRead(size_t k) {
  if (!ReadsPlace(k) || --readers_[args_[k].id] != 0) return;
  const size_t next = WriterOf(k);
  if (IsPending(next) && !done_[next]) ready_.push_back(next);
}

void SpillEdges::BreakCycle(size_t k) {
  room_.Unprotect();
  for (size_t j : early_) Take(j);
  taken_[k] = Take(k);
  WasRead(k);
}

void SpillEdges::StoreReady() {
  while (!ready_.empty()) {
    const size_t k = ready_.back();
    ready_.pop_back();
    const bool in_hand = IsValue(taken_[k]);
    const Operand o = in_hand ? taken_[k] : fills_.InRegisters(args_[k]);
    code_.StoreHere(params_[k], in_.pieces.first(params_[k]), o, in_.PerLane(params_[k]));
    done_[k] = 1;
    if (!in_hand) WasRead(k);
  }
}

}  // namespace kiln::lir::ra
