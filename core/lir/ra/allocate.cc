#include "core/lir/ra/allocate.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/lir/ra/assign.h"
#include "core/lir/ra/assign_live.h"
#include "core/lir/ra/redefinitions.h"
#include "core/lir/ra/save_flags.h"
#include "core/lir/ra/tied.h"
#include "core/lir/ra/value_info.h"

namespace kiln::lir::ra {

namespace {

// Writes an assignment into the function.
class Committer {
 public:
  Committer(const Machine& t, Function& f, const Assignment& a, AllocationStats* stats)
      : t_(t), f_(f), a_(a), stats_(*stats) {}

  void Run() {
    for (size_t k = 0; k < a_.operand_reg.size(); ++k) f_.operands[k].reg = a_.operand_reg[k];
    size_t next = 0;
    for (size_t b = 0; b < f_.blocks.size(); ++b) {
      const std::vector<InstId> old = std::move(f_.blocks[b].insts);
      std::vector<InstId> insts;
      insts.reserve(old.size());
      for (size_t k = 0; k <= old.size(); ++k) {
        for (; next < a_.insertions.size() && a_.insertions[next].block == BlockId(b) &&
               a_.insertions[next].position == k;
             ++next) {
          for (const MoveStep& s : a_.insertions[next].steps) Insert(s, &insts);
        }
        if (k < old.size() && !a_.removed[old[k].index]) insts.push_back(old[k]);
      }
      f_.blocks[b].insts = std::move(insts);
    }
  }

 private:
  void Insert(const MoveStep& s, std::vector<InstId>* insts) {
    Value value = f_.value(ValueId(s.tag));
    value.comps = 1;
    value.whole_registers = value.in_tail = false;
    value.spirv_id = 0;
    const uint16_t comps = static_cast<uint16_t>(s.units / t_.units_per_comp(f_, value));
    if (!s.swap) {
      Finish(t_.make_copy(f_, value, s.to, s.from, s.units, s.no_mask), value, comps, insts);
      return;
    }
    std::array<InstId, 3> swap;
    const int n = t_.make_swap(f_, value, s.to, s.from, s.units, s.no_mask, absl::MakeSpan(swap));
    for (int k = 0; k < n; ++k) Finish(swap[static_cast<size_t>(k)], value, comps, insts);
  }

  // Sets the operands of an inserted instruction to a value of their shape.
  void Finish(InstId i, const Value& value, uint16_t comps, std::vector<InstId>* insts) {
    const ValueId shape = ShapeOf(value, comps);
    Inst& in = f_.inst(i);
    in.flags |= kInsertedCopy;
    for (uint32_t k = 0; k < uint32_t{in.num_defs} + in.num_uses; ++k) {
      Operand& o = f_.operands[in.first_operand + k];
      if (!IsValue(o)) continue;
      o.id = shape.index;
      o.comp = 0;
      o.comps = comps;
    }
    insts->push_back(i);
    ++stats_.copies_inserted;
  }

  ValueId ShapeOf(Value value, uint16_t comps) {
    value.comps = comps;
    for (ValueId v : shapes_) {
      const Value& s = f_.value(v);
      if (s.file == value.file && s.elem_bytes == value.elem_bytes && s.comps == comps) return v;
    }
    f_.values.push_back(value);
    shapes_.push_back(ValueId(f_.values.size() - 1));
    return shapes_.back();
  }

  const Machine& t_;
  Function& f_;
  const Assignment& a_;
  AllocationStats& stats_;
  std::vector<ValueId> shapes_;
};

absl::Status Refuse(const Machine& t, const Function& f, const AllocationStats& stats,
                    const OutOfRegisters& why) {
  const Value& v = f.value(why.value);
  const uint8_t pool = t.files[v.file].pool;
  const std::string text = absl::StrCat(
      "no room for a value of ", v.comps, " component(s) in pool ", std::string(t.pools[pool].name),
      " (block b", why.block.index, "): at most ", stats.max_live[pool].logical, " units live, ",
      stats.max_live[pool].physical, " with parked lanes, of ", FreeUnits(t, f, pool));
  const std::string what =
      absl::StrCat("value of ", v.comps, " component(s) in pool ", std::string(t.pools[pool].name));
  return WithMessage(BeyondLimit("out_of_registers", what, v.spirv_id), text);
}

// Assigns registers in a function whose flags fit; leaves it unchanged on failure.
absl::StatusOr<AllocationStats> AssignRegisters(const Machine& t, Function* f, const Liveness& live,
                                                AllocationStats stats, uint32_t* lacking) {
  if (absl::Status s = CheckRedefinitions(t, *f, live); !s.ok()) return s;
  const std::vector<ValueInfo> info = DescribeValues(t, *f);
  // Spreading over the pool costs nothing while it is at most half full.
  bool roomy = true;
  uint32_t overfull = 0;  // pools with more values than units: no order fits; the first names one
  for (size_t p = 0; p < t.pools.size(); ++p) {
    const uint32_t units = FreeUnits(t, *f, p);
    if (stats.max_live[p].logical > units) overfull |= uint32_t{1} << p;
    if (t.pools[p].spread && units >= kRecent * t.pools[p].register_units) {
      roomy &= 2 * stats.max_live[p].physical <= units;
    }
  }
  *lacking = overfull;
  OutOfRegisters why;
  for (Order order :
       {Order::kSpread, Order::kLow, Order::kSizes, Order::kLifetimes, Order::kPromised}) {
    if (order == Order::kSpread && !roomy) continue;
    ++stats.attempts;
    Assignment assignment;
    if (!Assign(t, *f, live, info, order, &assignment, &why)) {
      *lacking |= uint32_t{1} << t.files[f->value(why.value).file].pool;
      if (overfull != 0) break;
      continue;
    }
    stats.top = assignment.top;
    stats.copies_removed = assignment.copies_removed;
    stats.collect_parts = assignment.collect_parts;
    stats.collect_parts_in_place = assignment.collect_parts_in_place;
    stats.compactions = assignment.compactions;
    Committer(t, *f, assignment, &stats).Run();
    return stats;
  }
  return Refuse(t, *f, stats, why);
}

absl::StatusOr<AllocationStats> RewriteAndAssign(const Machine& t, Function* f, Liveness* live,
                                                 AllocationStats stats, uint32_t* lacking) {
  const absl::StatusOr<int> saved = SaveExcessFlags(t, f, live);
  if (!saved.ok()) return saved.status();
  stats.flags_saved = static_cast<uint32_t>(*saved);
  const int copies = HasTied(t, *f) ? SplitTied(t, f, live) : 0;
  if (*saved + copies != 0) stats.max_live = MaxPressure(t, *f, *live);
  return AssignRegisters(t, f, *live, std::move(stats), lacking);
}

void Add(const SpillStats& more, SpillStats* all) {
  all->spills += more.spills;
  all->fills += more.fills;
  all->spill_units += more.spill_units;
  all->fill_units += more.fill_units;
  all->repeated += more.repeated;
  all->scratch_units += more.scratch_units;
  all->lane_places += more.lane_places;
  all->evictions.insert(all->evictions.end(), more.evictions.begin(), more.evictions.end());
}

// Reserves registers of another pool for `places` lane slots, as high in that pool as possible.
absl::Status ReserveLanes(const Machine& t, const SpillHooks& hooks, uint32_t places, Function* f) {
  if (places == 0) return absl::OkStatus();
  const uint32_t per_unit = hooks.places_per_unit(*f), units = (places + per_unit - 1) / per_unit;
  const auto taken = [&](uint32_t first) {
    return std::any_of(f->live_ins.begin(), f->live_ins.end(), [&](const LiveIn& l) {
      const Value& v = f->value(l.value);
      return t.files[v.file].pool == hooks.to_pool && l.reg < first + units &&
             first < l.reg + v.comps * t.units_per_comp(*f, v);
    });
  };
  for (uint32_t end = PoolUnits(t, *f, hooks.to_pool); end >= units; --end) {
    const uint32_t first = end - units;
    if (!MayHold(t, *f, hooks.to_pool, first, units) || taken(first)) continue;
    f->reserved.push_back({hooks.to_pool, first, units, hooks.pool});
    return absl::OkStatus();
  }
  return BeyondLimit(
      "out_of_registers",
      absl::StrCat(units, " units of pool ", std::string(t.pools[hooks.to_pool].name),
                   " for spilled values of pool ", std::string(t.pools[hooks.pool].name)));
}

// Spills the pools one after another; `live` is the liveness of the function as passed in.
absl::Status SpillPools(const Machine& t, Function* f, const Liveness& live, uint32_t part,
                        uint32_t of, SpillStats* stats) {
  const auto to_memory = [](const SpillHooks& h) { return h.to_pool == SpillHooks::kToMemory; };
  // Slots in memory begin at 0, so only one pool can be spilled there.
  assert(std::count_if(t.spills.begin(), t.spills.end(), to_memory) <= 1);
  for (size_t k = 0; k < t.spills.size(); ++k) {
    const SpillHooks& hooks = t.spills[k];
    SpillStats own;
    const SpillSettings settings = {FreeUnits(t, *f, hooks.pool) * part / of};
    absl::Status done = k == 0 ? SpillToFit(t, hooks, f, live, settings, &own)
                               : SpillToFit(t, hooks, f, Liveness(t, *f), settings, &own);
    if (!done.ok()) return done;
    if (!to_memory(hooks)) {
      own.lane_places = std::exchange(own.scratch_units, 0);
      if (absl::Status s = ReserveLanes(t, hooks, own.lane_places, f); !s.ok()) return s;
    }
    Add(own, stats);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<AllocationStats> Allocate(const Machine& t, Function* f, Demand* demand,
                                         const Known& known) {
  AllocationStats stats;
  std::optional<Liveness> own;
  if (known.live != nullptr) {
    known.live->Reorder(t, *f);
  } else {
    own.emplace(t, *f);
  }
  const Liveness& live = known.live != nullptr ? *known.live : *own;
  stats.max_live = known.pressure.empty() ? MaxPressure(t, *f, live) : known.pressure;
  Demand unwanted;
  if (demand == nullptr) demand = &unwanted;
  *demand = {stats.max_live, 0};
  if (FlagsFit(t, *f, stats.max_live) && !HasTied(t, *f)) {
    return AssignRegisters(t, f, live, std::move(stats), &demand->lacking);
  }
  Function original = *f;
  Liveness changed = live;
  absl::StatusOr<AllocationStats> done =
      RewriteAndAssign(t, f, &changed, std::move(stats), &demand->lacking);
  if (!done.ok()) *f = std::move(original);
  return done;
}

absl::StatusOr<AllocationStats> AllocateWithSpills(const Machine& t, Function* f) {
  // Fractions of the pool to leave free, tried in this order. With less than a quarter of the pool
  // in use, only the operands of one instruction and values that cannot be spilled are left in
  // registers.
  struct Share {
    uint32_t part, of;
  };
  static constexpr Share kReserves[] = {{1, 16}, {1, 8}, {1, 5}, {1, 3}, {1, 2}, {3, 4}};
  const Liveness live(t, *f);
  absl::Status failed;
  for (const Share& share : kReserves) {
    Function attempt = *f;
    SpillStats spill;
    if (absl::Status s = SpillPools(t, &attempt, live, share.part, share.of, &spill); !s.ok()) {
      return s;
    }
    absl::StatusOr<AllocationStats> stats = Allocate(t, &attempt);
    if (stats.ok()) {
      attempt.spill_units = spill.scratch_units;
      *f = std::move(attempt);
      stats->spill = std::move(spill);
      return stats;
    }
    if (!absl::IsResourceExhausted(stats.status())) return stats;
    failed = stats.status();
  }
  return failed;
}

}  // namespace kiln::lir::ra
