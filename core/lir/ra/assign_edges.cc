#include "core/lir/ra/assign_edges.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kiln::lir::ra {

namespace {

uint32_t BeforeTerminator(const AssignInput& in, BlockId b) {
  const std::vector<InstId>& insts = in.f.block(b).insts;
  const bool has = !insts.empty() && in.IsTerminator(insts.back());
  return static_cast<uint32_t>(insts.size()) - has;
}

}  // namespace

bool CopyArguments(const AssignInput& in, const Places& at, BlockId b, AssignResult* result) {
  const Block& block = in.f.block(b);
  if (block.succs.size() != 1 || block.succs[0].num_args == 0) return true;
  const Edge& e = block.succs[0];
  std::vector<std::vector<Move>> moves(in.t.pools.size());
  std::vector<UnitSet> busy(in.t.pools.size());
  for (uint32_t k = 0; k < e.num_args; ++k) {
    const Operand& a = in.f.args(e)[k];
    const ValueId p = in.f.block(e.to).params[k];
    const ValueInfo& v = in.info(p);
    if (IsValue(a)) result->SetReg(e.first_arg + k, a);
    if (!IsValue(a) || at.now[p.index] == kNowhere || at.now[a.id] == kNowhere) continue;
    busy[v.pool].insert(at.now[p.index], v.units);
    const bool no_mask = IsWhole(in.t, in.f.value(p));
    for (uint32_t c = 0; c < in.f.value(p).comps; ++c) {
      if (!in.live.used(in.live.first_slot(p) + c)) continue;
      in.AddMoves(p, at.now[p.index] + c * v.per_comp, at.UnitOf(a) + c * v.per_comp, v.per_comp,
                  no_mask, &moves[v.pool]);
    }
  }
  const auto none = [](const std::vector<Move>& list) { return list.empty(); };
  if (std::all_of(moves.begin(), moves.end(), none)) return true;
  for (const Reserved& r : in.f.reserved) busy[r.pool].insert(r.first, r.units);
  const auto keep = [&](size_t g) {
    const uint32_t slot = in.live.global_slot(static_cast<uint32_t>(g));
    const ValueId v = in.live.slot_value(slot);
    if (at.now[v.index] != kNowhere) {
      busy[in.info(v).pool].insert(at.SlotUnit(slot), in.info(v).per_comp);
    }
  };
  in.live.live_out(b).for_each(keep);
  in.live.parked(b).for_each(keep);
  for (size_t p = 0; p < in.t.pools.size(); ++p) {
    if (moves[p].empty()) continue;
    Insertion copies{b, BeforeTerminator(in, b), {}};
    if (!SequenceMoves(moves[p], busy[p], PoolUnits(in.t, in.f, p), &copies.steps)) {
      result->why = {block.succs[0].to.valid() ? in.f.block(e.to).params[0] : ValueId(), b};
      return false;
    }
    for (const MoveStep& s : copies.steps) {
      result->out.top[p] = std::max(result->out.top[p], s.to + s.units);
    }
    result->out.insertions.push_back(std::move(copies));
  }
  return true;
}

}  // namespace kiln::lir::ra
