#include "core/front/emit/flow/loops.h"

#include <algorithm>
#include <utility>

namespace kiln::front {

// ---- Jumps ----

bool Loops::IsJump(uint32_t label) const {
  if (c_.place.loops.empty()) return false;
  const uint32_t header = c_.place.loops.back().header;
  return label == header || label == kReturnLabel || !c_.place.plan->cfg.InLoop(label, header);
}

void Loops::EmitContinue() const {
  std::vector<ValueId> values;
  for (uint32_t slot : c_.place.loops.back().slots) values.push_back(SlotValue(slot));
  Charge(values.size());
  builder().Continue(values);
}

void Loops::EmitBreak(uint32_t label) const {
  LoopExit exit;
  exit.label = label;
  LoopContext& loop = c_.place.loops.back();
  for (uint32_t slot : loop.slots) exit.values.push_back(SlotValue(slot));
  Charge(exit.values.size());
  exit.inst = builder().EmitInst(mir::Op::kBreak, {}, {});
  loop.exits.push_back(std::move(exit));
}

Flow Loops::Jump(uint32_t label) const {
  if (label == c_.place.loops.back().header) {
    EmitContinue();
  } else {
    EmitBreak(label);
  }
  return {};
}

// Emits the labels of a flow that are jumps of the surrounding loop, and removes them from it.
Flow Loops::Dispatch(Flow flow) const {
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

// ---- Carried values ----

void Loops::AddWrittenSlots(const Write& write, std::vector<uint32_t>* slots) const {
  uint32_t first = write.first;
  uint32_t count = write.count;
  if (write.parameter != 0) {
    const Binding& binding = c_.bindings.Of(write.parameter);
    if (binding.kind != Binding::kPointer) return;
    const Pointer& pointer = c_.bindings.pointer(binding);
    const LocalVariable* v = plan().Variable(pointer.variable);
    if (pointer.space != Pointer::kLocal || v == nullptr || v->slot == kNoSlot) return;
    if (pointer.dynamic.valid()) {  // chosen by value: in memory, not in slots
      return;
    }
    first = v->slot + pointer.offset + write.first;
    count = std::min(count, v->slot + v->leaves - std::min(first, v->slot + v->leaves));
  }
  for (uint32_t s = first; s < first + count; ++s) {
    if (c_.slots.IsNew(s)) slots->push_back(s);
  }
}

// Returns the slots written in the loop of a header, ascending.
std::vector<uint32_t> Loops::WrittenSlots(uint32_t header) const {
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

// ---- Loops ----

LoopContext Loops::WalkBody(mir::InstId inst, uint32_t header, const std::vector<uint32_t>& slots,
                            absl::FunctionRef<Flow()> body) const {
  const mir::RegionId around = builder().region();
  const mir::RegionId region = module().inst(inst).regions[0];
  c_.place.loops.push_back({header, slots, {}});
  const WalkedRegion walked = Walk(region, [&] {
    for (size_t i = 0; i < slots.size(); ++i) {
      c_.slots.Set(slots[i], module().region(region).params[i]);
    }
    return body();
  });
  LoopContext loop = std::move(c_.place.loops.back());
  c_.place.loops.pop_back();
  builder().SetRegion(around);
  if (ok() && !walked.flow.empty()) Malformed("loop is not structured", c_.place.function->id);
  return loop;
}

// Sets the breaks' sources, now that all labels are known, and the loop's results.
Flow Loops::Complete(mir::InstId inst, LoopContext& loop) const {
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
  for (uint32_t slot : loop.slots) types.push_back(c_.slots.type(slot));
  if (several) types.insert(types.end(), flow.size(), mir::Type::kBool);
  constexpr size_t kMaxResults = 0xffff;  // of an instruction of MIR
  if (types.size() > kMaxResults) {
    Refuse("module_too_large", {"values carried by a loop", types.size(), kMaxResults},
           c_.place.function->id);
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
  for (size_t i = 0; i < loop.slots.size(); ++i) {
    c_.slots.Set(loop.slots[i], module().result(inst, i));
  }
  for (size_t i = 0; several && i < flow.size(); ++i) {
    flow[i].second = module().result(inst, loop.slots.size() + i);
  }
  return flow;
}

Flow Loops::EmitLoop(uint32_t header, absl::FunctionRef<Flow()> body) const {
  builder().set_spirv_id(spirv().blocks[c_.place.function->first_block + header].label);
  const std::vector<uint32_t> slots = WrittenSlots(header);
  if (slots.size() > kMaxCarried) {
    Refuse("module_too_large", {"values carried by a loop", slots.size(), kMaxCarried},
           c_.place.function->id);
  }
  if (!ok()) return {};
  std::vector<ValueId> initial;
  for (uint32_t slot : slots) initial.push_back(SlotValue(slot));
  const mir::InstId inst = builder().Loop(initial);
  LoopContext loop = WalkBody(inst, header, slots, body);
  if (!ok()) return {};
  return Dispatch(Complete(inst, loop));
}

}  // namespace kiln::front
