// See neighbours.h.
#include "core/amd/optimise/neighbours.h"

#include <algorithm>

#include "core/amd/lir/ops.h"

namespace kiln::amd {

using lir::InstId;
using lir::Operand;

Neighbours::Neighbours(const lir::Machine& machine, lir::Function& f)
    : machine_(machine),
      f_(f),
      position_(f.insts.size()),
      partner_(f.insts.size()),
      made_by_moving_(f.values.size()) {
  for (const lir::Block& block : f.blocks) {
    for (size_t i = 0; i < block.insts.size(); ++i) {
      position_[block.insts[i].index] = static_cast<uint32_t>(i);
    }
  }
}

bool Neighbours::TouchesScc(InstId id) const {
  if (machine_.ops[f_.inst(id).op].clobbers != 0) return true;
  const auto is_scc = [&](const Operand& o) {
    return lir::IsValue(o) && f_.value(o.value()).file == kFileScc;
  };
  const auto defs = f_.defs(id), uses = f_.uses(id);
  return std::any_of(defs.begin(), defs.end(), is_scc) ||
         std::any_of(uses.begin(), uses.end(), is_scc);
}

// Fixed registers are state that other instructions may change.
bool Neighbours::Writes(InstId id) const {
  constexpr uint32_t kKeepsPlace = lir::kOpTerminator | lir::kOpWritesMemory | lir::kOpBarrier |
                                   lir::kOpSideEffect | lir::kOpExit;
  if ((machine_.ops[f_.inst(id).op].flags & kKeepsPlace) != 0) return true;
  const auto is_fixed = [](const Operand& o) { return o.kind == Operand::Kind::kFixed; };
  const auto defs = f_.defs(id), uses = f_.uses(id);
  return std::any_of(defs.begin(), defs.end(), is_fixed) ||
         std::any_of(uses.begin(), uses.end(), is_fixed);
}

bool Neighbours::Reads(InstId id) const {
  return (machine_.ops[f_.inst(id).op].flags & lir::kOpReadsMemory) != 0 &&
         (f_.inst(id).flags & lir::kUnordered) == 0;
}

bool Neighbours::DependsOnMoving(InstId id, const Moving& moving) const {
  for (const Operand& o : f_.uses(id)) {
    if (lir::IsValue(o) && made_by_moving_[o.id] == call_) return true;
  }
  return (moving.writes && (Writes(id) || Reads(id))) || (moving.reads && Writes(id)) ||
         (moving.scc && TouchesScc(id));
}

void Neighbours::Move(InstId id, Moving* moving) {
  for (const Operand& o : f_.defs(id)) {
    if (lir::IsValue(o)) made_by_moving_[o.id] = call_;
  }
  moving->writes |= Writes(id);
  moving->reads |= Reads(id);
  moving->scc |= TouchesScc(id);
}

void Neighbours::Place(lir::BlockId block, size_t first, absl::Span<const InstId> order) {
  for (size_t i = 0; i < order.size(); ++i) {
    f_.block(block).insts[first + i] = order[i];
    position_[order[i].index] = static_cast<uint32_t>(first + i);
  }
}

bool Neighbours::BringTogether(lir::BlockId block, InstId a, InstId b) {
  const InstId low = a, high = b;
  if (position_[a.index] > position_[b.index]) std::swap(a, b);
  const size_t first = position_[a.index], last = position_[b.index];
  if (last - first > kMaxBetween) return false;
  const std::vector<InstId>& insts = f_.block(block).insts;
  std::vector<InstId> before(insts.begin() + static_cast<std::ptrdiff_t>(first),
                             insts.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  ++call_;
  Moving moving;
  Move(a, &moving);
  std::vector<InstId> order, behind;
  for (size_t i = 1; i + 1 < before.size(); ++i) {
    const size_t members = partner_[before[i].index].valid() ? 2 : 1;
    bool depends = false;
    for (size_t k = 0; k < members; ++k) depends |= DependsOnMoving(before[i + k], moving);
    for (size_t k = 0; k < members; ++k) {
      if (depends) Move(before[i + k], &moving);
      (depends ? behind : order).push_back(before[i + k]);
    }
    i += members - 1;
  }
  if (DependsOnMoving(b, moving)) return false;
  order.push_back(a);
  order.push_back(b);
  order.insert(order.end(), behind.begin(), behind.end());
  Place(block, first, order);
  partner_[a.index] = b;
  partner_[b.index] = a;
  done_.push_back({block, first, std::move(before), low, high});
  return true;
}

void Neighbours::Undo(size_t pairs) {
  while (done_.size() > pairs) {
    const Done& last = done_.back();
    Place(last.block, last.first, last.before);
    partner_[last.a.index] = partner_[last.b.index] = InstId();
    done_.pop_back();
  }
}

}  // namespace kiln::amd
