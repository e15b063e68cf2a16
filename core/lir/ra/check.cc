#include "core/lir/ra/check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "core/lir/print.h"

namespace kiln::lir::ra {

namespace {

// A fact, packed so that facts about one unit are adjacent: unit (24 bits), value (24), k (16).
// Units are numbered pool after pool, then fixed register after fixed register, then the lanes that
// hold spilled values, pool after pool, then those of scratch memory.
using Fact = uint64_t;
constexpr uint32_t kAnywhere = 0xffffff;
constexpr uint32_t kUnitsPerPool = 4096;
constexpr uint32_t kFixedRegisters = 1u << 20, kUnitsPerFixed = 64;
constexpr uint32_t kLanes = 2u << 20, kLanesPerPool = 1u << 16;
constexpr uint32_t kMemory = 4u << 20;

Fact Pack(uint32_t unit, uint32_t value, uint32_t k) {
  return Fact{unit} << 40 | Fact{value} << 16 | k;
}
uint32_t UnitOf(Fact f) { return static_cast<uint32_t>(f >> 40); }
uint32_t ValueOf(Fact f) { return static_cast<uint32_t>(f >> 16 & 0xffffff); }
uint32_t IndexOf(Fact f) { return static_cast<uint32_t>(f & 0xffff); }
Fact At(Fact f, uint32_t unit) { return (f & 0xffffffffffu) | Fact{unit} << 40; }
Fact Named(Fact f, uint32_t value, uint32_t k) { return Pack(UnitOf(f), value, k); }

// The facts of one lane at one point, sorted. `reached` false: all facts.
struct Lane {
  bool reached = false;
  std::vector<Fact> facts;

  bool Has(uint32_t unit, uint32_t value, uint32_t k) const {
    return std::binary_search(facts.begin(), facts.end(), Pack(unit, value, k)) ||
           std::binary_search(facts.begin(), facts.end(), Pack(kAnywhere, value, k));
  }
  void Add(std::vector<Fact> more) {
    if (more.empty()) return;
    std::sort(more.begin(), more.end());
    more.erase(std::unique(more.begin(), more.end()), more.end());
    const auto at = std::lower_bound(facts.begin(), facts.end(), more.front());
    if (at == facts.end() || *at > more.back()) {
      facts.insert(at, more.begin(), more.end());  // as after a write: none are there
      return;
    }
    std::vector<Fact> all;
    all.reserve(facts.size() + more.size());
    std::set_union(facts.begin(), facts.end(), more.begin(), more.end(), std::back_inserter(all));
    facts = std::move(all);
  }
  // The result is valid until the facts change.
  absl::Span<const Fact> About(uint32_t unit) const {
    const auto lo = std::lower_bound(facts.begin(), facts.end(), Pack(unit, 0, 0));
    auto hi = lo;  // few facts are about one unit
    while (hi != facts.end() && UnitOf(*hi) == unit) ++hi;
    return absl::MakeConstSpan(facts).subspan(static_cast<size_t>(lo - facts.begin()),
                                              static_cast<size_t>(hi - lo));
  }
  // Returns the facts about undefined values, which every unit holds: the last ones.
  absl::Span<const Fact> Anywhere() const {
    const auto lo = std::lower_bound(facts.begin(), facts.end(), Pack(kAnywhere, 0, 0));
    return absl::MakeConstSpan(facts).subspan(static_cast<size_t>(lo - facts.begin()));
  }
  template <class P>
  void Drop(P&& gone) {
    facts.erase(std::remove_if(facts.begin(), facts.end(), gone), facts.end());
  }
  template <class P>
  void DropIn(uint32_t unit, uint32_t n, P&& gone) {
    const auto lo = std::lower_bound(facts.begin(), facts.end(), Pack(unit, 0, 0));
    const auto hi = std::lower_bound(lo, facts.end(), Pack(unit + n, 0, 0));
    facts.erase(std::remove_if(lo, hi, gone), hi);
  }
  void DropIn(uint32_t unit, uint32_t n) {
    DropIn(unit, n, [](Fact) { return true; });
  }
  void DropValue(uint32_t v) {
    Drop([v](Fact f) { return ValueOf(f) == v; });
  }

  // Replaces this by its meet with another lane; returns true if it changed.
  bool Meet(const Lane& o) {
    if (!o.reached) return false;
    if (!reached) {
      *this = o;
      return true;
    }
    std::vector<Fact> both;
    std::set_intersection(facts.begin(), facts.end(), o.facts.begin(), o.facts.end(),
                          std::back_inserter(both));
    // A value that one path leaves undefined takes the facts of the other path.
    const auto keep = [&both](const Lane& a, absl::Span<const Fact> undefined) {
      if (undefined.empty()) return;
      std::vector<Fact> kept, all;
      for (Fact f : a.facts) {
        if (std::binary_search(undefined.begin(), undefined.end(), At(f, kAnywhere))) {
          kept.push_back(f);
        }
      }
      std::set_union(both.begin(), both.end(), kept.begin(), kept.end(), std::back_inserter(all));
      both = std::move(all);
    };
    keep(*this, o.Anywhere());
    keep(o, Anywhere());
    if (both == facts) return false;
    facts = std::move(both);
    return true;
  }
};

struct Lanes {
  Lane executing;
  std::vector<std::pair<uint32_t, Lane>> parked;  // by the block they wait for

  Lane& ParkedFor(uint32_t j) {
    for (auto& [block, lane] : parked) {
      if (block == j) return lane;
    }
    parked.push_back({j, Lane()});
    return parked.back().second;
  }
};

class Checker {
 public:
  Checker(const Machine& t, const Function& ssa, const Function& done)
      : t_(t), ssa_(ssa), f_(done) {}

  absl::Status Run() {
    if (f_.side.size() < ssa_.side.size() ||
        !std::equal(ssa_.side.begin(), ssa_.side.end(), f_.side.begin())) {
      return Fail("side rows differ");
    }
    if (f_.blocks.size() != ssa_.blocks.size() || f_.values.size() < ssa_.values.size()) {
      return Fail("blocks or values are missing");
    }
    if (absl::Status s = CheckRanges(); !s.ok()) return s;
    FindFixed();
    FindWhole();
    FindLoops();
    FindLocal();
    if (absl::Status s = FindExits(); !s.ok()) return s;
    if (absl::Status s = FindRepeats(); !s.ok()) return s;
    in_.assign(f_.blocks.size(), Lanes());
    dirty_.assign(f_.blocks.size(), 0);
    dirty_[0] = 1;
    if (absl::Status s = LiveIns(); !s.ok()) return s;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
        if (std::exchange(dirty_[b], 0)) changed |= Flow(b);
      }
    }
    checking_ = true;
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      Flow(b);
      if (!error_.ok()) return error_;
    }
    return FromExits();
  }

 private:
  // ---- Queries about the program.

  absl::Status Fail(const std::string& what) const {
    return absl::InternalError(absl::StrCat("register allocation: ", what));
  }
  void Report(uint32_t b, InstId i, const std::string& what) {
    if (!checking_ || !error_.ok()) return;
    error_ =
        Fail(absl::StrCat("b", b, i.valid() ? " '" + PrintInst(t_, f_, i) + "'" : "", ": ", what));
  }

  uint32_t PerComp(const Value& v) const { return t_.units_per_comp(f_, v); }
  const Value& ValueOfOperand(const Operand& o) const { return f_.values[o.id]; }
  uint32_t Units(const Operand& o) const { return o.comps * PerComp(ValueOfOperand(o)); }
  uint32_t First(const Operand& o) const {
    if (o.kind == Operand::Kind::kFixed) return kFixedRegisters + o.id * kUnitsPerFixed;
    return RegisterKey(ValueOfOperand(o), o.reg);
  }
  uint32_t RegisterKey(const Value& v, uint32_t reg) const {
    return t_.files[v.file].pool * kUnitsPerPool + reg;
  }
  bool PerLane(const Value& v) const { return t_.files[v.file].masked_writes; }
  bool AlwaysMasked(const Value& v) const { return t_.files[v.file].always_masked; }

  bool IsHeld(uint8_t pool, uint32_t first, uint32_t units) const {
    return std::any_of(ssa_.live_ins.begin(), ssa_.live_ins.end(), [&](const LiveIn& l) {
      const Value& v = ssa_.value(l.value);
      return l.held && t_.files[v.file].pool == pool && first < l.reg + v.comps * PerComp(v) &&
             l.reg < first + units;
    });
  }

  absl::Status CheckRanges() const {
    for (const Block& b : f_.blocks) {
      for (InstId i : b.insts) {
        const Inst& in = f_.inst(i);
        for (uint32_t k = 0; k < uint32_t{in.num_defs} + in.num_uses; ++k) {
          const Operand& o = f_.operands[in.first_operand + k];
          if (!IsValue(o)) continue;
          if (o.id >= f_.values.size()) return Fail("an operand has no value");
          const Value& v = f_.values[o.id];
          if (!MayHold(t_, f_, t_.files[v.file].pool, o.reg, Units(o))) {
            return Fail(absl::StrCat("outside the pool: ", PrintInst(t_, f_, i)));
          }
          if (o.comp == 0 && o.reg % t_.alignment(f_, v) != 0) {
            return Fail(absl::StrCat("misaligned: ", PrintInst(t_, f_, i)));
          }
          if (k < in.num_defs && IsHeld(t_.files[v.file].pool, o.reg, Units(o))) {
            return Fail(absl::StrCat("overlaps a held live-in: ", PrintInst(t_, f_, i)));
          }
        }
      }
    }
    return absl::OkStatus();
  }

  // Finds fixed registers that the program itself uses: inserted instructions must not touch them.
  void FindFixed() {
    for (const Block& b : ssa_.blocks) {
      for (InstId i : b.insts) {
        const Inst& in = ssa_.inst(i);
        for (uint32_t k = 0; k < uint32_t{in.num_defs} + in.num_uses; ++k) {
          const Operand& o = ssa_.operands[in.first_operand + k];
          if (o.kind == Operand::Kind::kFixed) fixed_.push_back(o.id);
        }
      }
    }
  }

  // Finds values that are meaningful in all lanes: uniform ones, live-ins, and per-lane ones that
  // an instruction defines for lanes that are off too. They share their registers with no other
  // value.
  void FindWhole() {
    whole_.assign(ssa_.values.size(), 0);
    for (size_t v = 0; v < whole_.size(); ++v) whole_[v] = !PerLane(ssa_.values[v]);
    for (const LiveIn& l : ssa_.live_ins) {
      whole_[l.value.index] = !AlwaysMasked(ssa_.value(l.value));
    }
    for (const Block& b : ssa_.blocks) {
      for (InstId i : b.insts) {
        for (const Operand& o : ssa_.defs(i)) {
          if (IsValue(o) && WritesOffLanes(t_, ssa_, i, o)) whole_[o.id] = 1;
        }
      }
    }
  }

  // Finds values that are not used outside their block: facts about them end with it.
  void FindLocal() {
    local_.assign(ssa_.values.size(), 1);
    std::vector<uint32_t> home(ssa_.values.size(), ~uint32_t{0});
    for (uint32_t b = 0; b < ssa_.blocks.size(); ++b) {
      for (InstId i : ssa_.blocks[b].insts) {
        for (const Operand& o : ssa_.defs(i)) {
          if (IsValue(o)) home[o.id] = b;
        }
      }
    }
    for (const LiveIn& l : ssa_.live_ins) local_[l.value.index] = 0;  // headers of spills
    for (uint32_t b = 0; b < ssa_.blocks.size(); ++b) {
      for (ValueId p : ssa_.blocks[b].params) local_[p.index] = 0;
      const auto use = [&](const Operand& o) {
        if (IsValue(o) && home[o.id] != b) local_[o.id] = 0;
      };
      for (InstId i : ssa_.blocks[b].insts) {
        for (const Operand& o : ssa_.uses(i)) use(o);
      }
      for (const Edge& e : ssa_.blocks[b].succs) {
        for (const Operand& o : ssa_.args(e)) use(o);
      }
    }
  }

  absl::Status FindExits() {
    has_exits_ = false;
    for (const Block& b : ssa_.blocks) {
      has_exits_ |= std::any_of(b.insts.begin(), b.insts.end(), [&](InstId i) { return Exits(i); });
    }
    const bool same = ssa_.exit_block == f_.exit_block;
    if (has_exits_ && (!same || f_.exit_block.index + size_t{1} != f_.blocks.size())) {
      return Fail("there are exits, but the exit block is not the last");
    }
    return absl::OkStatus();
  }
  bool Exits(InstId i) const { return (t_.ops[ssa_.inst(i).op].flags & kOpExit) != 0; }

  absl::Status FindRepeats() {
    repeat_of_.assign(f_.insts.size(), InstId());
    for (const Repeat& r : f_.repeats) {
      if (r.inst.index >= f_.insts.size() || r.original.index >= ssa_.insts.size()) {
        return Fail("a repeated computation is out of range");
      }
      repeat_of_[r.inst.index] = r.original;
    }
    return absl::OkStatus();
  }

  void FindLoops() {
    loop_last_.assign(f_.blocks.size(), 0);
    for (uint32_t b = 0; b < f_.blocks.size(); ++b) {
      for (uint32_t s : ThreadSuccessors(b)) {
        if (s <= b) loop_last_[s] = std::max(loop_last_[s], b);
      }
    }
  }

  std::vector<uint32_t> ThreadSuccessors(uint32_t b) const {
    std::vector<uint32_t> s;
    for (const Edge& e : f_.blocks[b].succs) s.push_back(e.to.index);
    for (BlockId p : f_.blocks[b].physical_succs) s.push_back(p.index);
    return s;
  }

  // Returns true if lanes can still wait for j once the thread has gone from b to s: the thread
  // never passes waiting lanes.
  bool StillAhead(uint32_t b, uint32_t s, uint32_t j) const {
    const bool thread_goes_back = s <= b;
    if (j > s) return thread_goes_back ? loop_last_[s] < j : true;
    return j < s && s <= loop_last_[j];  // a loop that s is in
  }

  absl::Status LiveIns() {
    Lane& lane = in_[0].executing;
    lane.reached = true;
    std::vector<Fact> facts;
    for (const LiveIn& l : ssa_.live_ins) {
      const Value& v = ssa_.value(l.value);
      for (uint32_t k = 0; k < PerComp(v) * v.comps; ++k) {
        facts.push_back(Pack(RegisterKey(v, l.reg) + k, l.value.index, k));
      }
    }
    lane.Add(std::move(facts));
    return absl::OkStatus();
  }

  // ---- Steps.

  struct Writer {
    bool no_mask;
    uint8_t elem_bytes;
    uint32_t per_comp;
  };

  // Returns true if a write by other lanes leaves this fact true for a lane that is off.
  bool Survives(Fact f, const Writer& w, uint32_t k) const {
    if (w.no_mask || UnitOf(f) == kAnywhere) return false;
    const Value& v = ssa_.values[ValueOf(f)];
    return !whole_[ValueOf(f)] && v.elem_bytes == w.elem_bytes && PerComp(v) == w.per_comp &&
           IndexOf(f) % w.per_comp == k % w.per_comp;
  }

  void WriteParked(Lanes* lanes, uint32_t first, uint32_t n, const Writer& w) const {
    for (auto& [j, lane] : lanes->parked) {
      lane.DropIn(first, n, [&](Fact f) { return !Survives(f, w, UnitOf(f) - first); });
    }
  }

  // Drops the facts about pools that the instruction clobbers, for waiting lanes as well.
  void Clobber(Lanes* lanes, InstId i) const {
    for (uint32_t pools = t_.ops[f_.inst(i).op].clobbers, p = 0; pools != 0; pools >>= 1, ++p) {
      if (!(pools & 1)) continue;
      lanes->executing.DropIn(p * kUnitsPerPool, kUnitsPerPool);
      for (auto& [j, lane] : lanes->parked) lane.DropIn(p * kUnitsPerPool, kUnitsPerPool);
    }
  }

  // `again`: the value stays in its other registers and gets these in addition.
  void Define(Lanes* lanes, InstId i, const Operand& def, bool again = false) const {
    const Value& v = ValueOfOperand(def);
    const uint32_t n = Units(def), first = First(def);
    const uint32_t align = std::max(1u, t_.alignment(f_, v));
    const uint32_t written = v.whole_registers ? (n + align - 1) / align * align : n;
    const bool uniform = !PerLane(v);
    const Writer w{WritesOffLanes(t_, f_, i, def), v.elem_bytes, PerComp(v)};
    std::vector<Fact> facts;
    for (uint32_t k = 0; k < n; ++k) facts.push_back(Pack(first + k, def.id, k));
    lanes->executing.DropIn(first, written);
    if (!again) lanes->executing.DropValue(def.id);
    lanes->executing.Add(facts);
    WriteParked(lanes, first, written, w);
    if (!uniform) return;
    for (auto& [j, lane] : lanes->parked) lane.Add(facts);
  }

  // Returns the facts about units [from, from + n) of a lane after a move to `to`.
  std::vector<Fact> Carried(const Lane& lane, uint32_t to, uint32_t from, uint32_t n,
                            const Writer& w) const {
    std::vector<Fact> facts;
    for (uint32_t k = 0; k < n; ++k) {
      for (Fact f : lane.About(from + k)) {
        const Value& v = ssa_.values[ValueOf(f)];
        const bool meets_lanes = PerLane(v) && v.elem_bytes == w.elem_bytes &&
                                 PerComp(v) == w.per_comp &&
                                 IndexOf(f) % w.per_comp == k % w.per_comp;
        if (w.no_mask || meets_lanes) facts.push_back(At(f, to + k));
      }
    }
    return facts;
  }

  Writer WriterOf(InstId i, const Value& shape) const {
    return {(f_.inst(i).flags & kNoMask) != 0, shape.elem_bytes, PerComp(shape)};
  }

  void Copy(Lanes* lanes, InstId i) {
    const Operand& d = f_.defs(i)[0];
    const Operand& u = f_.uses(i)[0];
    const uint32_t to = First(d), from = First(u);
    const uint32_t n = Units(IsFixed(d) ? u : d), m = Units(IsFixed(u) ? d : u);
    const Writer w = WriterOf(i, ValueOfOperand(IsFixed(d) ? u : d));
    const bool other_pool =
        to / kUnitsPerPool != from / kUnitsPerPool && !IsFixed(d) && !IsFixed(u);
    const auto carry = [&](const Lane& lane) {
      if (!other_pool) return Carried(lane, to, from, n, w);
      // Copies a whole flag to one uniform register, or back.
      std::vector<Fact> facts;
      for (uint32_t k = 0; k < m; ++k) {
        for (Fact f : lane.About(from + k)) {
          if (w.no_mask) facts.push_back(At(f, to + (n == 1 ? 0 : IndexOf(f) % n)));
        }
      }
      return facts;
    };
    std::vector<Fact> facts = carry(lanes->executing);
    lanes->executing.DropIn(to, n);
    lanes->executing.Add(std::move(facts));
    if (!w.no_mask) return WriteParked(lanes, to, n, w);
    for (auto& [j, lane] : lanes->parked) {
      facts = carry(lane);
      lane.DropIn(to, n);
      lane.Add(std::move(facts));
    }
  }

  static bool IsFixed(const Operand& o) { return o.kind == Operand::Kind::kFixed; }
  // A copy through a fixed register has a pool register on one side only, which gives the shape.
  static bool IsRegister(const Operand& o) { return IsValue(o) || IsFixed(o); }

  void Swap(Lanes* lanes, InstId i) const {
    const Operand& d = f_.defs(i)[0];
    const uint32_t a = First(f_.uses(i)[0]), b = First(f_.uses(i)[1]), n = Units(d);
    const Writer w = WriterOf(i, ValueOfOperand(d));
    const auto swap = [&](Lane* lane) {
      std::vector<Fact> facts = Carried(*lane, a, b, n, w);
      const std::vector<Fact> back = Carried(*lane, b, a, n, w);
      facts.insert(facts.end(), back.begin(), back.end());
      lane->DropIn(a, n);
      lane->DropIn(b, n);
      lane->Add(std::move(facts));
    };
    swap(&lanes->executing);
    if (!w.no_mask) {
      WriteParked(lanes, a, n, w);
      WriteParked(lanes, b, n, w);
      return;
    }
    for (auto& [j, lane] : lanes->parked) swap(&lane);
  }

  // Models the thread leaving the block at an exit, when no active lane is left. Lanes that wait
  // become active in their block; if no lane waits, the thread arrives at the exit block without
  // lanes.
  void LeaveByExit(uint32_t b, const Lanes& lanes) {
    Lane thread = lanes.executing;
    thread.Drop([&](Fact f) { return local_[ValueOf(f)] != 0; });
    from_exits_.Meet(thread);
    for (const auto& [j, lane] : lanes.parked) {
      bool changed = in_[j].executing.Meet(lane);
      for (const auto& [k, other] : lanes.parked) {
        if (k != j && StillAhead(b, j, k)) changed |= in_[j].ParkedFor(k).Meet(other);
      }
      if (changed) dirty_[j] = 1;
      exit_changed_ |= changed;
    }
  }

  // Checks the exit block once more for the thread that arrives from an exit: values that it reads
  // for all lanes must be in their registers; per-lane values are undefined there.
  absl::Status FromExits() {
    if (!from_exits_.reached) return absl::OkStatus();
    thread_alone_ = true;
    Lanes lanes;
    lanes.executing = from_exits_;
    Execute(ssa_.exit_block.index, &lanes);
    return error_;
  }
  bool ReadForAllLanes(InstId original, const Operand& use) const {
    return (ssa_.inst(original).flags & kNoMask) || !PerLane(ssa_.values[use.id]);
  }

  // Appends the facts that follow from giving the k-th units of `from` (an SSA operand) a new name.
  void Rename(const Lane& lane, const Operand& from, uint32_t to, uint32_t offset, uint32_t units,
              std::vector<Fact>* out) const {
    if (!IsValue(from)) {
      for (uint32_t k = 0; k < units; ++k) out->push_back(Pack(kAnywhere, to, offset + k));
      return;
    }
    const uint32_t first = from.comp * PerComp(ssa_.values[from.id]);
    for (Fact f : lane.facts) {
      if (ValueOf(f) != from.id || IndexOf(f) < first || IndexOf(f) >= first + units) continue;
      out->push_back(Named(f, to, offset + IndexOf(f) - first));
    }
  }

  static Operand NoPart() { return Operand(); }

  // As in Define, the uniform parts of a uniform value are the same for parked lanes.
  void RenameDropped(Lanes* lanes, InstId i) const {
    const Operand& def = ssa_.defs(i)[0];
    const uint32_t own = PerComp(ssa_.values[def.id]);
    std::vector<Fact> facts, uniform;
    uint32_t offset = 0;
    for (const Operand& o : ssa_.uses(i)) {
      const uint32_t n = o.comps * (IsValue(o) ? PerComp(ssa_.values[o.id]) : own);
      if (thread_alone_ && IsValue(o) && !ReadForAllLanes(i, o)) {
        Rename(lanes->executing, NoPart(), def.id, offset, n, &facts);
      }
      const size_t before = facts.size();
      Rename(lanes->executing, o, def.id, offset, n, &facts);
      if (IsValue(o) && !PerLane(ssa_.values[o.id]) && !PerLane(ssa_.values[def.id])) {
        uniform.insert(uniform.end(), facts.begin() + static_cast<std::ptrdiff_t>(before),
                       facts.end());
      }
      offset += n;
    }
    lanes->executing.DropValue(def.id);
    lanes->executing.Add(std::move(facts));
    for (auto& [j, lane] : lanes->parked) lane.Add(uniform);
  }

  Lane AlongEdge(const Lane& lane, const Edge& e) const {
    Lane out = lane;
    if (!lane.reached) return out;
    std::vector<Fact> facts;
    const std::vector<ValueId>& params = ssa_.block(e.to).params;
    for (size_t k = 0; k < params.size(); ++k) {
      const Value& p = ssa_.value(params[k]);
      Rename(lane, ssa_.args(e)[k], params[k].index, 0, PerComp(p) * p.comps, &facts);
    }
    out.Drop([&](Fact f) {
      const uint32_t v = ValueOf(f);
      return local_[v] || std::find(params.begin(), params.end(), ValueId(v)) != params.end();
    });
    out.Add(std::move(facts));
    return out;
  }

  // ---- Comparison of instructions with their originals.

  bool MayBeDropped(InstId i) const {
    const uint32_t flags = t_.ops[ssa_.inst(i).op].flags;
    if (flags & kOpCollect) return true;
    const Inst& in = ssa_.inst(i);
    return (flags & kOpCopy) && in.num_uses == 1 && in.predicate_mode == 0 && in.cmod == 0 &&
           !(in.flags & kSaturate) && ssa_.uses(i)[0].mods == 0 && IsValue(ssa_.uses(i)[0]) &&
           IsValue(ssa_.defs(i)[0]);
  }

  bool IsPure(InstId i) const {
    return !(t_.ops[ssa_.inst(i).op].flags &
             (kOpTerminator | kOpSideEffect | kOpBarrier | kOpWritesMemory | kOpExit));
  }

  // Returns true if instruction i of the result is the original `o`, or an inserted repetition of
  // it.
  bool SameInstruction(InstId o, InstId i) const {
    const Inst& a = ssa_.inst(o);
    const Inst& b = f_.inst(i);
    const uint8_t inserted = o == i ? 0 : kInsertedCopy;
    if (a.op != b.op || a.width != b.width || a.group != b.group ||
        (a.flags | inserted) != b.flags || a.cmod != b.cmod ||
        a.predicate_mode != b.predicate_mode || a.num_defs != b.num_defs ||
        a.num_uses != b.num_uses || a.aux != b.aux) {
      return false;
    }
    for (uint32_t k = 0; k < uint32_t{a.num_defs} + a.num_uses; ++k) {
      const Operand& x = ssa_.operands[a.first_operand + k];
      const Operand& y = f_.operands[b.first_operand + k];
      if (x.kind != y.kind || x.type != y.type || x.mods != y.mods || x.sub != y.sub ||
          x.comps != y.comps) {
        return false;
      }
      // A use may name a filled or repeated value; the facts are checked, not the name.
      const bool renamed = IsValue(x) && (k >= a.num_defs || inserted != 0);
      if (!renamed && x.id != y.id) return false;
      if (x.id == y.id && x.comp != y.comp) return false;
      if (IsValue(x) && ssa_.values[x.id].file != f_.values[y.id].file) return false;
    }
    return true;
  }

  void CheckUses(uint32_t b, InstId o, InstId i, const Lane& lane) {
    if (!lane.reached) return;
    for (uint32_t u = 0; u < ssa_.inst(o).num_uses; ++u) {
      const Operand& want = ssa_.uses(o)[u];
      if (!IsValue(want) || (thread_alone_ && !ReadForAllLanes(o, want))) continue;
      const uint32_t at = First(f_.uses(i)[u]);
      const uint32_t skip = want.comp * PerComp(ssa_.values[want.id]);
      for (uint32_t k = 0; k < want.comps * PerComp(ssa_.values[want.id]); ++k) {
        if (lane.Has(at + k, want.id, skip + k)) continue;
        return Report(b, i,
                      absl::StrCat("unit ", (at + k) % kUnitsPerPool, " does not hold %", want.id,
                                   " unit ", skip + k));
      }
    }
  }

  static bool Overlap(uint32_t a, uint32_t an, uint32_t b, uint32_t bn) {
    return a < b + bn && b < a + an;
  }

  void CheckDefs(uint32_t b, InstId i) {
    const Inst& in = f_.inst(i);
    for (uint32_t d = 0; d < in.num_defs; ++d) {
      const Operand& def = f_.defs(i)[d];
      if (!IsValue(def)) continue;
      const Value& v = ValueOfOperand(def);
      if (v.in_tail && def.reg < t_.pools[t_.files[v.file].pool].tail_first) {
        Report(b, i, "not in the tail of the pool");
      }
      for (uint32_t o = 0; o < d; ++o) {
        const Operand& other = f_.defs(i)[o];
        if (IsValue(other) && Overlap(First(def), Units(def), First(other), Units(other))) {
          Report(b, i, "two definitions overlap");
        }
      }
      const int tied = d == 0 ? t_.ops[in.op].tied : OpInfo::kNotTied;
      if (tied != OpInfo::kNotTied && First(f_.uses(i)[tied]) != First(def)) {
        Report(b, i, "the definition is not in the register of its tied use");
      }
      for (uint32_t u = 0; u < in.num_uses; ++u) {
        const Operand& use = f_.uses(i)[u];
        if (!IsValue(use) || !Overlap(First(def), Units(def), First(use), Units(use))) continue;
        const bool identity = First(def) == First(use) &&
                              ((t_.ops[in.op].flags & kOpCopy) || tied == static_cast<int>(u));
        if (First(def) != First(use) ||
            (!identity && !t_.may_reuse_source(f_, i, static_cast<int>(d), static_cast<int>(u)))) {
          Report(b, i, "the definition overwrites a source too early");
        }
      }
    }
  }

  // Executes inserted instructions; `insts` from *k on. Advances *k past those it recognises.
  void Inserted(uint32_t b, const std::vector<InstId>& insts, size_t* k, Lanes* lanes) {
    const InstId i = insts[*k];
    const Inst& in = f_.inst(i);
    const uint32_t flags = t_.ops[in.op].flags;
    CheckInserted(b, i);
    if (!repeat_of_[i.index].valid()) Clobber(lanes, i);
    if (flags & (kOpSpill | kOpFill)) return Scratch(b, i, lanes);
    if (repeat_of_[i.index].valid()) return Repeated(b, i, lanes);
    if (IsFarHeader(i)) return FarHeader(b, i, lanes);
    if (in.num_defs == 1 && in.num_uses == 1 && IsRegister(f_.defs(i)[0]) &&
        IsRegister(f_.uses(i)[0]) && (IsValue(f_.defs(i)[0]) || IsValue(f_.uses(i)[0]))) {
      const Operand& d = f_.defs(i)[0];
      const Operand& u = f_.uses(i)[0];
      if (IsValue(d) && IsValue(u) && First(d) != First(u) &&
          Overlap(First(d), Units(d), First(u), Units(u))) {
        Report(b, i, "a copy overlaps itself");
      }
      return Copy(lanes, i);
    }
    if (IsSwap(insts, *k)) {
      Swap(lanes, i);
      *k += 2;
      return;
    }
    if (IsExchange(i)) return Swap(lanes, i);
    Report(b, i, "an inserted instruction is neither a copy nor a swap");
  }

  // Checks restrictions that hold for every inserted instruction.
  void CheckInserted(uint32_t b, InstId i) {
    const Inst& in = f_.inst(i);
    for (uint32_t k = 0; k < uint32_t{in.num_defs} + in.num_uses; ++k) {
      const Operand& o = f_.operands[in.first_operand + k];
      if (k < in.num_defs && IsValue(o) && (in.flags & kNoMask) &&
          AlwaysMasked(ValueOfOperand(o))) {
        Report(b, i, "inactive lanes of this file are never written");
      }
      if (IsFixed(o) && std::find(fixed_.begin(), fixed_.end(), o.id) != fixed_.end()) {
        Report(b, i, "the program uses the fixed register");
      }
    }
  }

  // Executes a spill or fill: a copy of units between registers and spill slots.
  void Scratch(uint32_t b, InstId i, Lanes* lanes) {
    const bool fill = t_.ops[f_.inst(i).op].flags & kOpFill;
    const Operand& place = f_.uses(i).back();
    const Operand& data = fill ? f_.defs(i)[0] : f_.uses(i)[f_.uses(i).size() - 2];
    const SpillHooks* hooks = SpillsOf(t_, t_.files[ValueOfOperand(data).file].pool);
    if (hooks == nullptr) return Report(b, i, "values of this pool are not spilled");
    const uint32_t align = hooks->register_units;
    if (place.kind != Operand::Kind::kImm || place.id % align != 0 || data.reg % align != 0) {
      return Report(b, i, "a scratch message is misaligned");
    }
    const Writer w = WriterOf(i, ValueOfOperand(data));
    const bool always_masked = AlwaysMasked(ValueOfOperand(data));
    if (always_masked && w.no_mask) Report(b, i, "the message cannot reach inactive lanes");
    if (fill && !w.no_mask && !always_masked) Report(b, i, "a fill is masked");
    if (!w.no_mask && !always_masked &&
        (!hooks->can_mask(f_, ValueOfOperand(data)) || data.comps != 1)) {
      Report(b, i, "the store cannot be masked");
    }
    const bool in_memory = hooks->to_pool == SpillHooks::kToMemory;
    if (in_memory) CheckHeader(b, i, place.id, *lanes);
    CheckDefs(b, i);
    if (!fill) {  // temporaries that the store defines
      for (const Operand& d : f_.defs(i)) {
        lanes->executing.DropIn(First(d), Units(d));
        WriteParked(lanes, First(d), Units(d), Writer{true, 0, 1});
      }
    }
    const uint32_t n = (Units(data) + align - 1) / align * align;
    if (in_memory && !w.no_mask && place.id + n > hooks->direct_units) {
      Report(b, i, "a masked store is too far away");
    }
    if (!in_memory && place.id + n > LanePlaces(*hooks)) {
      return Report(b, i, "the lanes of that slot are not reserved");
    }
    const uint32_t memory = (in_memory ? kMemory : kLanes + hooks->pool * kLanesPerPool) + place.id;
    MoveUnits(lanes, fill ? First(data) : memory, fill ? memory : First(data), n, w);
  }
  // Number of lane slots reserved for spilled values of the pool: CheckRanges keeps values off
  // them.
  uint32_t LanePlaces(const SpillHooks& hooks) const {
    for (const Reserved& r : f_.reserved) {
      const bool its_own = r.spilled_pool == hooks.pool && r.pool == hooks.to_pool;
      if (its_own) return r.units * hooks.places_per_unit(f_);
    }
    return 0;
  }

  // Checks the header: it is the live-in, or one made for this slot directly before.
  void CheckHeader(uint32_t b, InstId i, uint32_t place, const Lanes& lanes) {
    const size_t others = t_.ops[f_.inst(i).op].flags & kOpFill ? 1 : 2;  // slot, payload
    if ((f_.uses(i).size() > others) != ssa_.scratch_header.valid()) {
      return Report(b, i, "scratch messages have a header exactly if the function has one");
    }
    if (!ssa_.scratch_header.valid()) return;
    const Operand& header = f_.uses(i)[0];
    if (header.id == ssa_.scratch_header.index) {
      for (uint32_t k = 0; lanes.executing.reached && k < Units(header); ++k) {
        if (!lanes.executing.Has(First(header) + k, header.id, k)) {
          return Report(b, i, "the header is lost");
        }
      }
      return;
    }
    if (far_header_ != FarHeaderState{true, First(header), place}) {
      Report(b, i, "the header is not for this slot");
    }
  }

  bool IsFarHeader(InstId i) const {
    if (!ssa_.scratch_header.valid()) return false;
    return std::any_of(t_.spills.begin(), t_.spills.end(),
                       [&](const SpillHooks& h) { return f_.inst(i).op == h.far_header_op; });
  }
  void FarHeader(uint32_t b, InstId i, Lanes* lanes) {
    const Operand& def = f_.defs(i)[0];
    const Operand& from = f_.uses(i)[0];
    for (uint32_t k = 0; lanes->executing.reached && k < Units(from); ++k) {
      if (!lanes->executing.Has(First(from) + k, from.id, k)) Report(b, i, "the header is lost");
    }
    lanes->executing.DropIn(First(def), Units(def));
    WriteParked(lanes, First(def), Units(def), Writer{true, 0, 1});
    far_header_ = {true, First(def), f_.uses(i).back().id};
  }

  void MoveUnits(Lanes* lanes, uint32_t to, uint32_t from, uint32_t n, const Writer& w) const {
    const auto move = [&](Lane* lane) {
      std::vector<Fact> facts = Carried(*lane, to, from, n, w);
      lane->DropIn(to, n);
      lane->Add(std::move(facts));
    };
    move(&lanes->executing);
    if (!w.no_mask) return WriteParked(lanes, to, n, w);
    for (auto& [j, lane] : lanes->parked) move(&lane);
  }

  // Executes a repeated computation. In SSA form the sources, where they are still held, are those
  // the value was computed from: no path leads from a later definition of a source to a use of the
  // value without passing the value's own definition.
  void Repeated(uint32_t b, InstId i, Lanes* lanes) {
    const InstId o = repeat_of_[i.index];
    if (!IsPure(o) || !SameInstruction(o, i)) return Report(b, i, "not a repetition");
    CheckUses(b, o, i, lanes->executing);
    CheckDefs(b, i);
    Clobber(lanes, i);
    for (uint32_t d = 0; d < f_.inst(i).num_defs; ++d) {
      if (!IsValue(f_.defs(i)[d])) continue;
      Operand def = f_.defs(i)[d];
      def.id = ssa_.defs(o)[d].id;
      Define(lanes, i, def, /*again=*/true);
    }
  }

  // Returns true for one instruction that exchanges: a, b = b, a.
  bool IsExchange(InstId i) const {
    const Inst& in = f_.inst(i);
    if (in.num_defs != 2 || in.num_uses != 2) return false;
    const auto defs = f_.defs(i), uses = f_.uses(i);
    if (!IsValue(defs[0]) || !IsValue(defs[1]) || !IsValue(uses[0]) || !IsValue(uses[1])) {
      return false;
    }
    return First(defs[0]) == First(uses[1]) && First(defs[1]) == First(uses[0]) &&
           !Overlap(First(uses[0]), Units(uses[0]), First(uses[1]), Units(uses[1]));
  }

  // Returns true for the sequence a ^= b; b ^= a; a ^= b.
  bool IsSwap(const std::vector<InstId>& insts, size_t k) const {
    if (k + 3 > insts.size()) return false;
    for (int n = 0; n < 3; ++n) {
      const InstId i = insts[k + n];
      const Inst& in = f_.inst(i);
      const Inst& head = f_.inst(insts[k]);
      if (in.num_defs != 1 || in.num_uses != 2 || in.op != head.op || in.flags != head.flags) {
        return false;
      }
      const uint32_t a = First(f_.uses(insts[k])[0]), b = First(f_.uses(insts[k])[1]);
      if (First(f_.uses(i)[0]) != a || First(f_.uses(i)[1]) != b ||
          First(f_.defs(i)[0]) != (n == 1 ? b : a) ||
          Overlap(a, Units(f_.defs(i)[0]), b, Units(f_.defs(i)[0]))) {
        return false;
      }
    }
    return true;
  }

  void Execute(uint32_t b, Lanes* lanes) {
    const std::vector<InstId>& insts = f_.blocks[b].insts;
    const std::vector<InstId>& originals = ssa_.blocks[b].insts;
    size_t next = 0;  // among the originals
    // Drops facts about computations that were removed, up to the next original that is present:
    // such facts date from an earlier iteration, before the instructions inserted in their stead. A
    // use of such a value is then reported, unless the computation was repeated.
    const auto forget_gone = [&](size_t k) {
      while (k < insts.size() && insts[k].index >= ssa_.insts.size()) ++k;
      for (size_t n = next; n < originals.size(); ++n) {
        const InstId i = originals[n];
        if (k < insts.size() && insts[k] == i) return;
        if (MayBeDropped(i) || !IsPure(i)) continue;
        for (const Operand& d : ssa_.defs(i)) {
          if (IsValue(d)) lanes->executing.DropValue(d.id);
        }
      }
    };
    const auto drop_until = [&](InstId i) {
      while (next < originals.size() && originals[next] != i) {
        if (MayBeDropped(originals[next])) {
          if (lanes->executing.reached) RenameDropped(lanes, originals[next]);
        } else if (!IsPure(originals[next])) {
          Report(b, originals[next], "instruction is missing or moved");
          return;
        }
        ++next;
      }
    };
    forget_gone(0);
    for (size_t k = 0; k < insts.size(); ++k) {
      const InstId i = insts[k];
      if (i.index >= ssa_.insts.size()) {
        if (!(f_.inst(i).flags & kInsertedCopy)) Report(b, i, "unknown instruction");
        Inserted(b, insts, &k, lanes);
        continue;
      }
      drop_until(i);
      if (next == originals.size()) {
        Report(b, i, "instruction is not of this block");
        return;
      }
      ++next;
      if (!SameInstruction(i, i)) return Report(b, i, "instruction was changed");
      CheckUses(b, i, i, lanes->executing);
      CheckDefs(b, i);
      Clobber(lanes, i);
      for (const Operand& d : f_.defs(i)) {
        if (IsValue(d)) Define(lanes, i, d);
      }
      if (has_exits_ && Exits(i)) LeaveByExit(b, *lanes);
      far_header_ = FarHeaderState();
      forget_gone(k + 1);
    }
    drop_until(InstId());
  }

  // Executes block b and passes the lanes on to its successors. Returns true if a block is entered
  // with fewer facts than before.
  bool Flow(uint32_t b) {
    Lanes lanes = in_[b];
    if (!lanes.executing.reached && lanes.parked.empty()) return false;
    exit_changed_ = false;
    Execute(b, &lanes);
    const Block& block = f_.blocks[b];
    const bool uniform =
        !block.insts.empty() && (t_.ops[f_.inst(block.insts.back()).op].flags & kOpUniformJump);
    const std::vector<Edge>& edges = ssa_.blocks[b].succs;
    std::vector<Lane> along;
    for (const Edge& e : edges) along.push_back(AlongEdge(lanes.executing, e));
    bool any_changed = exit_changed_;
    for (uint32_t s : ThreadSuccessors(b)) {
      bool changed = false;
      for (size_t k = 0; k < edges.size(); ++k) {
        const Edge& e = edges[k];
        const Lane& lane = along[k];
        if (e.to.index == s) {
          changed |= in_[s].executing.Meet(lane);
        } else if (!uniform && lane.reached && StillAhead(b, s, e.to.index)) {
          changed |= in_[s].ParkedFor(e.to.index).Meet(lane);
        }
      }
      for (const auto& [j, lane] : lanes.parked) {
        if (j == s) {
          changed |= in_[s].executing.Meet(lane);
        } else if (StillAhead(b, s, j)) {
          changed |= in_[s].ParkedFor(j).Meet(lane);
        }
      }
      if (changed) dirty_[s] = 1;
      any_changed |= changed;
    }
    return any_changed;
  }

  const Machine& t_;
  const Function& ssa_;
  const Function& f_;
  std::vector<char> whole_, local_;  // per SSA value
  std::vector<uint32_t> fixed_;      // registers that the program uses
  std::vector<InstId> repeat_of_;    // per instruction of the result: the original
  struct FarHeaderState {
    bool made = false;
    uint32_t unit = 0, place = 0;
    friend bool operator==(const FarHeaderState&, const FarHeaderState&) = default;
  };
  FarHeaderState far_header_;        // the last one; valid until the next definition
  std::vector<uint32_t> loop_last_;  // per loop head: the last block that jumps to it
  std::vector<Lanes> in_;            // per block, at its entry
  Lane from_exits_;                  // facts of the thread that hold at all exits
  bool has_exits_ = false;
  bool exit_changed_ = false;  // the block being executed sent lanes on from an exit
  bool thread_alone_ = false;  // the exit block is executed for the thread alone
  std::vector<char> dirty_;    // per block: its entry changed since it was executed
  bool checking_ = false;
  absl::Status error_;
};

}  // namespace

absl::Status CheckAllocation(const Machine& machine, const Function& ssa,
                             const Function& allocated) {
  return Checker(machine, ssa, allocated).Run();
}

}  // namespace kiln::lir::ra
