#include "core/front/emit/flow/regions.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/front/check/bounds.h"

namespace kiln::front {
namespace {

constexpr int kMaxRegionDepth = Most(Bound::kNesting);  // mir/verify.h allows 512; passes recurse

// Joins the writes and the flows of an `if`'s arms. A value on which both sides agree needs no
// result; an arm that ends with a jump agrees with everything.
class IfJoin : public InstEmitter {
 public:
  // `values_before`: number of the module's values when the `if` was begun.
  IfJoin(ImportContext& context, ValueId condition, size_t values_before,
         const WalkedRegion (&arms)[2])
      : InstEmitter(context), condition_(condition), values_before_(values_before), arms_(arms) {}

  // Sets the results of the `if`, and the slots' values after it.
  Flow Complete(mir::InstId inst);

 private:
  bool Alive(int arm) const { return !arms_[arm].flow.empty(); }
  bool VisibleOutside(ValueId v) const;
  void JoinSlots();
  void JoinSlot(uint32_t slot, ValueId (&side)[2]);
  Flow JoinFlows();
  ValueId ConditionIn(int arm, uint32_t label) const;
  void JoinConditions(size_t place, ValueId (&side)[2], Flow* flow);
  void Yield(mir::InstId inst) const;

  const ValueId condition_;
  const size_t values_before_;
  const WalkedRegion (&arms_)[2];
  std::vector<mir::Type> types_;                           // of the results
  std::vector<ValueId> yields_[2];                         // their values, by arm
  std::vector<std::pair<uint32_t, size_t>> slot_results_;  // slot, its result
  std::vector<std::pair<size_t, size_t>> flow_results_;    // index in the flow, its result
};

// Returns true if v, visible at the end of an arm, is also visible after the `if`.
bool IfJoin::VisibleOutside(ValueId v) const {
  const mir::Value::Kind kind = module().value(v).kind;
  return v.index < values_before_ || kind == mir::Value::Kind::kConstant ||
         kind == mir::Value::Kind::kUndef;
}

void IfJoin::JoinSlots() {
  size_t next[2] = {0, 0};
  for (;;) {
    uint32_t slot = kNoSlot;
    for (int a = 0; a < 2; ++a) {
      if (Alive(a) && next[a] < arms_[a].writes.size()) {
        slot = std::min(slot, arms_[a].writes[next[a]].first);
      }
    }
    if (slot == kNoSlot) break;
    ValueId side[2] = {c_.slots.Get(slot), c_.slots.Get(slot)};
    for (int a = 0; a < 2; ++a) {
      if (!Alive(a)) continue;
      const Slots::Writes& writes = arms_[a].writes;
      if (next[a] < writes.size() && writes[next[a]].first == slot) {
        side[a] = writes[next[a]++].second;
      }
    }
    JoinSlot(slot, side);
  }
}

void IfJoin::JoinSlot(uint32_t slot, ValueId (&side)[2]) {
  // An arm without an end, or without a value, agrees; in reference executions a missing value is
  // undefined instead.
  for (int a = 0; a < 2; ++a) {
    if (Alive(a) && (side[a].valid() || e_.mark_undefined)) continue;
    const ValueId other = side[1 - a];
    side[a] = other.valid() && VisibleOutside(other) ? other : ValueId();
  }
  if (side[0] == side[1]) {
    if (side[0] != c_.slots.Get(slot)) c_.slots.Set(slot, side[0]);
    return;
  }
  const mir::Type type = c_.slots.type(slot);
  slot_results_.push_back({slot, types_.size()});
  types_.push_back(type);
  for (int a = 0; a < 2; ++a) {
    yields_[a].push_back(side[a].valid() ? side[a] : builder().Undef(type));
  }
}

Flow IfJoin::JoinFlows() {
  Flow flow = arms_[0].flow;
  for (const auto& exit : arms_[1].flow) {
    if (FindLabel(flow, exit.first) == flow.size()) flow.push_back({exit.first, ValueId()});
  }
  if (flow.size() < 2) {
    if (!flow.empty()) flow[0].second = ValueId();
    return flow;
  }
  for (size_t i = 0; i < flow.size(); ++i) {
    ValueId side[2] = {ConditionIn(0, flow[i].first), ConditionIn(1, flow[i].first)};
    JoinConditions(i, side, &flow);
  }
  return flow;
}

// Returns the condition under which an arm goes to a label; invalid: it has no end.
ValueId IfJoin::ConditionIn(int arm, uint32_t label) const {
  const Flow& from = arms_[arm].flow;
  if (from.empty()) return ValueId();
  const size_t k = FindLabel(from, label);
  if (k == from.size()) return builder().Bool(false);
  return from.size() == 1 ? builder().Bool(true) : from[k].second;
}

void IfJoin::JoinConditions(size_t place, ValueId (&side)[2], Flow* flow) {
  if (!side[0].valid()) side[0] = VisibleOutside(side[1]) ? side[1] : side[0];
  if (!side[1].valid()) side[1] = VisibleOutside(side[0]) ? side[0] : side[1];
  ValueId& joined = (*flow)[place].second;
  if (side[0] == side[1]) {
    joined = side[0];
  } else if (side[0] == builder().Bool(true) && side[1] == builder().Bool(false)) {
    joined = condition_;
  } else if (side[0] == builder().Bool(false) && side[1] == builder().Bool(true)) {
    joined = builder().Not(condition_);
  } else {
    flow_results_.push_back({place, types_.size()});
    types_.push_back(mir::Type::kBool);
    yields_[0].push_back(side[0]);
    yields_[1].push_back(side[1]);
  }
}

void IfJoin::Yield(mir::InstId inst) const {
  const mir::RegionId region = builder().region();
  for (int a = 0; a < 2; ++a) {
    if (!Alive(a)) continue;
    builder().SetRegion(arms_[a].region);
    builder().Yield(yields_[a]);
  }
  builder().SetRegion(region);
  mir::SetResults(module(), inst, types_);
}

Flow IfJoin::Complete(mir::InstId inst) {
  if (!Alive(0) && !Alive(1)) {
    builder().Unreachable();
    return {};
  }
  if (!Charge(arms_[0].writes.size() + arms_[1].writes.size())) return {};
  JoinSlots();
  Flow flow = JoinFlows();
  if (types_.size() > kMaxCarried) {
    Refuse("module_too_large", {"values carried by a branch", types_.size(), kMaxCarried},
           c_.place.function->id);
    return {};
  }
  Yield(inst);
  for (const auto& [slot, result] : slot_results_) {
    c_.slots.Set(slot, module().result(inst, result));
  }
  for (const auto& [place, result] : flow_results_) {
    flow[place].second = module().result(inst, result);
  }
  return flow;
}

}  // namespace

WalkedRegion Regions::Walk(mir::RegionId region, absl::FunctionRef<Flow()> emit) const {
  WalkedRegion walked{region, {}, {}};
  const size_t mark = c_.slots.Mark();
  builder().SetRegion(region);
  ++c_.nesting;
  if (c_.nesting > kMaxRegionDepth) {
    Refuse("nesting_too_deep", {"levels of control flow", std::nullopt, kMaxRegionDepth},
           c_.place.function->id);
  }
  if (ok()) walked.flow = emit();
  --c_.nesting;
  walked.writes = c_.slots.UndoTo(mark);
  return walked;
}

Flow Regions::EmitIf(ValueId condition, absl::FunctionRef<Flow()> then_arm,
                     absl::FunctionRef<Flow()> else_arm) const {
  if (!ok()) return {};
  if (!condition.valid() || TypeOf(condition) != mir::Type::kBool) {
    Malformed("condition is not a bool", c_.place.function->id);
    return {};
  }
  const size_t values_before = module().values.size();
  const mir::RegionId region = builder().region();
  const mir::InstId inst = builder().If(condition);
  const mir::RegionId then_region = module().inst(inst).regions[0];
  const mir::RegionId else_region = module().inst(inst).regions[1];
  const WalkedRegion arms[2] = {Walk(then_region, then_arm), Walk(else_region, else_arm)};
  builder().SetRegion(region);
  if (!ok()) return {};
  return IfJoin(c_, condition, values_before, arms).Complete(inst);
}

}  // namespace kiln::front
