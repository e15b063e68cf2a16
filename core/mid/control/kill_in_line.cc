#include "core/mid/control/kill_in_line.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/mid/analysis/loop_ends.h"
#include "core/mid/budgets.h"
#include "core/mir/build.h"
#include "core/mir/rewrite.h"

namespace kiln::mid {
namespace {

using mir::Inst;
using mir::InstId;
using mir::Module;
using mir::Op;
using mir::RegionId;
using mir::ValueId;

bool MayExecute(const Module& m, InstId id) {
  const Inst& inst = m.inst(id);
  const mir::OpInfo& info = mir::Info(inst.op);
  return info.Has('P') && !info.Has('N') && !info.Has('M') && (inst.flags & mir::kIndexed) == 0;
}

class Liner {
 public:
  Liner(Module& module, PassContext& context)
      : m_(module), b_(module), context_(context), ends_(module) {}

  bool Run() {
    Visit(m_.body, false);
    return changed_;
  }

 private:
  struct Kill {
    InstId inst;
    int side = 0;           // of the if
    bool in_place = false;  // its lanes may continue after it as it is
  };

  void Visit(RegionId region, bool endless);
  std::vector<bool> EndlessAfter(RegionId region, bool endless);
  std::optional<Kill> FindKill(InstId id) const;
  bool IsNew(InstId id);
  void Turn(InstId id, const Kill& kill);

  Module& m_;
  mir::Builder b_;
  PassContext& context_;
  LoopEnds ends_;
  std::vector<std::pair<Op, ValueId>> done_;  // kills that every lane here has executed
  bool changed_ = false;
};

// By instruction: true if a lane that continues after it might never end.
std::vector<bool> Liner::EndlessAfter(RegionId region, bool endless) {
  const std::vector<InstId>& insts = m_.region(region).insts;
  std::vector<bool> after(insts.size(), endless);
  for (size_t i = insts.size(); i-- > 0;) {
    after[i] = endless;
    endless = endless || (m_.inst(insts[i]).num_regions != 0 && !ends_.AllEnd(insts[i]));
  }
  return after;
}

// `endless`: true if a lane might never end after the region, or in a loop around it.
void Liner::Visit(RegionId region, bool endless) {
  const std::vector<bool> after = EndlessAfter(region, endless);
  const size_t known = done_.size();
  size_t i = 0;
  mir::RewriteRegion(b_, region, [&](InstId id) {
    const Inst inst = m_.inst(id);
    const bool endless_here = after[i++];
    if (mir::IsKill(inst.op)) return IsNew(id);
    for (int r = 0; r < inst.num_regions; ++r) {
      Visit(inst.regions[r], endless_here || inst.op == Op::kLoop);
    }
    const std::optional<Kill> kill = FindKill(id);
    if (!kill.has_value()) return true;
    const bool goes_on = m_.inst(kill->inst).op == Op::kDiscard && !kill->in_place;
    if ((goes_on && endless_here) || !context_.Rewrite()) return true;
    Turn(id, *kill);
    changed_ = true;
    return false;
  });
  done_.resize(known);
}

// Returns true unless every lane here has already executed the same kill, in this region or around
// it.
bool Liner::IsNew(InstId id) {
  const std::pair<Op, ValueId> kill = {m_.inst(id).op, m_.source(id, 0)};
  if (std::find(done_.begin(), done_.end(), kill) != done_.end() && context_.Rewrite()) {
    changed_ = true;
    return false;
  }
  done_.push_back(kill);
  return true;
}

// Returns the kill of an if that does nothing else.
std::optional<Liner::Kill> Liner::FindKill(InstId id) const {
  const Inst& inst = m_.inst(id);
  if (inst.op != Op::kIf || inst.num_results != 0) return std::nullopt;
  for (int side = 0; side < 2; ++side) {
    const std::vector<InstId>& other = m_.region(inst.regions[1 - side]).insts;
    const std::vector<InstId>& insts = m_.region(inst.regions[side]).insts;
    if (other.size() != 1 || m_.inst(other[0]).op != Op::kYield || insts.size() < 2) continue;
    const InstId kill = insts[insts.size() - 2];
    const Op op = m_.inst(kill).op;
    const Op end = m_.inst(insts.back()).op;
    if (!mir::IsKill(op) || (end != Op::kYield && end != Op::kUnreachable)) continue;
    const bool in_place = end == Op::kYield;
    // Demoted lanes continue, so that unreachable after a demote says that there are no such lanes.
    if (!in_place && op == Op::kDemote) continue;
    if (static_cast<int>(insts.size()) - 2 > budgets::kSelectCost) continue;
    bool may = true;
    for (size_t i = 0; i + 2 < insts.size(); ++i) may = may && MayExecute(m_, insts[i]);
    if (may) return Kill{kill, side, in_place};
  }
  return std::nullopt;
}

void Liner::Turn(InstId id, const Kill& kill) {
  ValueId condition = m_.source(id, 0);
  if (kill.side == 1) condition = b_.Not(condition);
  const std::vector<InstId> insts = m_.region(m_.inst(id).regions[kill.side]).insts;
  for (size_t i = 0; i + 2 < insts.size(); ++i) b_.Append(insts[i]);
  const ValueId inner = m_.source(kill.inst, 0);
  const bool always = m_.IsConstant(inner) && m_.value(inner).bits != 0;
  if (!always && kill.in_place) condition = b_.And(condition, inner);
  mir::SetSources(m_, kill.inst, {condition});
  b_.Append(kill.inst);
  done_.push_back({m_.inst(kill.inst).op, condition});
}

bool HasKill(const Module& m) {
  bool found = false;
  mir::ForEachInst(m, m.body, [&](InstId id) { found |= mir::IsKill(m.inst(id).op); });
  return found;
}

}  // namespace

absl::StatusOr<bool> KillInLine(Module& module, PassContext& context) {
  if (module.stage != mir::Stage::kFragment || !HasKill(module)) return false;
  return Liner(module, context).Run();
}

}  // namespace kiln::mid
