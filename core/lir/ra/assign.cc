#include "core/lir/ra/assign.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace kiln::lir::ra {

namespace {

constexpr uint32_t kNowhere = ~uint32_t{0};
constexpr uint32_t kMaxCompactions = 512;
constexpr size_t kMaxWindows = 8;
// Units of a machine register, for which hardware waits as a whole.
constexpr uint32_t kRegister = 8;
// Registers that Order::kSpread keeps shorter values out of after a definition.
constexpr size_t kRecent = 8;

bool IsValue(const Operand& o) { return o.kind == Operand::Kind::kValue; }

// One pool within the block at hand.
struct Pool {
  uint32_t units = 0;
  UnitSet live;             // logically live, sources that die here included
  LaneSets parked;          // what parked lanes hold
  UnitSet hoped;            // wanted for collects to come
  UnitSet displaced_homes;  // homes of values that compaction moved and that go back
  uint32_t cursor = 0;      // of Order::kSpread
  std::array<uint32_t, kRecent> recent{};  // first units of registers, of Order::kSpread
  size_t next_recent = 0;
};

class Assigner {
 public:
  Assigner(const Target& t, const Function& f, const Liveness& live,
           const std::vector<ValueInfo>& info, Order order, Assignment* out, OutOfRegisters* why)
      : t_(t), f_(f), l_(live), info_(info), order_(order), out_(*out), why_(*why) {}

  bool Run() {
    Prepare();
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      if (!DoBlock(BlockId(b))) return false;
    }
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      if (!EdgeCopies(BlockId(b))) return false;
    }
    std::stable_sort(out_.insertions.begin(), out_.insertions.end(),
                     [](const Insertion& a, const Insertion& b) {
                       return std::pair(a.block, a.position) < std::pair(b.block, b.position);
                     });
    return true;
  }

 private:
  // ---- Set-up.

  void Prepare() {
    home_.assign(f_.values.size(), kNowhere);
    loc_.assign(f_.values.size(), kNowhere);
    hint_.assign(f_.values.size(), kNowhere);
    out_ = Assignment();
    out_.operand_reg.assign(f_.operands.size(), Operand::kNoReg);
    out_.removed.assign(f_.insts.size(), 0);
    out_.top.assign(t_.pools.size(), 0);
    alive_.assign(l_.num_slots(), kNowhere);
    listed_.assign(l_.num_slots(), kNowhere);
    pending_.resize(t_.pools.size());
    dying_.assign(l_.num_slots(), kNowhere);
    stays_epoch_.assign(f_.values.size(), 0);
    pools_.resize(t_.pools.size());
    raw_file_.assign(t_.pools.size(), 0xff);
    for (size_t p = 0; p < t_.pools.size(); ++p) {
      assert(t_.pools[p].units <= UnitSet::kMaxUnits);
      pools_[p].units = t_.pools[p].units;
    }
    for (size_t k = 0; k < t_.files.size(); ++k) {
      if (!t_.files[k].masked_writes) raw_file_[t_.files[k].pool] = static_cast<uint8_t>(k);
    }
    raw_value_.assign(t_.pools.size(), ValueId());
    for (size_t v = f_.values.size(); v-- > 0;) {
      const uint8_t pool = info_[v].pool;
      if (f_.values[v].file == raw_file_[pool]) raw_value_[pool] = ValueId(v);
    }
    FindWritten();
  }

  // Blocks that lanes wait for have a row in written_. late_: the rows that matter for a value,
  // because lanes may hold it in blocks that come before its definition in the layout: parameters
  // of such a block, and what is live into it if lanes wait for it across the back edge of a loop
  // that has the definition.
  void FindWritten() {
    row_.assign(f_.blocks.size(), kNowhere);
    preds_.assign(f_.blocks.size(), {});
    late_.assign(f_.values.size(), {});
    std::vector<uint32_t> first_head(f_.blocks.size(), kNowhere);
    std::vector<char> is_head(f_.blocks.size());
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      const auto note = [&](BlockId s) {
        if (s.index <= b) is_head[s.index] = 1;
      };
      for (const Edge& e : f_.blocks[b].succs) {
        note(e.to);
        preds_[e.to.index].push_back(BlockId(b));
        // Parameters of a loop head are written here while lanes wait, and placed before.
        if (e.num_args == 0 || e.to.index > b) continue;
        for (BlockId j : l_.waits(BlockId(b))) {
          first_head[j.index] = std::min(first_head[j.index], e.to.index);
        }
      }
      for (BlockId s : f_.blocks[b].physical_succs) note(s);
    }
    uint32_t rows = 0;
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      for (BlockId j : l_.waits(BlockId(b))) {
        if (row_[j.index] == kNowhere) row_[j.index] = rows++;
        if (is_head[b]) first_head[j.index] = std::min(first_head[j.index], b);
      }
    }
    written_.assign(rows * t_.pools.size(), LaneSets());
    for (uint32_t j = 0; j < f_.blocks.size(); ++j) {
      if (row_[j] == kNowhere) continue;
      for (ValueId p : f_.blocks[j].params) late_[p.index].push_back(row_[j]);
      if (first_head[j] == kNowhere) continue;
      l_.live_in(BlockId(j)).for_each([&](size_t g) {
        const ValueId v = l_.slot_value(l_.global_slot(static_cast<uint32_t>(g)));
        std::vector<uint32_t>& late = late_[v.index];
        if (info_[v.index].def_block.index >= first_head[j] &&
            (late.empty() || late.back() != row_[j])) {
          late.push_back(row_[j]);
        }
      });
    }
  }

  LaneSets& Written(uint32_t row, uint8_t pool) { return written_[row * t_.pools.size() + pool]; }

  const ValueInfo& info(ValueId v) const { return info_[v.index]; }
  const ValueInfo& info(const Operand& o) const { return info_[o.id]; }
  Pool& pool(ValueId v) { return pools_[info(v).pool]; }
  uint32_t SlotUnit(uint32_t slot) const {
    const ValueId v = l_.slot_value(slot);
    return loc_[v.index] + l_.slot_comp(slot) * info(v).per_comp;
  }
  LaneLayout LayoutOf(ValueId v, uint32_t reg) const {
    return LayoutAt(f_.value(v), info(v), reg);
  }
  uint32_t PlaceOf(const Operand& o) const { return loc_[o.id] + o.comp * info(o).per_comp; }

  // A write in block b is a danger to values that lanes parked there hold and that have no place
  // yet. Those of the block at hand are collected, because lanes may wait for many blocks.
  void RecordWrite(BlockId b, uint8_t pool, uint32_t first, uint32_t n, const LaneLayout& layout) {
    out_.top[pool] = std::max(out_.top[pool], first + n);
    if (l_.waits(b).empty()) return;
    if (b == block_) return pending_[pool].insert(first, n, layout);
    for (BlockId j : l_.waits(b)) Written(row_[j.index], pool).insert(first, n, layout);
  }
  void FlushWrites() {
    for (uint8_t pool = 0; pool < pending_.size(); ++pool) {
      if (pending_[pool].empty()) continue;
      for (BlockId j : l_.waits(block_)) Written(row_[j.index], pool) |= pending_[pool];
      pending_[pool] = LaneSets();
    }
  }
  void RecordSteps(BlockId b, uint8_t pool, const std::vector<MoveStep>& steps) {
    for (const MoveStep& s : steps) {
      const ValueId v(s.tag);
      const auto record = [&](uint32_t reg) {
        LaneLayout layout = LayoutOf(v, reg);
        layout.whole |= s.no_mask;
        RecordWrite(b, pool, reg, s.units, layout);
      };
      record(s.to);
      if (s.swap) record(s.from);
    }
  }

  // ---- Blocks.

  bool Alive(uint32_t slot) const { return alive_[slot] == block_.index; }
  void Revive(uint32_t slot) {
    alive_[slot] = block_.index;
    if (listed_[slot] != block_.index) {
      listed_[slot] = block_.index;
      live_list_.push_back(slot);
    }
    const ValueId v = l_.slot_value(slot);
    pool(v).live.insert(SlotUnit(slot), info(v).per_comp);
  }
  void Kill(uint32_t slot) {
    if (!Alive(slot)) return;
    alive_[slot] = kNowhere;
    const ValueId v = l_.slot_value(slot);
    pool(v).live.erase(SlotUnit(slot), info(v).per_comp);
  }

  // The slots that are alive, in no order.
  const std::vector<uint32_t>& LiveSlots() {
    std::erase_if(live_list_, [&](uint32_t slot) {
      if (Alive(slot)) return false;
      listed_[slot] = kNowhere;
      return true;
    });
    return live_list_;
  }

  // What lanes hold that are parked in one of the blocks.
  std::vector<LaneSets> FindParked(absl::Span<const BlockId> blocks) const {
    std::vector<LaneSets> sets(t_.pools.size());
    for (size_t k = 0; k < blocks.size(); ++k) {
      AddParked(blocks[k], blocks[k == 0 ? 0 : k - 1], &sets);
    }
    return sets;
  }
  // Blocks before one join hold much in common: what `known` holds is in the sets already.
  void AddParked(BlockId b, BlockId known, std::vector<LaneSets>* sets) const {
    l_.parked(b).for_each([&](size_t g) {
      if (known != b && l_.parked(known).test(g)) return;
      const uint32_t slot = l_.global_slot(static_cast<uint32_t>(g));
      const ValueId v = l_.slot_value(slot);
      if (loc_[v.index] == kNowhere) return;
      (*sets)[info(v).pool].insert(SlotUnit(slot), info(v).per_comp,
                                   LayoutOf(v, loc_[v.index]));
    });
  }

  void EnterBlock(BlockId b) {
    live_list_.clear();
    std::vector<LaneSets> parked = FindParked({b});
    for (size_t p = 0; p < pools_.size(); ++p) {
      pools_[p].live = UnitSet();
      pools_[p].hoped = UnitSet();
      pools_[p].displaced_homes = UnitSet();
      pools_[p].parked = std::move(parked[p]);
    }
    l_.live_in(b).for_each([&](size_t g) {
      const uint32_t slot = l_.global_slot(static_cast<uint32_t>(g));
      if (loc_[l_.slot_value(slot).index] != kNowhere) Revive(slot);
    });
    stays_known_ = false;
    moved_.clear();
  }

  bool DoBlock(BlockId b) {
    block_ = b;
    EnterBlock(b);
    if (b.index == 0) {
      for (const LiveIn& l : f_.live_ins) Settle(l.value, l.reg);
    }
    if (!PlaceParams(b)) return false;
    FindKept(b);
    for (uint32_t s : l_.deaths(b, 0)) Kill(s);
    const std::vector<InstId>& insts = f_.block(b).insts;
    for (position_ = 0; position_ < insts.size(); ++position_) {
      if (position_ + 1 == insts.size() && IsTerminator(insts.back()) && !RestoreMoved()) {
        return false;
      }
      if (!DoInst(insts[position_])) return false;
    }
    const bool restored = !insts.empty() && IsTerminator(insts.back());
    if (!restored && !RestoreMoved()) return false;
    FlushWrites();
    return true;
  }

  // ---- Homes of loop parameters.

  // The home of a parameter whose next value the block, the loop's last, computes at `until`. Who
  // lives there then costs a copy behind the loop's last results, and a wait where those are loaded.
  struct Kept {
    ValueId param;
    uint32_t until = kNowhere;
  };

  void FindKept(BlockId b) {
    kept_.clear();
    for (const Edge& e : f_.block(b).succs) {
      if (e.to.index > b.index) continue;
      for (ValueId p : f_.block(e.to).params) {
        if (home_[p.index] != kNowhere) kept_.push_back({p, kNowhere});
      }
    }
    if (kept_.empty()) return;
    last_use_.resize(f_.values.size());
    std::sort(kept_.begin(), kept_.end(),
              [](const Kept& x, const Kept& y) { return x.param < y.param; });
    const std::vector<InstId>& insts = f_.block(b).insts;
    for (uint32_t k = 0; k < insts.size(); ++k) {
      for (const Operand& o : f_.uses(insts[k])) {
        if (IsValue(o)) last_use_[o.id] = k;
      }
      for (const Operand& o : f_.defs(insts[k])) {
        if (!IsValue(o)) continue;
        last_use_[o.id] = k;
        const ValueId p = info(o).param;
        const auto at = std::lower_bound(kept_.begin(), kept_.end(), p,
                                         [](const Kept& x, ValueId q) { return x.param < q; });
        if (p.valid() && at != kept_.end() && at->param == p) at->until = std::min(at->until, k);
      }
    }
    std::erase_if(kept_, [](const Kept& k) { return k.until == kNowhere; });
  }

  // Places that the value had better not take: it would live there when the next value comes.
  UnitSet KeptFrom(ValueId v) {
    UnitSet places;
    if (kept_.empty()) return places;
    const uint32_t end = Stays(v) ? kNowhere : last_use_[v.index];
    for (const Kept& k : kept_) {
      const bool clash = position_ < k.until && end > k.until && info(v).param != k.param;
      if (clash && info(k.param).pool == info(v).pool) {
        places.insert(home_[k.param.index], info(k.param).units);
      }
    }
    return places;
  }

  bool IsTerminator(InstId i) const { return t_.ops[f_.inst(i).op].flags & kOpTerminator; }

  // The value is now at `reg`, for good.
  void Settle(ValueId v, uint32_t reg) {
    home_[v.index] = loc_[v.index] = reg;
    const uint32_t first = l_.first_slot(v);
    for (uint32_t c = 0; c < f_.value(v).comps; ++c) Revive(first + c);
    const ValueId p = info(v).param;
    if (p.valid() && hint_[p.index] == kNowhere) hint_[p.index] = reg;
    if (Short(v)) {
      Pool& p = pool(v);
      p.recent[p.next_recent++ % kRecent] = reg / kRegister * kRegister;
    }
    out_.top[info(v).pool] = std::max(out_.top[info(v).pool], reg + info(v).units);
  }

  // ---- The search for a place.

  struct Search {
    ValueId value;
    uint32_t units = 0;
    uint32_t first = 0;       // of the allowed part of the pool
    UnitSet taken;            // by live values; a definition may take over those that die
    UnitSet barred;           // by whatever else, for good
    const LaneSets* parked = nullptr;  // conflicts depend on the phase
    std::vector<const LaneSets*> more;
  };

  UnitSet TakenAt(const Search& s, uint32_t reg) const {
    UnitSet taken = s.taken;
    taken |= s.barred;
    const LaneLayout layout = LayoutOf(s.value, reg);
    if (s.parked != nullptr) s.parked->AddConflicts(layout, &taken);
    for (const LaneSets* m : s.more) m->AddConflicts(layout, &taken);
    return taken;
  }

  bool PhasesDiffer(const Search& s) const {
    if (info(s.value).whole || info(s.value).per_comp <= info(s.value).alignment) return false;
    bool lanes = s.parked != nullptr && s.parked->has_lanes();
    for (const LaneSets* m : s.more) lanes |= m->has_lanes();
    return lanes;
  }

  Search StartSearch(ValueId v) {
    Search s;
    s.value = v;
    s.units = info(v).written;
    const Pool& p = pool(v);
    s.taken = p.live;
    s.parked = &p.parked;
    if (!late_[v.index].empty()) FlushWrites();
    for (uint32_t row : late_[v.index]) s.more.push_back(&Written(row, info(v).pool));
    if (f_.value(v).in_tail) s.first = t_.pools[info(v).pool].tail_first;
    if (!moved_.empty()) {
      // What goes home at the end of the block must not share its lanes with what does not.
      s.barred |= p.parked.all();
      if (Stays(v)) s.barred |= p.displaced_homes;
    }
    return s;
  }

  bool Fits(const Search& s, uint32_t reg) const {
    const ValueInfo& v = info(s.value);
    if (reg == kNowhere || reg < s.first || reg % v.alignment != 0) return false;
    if (reg + s.units > pools_[v.pool].units || reg + s.units < reg) return false;
    if (s.taken.intersects(reg, s.units) || s.barred.intersects(reg, s.units)) return false;
    const LaneLayout layout = LayoutOf(s.value, reg);
    if (s.parked != nullptr && s.parked->Conflict(layout, reg, s.units)) return false;
    for (const LaneSets* m : s.more) {
      if (m->Conflict(layout, reg, s.units)) return false;
    }
    return true;
  }

  // Best fit among the holes of `taken`: the smallest, the first or the last of them.
  uint32_t BestHole(const UnitSet& taken, uint32_t first, uint32_t end, uint32_t units,
                    uint32_t alignment, uint32_t phase, bool from_top, uint32_t* best_size) const {
    uint32_t best = kNowhere;
    for (uint32_t at = first; at < end;) {
      const uint32_t lo = taken.next_free(at, end);
      const uint32_t hi = taken.next_member(lo, end);
      at = hi;
      const uint32_t low = (lo + alignment - 1 - phase + alignment) / alignment * alignment -
                           alignment + phase;
      if (lo >= hi || low + units > hi) continue;
      const uint32_t high = low + (hi - units - low) / alignment * alignment;
      if (best != kNowhere && (from_top ? hi - lo > *best_size : hi - lo >= *best_size)) continue;
      best = from_top ? high : low;
      *best_size = hi - lo;
    }
    return best;
  }

  bool FromTop(ValueId v) const {
    const ValueInfo& i = info(v);
    switch (order_) {
      case Order::kSpread:
      case Order::kLow: return false;
      case Order::kSizes: return i.units <= i.per_comp;
      case Order::kLifetimes: {
        const uint32_t first = l_.first_slot(v);
        for (uint32_t c = 0; c < f_.value(v).comps; ++c) {
          if (l_.global(first + c) != Liveness::kLocal) return true;
        }
        return false;
      }
    }
    return false;
  }

  uint32_t SearchHoles(const Search& s, const UnitSet* avoid) {
    const ValueInfo& v = info(s.value);
    Pool& p = pools_[v.pool];
    const bool phases = PhasesDiffer(s);
    const uint32_t step = phases ? v.per_comp : v.alignment;
    uint32_t best = kNowhere, best_size = 0;
    for (uint32_t phase = 0; phase < step; phase += v.alignment) {
      UnitSet taken = TakenAt(s, phase);
      if (avoid != nullptr) taken |= *avoid;
      if (order_ == Order::kSpread && v.units >= kRegister) {
        uint32_t size = 0;
        const uint32_t from = std::max(p.cursor, s.first);
        const uint32_t hole = FirstFit(taken, from, p.units, s.units, step, phase);
        best = hole != kNowhere ? hole
                                : BestHole(taken, s.first, p.units, s.units, step, phase, false,
                                           &size);
        if (best != kNowhere) {
          p.cursor = best + s.units;
          return best;
        }
        continue;
      }
      uint32_t size = best_size;
      const uint32_t hole = BestHole(taken, s.first, p.units, s.units, step, phase,
                                     FromTop(s.value), &size);
      if (hole != kNowhere && (best == kNowhere || size < best_size)) {
        best = hole;
        best_size = size;
      }
    }
    return best;
  }

  bool Short(ValueId v) const {
    return info(v).units < kRegister && pools_[info(v).pool].units >= 8 * kRegister;
  }

  // Registers that short values have lately been written to.
  static UnitSet Recent(const Pool& p) {
    UnitSet recent;
    for (uint32_t first : p.recent) recent.insert(first, kRegister);
    return recent;
  }

  static uint32_t FirstFit(const UnitSet& taken, uint32_t from, uint32_t end, uint32_t units,
                           uint32_t alignment, uint32_t phase) {
    for (uint32_t at = from; at < end;) {
      const uint32_t lo = taken.next_free(at, end);
      const uint32_t hi = taken.next_member(lo, end);
      const uint32_t low = (lo + alignment - 1 - phase + alignment) / alignment * alignment -
                           alignment + phase;
      if (lo < hi && low + units <= hi) return low;
      at = hi;
    }
    return kNowhere;
  }

  // A short value gets a register of its own, or at least one that none was lately written to.
  uint32_t SpreadShort(const Search& s, const UnitSet& avoid) {
    const Pool& p = pools_[info(s.value).pool];
    UnitSet recent = Recent(p);
    recent |= avoid;
    UnitSet taken = TakenAt(s, 0);
    taken |= recent;
    const uint32_t reg = FirstFit(taken, s.first, p.units, kRegister, kRegister, 0);
    return reg != kNowhere ? reg : SearchHoles(s, &recent);
  }

  uint32_t FindAvoiding(const Search& s, const UnitSet& avoid) {
    if (order_ == Order::kSpread && Short(s.value)) {
      const uint32_t reg = SpreadShort(s, avoid);
      if (reg != kNowhere) return reg;
    }
    return SearchHoles(s, &avoid);
  }

  uint32_t Find(const Search& s) {
    UnitSet avoid = KeptFrom(s.value);
    avoid |= pools_[info(s.value).pool].hoped;
    if (!avoid.empty()) {
      const uint32_t reg = FindAvoiding(s, avoid);
      if (reg != kNowhere) return reg;
    }
    return FindAvoiding(s, UnitSet());
  }

  bool Fail(ValueId v) {
    why_ = {v, block_};
    return false;
  }

  // ---- Parameters.

  // A parameter is written at the end of every predecessor, also of those that come later.
  bool PlaceParams(BlockId b) {
    if (f_.block(b).params.empty()) return true;
    const std::vector<BlockId>& preds = preds_[b.index];
    std::vector<LaneSets> parked = FindParked(preds);
    for (size_t which = 0; which < f_.block(b).params.size(); ++which) {
      const ValueId p = f_.block(b).params[which];
      if (!PlaceParam(p, which, parked)) return false;
      if (loc_[p.index] == kNowhere) continue;
      // Lanes may be parked there that hold the parameter itself.
      for (BlockId pred : preds) {
        for (uint32_t c = 0; c < f_.value(p).comps; ++c) {
          const uint32_t slot = l_.first_slot(p) + c, g = l_.global(slot);
          if (g == Liveness::kLocal || !l_.parked(pred).test(g)) continue;
          parked[info(p).pool].insert(SlotUnit(slot), info(p).per_comp,
                                      LayoutOf(p, loc_[p.index]));
        }
      }
    }
    return true;
  }

  bool PlaceParam(ValueId p, size_t which, const std::vector<LaneSets>& parked) {
    const ValueInfo& v = info(p);
    bool needed = false;
    for (uint32_t c = 0; c < f_.value(p).comps; ++c) needed |= l_.used(l_.first_slot(p) + c);
    if (!needed) return true;
    Search s = StartSearch(p);
    s.units = v.units;
    s.more.push_back(&parked[v.pool]);
    uint32_t reg = kNowhere;
    for (BlockId c : preds_[block_.index]) {
      for (const Edge& e : f_.block(c).succs) {
        if (e.to != block_ || reg != kNowhere) continue;
        const Operand& a = f_.args(e)[which];
        if (IsValue(a) && loc_[a.id] != kNowhere && Fits(s, PlaceOf(a))) reg = PlaceOf(a);
      }
    }
    if (reg == kNowhere && Fits(s, hint_[p.index])) reg = hint_[p.index];
    if (reg == kNowhere) reg = Find(s);
    if (reg == kNowhere) return Fail(p);
    Settle(p, reg);
    for (BlockId c : preds_[block_.index]) {
      RecordWrite(c, v.pool, reg, v.units, LayoutOf(p, reg));
    }
    return true;
  }

  // ---- Instructions.

  bool DoInst(InstId i) {
    const size_t place = position_ + 1;
    for (uint32_t s : l_.deaths(block_, place)) dying_[s] = i.index;
    bool ok = true;
    if (t_.ops[f_.inst(i).op].flags & kOpCollect) {
      ok = DoCollect(i);
    } else {
      ok = DoPlain(i);
    }
    for (uint32_t s : l_.deaths(block_, place)) Kill(s);
    return ok;
  }

  bool Dying(const Operand& o, InstId i) const {
    const uint32_t first = l_.first_slot(o.value()) + o.comp;
    for (uint32_t c = 0; c < o.comps; ++c) {
      if (dying_[first + c] != i.index) return false;
    }
    return true;
  }

  // Places definitions while the sources still hold their units; a definition may take over those
  // of a source that dies.
  bool DoPlain(InstId i) {
    const absl::Span<const Operand> defs = f_.defs(i);
    placed_.clear();
    for (size_t d = 0; d < defs.size(); ++d) {
      if (!IsValue(defs[d])) continue;
      if (!PlaceDef(i, static_cast<int>(d))) return false;
    }
    // Sources are read at their places after any compaction.
    const Inst& in = f_.inst(i);
    for (uint32_t k = 0; k < in.num_uses; ++k) {
      const Operand& o = f_.uses(i)[k];
      if (IsValue(o)) SetReg(in.first_operand + in.num_defs + k, o);
    }
    for (uint32_t s : l_.deaths(block_, position_ + 1)) Kill(s);
    for (const auto& [v, reg] : placed_) {
      Settle(v, reg);
      RecordWrite(block_, info(v).pool, reg, info(v).written, LayoutOf(v, reg));
    }
    for (uint32_t d = 0; d < in.num_defs; ++d) {
      if (IsValue(defs[d])) SetReg(in.first_operand + d, defs[d]);
    }
    // Kill() ran before the definitions came alive: those that nobody reads die now.
    if (IsPlainCopy(t_, f_, i) && PlaceOf(defs[0]) == out_.operand_reg[in.first_operand + 1]) {
      out_.removed[i.index] = 1;
      ++out_.copies_removed;
    }
    return true;
  }

  void SetReg(uint32_t operand, const Operand& o) {
    out_.operand_reg[operand] = loc_[o.id] == kNowhere ? 0 : PlaceOf(o);
  }

  // May the definition start where a dying source starts? Everything else in its range must be
  // free or belong to sources that start there as well.
  bool FitsOverSource(const Search& s, InstId i, int def, uint32_t reg) const {
    if (reg == kNowhere) return false;
    const uint8_t pool = info(s.value).pool;
    Search without = s;
    const absl::Span<const Operand> uses = f_.uses(i);
    const bool copy = IsPlainCopy(t_, f_, i);
    for (size_t u = 0; u < uses.size(); ++u) {
      if (!IsValue(uses[u]) || info(uses[u]).pool != pool || loc_[uses[u].id] == kNowhere) continue;
      const uint32_t at = PlaceOf(uses[u]);
      const uint32_t n = uses[u].comps * info(uses[u]).per_comp;
      if (at >= reg + s.units || reg >= at + n || !Dying(uses[u], i)) continue;
      if (at != reg) return false;
      if (!copy && !t_.may_reuse_source(f_, i, def, static_cast<int>(u))) return false;
      without.taken.erase(at, n);
    }
    for (const auto& [v, r] : placed_) {
      if (info(v).pool == pool) without.barred.insert(r, info(v).written);
    }
    return Fits(without, reg);
  }

  bool PlaceDef(InstId i, int d) {
    const ValueId v = f_.defs(i)[d].value();
    uint32_t reg = TryPlace(i, d);
    if (reg == kNowhere && Compact(v, InstId())) reg = TryPlace(i, d);
    if (reg == kNowhere) return Fail(v);
    placed_.push_back({v, reg});
    return true;
  }

  uint32_t TryPlace(InstId i, int d) {
    const ValueId v = f_.defs(i)[d].value();
    Search s = StartSearch(v);
    for (const auto& [other, r] : placed_) {
      if (info(other).pool == info(v).pool) s.barred.insert(r, info(other).written);
    }
    if (const uint32_t reg = CollectPlace(s); FitsOverSource(s, i, d, reg)) return reg;
    const ValueId p = info(v).param;
    if (p.valid()) {
      const uint32_t reg = home_[p.index] != kNowhere ? home_[p.index] : hint_[p.index];
      if (FitsOverSource(s, i, d, reg)) return reg;
    }
    uint32_t second = kNowhere;  // kept for somebody else
    for (const Operand& u : f_.uses(i)) {
      if (!IsValue(u) || info(u).pool != info(v).pool || loc_[u.id] == kNowhere) continue;
      if (!Dying(u, i) || !FitsOverSource(s, i, d, PlaceOf(u))) continue;
      if (!KeptFrom(v).intersects(PlaceOf(u), s.units)) return PlaceOf(u);
      second = PlaceOf(u);
    }
    const uint32_t reg = Find(s);
    return reg != kNowhere ? reg : second;
  }

  // The place of a value within the collect that is its last use. The first of the parts chooses
  // a place for the whole.
  uint32_t CollectPlace(const Search& s) {
    const ValueInfo& v = info(s.value);
    if (!v.collect.valid() || v.collect_block != block_) return kNowhere;
    uint32_t& hint = hint_[v.collect.index];
    if (hint == kNowhere) {
      Search whole = StartSearch(v.collect);
      whole.barred |= TakenAt(s, v.collect_offset);
      hint = Find(whole);
      if (hint == kNowhere) return kNowhere;
      pools_[v.pool].hoped.insert(hint, info(v.collect).units);
    }
    return hint + v.collect_offset;
  }

  // ---- Collects: parallel moves into the vector.

  bool DoCollect(InstId i) {
    const Operand& def = f_.defs(i)[0];
    const ValueId v = def.value();
    uint32_t reg = PlaceCollect(i);
    if (reg == kNowhere && Compact(v, i)) reg = PlaceCollect(i);
    if (reg == kNowhere) return Fail(v);
    Pool& p = pool(v);
    if (hint_[v.index] != kNowhere) p.hoped.erase(hint_[v.index], info(v).units);
    std::vector<Move> moves;
    uint32_t at = reg;
    for (const Operand& o : f_.uses(i)) {
      const uint32_t n = IsValue(o) ? o.comps * info(o).per_comp : o.comps * info(v).per_comp;
      if (IsValue(o) && loc_[o.id] != kNowhere) {
        out_.collect_parts += o.comps;
        if (PlaceOf(o) == at) out_.collect_parts_in_place += o.comps;
        const bool no_mask = IsWhole(t_, f_.value(o.value())) || (f_.inst(i).flags & kNoMask);
        AddMoves(o.value(), at, PlaceOf(o), n, no_mask, &moves);
      }
      at += n;
    }
    UnitSet busy = p.live;
    busy |= p.parked.all();
    busy.insert(reg, info(v).written);
    Insertion in{block_, position_, {}};
    if (!SequenceMoves(moves, busy, p.units, &in.steps)) return Fail(v);
    RecordSteps(block_, info(v).pool, in.steps);
    if (!in.steps.empty()) out_.insertions.push_back(std::move(in));
    out_.removed[i.index] = 1;
    for (uint32_t s : l_.deaths(block_, position_ + 1)) Kill(s);
    Settle(v, reg);
    RecordWrite(block_, info(v).pool, reg, info(v).written, LayoutOf(v, reg));
    return true;
  }

  uint32_t PlaceCollect(InstId i) {
    const ValueId v = f_.defs(i)[0].value();
    Search s = StartSearch(v);
    std::vector<std::pair<uint32_t, uint32_t>> parts;  // offset, place
    uint32_t offset = 0;
    for (const Operand& o : f_.uses(i)) {
      if (IsValue(o) && loc_[o.id] != kNowhere) {
        for (uint32_t c = 0; c < o.comps; ++c) {
          const uint32_t slot = l_.first_slot(o.value()) + o.comp + c;
          if (dying_[slot] == i.index) s.taken.erase(SlotUnit(slot), info(o).per_comp);
        }
        parts.push_back({offset, PlaceOf(o)});
      }
      offset += o.comps * (IsValue(o) ? info(o).per_comp : info(v).per_comp);
    }
    // The place that leaves the most parts where they are.
    uint32_t best = kNowhere, best_kept = 0;
    const auto consider = [&](uint32_t reg) {
      if (reg == best || !Fits(s, reg)) return;
      uint32_t kept = 0;
      for (const auto& [off, at] : parts) kept += at == reg + off;
      if (best == kNowhere || kept > best_kept) {
        best = reg;
        best_kept = kept;
      }
    };
    consider(hint_[v.index]);
    const ValueId p = info(v).param;
    if (p.valid()) consider(home_[p.index] != kNowhere ? home_[p.index] : hint_[p.index]);
    for (const auto& [off, at] : parts) {
      if (at >= off) consider(at - off);
    }
    return best != kNowhere ? best : Find(s);
  }

  // Cut into what one copy can do: a component, or aligned powers of two of uniform units.
  void AddMoves(ValueId v, uint32_t to, uint32_t from, uint32_t n, bool no_mask,
                std::vector<Move>* moves) const {
    if (to == from) return;
    const bool uniform = IsWhole(t_, f_.value(v));
    while (n != 0) {
      uint32_t step = info(v).per_comp;
      if (uniform) {
        step = 8;
        while (step > n || to % step != 0 || from % step != 0) step /= 2;
      }
      const uint32_t alignment = uniform ? step : info(v).alignment;
      moves->push_back({to, from, step, alignment, no_mask, v.index});
      to += step;
      from += step;
      n -= step;
    }
  }

  // ---- Edges.

  // All values are at their homes at the end of a block.
  bool EdgeCopies(BlockId b) {
    const Block& block = f_.block(b);
    if (block.succs.size() != 1 || block.succs[0].num_args == 0) return true;
    const Edge& e = block.succs[0];
    std::vector<std::vector<Move>> moves(t_.pools.size());
    std::vector<UnitSet> busy(t_.pools.size());
    for (uint32_t k = 0; k < e.num_args; ++k) {
      const Operand& a = f_.args(e)[k];
      const ValueId p = f_.block(e.to).params[k];
      const ValueInfo& v = info(p);
      if (IsValue(a)) SetReg(e.first_arg + k, a);
      if (!IsValue(a) || loc_[p.index] == kNowhere || loc_[a.id] == kNowhere) continue;
      busy[v.pool].insert(loc_[p.index], v.units);
      const bool no_mask = IsWhole(t_, f_.value(p));
      for (uint32_t c = 0; c < f_.value(p).comps; ++c) {
        if (!l_.used(l_.first_slot(p) + c)) continue;
        AddMoves(p, loc_[p.index] + c * v.per_comp, PlaceOf(a) + c * v.per_comp, v.per_comp,
                 no_mask, &moves[v.pool]);
      }
    }
    const auto keep = [&](size_t g) {
      const uint32_t slot = l_.global_slot(static_cast<uint32_t>(g));
      const ValueId v = l_.slot_value(slot);
      if (loc_[v.index] != kNowhere) {
        busy[info(v).pool].insert(SlotUnit(slot), info(v).per_comp);
      }
    };
    l_.live_out(b).for_each(keep);
    l_.parked(b).for_each(keep);
    for (size_t p = 0; p < t_.pools.size(); ++p) {
      if (moves[p].empty()) continue;
      Insertion in{b, BeforeTerminator(b), {}};
      if (!SequenceMoves(moves[p], busy[p], pools_[p].units, &in.steps)) {
        why_ = {block.succs[0].to.valid() ? f_.block(e.to).params[0] : ValueId(), b};
        return false;
      }
      for (const MoveStep& s : in.steps) {
        out_.top[p] = std::max(out_.top[p], s.to + s.units);
      }
      out_.insertions.push_back(std::move(in));
    }
    return true;
  }

  uint32_t BeforeTerminator(BlockId b) const {
    const std::vector<InstId>& insts = f_.block(b).insts;
    const bool has = !insts.empty() && IsTerminator(insts.back());
    return static_cast<uint32_t>(insts.size()) - has;
  }

  // ---- Compaction.

  // Must the value be at home at the end of the block: is it needed afterwards, by the terminator,
  // by an edge, or held by parked lanes?
  bool Stays(ValueId v) {
    if (!stays_known_) {
      stays_known_ = true;
      ++epoch_;
      const auto stay = [&](ValueId u) { stays_epoch_[u.index] = epoch_; };
      const auto stay_global = [&](size_t g) {
        stay(l_.slot_value(l_.global_slot(static_cast<uint32_t>(g))));
      };
      l_.live_out(block_).for_each(stay_global);
      l_.parked(block_).for_each(stay_global);
      const Block& b = f_.block(block_);
      for (const Edge& e : b.succs) {
        for (const Operand& o : f_.args(e)) {
          if (IsValue(o)) stay(o.value());
        }
      }
      if (!b.insts.empty() && IsTerminator(b.insts.back())) {
        for (const Operand& o : f_.uses(b.insts.back())) {
          if (IsValue(o)) stay(o.value());
        }
      }
    }
    return stays_epoch_[v.index] == epoch_;
  }

  // Values that overlap (in different lanes) move together, with all their live components.
  struct Cluster {
    uint32_t lo = kNowhere, hi = 0;
    uint32_t alignment = 1;  // of the distance it moves
    bool stays = false;
    absl::InlinedVector<ValueId, 2> members;
    absl::InlinedVector<uint32_t, 4> slots;
    uint32_t to = kNowhere;
  };

  // Everything in the pool that is live or held by parked lanes, in order of place.
  std::vector<uint32_t> PresentSlots(uint8_t pool) {
    std::vector<uint64_t> keys;  // place, slot
    const auto add = [&](uint32_t slot) {
      const ValueId v = l_.slot_value(slot);
      if (info(v).pool != pool || loc_[v.index] == kNowhere) return;
      keys.push_back(uint64_t{SlotUnit(slot)} << 32 | slot);
    };
    for (uint32_t s : LiveSlots()) add(s);
    l_.parked(block_).for_each([&](size_t g) {
      const uint32_t s = l_.global_slot(static_cast<uint32_t>(g));
      if (!Alive(s)) add(s);
    });
    std::sort(keys.begin(), keys.end());
    std::vector<uint32_t> slots;
    slots.reserve(keys.size());
    for (uint64_t k : keys) slots.push_back(static_cast<uint32_t>(k));
    return slots;
  }

  std::vector<Cluster> Clusters(uint8_t pool) {
    const std::vector<uint32_t> slots = PresentSlots(pool);
    std::vector<uint32_t>& leader = leader_;  // only those of present slots are right
    std::vector<uint32_t>& index = cluster_;
    leader.resize(f_.values.size());
    index.resize(f_.values.size());
    for (uint32_t s : slots) {
      const uint32_t v = l_.slot_value(s).index;
      leader[v] = v;
      index[v] = kNowhere;
    }
    const auto find = [&](uint32_t v) {
      while (leader[v] != v) v = leader[v] = leader[leader[v]];
      return v;
    };
    uint32_t end = 0, last = kNowhere;  // of the slot that reaches farthest
    for (uint32_t s : slots) {
      const uint32_t v = l_.slot_value(s).index, hi = SlotUnit(s) + info_[v].per_comp;
      if (last != kNowhere && SlotUnit(s) < end) leader[find(v)] = find(last);
      if (hi > end) {
        end = hi;
        last = v;
      }
    }
    std::vector<Cluster> clusters;
    clusters.reserve(slots.size());
    for (uint32_t s : slots) {
      const ValueId v = l_.slot_value(s);
      uint32_t& k = index[find(v.index)];
      if (k == kNowhere) {
        k = static_cast<uint32_t>(clusters.size());
        clusters.emplace_back();
      }
      Cluster& c = clusters[k];
      c.lo = std::min(c.lo, SlotUnit(s));
      c.hi = std::max(c.hi, SlotUnit(s) + info(v).per_comp);
      c.slots.push_back(s);
      if (std::find(c.members.begin(), c.members.end(), v) != c.members.end()) continue;
      // Layouts that share lanes must keep their phase; what moves alone need not.
      if (!c.members.empty()) c.alignment = std::max({c.alignment, info(v).per_comp, 8u});
      c.alignment = std::max(c.alignment, info(v).alignment);
      c.stays |= Stays(v);
      c.members.push_back(v);
    }
    return clusters;
  }

  // Makes room for the value by moving others out of the way, for all lanes, before the
  // instruction at hand. Values that stay beyond the block go home at its end, so only a value
  // that does not stay may take their homes.
  // For a collect, parts that end there need not make room: they are sources of its moves.
  bool Compact(ValueId v, InstId collect) {
    const ValueInfo& want = info(v);
    Pool& p = pools_[want.pool];
    if (!raw_value_[want.pool].valid() || out_.compactions >= kMaxCompactions) return false;
    std::vector<Cluster> clusters = Clusters(want.pool);
    // What no moving can make room in.
    UnitSet fixed;
    const LaneLayout whole;
    FlushWrites();
    for (uint32_t row : late_[v.index]) Written(row, want.pool).AddConflicts(whole, &fixed);
    for (const auto& [other, reg] : placed_) {
      if (info(other).pool == want.pool) fixed.insert(reg, info(other).written);
    }
    const bool v_stays = Stays(v);
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
        for (uint32_t s : c.slots) in_the_way.erase(SlotUnit(s), info(l_.slot_value(s)).per_comp);
      }
      clusters.erase(std::remove_if(clusters.begin(), clusters.end(), ends), clusters.end());
    }
    std::vector<std::pair<uint32_t, uint32_t>> windows;  // units to move, place
    const uint32_t first = f_.value(v).in_tail ? t_.pools[want.pool].tail_first : 0;
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

  bool EndsAt(const Cluster& c, InstId i) const {
    return std::all_of(c.slots.begin(), c.slots.end(),
                       [&](uint32_t s) { return Alive(s) && dying_[s] == i.index; });
  }

  // Finds new places for all clusters that overlap the window, largest first.
  bool MoveAway(const ValueInfo& want, uint32_t window, const UnitSet& used,
                std::vector<Cluster>* clusters) {
    Pool& p = pools_[want.pool];
    std::vector<Cluster*> moving;
    for (Cluster& c : *clusters) {
      const bool hit = std::any_of(c.slots.begin(), c.slots.end(), [&](uint32_t s) {
        const uint32_t at = SlotUnit(s);
        return at < window + want.written && window < at + info(l_.slot_value(s)).per_comp;
      });
      if (hit) moving.push_back(&c);
    }
    std::stable_sort(moving.begin(), moving.end(), [](const Cluster* a, const Cluster* b) {
      return a->hi - a->lo > b->hi - b->lo;
    });
    UnitSet taken = used;
    taken.insert(window, want.written);
    for (const auto& [other, reg] : placed_) {
      if (info(other).pool == want.pool) taken.insert(reg, info(other).written);
    }
    for (Cluster* c : moving) {
      uint32_t size = 0;
      c->to = BestHole(taken, Lead(*c), p.units, c->hi - c->lo, c->alignment, c->lo % c->alignment,
                       false, &size);
      if (c->to == kNowhere) return false;
      taken.insert(c->to, c->hi - c->lo);
    }
    for (const Cluster* c : moving) MoveCluster(want.pool, *c);
    ++out_.compactions;
    Rebuild();
    return true;
  }

  // Units that its values begin before what is live of them, which may be anybody's. The values must
  // still begin within the pool.
  uint32_t Lead(const Cluster& c) const {
    uint32_t lead = 0;
    for (ValueId v : c.members) {
      if (loc_[v.index] < c.lo) lead = std::max(lead, c.lo - loc_[v.index]);
    }
    return lead;
  }

  void MoveCluster(uint8_t pool, const Cluster& c) {
    std::vector<Move> moves;
    AddClusterMoves(pool, c, c.to, &moves);
    Insertion in{block_, position_, {}};
    for (const Move& m : moves) {
      in.steps.push_back({false, m.to, m.from, m.units, true, m.tag});
    }
    RecordSteps(block_, pool, in.steps);
    out_.insertions.push_back(std::move(in));
    if (c.stays) pools_[pool].displaced_homes.insert(c.lo, c.hi - c.lo);
    for (ValueId v : c.members) {
      moved_.push_back(v);
      loc_[v.index] = loc_[v.index] + c.to - c.lo;
    }
  }

  // A single value moves by components; values that share lanes move as raw units. Only what is
  // live: the units of dead components may belong to others by now.
  void AddClusterMoves(uint8_t pool, const Cluster& c, uint32_t to, std::vector<Move>* moves) {
    UnitSet units;
    for (uint32_t s : c.slots) units.insert(SlotUnit(s), info(l_.slot_value(s)).per_comp);
    const bool raw = c.members.size() > 1 && raw_value_[pool].valid();
    for (uint32_t at = c.lo; at < c.hi;) {
      const uint32_t first = units.next_member(at, c.hi);
      at = units.next_free(first, c.hi);
      if (first < at) {
        AddMoves(raw ? raw_value_[pool] : c.members[0], to + first - c.lo, first, at - first, true,
                 moves);
      }
    }
  }

  // The sets of the pools from what is live and parked, after places have changed.
  void Rebuild() {
    std::vector<LaneSets> parked = FindParked({block_});
    for (size_t p = 0; p < pools_.size(); ++p) {
      pools_[p].live = UnitSet();
      pools_[p].parked = std::move(parked[p]);
    }
    for (uint32_t s : LiveSlots()) {
      pool(l_.slot_value(s)).live.insert(SlotUnit(s), info(l_.slot_value(s)).per_comp);
    }
  }

  // What compaction moved goes home where it is still needed.
  bool RestoreMoved() {
    if (moved_.empty()) return true;
    for (uint8_t pool = 0; pool < pools_.size(); ++pool) {
      std::vector<Move> moves;
      for (const Cluster& c : Clusters(pool)) {
        const ValueId v = c.members[0];
        if (!c.stays || loc_[v.index] == home_[v.index]) continue;
        AddClusterMoves(pool, c, c.lo + home_[v.index] - loc_[v.index], &moves);
      }
      if (moves.empty()) continue;
      UnitSet busy = pools_[pool].live;
      busy |= pools_[pool].parked.all();
      Insertion in{block_, position_, {}};
      if (!SequenceMoves(moves, busy, pools_[pool].units, &in.steps)) {
        return Fail(moved_.front());
      }
      RecordSteps(block_, pool, in.steps);
      out_.insertions.push_back(std::move(in));
    }
    for (ValueId v : moved_) loc_[v.index] = home_[v.index];
    moved_.clear();
    for (Pool& p : pools_) p.displaced_homes = UnitSet();
    Rebuild();
    return true;
  }

  const Target& t_;
  const Function& f_;
  const Liveness& l_;
  const std::vector<ValueInfo>& info_;
  const Order order_;
  Assignment& out_;
  OutOfRegisters& why_;

  std::vector<uint32_t> home_;  // per value, where it is at block boundaries
  std::vector<uint32_t> loc_;   // per value, where it is now
  std::vector<Kept> kept_;           // of the block, by parameter
  std::vector<uint32_t> last_use_;   // by value, in a block that keeps something
  std::vector<uint32_t> hint_;  // per collect definition or parameter, where it would like to be
  std::vector<uint8_t> raw_file_;      // per pool, a file of uniform units; 0xff: none
  std::vector<ValueId> raw_value_;     // some value of that file
  std::vector<std::vector<BlockId>> preds_;  // logical
  std::vector<uint32_t> row_;          // per block that lanes wait for: its row in written_
  std::vector<LaneSets> written_;      // rows x pools
  std::vector<std::vector<uint32_t>> late_;  // per value: rows

  BlockId block_;
  uint32_t position_ = 0;
  std::vector<Pool> pools_;
  std::vector<LaneSets> pending_; // per pool: written in this block, not yet in written_
  std::vector<uint32_t> alive_;   // per slot: the block if it is live at this place
  std::vector<uint32_t> live_list_;  // slots that were alive in this block ...
  std::vector<uint32_t> listed_;     // ... by slot: the block if it is in the list
  std::vector<uint32_t> dying_;   // per slot: the instruction it dies at
  std::vector<std::pair<ValueId, uint32_t>> placed_;  // definitions of the instruction at hand
  std::vector<ValueId> moved_;
  std::vector<uint32_t> leader_, cluster_;  // scratch of Clusters, per value
  std::vector<uint32_t> stays_epoch_;
  uint32_t epoch_ = 0;
  bool stays_known_ = false;
};

}  // namespace

bool Assign(const Target& target, const Function& f, const Liveness& live,
            const std::vector<ValueInfo>& info, Order order, Assignment* out,
            OutOfRegisters* why) {
  return Assigner(target, f, live, info, order, out, why).Run();
}

}  // namespace kiln::lir::ra
