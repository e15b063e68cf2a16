// A worked example, on the machine of lir/testing.h at width 8: a register has 8 units, and a value
// of file G takes one. The pool has r0 to r3; %0 is a live-in in r0. With Order::kLow:
//
//   b0: %1 = add %0, %0            b1: %3 = add %0, %0           b2: %5 = add %1, %0
//       %2 = cmp %0  (a flag)          %4 = const  (U, NoMask)       store %0, %5
//       if %2 -> b1, b2                store %3, %4                  endif -> b3
//                                      else -> b3 ~> b2
//   b3: %6 = load %0;  %7 = add %0, %0;  %8 = collect %7, %6;  store %0, %8;  end %0
//
// * %1: r0 is taken by %0. No hint, and %0 does not die, so Find takes the lowest best fit: r1.
// * %3: in b1 the lanes of the else side are parked and hold %0 and %1. Taken: r0. %3 is a masked
//   write with the lane layout of %1, so TakenAt adds nothing for them: r1, shared with %1 in other
//   lanes.
// * %4: file U, written for all lanes. TakenAt adds all units that parked lanes hold: r0 (%0) and
//   r1 (%3, and %1 of parked lanes) are taken. The first unit of r2.
// * %5: %1 dies here. FitsOverSource at r1: the source starts there too and the machine may reuse
//   it. So r1, without a search of the holes.
// * %6: its last use is the collect %8, so PartPlace searches a range for all of %8 first, which
//   also avoids the units that %6 must avoid: r1 and r2 become the hint of %8. %6 is the second
//   part: r2.
// * %7: the first part: r1. The collect then finds both parts at its hint, and needs no copy.
//
// With Order::kSpread %3 gets r2, since the search begins after the register that was given out
// last, and %4 then r3. If the pool had only r0 and r1, %4 would fit nowhere, Compact could not
// move a value out of the way either, and assignment would fail for %4.
#include "core/lir/ra/assign_search.h"

#include <algorithm>
#include <utility>

namespace kiln::lir::ra {

namespace {

// Registers to which short values have recently been written.
UnitSet Recent(const Pool& p) {
  UnitSet recent;
  for (uint32_t first : p.recent) recent.insert(first, p.register_units);
  return recent;
}

}  // namespace

PlaceSearch::Query PlaceSearch::Start(ValueId v) {
  Query s;
  s.value = v;
  s.units = in_.info(v).written;
  const Pool& p = live_.pool(v);
  s.taken = p.live;
  s.parked = &p.parked;
  AvoidWritten(v, &s);
  if (in_.info(v).tied.valid()) AvoidWritten(in_.info(v).tied, &s);
  AvoidPromised(v, &s);
  if (in_.f.value(v).in_tail) s.first = in_.t.pools[in_.info(v).pool].tail_first;
  if (!live_.moved.empty()) {
    // Values that return home at the end of the block must not share lanes with values that do not.
    s.barred |= p.parked.all();
    const ValueId tied = in_.info(v).tied;
    if (stays_.Stays(v) || (tied.valid() && stays_.Stays(tied))) s.barred |= p.displaced_homes;
  }
  return s;
}

void PlaceSearch::AvoidWritten(ValueId v, Query* s) {
  if (!written_.late(v).empty()) written_.Flush();
  for (uint32_t row : written_.late(v)) s->more.push_back(&written_.Row(row, in_.info(v).pool));
}

void PlaceSearch::AvoidPromised(ValueId v, Query* s) {
  const Pool& p = live_.pool(v);
  if (p.promised.empty()) return;
  UnitSet others = p.promised;
  const ValueId param = in_.info(v).param;
  if (param.valid() && at_.promise[param.index] != kNowhere && MayShareWithParam(v, param)) {
    others.erase(at_.promise[param.index], in_.info(param).written);
  }
  s->barred |= others;
}

bool PlaceSearch::MayShareWithParam(ValueId v, ValueId param) const {
  const uint32_t reg = at_.promise[param.index];
  if (in_.info(v).whole || in_.info(v).pool != in_.info(param).pool) return false;
  if (!(at_.LayoutOf(v, reg) == at_.LayoutOf(param, reg))) return false;
  const BitMatrix::Row live_after = in_.live.live_in(in_.info(param).def_block);
  const uint32_t first = in_.live.first_slot(v);
  for (uint32_t c = 0; c < in_.f.value(v).comps; ++c) {
    const uint32_t g = in_.live.global(first + c);
    if (g != Liveness::kLocal && live_after.test(g)) return false;
  }
  return true;
}

UnitSet PlaceSearch::TakenAt(const Query& s, uint32_t reg) const {
  UnitSet taken = s.taken;
  taken |= s.barred;
  const LaneLayout layout = at_.LayoutOf(s.value, reg);
  if (s.parked != nullptr) s.parked->AddConflicts(layout, &taken);
  for (const LaneSets* m : s.more) m->AddConflicts(layout, &taken);
  return taken;
}

bool PlaceSearch::PhasesDiffer(const Query& s) const {
  if (in_.info(s.value).whole || in_.info(s.value).per_comp <= in_.info(s.value).alignment)
    return false;
  bool lanes = s.parked != nullptr && s.parked->has_lanes();
  for (const LaneSets* m : s.more) lanes |= m->has_lanes();
  return lanes;
}

bool PlaceSearch::Fits(const Query& s, uint32_t reg) const {
  const ValueInfo& v = in_.info(s.value);
  if (reg == kNowhere || reg < s.first || reg % v.alignment != 0) return false;
  if (reg + s.units > live_.pools[v.pool].units || reg + s.units < reg) return false;
  if (s.taken.intersects(reg, s.units) || s.barred.intersects(reg, s.units)) return false;
  const LaneLayout layout = at_.LayoutOf(s.value, reg);
  if (s.parked != nullptr && s.parked->Conflict(layout, reg, s.units)) return false;
  for (const LaneSets* m : s.more) {
    if (m->Conflict(layout, reg, s.units)) return false;
  }
  return true;
}

bool PlaceSearch::FitsOverSource(const Query& s, InstId i, int def, uint32_t reg) const {
  if (reg == kNowhere) return false;
  const uint8_t pool = in_.info(s.value).pool;
  Query without = s;
  const absl::Span<const Operand> uses = in_.f.uses(i);
  const bool copy = IsPlainCopy(in_.t, in_.f, i);
  for (size_t u = 0; u < uses.size(); ++u) {
    if (!IsValue(uses[u]) || in_.info(uses[u]).pool != pool || at_.now[uses[u].id] == kNowhere)
      continue;
    const uint32_t at = at_.UnitOf(uses[u]);
    const uint32_t n = uses[u].comps * in_.info(uses[u]).per_comp;
    if (at >= reg + s.units || reg >= at + n || !live_.Dying(uses[u], i)) continue;
    if (at != reg) return false;
    if (!copy && !in_.t.may_reuse_source(in_.f, i, def, static_cast<int>(u))) return false;
    without.taken.erase(at, n);
  }
  for (const auto& [v, r] : here_.placed) {
    if (in_.info(v).pool == pool) without.barred.insert(r, in_.info(v).written);
  }
  return Fits(without, reg);
}

bool PlaceSearch::FromTop(ValueId v) const {
  const ValueInfo& i = in_.info(v);
  switch (in_.order) {
    case Order::kSpread:
    case Order::kLow:
    case Order::kPromised: return false;
    case Order::kSizes: return i.units <= i.per_comp;
    case Order::kLifetimes: {
      const uint32_t first = in_.live.first_slot(v);
      for (uint32_t c = 0; c < in_.f.value(v).comps; ++c) {
        if (in_.live.global(first + c) != Liveness::kLocal) return true;
      }
      return false;
    }
  }
  return false;
}

uint32_t PlaceSearch::SearchHoles(const Query& s, const UnitSet* avoid) {
  const ValueInfo& v = in_.info(s.value);
  Pool& p = live_.pools[v.pool];
  const bool phases = PhasesDiffer(s);
  const uint32_t step = phases ? v.per_comp : v.alignment;
  uint32_t best = kNowhere, best_size = 0;
  for (uint32_t phase = 0; phase < step; phase += v.alignment) {
    UnitSet taken = TakenAt(s, phase);
    if (avoid != nullptr) taken |= *avoid;
    // The tail is short and may have to hold two payloads, so they are packed at its upper end.
    if (in_.f.value(s.value).in_tail) {
      const uint32_t hole = LastFit(taken, s.first, p.units, s.units, step, phase);
      if (hole != kNowhere && (best == kNowhere || hole > best)) best = hole;
      continue;
    }
    if (in_.order == Order::kSpread && p.spread && v.units >= p.register_units) {
      uint32_t size = 0;
      const uint32_t from = std::max(p.cursor, s.first);
      const uint32_t hole = FirstFit(taken, from, p.units, s.units, step, phase);
      best = hole != kNowhere
                 ? hole
                 : BestHole(taken, s.first, p.units, s.units, step, phase, false, &size);
      if (best != kNowhere) {
        p.cursor = best + s.units;
        return best;
      }
      continue;
    }
    uint32_t size = best_size;
    const uint32_t hole =
        BestHole(taken, s.first, p.units, s.units, step, phase, FromTop(s.value), &size);
    if (hole != kNowhere && (best == kNowhere || size < best_size)) {
      best = hole;
      best_size = size;
    }
  }
  return best;
}

uint32_t PlaceSearch::SpreadShort(const Query& s, const UnitSet& avoid) {
  const Pool& p = live_.pools[in_.info(s.value).pool];
  UnitSet recent = Recent(p);
  recent |= avoid;
  UnitSet taken = TakenAt(s, 0);
  taken |= recent;
  const uint32_t reg = FirstFit(taken, s.first, p.units, p.register_units, p.register_units, 0);
  return reg != kNowhere ? reg : SearchHoles(s, &recent);
}

uint32_t PlaceSearch::FindAvoiding(const Query& s, const UnitSet& avoid) {
  if (in_.order == Order::kSpread && live_.IsShort(s.value)) {
    const uint32_t reg = SpreadShort(s, avoid);
    if (reg != kNowhere) return reg;
  }
  return SearchHoles(s, &avoid);
}

uint32_t PlaceSearch::Find(const Query& s) {
  const Pool& pool = live_.pools[in_.info(s.value).pool];
  UnitSet avoid = kept_.KeptFrom(s.value);
  avoid |= pool.hoped;
  // First without kept units, then at least without units of message results in flight: waiting for
  // a message costs more than a copy.
  for (const UnitSet* also : {&std::as_const(avoid), &pool.arriving}) {
    if (also->empty()) continue;
    UnitSet all = *also;
    all |= pool.arriving;
    const uint32_t reg = FindAvoiding(s, all);
    if (reg != kNowhere) return reg;
  }
  return FindAvoiding(s, UnitSet());
}

}  // namespace kiln::lir::ra
