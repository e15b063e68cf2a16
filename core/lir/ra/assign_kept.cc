#include "core/lir/ra/assign_kept.h"

#include <algorithm>

#include "core/lir/exits.h"

namespace kiln::lir::ra {

bool StayingValues::Stays(ValueId v) {
  if (!known_) {
    known_ = true;
    ++epoch_;
    FindAtEnd();
    FindLastUses();
  }
  return epochs_[v.index] == epoch_ || PassesExit(v);
}

void StayingValues::FindAtEnd() {
  const auto stay = [&](ValueId u) { epochs_[u.index] = epoch_; };
  const auto stay_global = [&](size_t g) {
    stay(in_.live.slot_value(in_.live.global_slot(static_cast<uint32_t>(g))));
  };
  in_.live.live_out(here_.block).for_each(stay_global);
  in_.live.parked(here_.block).for_each(stay_global);
  const Block& b = in_.f.block(here_.block);
  for (const Edge& e : b.succs) {
    for (const Operand& o : in_.f.args(e)) {
      if (IsValue(o)) stay(o.value());
    }
  }
  if (!b.insts.empty() && in_.IsTerminator(b.insts.back())) {
    for (const Operand& o : in_.f.uses(b.insts.back())) {
      if (IsValue(o)) stay(o.value());
    }
  }
}

void StayingValues::FindLastUses() {
  exits_.clear();
  if (!in_.f.exit_block.valid()) return;
  const std::vector<InstId>& insts = in_.f.block(here_.block).insts;
  for (uint32_t k = 0; k < insts.size(); ++k) {
    if (IsExit(in_.t, in_.f, insts[k])) exits_.push_back(k);
  }
  if (exits_.empty()) return;
  last_use_.resize(in_.f.values.size());
  const auto use = [&](const Operand& o, uint32_t k) {
    if (IsValue(o)) last_use_[o.id] = {epoch_, k};
  };
  for (uint32_t k = 0; k < insts.size(); ++k) {
    for (const Operand& o : in_.f.uses(insts[k])) use(o, k);
    if (!IsExit(in_.t, in_.f, insts[k])) continue;
    for (const Operand& o : in_.live.at_exits()) use(o, k);
  }
}

bool StayingValues::PassesExit(ValueId v) const {
  const auto next = std::lower_bound(exits_.begin(), exits_.end(), here_.position);
  if (next == exits_.end()) return false;
  return last_use_[v.index].epoch == epoch_ && last_use_[v.index].position >= *next;
}

void KeptHomes::Enter(BlockId b) {
  kept_.clear();
  for (const Edge& e : in_.f.block(b).succs) {
    if (e.to.index > b.index) continue;
    for (ValueId p : in_.f.block(e.to).params) {
      if (at_.home[p.index] != kNowhere) kept_.push_back({p, kNowhere});
    }
  }
  if (kept_.empty()) return;
  last_use_.resize(in_.f.values.size());
  std::sort(kept_.begin(), kept_.end(),
            [](const Kept& x, const Kept& y) { return x.param < y.param; });
  const std::vector<InstId>& insts = in_.f.block(b).insts;
  for (uint32_t k = 0; k < insts.size(); ++k) {
    for (const Operand& o : in_.f.uses(insts[k])) {
      if (IsValue(o)) last_use_[o.id] = k;
    }
    for (const Operand& o : in_.f.defs(insts[k])) {
      if (!IsValue(o)) continue;
      last_use_[o.id] = k;
      const ValueId p = in_.info(o).param;
      const auto at = std::lower_bound(kept_.begin(), kept_.end(), p,
                                       [](const Kept& x, ValueId q) { return x.param < q; });
      if (p.valid() && at != kept_.end() && at->param == p) at->until = std::min(at->until, k);
    }
  }
  std::erase_if(kept_, [](const Kept& k) { return k.until == kNowhere; });
}

UnitSet KeptHomes::KeptFrom(ValueId v) {
  UnitSet places;
  if (kept_.empty()) return places;
  const uint32_t end = stays_.Stays(v) ? kNowhere : last_use_[v.index];
  for (const Kept& k : kept_) {
    const bool clash = here_.position < k.until && end > k.until && in_.info(v).param != k.param;
    if (clash && in_.info(k.param).pool == in_.info(v).pool) {
      places.insert(at_.home[k.param.index], in_.info(k.param).units);
    }
  }
  return places;
}

}  // namespace kiln::lir::ra
