#include "core/lir/ra/assign_compaction.h"

#include <algorithm>
#include <utility>

#include "core/lir/ra/holes.h"

namespace kiln::lir::ra {

namespace {

constexpr uint32_t kMaxCompactions = 512;
constexpr size_t kMaxWindows = 8;

}  // namespace

Compaction::Compaction(const AssignInput& in, Places& at, const Here& here, LiveNow& live,
                       WrittenSets& written, StayingValues& stays, AssignResult& result)
    : in_(in),
      at_(at),
      here_(here),
      live_(live),
      written_(written),
      stays_(stays),
      result_(result),
      held_(in.t.pools.size()),
      raw_value_(in.t.pools.size()) {
  for (const LiveIn& l : in.f.live_ins) {
    if (l.held) held_[in.info(l.value).pool].insert(l.reg, in.info(l.value).written);
  }
  std::vector<uint8_t> raw_file(in.t.pools.size(), 0xff);
  for (size_t k = 0; k < in.t.files.size(); ++k) {
    if (!in.t.files[k].masked_writes) raw_file[in.t.files[k].pool] = static_cast<uint8_t>(k);
  }
  for (size_t v = in.f.values.size(); v-- > 0;) {
    const uint8_t pool = in.values[v].pool;
    if (in.f.values[v].file == raw_file[pool]) raw_value_[pool] = ValueId(v);
  }
}

bool Compaction::Compact(ValueId v, InstId collect) {
  const ValueInfo& want = in_.info(v);
  Pool& p = live_.pools[want.pool];
  if (!raw_value_[want.pool].valid() && !p.keeps_parked) return false;
  if (result_.out.compactions >= kMaxCompactions) return false;
  std::vector<Cluster> clusters = Clusters(want.pool);
  // Units that cannot be freed by moving values.
  UnitSet fixed = p.reserved;
  fixed |= held_[want.pool];
  fixed |= p.promised;
  if (p.keeps_parked) fixed |= p.parked.all();
  const LaneLayout whole;
  written_.Flush();
  for (uint32_t row : written_.late(v)) written_.Row(row, want.pool).AddConflicts(whole, &fixed);
  for (const auto& [other, reg] : here_.placed) {
    if (in_.info(other).pool == want.pool) fixed.insert(reg, in_.info(other).written);
  }
  for (const Cluster& c : clusters) {
    if (c.tail) fixed.insert(c.lo, c.hi - c.lo);
  }
  const bool v_stays = stays_.Stays(v) || (want.tied.valid() && stays_.Stays(want.tied));
  if (v_stays) {
    fixed |= p.displaced_homes;
    for (const Cluster& c : clusters) {
      if (c.stays) fixed.insert(c.lo, c.hi - c.lo);
    }
  }
  UnitSet used = p.live;
  used |= p.parked.all();
  UnitSet in_the_way = used;
  if (collect.valid()) {
    const auto ends = [&](const Cluster& c) { return EndsAt(c, collect); };
    for (const Cluster& c : clusters) {
      if (!ends(c)) continue;
      for (uint32_t s : c.slots)
        in_the_way.erase(at_.SlotUnit(s), in_.info(in_.live.slot_value(s)).per_comp);
    }
    clusters.erase(std::remove_if(clusters.begin(), clusters.end(), ends), clusters.end());
  }
  std::vector<std::pair<uint32_t, uint32_t>> windows;  // units to move, first unit
  const uint32_t first = in_.f.value(v).in_tail ? in_.t.pools[want.pool].tail_first : 0;
  for (uint32_t at = (first + want.alignment - 1) / want.alignment * want.alignment;
       at + want.written <= p.units; at += want.alignment) {
    if (fixed.intersects(at, want.written)) continue;
    windows.push_back({in_the_way.count(at, want.written), at});
  }
  const size_t tries = std::min(kMaxWindows, windows.size());
  std::partial_sort(windows.begin(), windows.begin() + tries, windows.end());
  for (size_t k = 0; k < tries; ++k) {
    if (MoveAway(want, windows[k].second, used, &clusters)) return true;
  }
  return false;
}

std::vector<uint32_t> Compaction::PresentSlots(uint8_t pool) {
  std::vector<uint64_t> keys;  // first unit, slot
  const auto add = [&](uint32_t slot) {
    const ValueId v = in_.live.slot_value(slot);
    if (in_.info(v).pool != pool || at_.now[v.index] == kNowhere) return;
    keys.push_back(uint64_t{at_.SlotUnit(slot)} << 32 | slot);
  };
  for (uint32_t s : live_.LiveSlots()) add(s);
  const auto add_parked = [&](size_t g) {
    const uint32_t s = in_.live.global_slot(static_cast<uint32_t>(g));
    if (!live_.Alive(s)) add(s);
  };
  if (!live_.pools[pool].keeps_parked) in_.live.parked(here_.block).for_each(add_parked);
  std::sort(keys.begin(), keys.end());
  std::vector<uint32_t> slots;
  slots.reserve(keys.size());
  for (uint64_t k : keys) slots.push_back(static_cast<uint32_t>(k));
  return slots;
}

std::vector<Compaction::Cluster> Compaction::Clusters(uint8_t pool) {
  const std::vector<uint32_t> slots = PresentSlots(pool);
  std::vector<uint32_t>& leader = leader_;  // only entries of present slots are valid
  std::vector<uint32_t>& index = cluster_;
  leader.resize(in_.f.values.size());
  index.resize(in_.f.values.size());
  for (uint32_t s : slots) {
    const uint32_t v = in_.live.slot_value(s).index;
    leader[v] = v;
    index[v] = kNowhere;
  }
  const auto find = [&](uint32_t v) {
    while (leader[v] != v) v = leader[v] = leader[leader[v]];
    return v;
  };
  uint32_t end = 0, last = kNowhere;  // of the slot that reaches highest
  for (uint32_t s : slots) {
    const uint32_t v = in_.live.slot_value(s).index, hi = at_.SlotUnit(s) + in_.values[v].per_comp;
    if (last != kNowhere && at_.SlotUnit(s) < end) leader[find(v)] = find(last);
    if (hi > end) {
      end = hi;
      last = v;
    }
  }
  std::vector<Cluster> clusters;
  clusters.reserve(slots.size());
  for (uint32_t s : slots) {
    const ValueId v = in_.live.slot_value(s);
    uint32_t& k = index[find(v.index)];
    if (k == kNowhere) {
      k = static_cast<uint32_t>(clusters.size());
      clusters.emplace_back();
    }
    Cluster& c = clusters[k];
    c.lo = std::min(c.lo, at_.SlotUnit(s));
    c.hi = std::max(c.hi, at_.SlotUnit(s) + in_.info(v).per_comp);
    c.slots.push_back(s);
    if (std::find(c.members.begin(), c.members.end(), v) != c.members.end()) continue;
    // Layouts that share lanes must keep their phase; a value that moves alone need not.
    if (!c.members.empty())
      c.alignment = std::max({c.alignment, in_.info(v).per_comp, live_.pools[pool].register_units});
    c.alignment = std::max(c.alignment, in_.info(v).alignment);
    c.stays |= stays_.Stays(v);
    c.tail |= in_.f.value(v).in_tail;
    c.members.push_back(v);
  }
  return clusters;
}

bool Compaction::EndsAt(const Cluster& c, InstId i) const {
  return std::all_of(c.slots.begin(), c.slots.end(),
                     [&](uint32_t s) { return live_.Alive(s) && live_.dying[s] == i.index; });
}

bool Compaction::MoveAway(const ValueInfo& want, uint32_t window, const UnitSet& used,
                          std::vector<Cluster>* clusters) {
  Pool& p = live_.pools[want.pool];
  std::vector<Cluster*> moving;
  for (Cluster& c : *clusters) {
    const bool hit = std::any_of(c.slots.begin(), c.slots.end(), [&](uint32_t s) {
      const uint32_t at = at_.SlotUnit(s);
      return at < window + want.written && window < at + in_.info(in_.live.slot_value(s)).per_comp;
    });
    if (hit) moving.push_back(&c);
  }
  std::stable_sort(moving.begin(), moving.end(), [](const Cluster* a, const Cluster* b) {
    return a->hi - a->lo > b->hi - b->lo;
  });
  UnitSet taken = used;
  taken |= p.promised;
  taken.insert(window, want.written);
  for (const auto& [other, reg] : here_.placed) {
    if (in_.info(other).pool == want.pool) taken.insert(reg, in_.info(other).written);
  }
  for (Cluster* c : moving) {
    uint32_t size = 0;
    c->to = BestHole(taken, Lead(*c), p.units, c->hi - c->lo, c->alignment, c->lo % c->alignment,
                     false, &size);
    if (c->to == kNowhere) return false;
    taken.insert(c->to, c->hi - c->lo);
  }
  for (const Cluster* c : moving) MoveCluster(want.pool, *c);
  ++result_.out.compactions;
  live_.Rebuild();
  return true;
}

uint32_t Compaction::Lead(const Cluster& c) const {
  uint32_t lead = 0;
  for (ValueId v : c.members) {
    if (at_.now[v.index] < c.lo) lead = std::max(lead, c.lo - at_.now[v.index]);
  }
  return lead;
}

void Compaction::MoveCluster(uint8_t pool, const Cluster& c) {
  std::vector<Move> moves;
  AddClusterMoves(pool, c, c.to, &moves);
  Insertion in{here_.block, here_.position, {}};
  for (const Move& m : moves) {
    in.steps.push_back({false, m.to, m.from, m.units, m.no_mask, m.tag});
  }
  result_.RecordSteps(here_.block, pool, in.steps);
  result_.out.insertions.push_back(std::move(in));
  if (c.stays) live_.pools[pool].displaced_homes.insert(c.lo, c.hi - c.lo);
  for (ValueId v : c.members) {
    live_.moved.push_back(v);
    at_.now[v.index] = at_.now[v.index] + c.to - c.lo;
  }
}

void Compaction::AddClusterMoves(uint8_t pool, const Cluster& c, uint32_t to,
                                 std::vector<Move>* moves) {
  UnitSet units;
  for (uint32_t s : c.slots)
    units.insert(at_.SlotUnit(s), in_.info(in_.live.slot_value(s)).per_comp);
  const bool raw = c.members.size() > 1 && raw_value_[pool].valid();
  for (uint32_t at = c.lo; at < c.hi;) {
    const uint32_t first = units.next_member(at, c.hi);
    at = units.next_free(first, c.hi);
    if (first < at) {
      const ValueId v = raw ? raw_value_[pool] : c.members[0];
      in_.AddMoves(v, to + first - c.lo, first, at - first,
                   !in_.t.files[in_.f.value(v).file].always_masked, moves);
    }
  }
}

bool Compaction::RestoreMoved() {
  if (live_.moved.empty()) return true;
  const uint8_t pools = static_cast<uint8_t>(live_.pools.size());
  for (uint8_t pool = 0; pool < pools; ++pool) {
    std::vector<Move> moves;
    for (const Cluster& c : Clusters(pool)) {
      const ValueId v = c.members[0];
      if (!c.stays || at_.now[v.index] == at_.home[v.index]) continue;
      AddClusterMoves(pool, c, c.lo + at_.home[v.index] - at_.now[v.index], &moves);
    }
    if (moves.empty()) continue;
    UnitSet busy = live_.pools[pool].live;
    busy |= live_.pools[pool].parked.all();
    busy |= live_.pools[pool].promised;
    Insertion in{here_.block, here_.position, {}};
    if (!SequenceMoves(moves, busy, live_.pools[pool].units, &in.steps)) {
      return result_.Fail(live_.moved.front());
    }
    result_.RecordSteps(here_.block, pool, in.steps);
    result_.out.insertions.push_back(std::move(in));
  }
  for (ValueId v : live_.moved) at_.now[v.index] = at_.home[v.index];
  live_.moved.clear();
  for (Pool& p : live_.pools) p.displaced_homes = UnitSet();
  live_.Rebuild();
  return true;
}

}  // namespace kiln::lir::ra
