#include "core/lir/ra/assign_live.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace kiln::lir::ra {

LiveNow::LiveNow(const AssignInput& in, const Places& at, const Here& here)
    : pools(in.t.pools.size()),
      dying(in.live.num_slots(), kNowhere),
      in_(in),
      at_(at),
      here_(here),
      alive_(in.live.num_slots(), kNowhere),
      listed_(in.live.num_slots(), kNowhere) {
  for (size_t p = 0; p < pools.size(); ++p) {
    pools[p].units = PoolUnits(in.t, in.f, p);
    assert(pools[p].units <= UnitSet::kMaxUnits);
    pools[p].register_units = in.t.pools[p].register_units;
    pools[p].spread = in.t.pools[p].spread;
    pools[p].roomy = pools[p].spread && pools[p].units >= kRecent * pools[p].register_units;
  }
  for (const FileInfo& file : in.t.files) {
    pools[file.pool].keeps_parked |= file.always_masked;
    pools[file.pool].always_masked &= file.always_masked;
    merges_ |= file.merge_clobbers != 0;
  }
  for (const Reserved& r : in.f.reserved) pools[r.pool].reserved.insert(r.first, r.units);
}

void LiveNow::Enter() {
  live_list_.clear();
  UpdateParked();
  for (size_t p = 0; p < pools.size(); ++p) {
    pools[p].live = pools[p].reserved;
    if (!HopesAcrossBlocks(p)) pools[p].hoped = UnitSet();
    pools[p].arriving = UnitSet();
    pools[p].displaced_homes = UnitSet();
  }
  if (merges_) NoteMerges();
  in_.live.live_in(here_.block).for_each([&](size_t g) {
    const uint32_t slot = in_.live.global_slot(static_cast<uint32_t>(g));
    if (at_.now[in_.live.slot_value(slot).index] != kNowhere) Revive(slot);
  });
  moved.clear();
  arriving_.clear();
}

// Notes the hints of masks that waiting lanes hold. A write there forces the mask elsewhere.
void LiveNow::NoteMerges() {
  for (Pool& p : pools) p.merging = UnitSet();
  for (BlockId j : in_.live.waits(here_.block)) {
    for (ValueId p : in_.f.block(j).params) {
      const uint32_t hint = at_.hint[p.index];
      const bool merged = in_.t.files[in_.f.value(p).file].merge_clobbers != 0;
      if (merged && hint != kNowhere && at_.now[p.index] == kNowhere) {
        pool(p).merging.insert(hint, in_.info(p).units);
      }
    }
  }
  for (Pool& p : pools) p.hoped |= p.merging;
}

void LiveNow::Send(ValueId v, uint32_t reg) {
  const ValueInfo& info = in_.info(v);
  Answer answer{v, {}};
  for (uint32_t c = 0; c < in_.f.value(v).comps; ++c) {
    if (in_.live.used(in_.live.first_slot(v) + c)) continue;
    answer.unread.insert(reg + c * info.per_comp, info.per_comp);
  }
  if (answer.unread.empty()) return;
  pools[info.pool].arriving |= answer.unread;
  arriving_.push_back(answer);
}

void LiveNow::Arrived(ValueId v) {
  const auto found = std::find_if(arriving_.begin(), arriving_.end(),
                                  [&](const Answer& a) { return a.value == v; });
  if (found == arriving_.end()) return;
  UnitSet rest;
  *found = arriving_.back();
  arriving_.pop_back();
  for (const Answer& a : arriving_) {
    if (in_.info(a.value).pool == in_.info(v).pool) rest |= a.unread;
  }
  pools[in_.info(v).pool].arriving = rest;
}

const std::vector<uint32_t>& LiveNow::LiveSlots() {
  std::erase_if(live_list_, [&](uint32_t slot) {
    if (Alive(slot)) return false;
    listed_[slot] = kNowhere;
    return true;
  });
  return live_list_;
}

std::vector<LaneSets> LiveNow::FindParked(absl::Span<const BlockId> blocks) const {
  std::vector<LaneSets> sets(pools.size());
  const auto add = [&](size_t g) {
    const Held held = HeldIn(static_cast<uint32_t>(g));
    if (held.first == kNowhere) return;
    const ValueInfo& info = in_.info(SlotValue(static_cast<uint32_t>(g)));
    sets[info.pool].insert(held.first, info.per_comp, held.layout);
  };
  // The predecessors of a join have most of them in common, with this block too.
  const BitMatrix::Row here = in_.live.parked(here_.block);
  const bool from_here = std::all_of(blocks.begin(), blocks.end(),
                                     [&](BlockId b) { return in_.live.parked(b).includes(here); });
  if (from_here) {
    for (size_t p = 0; p < pools.size(); ++p) sets[p] = pools[p].parked;
  }
  for (size_t k = 0; k < blocks.size(); ++k) {
    const BitMatrix::Row parked = in_.live.parked(blocks[k]);
    if (k != 0) {
      parked.for_each_not_in(in_.live.parked(blocks[k - 1]), add);
    } else if (from_here) {
      parked.for_each_not_in(here, add);
    } else {
      parked.for_each(add);
    }
  }
  return sets;
}

LiveNow::Held LiveNow::HeldIn(uint32_t g) const {
  const uint32_t slot = in_.live.global_slot(g);
  const ValueId v = in_.live.slot_value(slot);
  if (at_.now[v.index] == kNowhere) return {};
  const bool stays = pools[in_.info(v).pool].keeps_parked;
  const uint32_t place = stays ? at_.home[v.index] : at_.now[v.index];
  return {place + in_.live.slot_comp(slot) * in_.info(v).per_comp, at_.LayoutOf(v, place)};
}

void LiveNow::Park(uint32_t g) {
  const Held held = HeldIn(g);
  if (held.first == kNowhere) return homeless_.push_back(g);
  held_[g] = held;
  const ValueInfo& info = in_.info(SlotValue(g));
  counts_[info.pool].Insert(held.first, info.per_comp, held.layout, &pools[info.pool].parked);
}

void LiveNow::Unpark(uint32_t g) {
  const Held held = std::exchange(held_[g], Held());
  if (held.first == kNowhere) return;
  const ValueInfo& info = in_.info(SlotValue(g));
  counts_[info.pool].Erase(held.first, info.per_comp, held.layout, &pools[info.pool].parked);
}

void LiveNow::UpdateParked() {
  if (parked_in_ == kStale) return ResetParked();
  const BitMatrix::Row before = in_.live.parked(BlockId(parked_in_));
  const BitMatrix::Row now = in_.live.parked(here_.block);
  parked_in_ = here_.block.index;
  before.for_each_not_in(now, [&](size_t g) { Unpark(static_cast<uint32_t>(g)); });
  was_homeless_.swap(homeless_);
  homeless_.clear();
  for (const uint32_t g : was_homeless_) {
    if (now.test(g)) Park(g);
  }
  now.for_each_not_in(before, [&](size_t g) { Park(static_cast<uint32_t>(g)); });
}

void LiveNow::ResetParked() {
  parked_in_ = here_.block.index;
  for (Pool& p : pools) p.parked = LaneSets();
  counts_ = std::vector<LaneCounts>(pools.size());
  held_.assign(in_.live.num_global(), Held());
  homeless_.clear();
  in_.live.parked(here_.block).for_each([&](size_t g) { Park(static_cast<uint32_t>(g)); });
}

void LiveNow::Rebuild() {
  parked_in_ = kStale;
  for (Pool& p : pools) {
    p.live = p.reserved;
    p.parked = LaneSets();
  }
  in_.live.parked(here_.block).for_each([&](size_t g) {
    const Held held = HeldIn(static_cast<uint32_t>(g));
    const ValueInfo& info = in_.info(SlotValue(static_cast<uint32_t>(g)));
    if (held.first != kNowhere) {
      pools[info.pool].parked.insert(held.first, info.per_comp, held.layout);
    }
  });
  for (uint32_t s : LiveSlots()) {
    pool(in_.live.slot_value(s))
        .live.insert(at_.SlotUnit(s), in_.info(in_.live.slot_value(s)).per_comp);
  }
}

}  // namespace kiln::lir::ra
