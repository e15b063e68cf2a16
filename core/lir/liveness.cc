#include "core/lir/liveness.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/lir/exits.h"

namespace kiln::lir {

namespace {

template <class F>
void ForEachSlot(const Liveness& l, const Operand& o, F&& f) {
  if (!IsValue(o)) return;
  const uint32_t first = l.first_slot(o.value()) + o.comp;
  for (uint32_t k = 0; k < o.comps; ++k) f(first + k);
}

template <class F>
void ForEachSuccessor(const Block& b, F&& f) {
  for (const Edge& e : b.succs) f(e.to);
  for (BlockId s : b.physical_succs) f(s);
}

bool EndsUniformly(const Machine& t, const Function& f, const Block& b) {
  return !b.insts.empty() && (t.ops[f.inst(b.insts.back()).op].flags & kOpUniformJump);
}

// The blocks' logical predecessors, in one list.
class Predecessors {
 public:
  // A counting sort: first_[b + 1] is the next free entry of block b, and in the end block b's end.
  explicit Predecessors(const Function& f) : first_(f.blocks.size() + 2, 0) {
    for (const Block& b : f.blocks) {
      for (const Edge& e : b.succs) ++first_[e.to.index + 2];
    }
    for (size_t b = 1; b < first_.size(); ++b) first_[b] += first_[b - 1];
    list_.resize(first_.back());
    for (uint32_t b = 0; b < f.blocks.size(); ++b) {
      for (const Edge& e : f.blocks[b].succs) list_[first_[e.to.index + 1]++] = b;
    }
  }
  absl::Span<const uint32_t> of(uint32_t b) const {
    return absl::MakeConstSpan(list_.data() + first_[b], first_[b + 1] - first_[b]);
  }

 private:
  std::vector<uint32_t> first_;
  std::vector<uint32_t> list_;
};

// Adds `more` to `set`; both ascend. Returns true if `set` has grown.
bool Unite(std::vector<BlockId>* set, const std::vector<BlockId>& more) {
  if (std::includes(set->begin(), set->end(), more.begin(), more.end())) return false;
  std::vector<BlockId> both;
  both.reserve(set->size() + more.size());
  std::set_union(set->begin(), set->end(), more.begin(), more.end(), std::back_inserter(both));
  *set = std::move(both);
  return true;
}

}  // namespace

Liveness::Liveness(const Machine& machine, const Function& f, Detail detail) {
  at_exits_ = NeededAtExits(machine, f);
  NumberSlots(f);
  FindWaits(machine, f);
  SolveLogical(f, FindGlobals(machine, f));
  FindParked(f);
  if (detail == Detail::kInstructions) FindDeaths(machine, f);
}

void Liveness::NumberSlots(const Function& f) {
  first_slot_.reserve(f.values.size() + 1);
  first_slot_.push_back(0);
  for (const Value& v : f.values) first_slot_.push_back(first_slot_.back() + v.comps);
  slot_value_.reserve(first_slot_.back());
  for (size_t v = 0; v < f.values.size(); ++v) {
    for (uint32_t c = 0; c < f.values[v].comps; ++c) slot_value_.push_back(ValueId(v));
  }
}

// Forward dataflow over all edges. When the thread goes from B to S, lanes that B sends to another
// block J, and lanes already parked for J, stay parked, provided that the thread reaches J later.
// The thread never passes lanes that wait: going forward it reaches what follows S and the heads of
// loops that S is in; going back to the head S it reaches what follows that loop. (So from an if
// the thread goes directly to the else side only when no lane takes the then side.)
void Liveness::FindWaits(const Machine& machine, const Function& f) {
  const size_t n = f.blocks.size();
  waits_.resize(n);
  std::vector<uint32_t> loop_end(n, 0);  // of a loop head: the last block that jumps back
  for (uint32_t b = 0; b < n; ++b) {
    ForEachSuccessor(f.blocks[b], [&](BlockId s) {
      if (s.index <= b) loop_end[s.index] = std::max(loop_end[s.index], b);
    });
  }
  const auto meets_later = [&](uint32_t b, BlockId s, BlockId j) {
    if (j == s) return false;
    if (j < s) return s.index <= loop_end[j.index];
    return s.index > b || j.index > loop_end[s.index];
  };
  std::vector<BlockId> leaving, parked;  // lanes off when the thread leaves b; those that stay so
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = 0; b < n; ++b) {
      const Block& block = f.blocks[b];
      leaving = waits_[b];
      if (!EndsUniformly(machine, f, block)) {
        for (const Edge& e : block.succs) {
          const auto at = std::lower_bound(leaving.begin(), leaving.end(), e.to);
          if (at == leaving.end() || *at != e.to) leaving.insert(at, e.to);
        }
      }
      ForEachSuccessor(block, [&](BlockId s) {
        parked.clear();
        for (BlockId j : leaving) {
          if (meets_later(b, s, j)) parked.push_back(j);
        }
        changed |= Unite(&waits_[s.index], parked) && s.index <= b;
      });
    }
  }
}

std::vector<Liveness::Crossing> Liveness::FindGlobals(const Machine& machine, const Function& f) {
  std::vector<Crossing> crossings;
  global_.assign(num_slots(), kLocal);
  used_.assign(num_slots(), 0);
  std::vector<BlockId>& def_block = def_block_;
  def_block.assign(f.values.size(), BlockId());
  for (const LiveIn& l : f.live_ins) def_block[l.value.index] = BlockId(0);
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    for (ValueId p : f.blocks[b].params) def_block[p.index] = BlockId(b);
    for (InstId i : f.blocks[b].insts) {
      for (const Operand& o : f.defs(i)) {
        if (IsValue(o)) def_block[o.id] = BlockId(b);
      }
    }
  }
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    const auto use = [&](const Operand& o) {
      ForEachSlot(*this, o, [&](uint32_t slot) {
        used_[slot] = 1;
        if (def_block[o.id] == BlockId(b)) return;
        MakeGlobal(slot);
        crossings.push_back({slot, static_cast<uint32_t>(b), def_block[o.id].index});
      });
    };
    for (InstId i : f.blocks[b].insts) {
      for (const absl::Span<const Operand> list : {f.uses(i), NeededAt(machine, f, i)}) {
        for (const Operand& o : list) use(o);
      }
    }
    for (const Edge& e : f.blocks[b].succs) {
      for (const Operand& o : f.args(e)) use(o);
    }
  }
  std::vector<char> done(f.blocks.size(), 0);
  for (const std::vector<BlockId>& w : waits_) {
    for (BlockId j : w) {
      if (std::exchange(done[j.index], 1)) continue;
      for (ValueId p : f.block(j).params) {
        for (uint32_t s = first_slot(p); s < first_slot_[p.index + 1]; ++s) {
          if (used_[s]) MakeGlobal(s);
        }
      }
    }
  }
  FindHeld(f, &crossings);
  return crossings;
}

void Liveness::MakeGlobal(uint32_t slot) {
  if (global_[slot] != kLocal) return;
  global_[slot] = num_global();
  global_slot_.push_back(slot);
}

void Liveness::FindHeld(const Function& f, std::vector<Crossing>* crossings) {
  for (const LiveIn& l : f.live_ins) {
    for (uint32_t s = first_slot(l.value); l.held && s < first_slot_[l.value.index + 1]; ++s) {
      used_[s] = 1;
      MakeGlobal(s);
      held_.push_back(s);
    }
  }
  for (uint32_t b = 1; b < f.blocks.size(); ++b) {
    if (!f.blocks[b].succs.empty()) continue;
    for (uint32_t s : held_) crossings->push_back({s, b, 0});
  }
}

// Walks from each use upward to the definition: in SSA form that visits exactly the blocks where
// the slot is live, so the cost is the size of the result.
void Liveness::SolveLogical(const Function& f, const std::vector<Crossing>& crossings) {
  const size_t n = f.blocks.size();
  live_in_ = BitMatrix(n, num_global());
  live_out_ = BitMatrix(n, num_global());
  for (size_t b = 0; b < n; ++b) {
    if (!f.blocks[b].succs.empty()) continue;
    for (uint32_t s : held_) live_out_.set(b, global_[s]);
  }
  const Predecessors preds(f);
  std::vector<uint32_t> work;
  for (const Crossing& use : crossings) {
    const uint32_t g = global_[use.slot];
    if (live_in_.test(use.block, g)) continue;
    live_in_.set(use.block, g);
    work.push_back(use.block);
    while (!work.empty()) {
      const uint32_t at = work.back();
      work.pop_back();
      for (uint32_t p : preds.of(at)) {
        live_out_.set(p, g);
        if (p == use.def_block || live_in_.test(p, g)) continue;
        live_in_.set(p, g);
        work.push_back(p);
      }
    }
  }
}

// Computes parked_. If the waits of a block above are a subset, as in all blocks of an if or a
// loop, it starts from that block's set: in deep nests the sets of waits are long, but the
// difference to the block above is short.
void Liveness::FindParked(const Function& f) {
  constexpr uint32_t kNone = ~uint32_t{0};
  const size_t n = f.blocks.size();
  parked_ = BitMatrix(n, num_global());
  std::vector<uint32_t> above(n, kNone);  // first a predecessor, then the block whose set is copied
  for (uint32_t b = 0; b < n; ++b) {
    for (const Edge& e : f.blocks[b].succs) {
      if (e.to.index > b && above[e.to.index] == kNone) above[e.to.index] = b;
    }
  }
  for (size_t b = 0; b < n; ++b) {
    const std::vector<BlockId>& waits = waits_[b];
    uint32_t p = above[b];
    while (p != kNone &&
           !std::includes(waits.begin(), waits.end(), waits_[p].begin(), waits_[p].end())) {
      p = above[p];
    }
    above[b] = p;
    size_t known = 0;  // waits of the block above that the walk has passed
    if (p != kNone) parked_.copy(b, p);
    for (BlockId j : waits) {
      if (p != kNone && known < waits_[p].size() && waits_[p][known] == j) {
        ++known;
        continue;
      }
      parked_.unite(b, live_in_[j.index]);
      for (ValueId v : f.block(j).params) {
        for (uint32_t s = first_slot(v); s < first_slot_[v.index + 1]; ++s) {
          if (used_[s]) parked_.set(b, global_[s]);
        }
      }
    }
  }
}

absl::Span<const Operand> Liveness::NeededAt(const Machine& machine, const Function& f,
                                             InstId i) const {
  if (at_exits_.empty() || !IsExit(machine, f, i)) return {};
  return at_exits_;
}

// Walks each block backward: lists are found from the last position to the first and stored in
// reverse.
void Liveness::FindDeaths(const Machine& machine, const Function& f) {
  std::vector<uint32_t> live_epoch(num_slots(), 0);
  // `end`: end of each position's list in `found`, last position first
  std::vector<uint32_t> found, end;
  size_t places = 1;
  for (const Block& b : f.blocks) places += b.insts.size() + 2;
  first_place_.clear();
  death_offset_.clear();
  deaths_.clear();
  death_offset_.reserve(places);
  deaths_.reserve(num_slots());  // each dies once or more
  found.reserve(num_slots());
  end.reserve(places);
  death_offset_.push_back(0);
  first_place_.reserve(f.blocks.size());
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    const Block& block = f.blocks[b];
    const uint32_t epoch = static_cast<uint32_t>(b) + 1;
    first_place_.push_back(static_cast<uint32_t>(death_offset_.size()) - 1);
    found.clear();
    end.clear();
    const auto end_place = [&] { end.push_back(static_cast<uint32_t>(found.size())); };
    live_out_[b].for_each([&](size_t g) { live_epoch[global_slot_[g]] = epoch; });
    const auto need = [&](const Operand& o) {
      ForEachSlot(*this, o, [&](uint32_t s) {
        if (std::exchange(live_epoch[s], epoch) != epoch) found.push_back(s);
      });
    };
    const auto define = [&](ValueId v) {
      for (uint32_t s = first_slot(v); s < first_slot_[v.index + 1]; ++s) {
        if (std::exchange(live_epoch[s], 0) != epoch) found.push_back(s);
      }
    };
    for (const Edge& e : block.succs) {
      for (const Operand& o : f.args(e)) need(o);
    }
    end_place();
    for (size_t k = block.insts.size(); k-- > 0;) {
      for (const Operand& o : f.defs(block.insts[k])) {
        if (IsValue(o)) define(o.value());
      }
      const InstId i = block.insts[k];
      for (const absl::Span<const Operand> list : {f.uses(i), NeededAt(machine, f, i)}) {
        for (const Operand& o : list) need(o);
      }
      end_place();
    }
    for (ValueId p : block.params) define(p);
    if (b == 0) {
      for (const LiveIn& l : f.live_ins) define(l.value);
    }
    end_place();
    for (size_t p = end.size(); p-- > 0;) {
      const uint32_t first = p == 0 ? 0 : end[p - 1];
      deaths_.insert(deaths_.end(), found.begin() + first, found.begin() + end[p]);
      death_offset_.push_back(static_cast<uint32_t>(deaths_.size()));
    }
  }
}

UnitCounter::UnitCounter(const Machine& t, const Function& f, const Liveness& live)
    : present_(live.num_slots(), 0), units_(t.pools.size(), 0) {
  rows_.reserve(live.num_slots());
  for (const Value& v : f.values) {
    Row r;
    r.pool = t.files[v.file].pool;
    r.units = t.units_per_comp(f, v);
    uint32_t sharing = 1;
    const uint32_t alignment = v.whole_registers ? t.alignment(f, v) : 0;
    if (r.units != 0 && alignment > r.units) {
      sharing = alignment / r.units;
      r.shared = true;
      r.units = alignment;
    }
    for (uint32_t c = 0; c < v.comps; ++c) {
      if (c % sharing == 0) r.first = static_cast<uint32_t>(rows_.size());
      rows_.push_back(r);
    }
  }
}

void UnitCounter::Clear() {
  for (uint32_t s : touched_) present_[s] = 0;
  touched_.clear();
  units_.assign(units_.size(), 0);
}

void UnitCounter::CountShared(const Row& r, int by) {
  uint16_t& present = present_[r.first];
  if (present == 0) touched_.push_back(r.first);
  const bool before = present != 0;
  present = static_cast<uint16_t>(present + by);
  units_[r.pool] += (int64_t{present != 0} - int64_t{before}) * r.units;
}

namespace {

// Units of the slots that parked lanes hold and that are not live into the block. A held slot that
// is defined there (a loop) is counted twice, which can only overstate the pressure. The slots
// change little from block to block, so they are updated: in deep nests there are as many as
// levels.
class WaitingUnits {
 public:
  WaitingUnits(const Machine& t, const Function& f, const Liveness& l, const UnitCounter& empty)
      : t_(t), f_(f), l_(l), whole_(empty), all_(empty) {}

  void Enter(BlockId b) {
    const BitMatrix::Row parked = l_.parked(b), in = l_.live_in(b);
    slots_.resize(parked.num_words());
    for (size_t w = 0; w < slots_.size(); ++w) {
      const uint64_t now = parked.word(w) & ~in.word(w), changed = now ^ slots_[w];
      slots_[w] = now;
      ForEachBit(&changed, 1, [&](size_t i) {
        const uint32_t slot = l_.global_slot(static_cast<uint32_t>(w * 64 + i));
        Count(slot, (now >> i & 1) != 0);
      });
    }
  }
  const std::vector<int64_t>& whole() const { return whole_.units(); }  // per pool
  const std::vector<int64_t>& all() const { return all_.units(); }

 private:
  void Count(uint32_t slot, bool comes) {
    const auto count = [&](UnitCounter& c) { comes ? c.Add(slot) : c.Remove(slot); };
    if (IsWhole(t_, f_.value(l_.slot_value(slot)))) count(whole_);
    count(all_);
  }

  const Machine& t_;
  const Function& f_;
  const Liveness& l_;
  UnitCounter whole_, all_;
  std::vector<uint64_t> slots_;  // bits of global numbers
};

std::vector<Pressure> PressureOf(const Machine& t, const Function& f, const Liveness& l, BlockId b,
                                 const WaitingUnits& waiting, UnitCounter* scratch) {
  const Block& block = f.block(b);
  UnitCounter& live = *scratch;
  live.Clear();
  std::vector<Pressure> max(t.pools.size());
  const auto add_all = [&](ValueId v) {
    for (uint32_t c = 0; c < f.value(v).comps; ++c) live.Add(l.first_slot(v) + c);
  };
  const BitMatrix::Row in = l.live_in(b);
  const std::vector<int64_t>& whole = waiting.whole();
  const std::vector<int64_t>& parked = waiting.all();
  const auto record = [&] {
    for (size_t p = 0; p < max.size(); ++p) {
      max[p].logical = std::max<uint32_t>(max[p].logical, live.units()[p] + whole[p]);
      max[p].physical = std::max<uint32_t>(max[p].physical, live.units()[p] + parked[p]);
    }
  };
  in.for_each([&](size_t g) { live.Add(l.global_slot(static_cast<uint32_t>(g))); });
  for (ValueId p : block.params) add_all(p);
  if (b.index == 0) {
    for (const LiveIn& li : f.live_ins) add_all(li.value);
  }
  for (uint32_t s : l.deaths(b, 0)) live.Remove(s);
  record();
  for (size_t k = 0; k < block.insts.size(); ++k) {
    const absl::Span<const Operand> defs = f.defs(block.insts[k]);
    const auto is_def = [&](uint32_t s) {
      const ValueId v = l.slot_value(s);
      for (const Operand& o : defs) {
        if (IsValue(o) && o.value() == v) return true;
      }
      return false;
    };
    bool unused = false;  // definitions that die at once count while they are written
    for (uint32_t s : l.deaths(b, k + 1)) {
      if (is_def(s)) {
        unused = true;
      } else {
        live.Remove(s);
      }
    }
    for (const Operand& o : defs) {
      if (IsValue(o)) add_all(o.value());
    }
    record();
    if (!unused) continue;
    for (uint32_t s : l.deaths(b, k + 1)) {
      if (is_def(s)) live.Remove(s);
    }
  }
  return max;
}

}  // namespace

void ForEachPressure(const Machine& t, const Function& f, const Liveness& l,
                     const std::function<void(const std::vector<Pressure>&)>& receive) {
  UnitCounter scratch(t, f, l);
  WaitingUnits waiting(t, f, l, scratch);
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    waiting.Enter(BlockId(b));
    receive(PressureOf(t, f, l, BlockId(b), waiting, &scratch));
  }
}

std::vector<Pressure> MaxPressure(const Machine& t, const Function& f, const Liveness& l) {
  std::vector<Pressure> max(t.pools.size());
  ForEachPressure(t, f, l, [&](const std::vector<Pressure>& here) {
    for (size_t p = 0; p < max.size(); ++p) {
      max[p].logical = std::max(max[p].logical, here[p].logical);
      max[p].physical = std::max(max[p].physical, here[p].physical);
    }
  });
  return max;
}

}  // namespace kiln::lir
