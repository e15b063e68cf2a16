// Control flow: from the block tree of cfg.h to nested `if` and `loop`, constructing SSA.
//
// A region is emitted by EmitSequence, which returns the labels that control may be on its way to
// when the region's code ends (a Flow). A block's label children follow its code in the same
// region. Where all of the flow goes to the next label, its code simply follows; where only part of
// it does, the code is guarded by an `if` on the condition under which it does, and the rest passes
// it by. Inside a loop, an exit to a label beyond the loop is a `break` and one to its header a
// `continue`, at once; a break that may mean several labels carries a bool for each, and Dispatch
// sorts them out behind the loop.
//
// SSA: `if` joins what either side wrote; a loop has a parameter and a result for each slot that
// the plan says is written in it. Prune (prune.h) removes what turns out to be unused.
#include <algorithm>

#include "core/front/bounds.h"
#include "core/front/coverage.h"
#include "core/front/emit.h"
#include "core/front/inst_emitter.h"

namespace kiln::front {
namespace {

// Labels that control is on its way to, each with the condition under which it is so (invalid if
// it is the only one). Empty: the region has ended with a jump.
using Flow = absl::InlinedVector<std::pair<uint32_t, ValueId>, 2>;
constexpr uint32_t kReturnLabel = 0xfffffffeu;

constexpr int kMaxRegionDepth = Most(Bound::kNesting);  // mir/verify.h allows 512; passes recurse
// The flow of the arm of a conditional branch whose code is to follow behind the `if`.
constexpr uint32_t kHereLabel = 0xfffffffdu;
// More cases than this are tried as halves, so that nesting stays logarithmic.
constexpr size_t kLinearCases = 8;
// What an `if` or a loop can carry (mir::Inst counts in 16 bits).
constexpr size_t kMaxCarried = 0xff00;

size_t FindLabel(const Flow& flow, uint32_t label) {
  for (size_t i = 0; i < flow.size(); ++i) {
    if (flow[i].first == label) return i;
  }
  return flow.size();
}

// Whether one comparison tells the first cases from the rest: literals are sorted, and so are cases by
// their first, which differ.
template <class Case>
bool Separates(absl::Span<const Case> cases, size_t split) {
  const uint64_t middle = cases[split].literals.front();
  return std::all_of(cases.begin(), cases.begin() + split,
                     [middle](const Case& c) { return c.literals.back() < middle; });
}

class ControlFlow : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  Flow EmitFunction(uint32_t index);
  bool EmitCall(const SpirvInst& inst, bool* returns);

 private:
  struct Arm {
    mir::RegionId region;
    Flow flow;
    std::vector<std::pair<uint32_t, ValueId>> writes;  // slot, value at the end; by slot
  };
  struct SwitchCase {
    uint32_t target = 0;
    std::vector<uint64_t> literals;
  };
  bool VisibleOutside(ValueId v, size_t values_before) const;
  void WalkArm(Arm* arm, absl::FunctionRef<Flow()> emit);
  Flow EmitIf(ValueId condition, absl::FunctionRef<Flow()> then_arm,
              absl::FunctionRef<Flow()> else_arm);
  Flow JoinFlows(ValueId condition, size_t values_before, const Arm (&arms)[2],
                 std::vector<mir::Type>* types, std::vector<ValueId> (&yields)[2],
                 std::vector<std::pair<size_t, size_t>>* results);
  Flow Join(mir::InstId inst, ValueId condition, size_t values_before, Arm (&arms)[2]);
  bool IsJump(uint32_t label) const;
  void EmitContinue();
  void EmitBreak(uint32_t label);
  Flow Jump(uint32_t label);
  Flow Dispatch(Flow flow);
  bool AssignPhis(uint32_t from, uint32_t to);
  Flow EmitEdge(uint32_t from, uint32_t to, uint32_t* next);
  bool AlwaysJumps(uint32_t from, uint32_t to) const;
  Flow EmitReturn(const SpirvInst& inst);
  Flow EmitBranch(uint32_t block, const SpirvInst& inst, uint32_t* next);
  Flow EmitCases(uint32_t block, ValueId selector, absl::Span<const SwitchCase> cases,
                 uint32_t otherwise);
  Flow EmitSwitch(uint32_t block, const SpirvInst& inst, uint32_t* next);
  Flow EmitTerminator(uint32_t block, const SpirvInst& inst, uint32_t* next);
  Flow EmitBlock(uint32_t block, uint32_t* next);
  Flow EmitSequence(uint32_t block, bool loop_body);
  void AddWrittenSlots(const Write& write, std::vector<uint32_t>* slots);
  std::vector<uint32_t> LoopSlots(uint32_t header);
  Flow EmitLoop(uint32_t header);
  void Unbind(const SpirvFunction& function);
  bool BindParameters(const SpirvInst& inst, const SpirvFunction& callee);
};

}  // namespace

// ---- Regions and joins ----

// Whether v, visible at the end of an arm, is also visible behind the `if` that was begun when the
// module had `values_before` values.
bool ControlFlow::VisibleOutside(ValueId v, size_t values_before) const {
  const mir::Value::Kind kind = module().value(v).kind;
  return v.index < values_before || kind == mir::Value::Kind::kConstant ||
         kind == mir::Value::Kind::kUndef;
}

void ControlFlow::WalkArm(Arm* arm, absl::FunctionRef<Flow()> emit) {
  const size_t mark = c_.slots.Mark();
  builder().SetRegion(arm->region);
  ++c_.nesting;
  if (c_.nesting > kMaxRegionDepth) {
    Refuse("nesting_too_deep", "control flow", c_.place.function->id);
  }
  if (ok()) arm->flow = emit();
  --c_.nesting;
  arm->writes = c_.slots.UndoTo(mark);
}

Flow ControlFlow::EmitIf(ValueId condition, absl::FunctionRef<Flow()> then_arm,
                      absl::FunctionRef<Flow()> else_arm) {
  if (!ok()) return {};
  if (!condition.valid() || TypeOf(condition) != mir::Type::kBool) {
    Malformed("condition is no bool", c_.place.function->id);
    return {};
  }
  const size_t values_before = module().values.size();
  const mir::RegionId region = builder().region();
  const mir::InstId inst = builder().If(condition);
  Arm arms[2];
  arms[0].region = module().inst(inst).regions[0];
  arms[1].region = module().inst(inst).regions[1];
  WalkArm(&arms[0], then_arm);
  WalkArm(&arms[1], else_arm);
  builder().SetRegion(region);
  if (!ok()) return {};
  return Join(inst, condition, values_before, arms);
}

Flow ControlFlow::JoinFlows(ValueId condition, size_t values_before, const Arm (&arms)[2],
                         std::vector<mir::Type>* types, std::vector<ValueId> (&yields)[2],
                         std::vector<std::pair<size_t, size_t>>* results) {
  Flow flow = arms[0].flow;
  for (const auto& exit : arms[1].flow) {
    if (FindLabel(flow, exit.first) == flow.size()) flow.push_back({exit.first, ValueId()});
  }
  if (flow.size() < 2) {
    if (!flow.empty()) flow[0].second = ValueId();
    return flow;
  }
  for (size_t i = 0; i < flow.size(); ++i) {
    ValueId side[2];
    for (int a = 0; a < 2; ++a) {
      const Flow& from = arms[a].flow;
      const size_t k = FindLabel(from, flow[i].first);
      if (from.empty()) continue;
      side[a] = k == from.size() ? builder().Bool(false)
                                 : (from.size() == 1 ? builder().Bool(true) : from[k].second);
    }
    if (!side[0].valid()) side[0] = VisibleOutside(side[1], values_before) ? side[1] : side[0];
    if (!side[1].valid()) side[1] = VisibleOutside(side[0], values_before) ? side[0] : side[1];
    if (side[0] == side[1]) {
      flow[i].second = side[0];
    } else if (side[0] == builder().Bool(true) && side[1] == builder().Bool(false)) {
      flow[i].second = condition;
    } else if (side[0] == builder().Bool(false) && side[1] == builder().Bool(true)) {
      flow[i].second = builder().Not(condition);
    } else {
      results->push_back({i, types->size()});
      types->push_back(mir::Type::kBool);
      yields[0].push_back(side[0]);
      yields[1].push_back(side[1]);
    }
  }
  return flow;
}

Flow ControlFlow::Join(mir::InstId inst, ValueId condition, size_t values_before, Arm (&arms)[2]) {
  const bool alive[2] = {!arms[0].flow.empty(), !arms[1].flow.empty()};
  if (!alive[0] && !alive[1]) {
    builder().Unreachable();
    return {};
  }
  if (!Charge(arms[0].writes.size() + arms[1].writes.size())) return {};
  std::vector<mir::Type> types;
  std::vector<ValueId> yields[2];
  std::vector<std::pair<uint32_t, size_t>> slot_results;
  size_t next[2] = {0, 0};
  for (;;) {
    uint32_t slot = kNoSlot;
    for (int a = 0; a < 2; ++a) {
      if (alive[a] && next[a] < arms[a].writes.size()) {
        slot = std::min(slot, arms[a].writes[next[a]].first);
      }
    }
    if (slot == kNoSlot) break;
    ValueId side[2] = {c_.slots.Get(slot), c_.slots.Get(slot)};
    for (int a = 0; a < 2; ++a) {
      if (!alive[a]) continue;
      const auto& writes = arms[a].writes;
      if (next[a] < writes.size() && writes[next[a]].first == slot) {
        side[a] = writes[next[a]++].second;
      }
    }
    for (int a = 0; a < 2; ++a) {  // an arm without an end, or without a value, agrees
      if (alive[a] && side[a].valid()) continue;
      const ValueId other = side[1 - a];
      side[a] = other.valid() && VisibleOutside(other, values_before) ? other : ValueId();
    }
    if (side[0] == side[1]) {
      if (side[0] != c_.slots.Get(slot)) c_.slots.Set(slot, side[0]);
      continue;
    }
    slot_results.push_back({slot, types.size()});
    types.push_back(plan().slot_types[slot]);
    for (int a = 0; a < 2; ++a) {
      yields[a].push_back(side[a].valid() ? side[a] : builder().Undef(plan().slot_types[slot]));
    }
  }
  std::vector<std::pair<size_t, size_t>> flow_results;
  Flow flow = JoinFlows(condition, values_before, arms, &types, yields, &flow_results);
  if (types.size() > kMaxCarried) {
    Refuse("module_too_large", "too many values carried by a branch", c_.place.function->id);
    return {};
  }
  const mir::RegionId region = builder().region();
  for (int a = 0; a < 2; ++a) {
    if (!alive[a]) continue;
    builder().SetRegion(arms[a].region);
    builder().Yield(yields[a]);
  }
  builder().SetRegion(region);
  mir::SetResults(module(), inst, types);
  for (const auto& [slot, result] : slot_results) c_.slots.Set(slot, module().result(inst, result));
  for (const auto& [label, result] : flow_results) {
    flow[label].second = module().result(inst, result);
  }
  return flow;
}

// ---- Jumps ----

bool ControlFlow::IsJump(uint32_t label) const {
  if (c_.place.loops.empty()) return false;
  const uint32_t header = c_.place.loops.back().header;
  return label == header || label == kReturnLabel || !c_.place.plan->cfg.InLoop(label, header);
}

void ControlFlow::EmitContinue() {
  std::vector<ValueId> values;
  for (uint32_t slot : c_.place.loops.back().slots) values.push_back(SlotValue(slot));
  Charge(values.size());
  builder().Continue(values);
}

void ControlFlow::EmitBreak(uint32_t label) {
  LoopExit exit;
  exit.label = label;
  LoopContext& loop = c_.place.loops.back();
  for (uint32_t slot : loop.slots) exit.values.push_back(SlotValue(slot));
  Charge(exit.values.size());
  exit.inst = builder().EmitInst(mir::Op::kBreak, {}, {});
  loop.exits.push_back(std::move(exit));
}

Flow ControlFlow::Jump(uint32_t label) {
  if (label == c_.place.loops.back().header) {
    EmitContinue();
  } else {
    EmitBreak(label);
  }
  return {};
}

// Takes those labels out of a flow that are jumps of the loop around.
Flow ControlFlow::Dispatch(Flow flow) {
  size_t i = 0;
  while (ok() && i < flow.size()) {
    const auto [label, condition] = flow[i];
    if (!IsJump(label)) {
      ++i;
      continue;
    }
    if (flow.size() == 1) return Jump(label);
    EmitIf(
        condition, [&, label = label] { return Jump(label); },
        [] {
          return Flow{{kHereLabel, ValueId()}};
        });
    flow.erase(flow.begin() + i);
  }
  if (flow.size() == 1) flow[0].second = ValueId();
  return flow;
}

bool ControlFlow::AssignPhis(uint32_t from, uint32_t to) {
  const uint32_t first_block = c_.place.function->first_block;
  const uint32_t from_label = spirv().blocks[first_block + from].label;
  const SpirvBlock& block = spirv().blocks[first_block + to];
  std::vector<std::pair<uint32_t, ValueId>> assigned;
  for (uint32_t i = block.first; i < block.end; ++i) {
    const SpirvInst inst = spirv().Inst(spirv().body_offsets[i]);
    if (inst.op != spv::Op::OpPhi) break;
    if (!Charge(inst.size())) return false;
    const SpirvType* type = Supported(inst.type);
    if (type == nullptr) return false;
    const uint32_t slot = plan().slots[inst.result];
    size_t k = 3;
    while (k + 1 < inst.size() && inst.words[k + 1] != from_label) k += 2;
    if (k + 1 >= inst.size()) return Malformed("phi lacks a predecessor", inst.result);
    Leaves leaves;
    uint32_t value_type = 0;
    if (!Get(inst.words[k], &leaves, &value_type)) return false;
    if (value_type != inst.type || slot == kNoSlot) {
      return Malformed("phi of another type", inst.result);
    }
    for (size_t n = 0; n < leaves.size(); ++n) {
      assigned.push_back({slot + static_cast<uint32_t>(n), leaves[n]});
    }
  }
  for (const auto& [slot, value] : assigned) c_.slots.Set(slot, value);
  return true;
}

Flow ControlFlow::EmitEdge(uint32_t from, uint32_t to, uint32_t* next) {
  if (!ok() || !AssignPhis(from, to)) return {};
  if (IsJump(to)) return Jump(to);
  if (c_.place.plan->cfg.blocks[to].label) return Flow{{to, ValueId()}};
  if (next != nullptr) {
    *next = to;
    return {};
  }
  return EmitSequence(to, false);
}

bool ControlFlow::AlwaysJumps(uint32_t, uint32_t to) const {
  const CfgBlock& target = c_.place.plan->cfg.blocks[to];
  return IsJump(to) || (!target.label && target.always_jumps);
}

Flow ControlFlow::EmitReturn(const SpirvInst& inst) {
  if (inst.op == spv::Op::OpReturnValue) {
    Leaves leaves;
    uint32_t type = 0;
    if (Supported(c_.place.function->return_type) == nullptr) return {};
    if (!Get(inst.operand(1), &leaves, &type)) return {};
    if (type != c_.place.function->return_type || c_.place.plan->return_slot == kNoSlot) {
      Malformed("returned value of another type", c_.place.function->id);
      return {};
    }
    for (size_t i = 0; i < leaves.size(); ++i) {
      c_.slots.Set(c_.place.plan->return_slot + static_cast<uint32_t>(i), leaves[i]);
    }
  } else if (spirv().Type(c_.place.function->return_type)->kind != SpirvType::kVoid) {
    Malformed("return without a value", c_.place.function->id);
    return {};
  }
  if (IsJump(kReturnLabel)) return Jump(kReturnLabel);
  return Flow{{kReturnLabel, ValueId()}};
}

// ---- Blocks ----

Flow ControlFlow::EmitBranch(uint32_t block, const SpirvInst& inst, uint32_t* next) {
  const uint32_t first = c_.place.function->first_block;
  const uint32_t targets[2] = {spirv().Def(inst.operand(2)).index - first,
                               spirv().Def(inst.operand(3)).index - first};
  ValueId condition;
  if (!GetScalar(inst.operand(1), mir::Type::kBool, &condition)) return {};
  if (targets[0] == targets[1]) return EmitEdge(block, targets[0], next);
  uint32_t bits = 0;
  if (IsConstant(condition, &bits)) return EmitEdge(block, targets[bits != 0 ? 0 : 1], next);
  const bool jumps[2] = {AlwaysJumps(block, targets[0]), AlwaysJumps(block, targets[1])};
  if (!jumps[0] && !jumps[1]) {
    return EmitIf(
        condition, [&] { return EmitEdge(block, targets[0], nullptr); },
        [&] { return EmitEdge(block, targets[1], nullptr); });
  }
  // The side that jumps away is nested, the other follows. Of two that jump, the one that leaves
  // the loop at once is nested, so that the continue ends the body.
  int nested = jumps[0] ? 0 : 1;
  if (jumps[0] && jumps[1]) {
    const auto leaves_at_once = [&](uint32_t to) {
      return IsJump(to) && to != c_.place.loops.back().header;
    };
    if (!leaves_at_once(targets[0]) && leaves_at_once(targets[1])) nested = 1;
  }
  const auto jump = [&] { return EmitEdge(block, targets[nested], nullptr); };
  const auto here = [] { return Flow{{kHereLabel, ValueId()}}; };
  const Flow flow = nested == 0 ? EmitIf(condition, jump, here) : EmitIf(condition, here, jump);
  if (!ok()) return {};
  if (flow.size() != 1 || flow[0].first != kHereLabel) {
    Fail(absl::InternalError("a subtree that always jumps did not"));
    return {};
  }
  return EmitEdge(block, targets[1 - nested], next);
}

Flow ControlFlow::EmitCases(uint32_t block, ValueId selector, absl::Span<const SwitchCase> cases,
                         uint32_t otherwise) {
  if (!ok()) return {};
  if (cases.empty()) return EmitEdge(block, otherwise, nullptr);
  if (cases.size() == 1 && otherwise == kNoBlock) {
    return EmitEdge(block, cases[0].target, nullptr);
  }
  const size_t split = cases.size() > kLinearCases ? cases.size() / 2 : 1;
  const bool many = otherwise != kNoBlock && c_.place.plan->cfg.blocks[otherwise].many_edges;
  if (split > 1 && many && Separates(cases, split)) {
    if (!Charge(1)) return {};
    const auto middle = static_cast<int64_t>(cases[split].literals.front());
    const ValueId below =
        Emit(mir::Op::kUlt, {selector, builder().IntOf(TypeOf(selector), middle)});
    return EmitIf(
        below, [&] { return EmitCases(block, selector, cases.first(split), otherwise); },
        [&] { return EmitCases(block, selector, cases.subspan(split), otherwise); });
  }
  ValueId condition;
  for (const SwitchCase& c : cases.first(split)) {
    for (uint64_t literal : c.literals) {
      const ValueId equal =
          Emit(mir::Op::kIeq,
               {selector, builder().IntOf(TypeOf(selector), static_cast<int64_t>(literal))});
      condition = condition.valid() ? Emit(mir::Op::kOr, {condition, equal}) : equal;
      if (!Charge(1)) return {};
    }
  }
  return EmitIf(
      condition, [&] { return EmitCases(block, selector, cases.first(split), kNoBlock); },
      [&] { return EmitCases(block, selector, cases.subspan(split), otherwise); });
}

Flow ControlFlow::EmitSwitch(uint32_t block, const SpirvInst& inst, uint32_t* next) {
  Leaves operand;
  if (!Get(inst.operand(1), &operand)) return {};
  if (operand.size() != 1 || !mir::IsInt(TypeOf(operand[0]))) {
    Malformed("switch on what is no integer", inst.operand(1));
    return {};
  }
  const ValueId selector = operand[0];
  // Literals of a narrow selector are extended to a word, those of a wide one have two.
  const uint64_t literal_mask = mir::MaskOf(TypeOf(selector));
  const size_t words = spirv().SwitchLiteralWords(inst);
  const uint32_t first = c_.place.function->first_block;
  const uint32_t otherwise = spirv().Def(inst.operand(2)).index - first;
  const bool constant = module().IsConstant(selector);
  const uint64_t bits = constant ? module().value(selector).bits : 0;
  std::vector<SwitchCase> cases;
  std::vector<uint32_t> case_of(c_.place.plan->cfg.blocks.size(), kNoBlock);
  for (size_t i = 3; i + words < inst.size(); i += words + 1) {
    const uint32_t target = spirv().Def(inst.words[i + words]).index - first;
    const uint64_t high = words == 2 ? uint64_t{inst.words[i + 1]} << 32 : 0;
    const uint64_t literal = (inst.words[i] | high) & literal_mask;
    if (constant && literal == bits) return EmitEdge(block, target, next);
    if (target == otherwise) continue;
    if (case_of[target] == kNoBlock) {
      case_of[target] = static_cast<uint32_t>(cases.size());
      cases.push_back({target, {}});
    }
    cases[case_of[target]].literals.push_back(literal);
  }
  if (!Charge(case_of.size() / 16)) return {};
  if (constant || cases.empty()) return EmitEdge(block, otherwise, next);
  for (SwitchCase& c : cases) std::sort(c.literals.begin(), c.literals.end());
  std::sort(cases.begin(), cases.end(), [](const SwitchCase& a, const SwitchCase& b) {
    return a.literals.front() < b.literals.front();
  });
  return EmitCases(block, selector, cases, otherwise);
}

Flow ControlFlow::EmitTerminator(uint32_t block, const SpirvInst& inst, uint32_t* next) {
  switch (inst.op) {
    case spv::Op::OpBranch:
      return EmitEdge(block, spirv().Def(inst.operand(1)).index - c_.place.function->first_block,
                      next);
    case spv::Op::OpBranchConditional:
      return EmitBranch(block, inst, next);
    case spv::Op::OpSwitch:
      return EmitSwitch(block, inst, next);
    case spv::Op::OpReturn:
    case spv::Op::OpReturnValue:
      return EmitReturn(inst);
    case spv::Op::OpUnreachable:
      builder().Unreachable();
      return {};
    default:
      Refuse(CauseOf(inst.op), "terminator", c_.place.function->id);
      return {};
  }
}

Flow ControlFlow::EmitBlock(uint32_t block, uint32_t* next) {
  *next = kNoBlock;
  const SpirvBlock& b = spirv().blocks[c_.place.function->first_block + block];
  bool phis = true;
  for (uint32_t i = b.first; i + 1 < b.end; ++i) {
    const SpirvInst inst = spirv().Inst(spirv().body_offsets[i]);
    if (inst.op == spv::Op::OpSelectionMerge || inst.op == spv::Op::OpLoopMerge) continue;
    if (inst.op == spv::Op::OpPhi) {
      if (!phis || plan().slots[inst.result] == kNoSlot) {
        Malformed("misplaced phi", inst.result);
        return {};
      }
      c_.bindings.BindSlots(inst.result, inst.type, plan().slots[inst.result]);
      continue;
    }
    phis = false;
    bool returns = true;
    builder().set_spirv_id(inst.result != 0 ? inst.result : inst.operand(1));
    if (!Charge(1) || !EmitInst(c_, inst, &returns)) return {};
    if (!returns) return {};
  }
  return EmitTerminator(block, spirv().Inst(spirv().body_offsets[b.end - 1]), next);
}

Flow ControlFlow::EmitSequence(uint32_t x, bool loop_body) {
  std::vector<uint32_t> pending;  // labels whose code is to follow, the next one last
  for (;;) {
    if (!ok()) return {};
    const CfgBlock& block = c_.place.plan->cfg.blocks[x];
    const bool whole_loop = block.loop_header && !loop_body;
    const std::vector<uint32_t>& labels = whole_loop ? block.outside_labels : block.labels;
    pending.insert(pending.end(), labels.rbegin(), labels.rend());
    uint32_t next = kNoBlock;
    Flow flow = whole_loop ? EmitLoop(x) : EmitBlock(x, &next);
    loop_body = false;
    while (next == kNoBlock) {
      if (!ok() || flow.empty() || pending.empty()) return flow;
      const uint32_t y = pending.back();
      pending.pop_back();
      const size_t k = FindLabel(flow, y);
      if (k == flow.size()) continue;
      if (flow.size() == 1) {
        next = y;
        break;
      }
      const ValueId condition = flow[k].second;
      Flow rest = flow;
      rest.erase(rest.begin() + k);
      if (rest.size() == 1) rest[0].second = ValueId();
      flow = EmitIf(
          condition, [&] { return EmitSequence(y, false); }, [&] { return rest; });
    }
    x = next;
  }
}

// ---- Loops ----

void ControlFlow::AddWrittenSlots(const Write& write, std::vector<uint32_t>* slots) {
  uint32_t first = write.first;
  uint32_t count = write.count;
  if (write.parameter != 0) {
    const Binding& binding = c_.bindings.Of(write.parameter);
    if (binding.kind != Binding::kPointer) return;
    const Pointer& pointer = c_.bindings.pointer(binding);
    const LocalVariable* v = plan().Variable(pointer.variable);
    if (pointer.space != Pointer::kLocal || v == nullptr || v->slot == kNoSlot) return;
    if (pointer.dynamic.valid()) {  // anywhere in what is in memory, not in slots
      return;
    }
    first = v->slot + pointer.offset + write.first;
    count = std::min(count, v->slot + v->leaves - std::min(first, v->slot + v->leaves));
  }
  for (uint32_t s = first; s < first + count; ++s) {
    if (c_.slots.IsNew(s)) slots->push_back(s);
  }
}

std::vector<uint32_t> ControlFlow::LoopSlots(uint32_t header) {
  std::vector<uint32_t> slots;
  c_.slots.BeginList();
  const FunctionPlan& plan = *c_.place.plan;
  const CfgBlock& h = plan.cfg.blocks[header];
  uint64_t work = 0;
  for (uint32_t n = h.pre; n < h.inside_end; ++n) {
    for (const Write& w : plan.writes[plan.cfg.by_preorder[n]]) {
      AddWrittenSlots(w, &slots);
      work += 1 + w.count / 16;
    }
  }
  Charge(work + slots.size());
  std::sort(slots.begin(), slots.end());
  return slots;
}

Flow ControlFlow::EmitLoop(uint32_t header) {
  builder().set_spirv_id(spirv().blocks[c_.place.function->first_block + header].label);
  LoopContext loop;
  loop.header = header;
  loop.slots = LoopSlots(header);
  const std::vector<uint32_t> slots = loop.slots;
  if (slots.size() > kMaxCarried) {
    Refuse("module_too_large", "too many values carried by a loop", c_.place.function->id);
  }
  if (!ok()) return {};
  std::vector<ValueId> initial;
  for (uint32_t slot : slots) initial.push_back(SlotValue(slot));
  const mir::RegionId region = builder().region();
  const mir::InstId inst = builder().Loop(initial);
  const mir::RegionId body = module().inst(inst).regions[0];
  Arm arm;
  arm.region = body;
  c_.place.loops.push_back(std::move(loop));
  WalkArm(&arm, [&] {
    for (size_t i = 0; i < slots.size(); ++i)
      c_.slots.Set(slots[i], module().region(body).params[i]);
    return EmitSequence(header, true);
  });
  loop = std::move(c_.place.loops.back());
  c_.place.loops.pop_back();
  builder().SetRegion(region);
  if (ok() && !arm.flow.empty()) Malformed("loop is not structured", c_.place.function->id);
  if (!ok()) return {};

  Flow flow;
  for (const LoopExit& exit : loop.exits) {
    if (FindLabel(flow, exit.label) == flow.size()) flow.push_back({exit.label, ValueId()});
  }
  if (flow.empty()) {
    builder().Unreachable();
    return {};
  }
  const bool several = flow.size() > 1;
  std::vector<mir::Type> types;
  for (uint32_t slot : slots) types.push_back(plan().slot_types[slot]);
  if (several) types.insert(types.end(), flow.size(), mir::Type::kBool);
  if (types.size() > 0xffff) {
    Refuse("module_too_large", "too many values carried by a loop", c_.place.function->id);
    return {};
  }
  for (LoopExit& exit : loop.exits) {
    for (size_t i = 0; several && i < flow.size(); ++i) {
      exit.values.push_back(builder().Bool(flow[i].first == exit.label));
    }
    if (!Charge(exit.values.size())) return {};
    mir::SetSources(module(), exit.inst, exit.values);
  }
  mir::SetResults(module(), inst, types);
  for (size_t i = 0; i < slots.size(); ++i) c_.slots.Set(slots[i], module().result(inst, i));
  for (size_t i = 0; several && i < flow.size(); ++i) {
    flow[i].second = module().result(inst, slots.size() + i);
  }
  return Dispatch(std::move(flow));
}

// ---- Functions ----

Flow ControlFlow::EmitFunction(uint32_t index) {
  FunctionContext caller = std::move(c_.place);
  c_.place = FunctionContext();
  c_.place.index = index;
  c_.place.function = &spirv().functions[index];
  e_.errors.set_function(c_.place.function->id);
  c_.place.plan = &plan().functions[index];
  Flow flow = EmitSequence(0, false);
  if (ok() && !flow.empty() && (flow.size() != 1 || flow[0].first != kReturnLabel)) {
    Malformed("control flow is not structured", c_.place.function->id);
    flow = {};
  }
  c_.place = std::move(caller);
  e_.errors.set_function(c_.place.function->id);
  Unbind(spirv().functions[index]);
  return flow;
}

// What one inlined copy defined must not be seen by the next.
void ControlFlow::Unbind(const SpirvFunction& function) {
  for (uint32_t id : function.parameters) c_.bindings.Unbind(id);
  if (function.first_block == function.end_block) return;
  const uint32_t first = spirv().blocks[function.first_block].first;
  const uint32_t end = spirv().blocks[function.end_block - 1].end;
  for (uint32_t i = first; i < end; ++i) {
    const uint32_t result = spirv().Inst(spirv().body_offsets[i]).result;
    if (result != 0) c_.bindings.Unbind(result);
  }
}

bool ControlFlow::BindParameters(const SpirvInst& inst, const SpirvFunction& callee) {
  for (size_t i = 0; i < callee.parameters.size(); ++i) {
    const uint32_t parameter = callee.parameters[i];
    const SpirvType& type = *spirv().Type(callee.parameter_types[i]);
    if (type.kind == SpirvType::kPointer && !type.IsPhysicalPointer()) {
      Pointer pointer;
      if (!GetPointer(inst.operand(4 + i), &pointer)) return false;
      if (pointer.type != type.element) return Malformed("argument type", inst.result);
      if (pointer.component.valid()) {
        return Refuse("partial_pointer", "argument points to a component chosen by value",
                      inst.result);
      }
      c_.bindings.BindPointer(parameter, pointer);
      continue;
    }
    if (type.IsImage()) {
      ImageHandle handle;
      if (!GetImage(inst.operand(4 + i), &handle)) return false;
      if (spirv().Def(inst.operand(4 + i)).type != callee.parameter_types[i]) {
        return Malformed("argument type", inst.result);
      }
      c_.bindings.BindImage(parameter, handle);
      continue;
    }
    Leaves leaves;
    uint32_t argument_type = 0;
    if (Supported(callee.parameter_types[i]) == nullptr) return false;
    if (!Get(inst.operand(4 + i), &leaves, &argument_type)) return false;
    if (argument_type != callee.parameter_types[i]) return Malformed("argument type", inst.result);
    c_.bindings.BindValue(parameter, argument_type, leaves);
  }
  return true;
}

bool ControlFlow::EmitCall(const SpirvInst& inst, bool* returns) {
  const SpirvFunction* callee = spirv().Function(inst.operand(3));
  if (callee == nullptr || callee->parameters.size() != inst.size() - 4 ||
      callee->return_type != inst.type) {
    return Malformed("call does not fit the function", inst.result);
  }
  const uint32_t index = spirv().Def(inst.operand(3)).index;
  const FunctionPlan& plan = c_.plan.functions[index];
  if (!Charge((plan.end_slot - plan.first_slot) / 4) || !BindParameters(inst, *callee)) {
    return false;
  }
  const Flow flow = EmitFunction(index);
  if (!ok()) return false;
  *returns = !flow.empty();
  if (flow.empty()) return true;
  Leaves result;
  const bool has_value = spirv().Type(inst.type)->kind != SpirvType::kVoid;
  if (has_value) {
    const SpirvType* type = Supported(inst.type);
    if (type == nullptr) return false;
    if (plan.return_slot == kNoSlot) return Malformed("function without a value", inst.result);
    for (uint32_t i = 0; i < type->leaves; ++i) {
      result.push_back(SlotValue(plan.return_slot + i));
    }
  }
  for (uint32_t s = plan.first_slot; s < plan.end_slot; ++s) {
    if (c_.slots.Get(s).valid()) c_.slots.Set(s, ValueId());
  }
  return has_value ? Define(inst, result) : true;
}

bool EmitEntry(ImportContext& c, uint32_t function_index, bool* end) {
  *end = !ControlFlow(c).EmitFunction(function_index).empty();
  return c.emission.errors.ok();
}

bool EmitCall(ImportContext& c, const SpirvInst& inst, bool* returns) {
  return ControlFlow(c).EmitCall(inst, returns);
}

}  // namespace kiln::front
