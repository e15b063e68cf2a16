#include "core/lir/ra/assign.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "core/lir/exits.h"
#include "core/lir/ra/assign_collects.h"
#include "core/lir/ra/assign_compaction.h"
#include "core/lir/ra/assign_edges.h"
#include "core/lir/ra/assign_kept.h"
#include "core/lir/ra/assign_live.h"
#include "core/lir/ra/assign_promises.h"
#include "core/lir/ra/assign_result.h"
#include "core/lir/ra/assign_search.h"
#include "core/lir/ra/assign_state.h"
#include "core/lir/ra/assign_written.h"

namespace kiln::lir::ra {

namespace {

constexpr int kMaxJoins = 16;  // maximum length of a chain of joins followed from an argument

// The walk over the blocks: a value that becomes live gets registers, one that dies frees its
// units.
class Assigner {
 public:
  Assigner(const Machine& t, const Function& f, const Liveness& live,
           const std::vector<ValueInfo>& info, Order order, Assignment* out, OutOfRegisters* why)
      : in_(t, f, live, info, order),
        at_(in_),
        live_(in_, at_, here_),
        written_(in_, here_),
        stays_(in_, here_),
        kept_(in_, at_, here_, stays_),
        search_(in_, at_, here_, live_, written_, stays_, kept_),
        result_(in_, at_, here_, live_, written_, out, why),
        compaction_(in_, at_, here_, live_, written_, stays_, result_),
        promises_(in_, at_, here_, live_, search_),
        collects_(in_, at_, here_, live_, search_, compaction_, promises_, result_) {}

  bool Run() {
    for (uint32_t b = 0; b < in_.f.blocks.size(); ++b) {
      if (!DoBlock(BlockId(b))) return false;
    }
    for (uint32_t b = 0; b < in_.f.blocks.size(); ++b) {
      if (!CopyArguments(in_, at_, BlockId(b), &result_)) return false;
    }
    std::stable_sort(result_.out.insertions.begin(), result_.out.insertions.end(),
                     [](const Insertion& a, const Insertion& b) {
                       return std::pair(a.block, a.position) < std::pair(b.block, b.position);
                     });
    return true;
  }

 private:
  // ---- Blocks.

  bool DoBlock(BlockId b) {
    here_.block = b;
    live_.Enter();
    written_.Enter();
    stays_.Enter();
    if (b.index == 0) {
      for (const LiveIn& l : in_.f.live_ins) result_.Settle(l.value, l.reg);
    }
    if (!PlaceParams(b)) return false;
    promises_.Enter();
    kept_.Enter(b);
    for (uint32_t s : in_.live.deaths(b, 0)) live_.Kill(s);
    const std::vector<InstId>& insts = in_.f.block(b).insts;
    for (here_.position = 0; here_.position < insts.size(); ++here_.position) {
      const bool last = here_.position + 1 == insts.size() && in_.IsTerminator(insts.back());
      // From an exit the thread may go to blocks that expect values at home.
      const bool leaves = last || IsExit(in_.t, in_.f, insts[here_.position]);
      if (leaves && !compaction_.RestoreMoved()) return false;
      if (!DoInst(insts[here_.position])) return false;
    }
    const bool restored = !insts.empty() && in_.IsTerminator(insts.back());
    if (!restored && !compaction_.RestoreMoved()) return false;
    written_.Flush();
    return true;
  }

  // ---- Parameters.

  // Places a block's parameters. A parameter is written at the end of every predecessor, also of
  // those later in the layout.
  bool PlaceParams(BlockId b) {
    if (in_.f.block(b).params.empty()) return true;
    const std::vector<BlockId>& preds = in_.preds[b.index];
    std::vector<LaneSets> parked = live_.FindParked(preds);
    for (size_t which = 0; which < in_.f.block(b).params.size(); ++which) {
      const ValueId p = in_.f.block(b).params[which];
      if (!PlaceParam(p, which, parked)) return false;
      if (at_.now[p.index] == kNowhere) continue;
      // Lanes that hold the parameter itself may be parked there.
      for (BlockId pred : preds) {
        for (uint32_t c = 0; c < in_.f.value(p).comps; ++c) {
          const uint32_t slot = in_.live.first_slot(p) + c, g = in_.live.global(slot);
          if (g == Liveness::kLocal || !in_.live.parked(pred).test(g)) continue;
          parked[in_.info(p).pool].insert(at_.SlotUnit(slot), in_.info(p).per_comp,
                                          at_.LayoutOf(p, at_.now[p.index]));
        }
      }
    }
    return true;
  }

  bool PlaceParam(ValueId p, size_t which, const std::vector<LaneSets>& parked) {
    const ValueInfo& v = in_.info(p);
    live_.Forget(p, at_.hint[p.index]);
    bool needed = false;
    for (uint32_t c = 0; c < in_.f.value(p).comps; ++c)
      needed |= in_.live.used(in_.live.first_slot(p) + c);
    if (!needed) return true;
    const uint32_t promised = promises_.Redeem(p);
    PlaceSearch::Query s = search_.Start(p);
    s.units = v.units;
    s.more.push_back(&parked[v.pool]);
    uint32_t reg = search_.Fits(s, promised) ? promised : BestForArguments(which, s);
    if (reg == kNowhere && search_.Fits(s, at_.hint[p.index])) reg = at_.hint[p.index];
    if (reg == kNowhere) reg = search_.Find(s);
    if (reg == kNowhere) return result_.Fail(p);
    result_.Settle(p, reg);
    for (BlockId c : in_.preds[here_.block.index]) {
      result_.RecordWrite(c, v.pool, reg, v.units, at_.LayoutOf(p, reg));
    }
    return true;
  }

  // Returns the register that saves the most copies of arguments and into a collect, the first
  // among equals; kNowhere if none saves any.
  uint32_t BestForArguments(size_t which, const PlaceSearch::Query& s) {
    using Hints = absl::InlinedVector<uint32_t, 4>;
    Hints hints;
    for (BlockId c : in_.preds[here_.block.index]) {
      for (const Edge& e : in_.f.block(c).succs) {
        if (e.to != here_.block) continue;
        const Operand& a = in_.f.args(e)[which];
        if (IsValue(a) && at_.now[a.id] != kNowhere) hints.push_back(at_.UnitOf(a));
      }
    }
    if (const uint32_t reg = collects_.PartPlace(s); reg != kNowhere) hints.push_back(reg);
    Hints sorted = hints;
    std::sort(sorted.begin(), sorted.end());
    uint32_t best = kNowhere;
    std::ptrdiff_t most = 0;
    for (const uint32_t reg : hints) {
      const auto [first, end] = std::equal_range(sorted.begin(), sorted.end(), reg);
      if (end - first <= most || !search_.Fits(s, reg)) continue;
      best = reg;
      most = end - first;
    }
    return best;
  }

  // ---- Instructions.

  bool DoInst(InstId i) {
    const size_t place = here_.position + 1;
    for (uint32_t s : in_.live.deaths(here_.block, place)) live_.dying[s] = i.index;
    for (const Operand& o : in_.f.uses(i)) {
      if (IsValue(o)) live_.Read(o.value());
    }
    bool ok = true;
    if (in_.t.ops[in_.f.inst(i).op].flags & kOpCollect) {
      ok = collects_.Place(i);
    } else {
      ok = DoPlain(i);
    }
    for (uint32_t s : in_.live.deaths(here_.block, place)) live_.Kill(s);
    return ok;
  }

  // Assigns definitions while the sources still hold their units; a definition may take over the
  // units of a source that dies.
  bool DoPlain(InstId i) {
    const absl::Span<const Operand> defs = in_.f.defs(i);
    here_.placed.clear();
    for (size_t d = 0; d < defs.size(); ++d) {
      if (!IsValue(defs[d])) continue;
      if (!PlaceDef(i, static_cast<int>(d))) return false;
    }
    // Sources are read from where they are after any compaction.
    const Inst& in = in_.f.inst(i);
    for (uint32_t k = 0; k < in.num_uses; ++k) {
      const Operand& o = in_.f.uses(i)[k];
      if (IsValue(o)) result_.SetReg(in.first_operand + in.num_defs + k, o);
    }
    for (uint32_t s : in_.live.deaths(here_.block, here_.position + 1)) live_.Kill(s);
    for (const auto& [v, reg] : here_.placed) {
      result_.Settle(v, reg);
      result_.RecordWrite(here_.block, in_.info(v).pool, reg, in_.info(v).written,
                          at_.LayoutOf(v, reg));
      if (in_.t.ops[in.op].flags & kOpSendLike) live_.Send(v, reg);
    }
    for (uint32_t d = 0; d < in.num_defs; ++d) {
      if (IsValue(defs[d])) result_.SetReg(in.first_operand + d, defs[d]);
    }
    // The definitions became live after the sources died; DoInst kills those without uses.
    if (IsPlainCopy(in_.t, in_.f, i) &&
        at_.UnitOf(defs[0]) == result_.out.operand_reg[in.first_operand + 1]) {
      result_.out.removed[i.index] = 1;
      ++result_.out.copies_removed;
    }
    return true;
  }

  bool PlaceDef(InstId i, int d) {
    const ValueId v = in_.f.defs(i)[d].value();
    const int tied = in_.t.ops[in_.f.inst(i).op].tied;
    const uint32_t promised = promises_.Redeem(v);
    if (d == 0 && tied != OpInfo::kNotTied) return PlaceTied(v, in_.f.uses(i)[tied]);
    uint32_t reg = kNowhere;
    if (search_.FitsOverSource(search_.Start(v), i, d, promised)) reg = promised;
    if (reg == kNowhere) reg = TryPlace(i, d);
    if (reg == kNowhere && compaction_.Compact(v, InstId())) reg = TryPlace(i, d);
    if (reg == kNowhere) return result_.Fail(v);
    here_.placed.push_back({v, reg});
    return true;
  }

  // Gives the definition the registers of the tied use, which dies here (tied.h).
  bool PlaceTied(ValueId v, const Operand& use) {
    const uint32_t reg = at_.UnitOf(use);
    const bool taken = live_.pool(v).displaced_homes.intersects(reg, in_.info(v).units);
    if (taken && stays_.Stays(v)) return result_.Fail(v);
    here_.placed.push_back({v, reg});
    return true;
  }

  // Returns the parameter's register or hint; if it has none yet, that of the parameter for which
  // it is itself an argument, and so on along the ends of nested ifs. kNowhere if there is none.
  uint32_t ParamPlace(ValueId p) const {
    for (int depth = 0; p.valid() && depth < kMaxJoins; ++depth, p = in_.info(p).param) {
      if (at_.home[p.index] != kNowhere) return at_.home[p.index];
      if (at_.promise[p.index] != kNowhere) return at_.promise[p.index];
      if (at_.hint[p.index] != kNowhere) return at_.hint[p.index];
    }
    return kNowhere;
  }

  // Returns the register that suits most of the value's components that are arguments, the first
  // among equals: their parameters have or hint at it.
  uint32_t PartsPlace(ValueId v) const {
    uint32_t best = kNowhere;
    int most = 0;
    const std::vector<ValueInfo::PartArgument>& parts = in_.info(v).parts;
    for (const ValueInfo::PartArgument& hint : parts) {
      const uint32_t place = ParamPlace(hint.param);
      if (place == kNowhere || place < hint.offset) continue;
      const uint32_t reg = place - hint.offset;
      const auto agrees = [&](const ValueInfo::PartArgument& part) {
        return ParamPlace(part.param) == reg + part.offset;
      };
      const auto count = static_cast<int>(std::count_if(parts.begin(), parts.end(), agrees));
      if (count <= most) continue;
      best = reg;
      most = count;
    }
    return best;
  }

  uint32_t TryPlace(InstId i, int d) {
    const ValueId v = in_.f.defs(i)[d].value();
    PlaceSearch::Query s = search_.Start(v);
    for (const auto& [other, r] : here_.placed) {
      if (in_.info(other).pool == in_.info(v).pool) s.barred.insert(r, in_.info(other).written);
    }
    if (const uint32_t reg = collects_.PartPlace(s); search_.FitsOverSource(s, i, d, reg))
      return reg;
    if (const uint32_t reg = ParamPlace(in_.info(v).param); search_.FitsOverSource(s, i, d, reg)) {
      if (!live_.pool(v).merging.intersects(reg, s.units)) return reg;
    }
    if (const uint32_t reg = PartsPlace(v); search_.FitsOverSource(s, i, d, reg)) return reg;
    // Second choice: registers kept for another value, to which a message result is still to be
    // written, or in which other values wait to be read.
    uint32_t second = kNowhere;
    UnitSet better_not = kept_.KeptFrom(v);
    better_not |= live_.pool(v).arriving;
    for (const Operand& u : in_.f.uses(i)) {
      if (!IsValue(u) || in_.info(u).pool != in_.info(v).pool || at_.now[u.id] == kNowhere)
        continue;
      if (!live_.Dying(u, i) || !search_.FitsOverSource(s, i, d, at_.UnitOf(u))) continue;
      const bool elsewhere = better_not.intersects(at_.UnitOf(u), s.units) || live_.IsCrowded(v, u);
      if (!elsewhere) return at_.UnitOf(u);
      second = at_.UnitOf(u);
    }
    const uint32_t reg = search_.Find(s);
    return reg != kNowhere ? reg : second;
  }

  const AssignInput in_;
  Places at_;
  Here here_;
  LiveNow live_;
  WrittenSets written_;
  StayingValues stays_;
  KeptHomes kept_;
  PlaceSearch search_;
  AssignResult result_;
  Compaction compaction_;
  Promises promises_;
  Collects collects_;
};

}  // namespace

bool Assign(const Machine& machine, const Function& f, const Liveness& live,
            const std::vector<ValueInfo>& info, Order order, Assignment* out, OutOfRegisters* why) {
  return Assigner(machine, f, live, info, order, out, why).Run();
}

}  // namespace kiln::lir::ra
