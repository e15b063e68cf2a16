#include "core/lir/ra/assign_collects.h"

#include <utility>
#include <vector>

namespace kiln::lir::ra {

bool Collects::Place(InstId i) {
  const Operand& def = in_.f.defs(i)[0];
  const ValueId v = def.value();
  const uint32_t promised = promises_.Redeem(v);
  uint32_t reg = FindPlace(i, promised);
  if (reg == kNowhere && compaction_.Compact(v, i)) reg = FindPlace(i, promised);
  if (reg == kNowhere) return result_.Fail(v);
  Pool& p = live_.pool(v);
  live_.Forget(v, at_.hint[v.index]);
  std::vector<Move> moves;
  uint32_t at = reg;
  for (const Operand& o : in_.f.uses(i)) {
    const uint32_t n = IsValue(o) ? o.comps * in_.info(o).per_comp : o.comps * in_.info(v).per_comp;
    if (IsValue(o) && at_.now[o.id] != kNowhere) {
      result_.out.collect_parts += o.comps;
      if (at_.UnitOf(o) == at) result_.out.collect_parts_in_place += o.comps;
      const bool no_mask =
          IsWhole(in_.t, in_.f.value(o.value())) || (in_.f.inst(i).flags & kNoMask);
      in_.AddMoves(o.value(), at, at_.UnitOf(o), n, no_mask, &moves);
    }
    at += n;
  }
  UnitSet busy = p.live;
  busy |= p.parked.all();
  busy |= p.promised;
  busy.insert(reg, in_.info(v).written);
  Insertion in{here_.block, here_.position, {}};
  if (!SequenceMoves(moves, busy, p.units, &in.steps)) return result_.Fail(v);
  result_.RecordSteps(here_.block, in_.info(v).pool, in.steps);
  if (!in.steps.empty()) result_.out.insertions.push_back(std::move(in));
  result_.out.removed[i.index] = 1;
  for (uint32_t s : in_.live.deaths(here_.block, here_.position + 1)) live_.Kill(s);
  result_.Settle(v, reg);
  result_.RecordWrite(here_.block, in_.info(v).pool, reg, in_.info(v).written,
                      at_.LayoutOf(v, reg));
  return true;
}

uint32_t Collects::FindPlace(InstId i, uint32_t promised) {
  const ValueId v = in_.f.defs(i)[0].value();
  PlaceSearch::Query s = search_.Start(v);
  std::vector<std::pair<uint32_t, uint32_t>> parts;  // offset, first unit
  uint32_t offset = 0;
  for (const Operand& o : in_.f.uses(i)) {
    if (IsValue(o) && at_.now[o.id] != kNowhere) {
      for (uint32_t c = 0; c < o.comps; ++c) {
        const uint32_t slot = in_.live.first_slot(o.value()) + o.comp + c;
        if (live_.dying[slot] == i.index) s.taken.erase(at_.SlotUnit(slot), in_.info(o).per_comp);
      }
      parts.push_back({offset, at_.UnitOf(o)});
    }
    offset += o.comps * (IsValue(o) ? in_.info(o).per_comp : in_.info(v).per_comp);
  }
  if (search_.Fits(s, promised)) return promised;
  // The register at which the most parts need no move.
  uint32_t best = kNowhere, best_kept = 0;
  const auto consider = [&](uint32_t reg) {
    if (reg == best || !search_.Fits(s, reg)) return;
    uint32_t kept = 0;
    for (const auto& [off, at] : parts) kept += at == reg + off;
    if (best == kNowhere || kept > best_kept) {
      best = reg;
      best_kept = kept;
    }
  };
  consider(at_.hint[v.index]);
  const ValueId p = in_.info(v).param;
  if (p.valid()) consider(at_.home[p.index] != kNowhere ? at_.home[p.index] : at_.hint[p.index]);
  for (const auto& [off, at] : parts) {
    if (at >= off) consider(at - off);
  }
  return best != kNowhere ? best : search_.Find(s);
}

uint32_t Collects::PartPlace(const PlaceSearch::Query& s) {
  const ValueInfo& v = in_.info(s.value);
  if (!v.collect.valid()) return kNowhere;
  const bool here = in_.info(v.collect).def_block == here_.block;
  if (!here && !live_.HopesAcrossBlocks(v.pool)) return kNowhere;
  uint32_t& hint = at_.hint[v.collect.index];
  if (hint == kNowhere) {
    PlaceSearch::Query whole = search_.Start(v.collect);
    whole.barred |= search_.TakenAt(s, v.collect_offset);
    hint = search_.Find(whole);
    if (hint == kNowhere) return kNowhere;
    live_.Hope(v.collect, hint);
  }
  return hint + v.collect_offset;
}

}  // namespace kiln::lir::ra
