#include "core/front/plan/pointer_targets.h"

#include <algorithm>

namespace kiln::front {

PointerTargets::PointerTargets(const SpirvModule& module, const Plan& plan) : module_(module) {
  if (!module.Declares(spv::Capability::VariablePointers) &&
      !module.Declares(spv::Capability::VariablePointersStorageBuffer)) {
    return;
  }
  node_of_.assign(module.bound, kNoValue);
  for (size_t i = 0; i < module.variables.size(); ++i) {
    const SpirvVariable& v = module.variables[i];
    if (module.Type(v.type)->IsValuePointer()) {
      Add(nodes_[NodeOf(v.id)], static_cast<uint32_t>(i));
      changed_.push_back(NodeOf(v.id));
    }
    if (v.initializer != 0) Flow(v.initializer, v.id);
  }
  for (uint32_t function : plan.order) AddFunction(plan, function);
  Propagate();
}

absl::Span<const uint32_t> PointerTargets::Of(uint32_t id) const {
  if (id >= node_of_.size() || node_of_[id] == kNoValue) return {};
  return nodes_[node_of_[id]].targets;
}

bool PointerTargets::TooMany(uint32_t id) const {
  return id < node_of_.size() && node_of_[id] != kNoValue && nodes_[node_of_[id]].too_many;
}

uint32_t PointerTargets::NodeOf(uint32_t id) {
  if (node_of_[id] == kNoValue) {
    node_of_[id] = static_cast<uint32_t>(nodes_.size());
    nodes_.emplace_back();
  }
  return node_of_[id];
}

void PointerTargets::Flow(uint32_t from_id, uint32_t to_id) {
  if (from_id == 0 || to_id == 0 || from_id >= module_.bound || to_id >= module_.bound) return;
  if (module_.Constant(from_id) != nullptr || module_.Type(from_id) != nullptr) return;
  const uint32_t from = NodeOf(from_id);
  const uint32_t to = NodeOf(to_id);
  if (from != to) nodes_[from].flows_to.push_back(to);
}

// Returns the id whose node holds the pointers stored in the local variable that a pointer leads
// into: the variable, or the parameter through which the pointer came.
uint32_t PointerTargets::ContentOf(const Plan& plan, uint32_t pointer) const {
  const PointerRoot& root = plan.roots[pointer < plan.roots.size() ? pointer : 0];
  return root.kind == PointerRoot::kNone ? 0 : root.id;
}

void PointerTargets::AddFunction(const Plan& plan, uint32_t function) {
  const SpirvFunction& f = module_.functions[function];
  for (uint32_t b = f.first_block; b < f.end_block; ++b) {
    for (uint32_t i = module_.blocks[b].first; i < module_.blocks[b].end; ++i) {
      AddInst(plan, function, module_.Inst(module_.body_offsets[i]));
    }
  }
}

void PointerTargets::AddInst(const Plan& plan, uint32_t function, const SpirvInst& inst) {
  switch (inst.op) {
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain:
    case spv::Op::OpCopyObject:
    case spv::Op::OpCopyLogical:
    case spv::Op::OpCompositeExtract:
    case spv::Op::OpCompositeConstructReplicateEXT: return Flow(inst.operand(3), inst.result);
    case spv::Op::OpSelect:
      Flow(inst.operand(4), inst.result);
      return Flow(inst.operand(5), inst.result);
    case spv::Op::OpCompositeInsert:
      Flow(inst.operand(3), inst.result);
      return Flow(inst.operand(4), inst.result);
    case spv::Op::OpCompositeConstruct:
      for (size_t i = 3; i < inst.size(); ++i) Flow(inst.words[i], inst.result);
      return;
    case spv::Op::OpPhi:
      for (size_t i = 3; i + 1 < inst.size(); i += 2) Flow(inst.words[i], inst.result);
      return;
    case spv::Op::OpVariable: return Flow(inst.operand(4), inst.result);
    case spv::Op::OpLoad: return Flow(ContentOf(plan, inst.operand(3)), inst.result);
    case spv::Op::OpStore: return Flow(inst.operand(2), ContentOf(plan, inst.operand(1)));
    case spv::Op::OpCopyMemory:
      return Flow(ContentOf(plan, inst.operand(2)), ContentOf(plan, inst.operand(1)));
    case spv::Op::OpFunctionCall: return AddCall(plan, inst);
    case spv::Op::OpReturnValue: return Flow(inst.operand(1), module_.functions[function].id);
    default: return;
  }
}

void PointerTargets::AddCall(const Plan& plan, const SpirvInst& inst) {
  const SpirvFunction* callee = module_.Function(inst.operand(3));
  if (callee == nullptr || callee->parameters.size() + 4 != inst.size()) return;
  Flow(callee->id, inst.result);
  for (size_t i = 0; i < callee->parameters.size(); ++i) {
    const uint32_t parameter = callee->parameters[i];
    const uint32_t content = ContentOf(plan, inst.words[4 + i]);
    if (content == 0) {
      Flow(inst.words[4 + i], parameter);
    } else {  // a value stored on either side is read on both
      Flow(content, parameter);
      Flow(parameter, content);
    }
  }
}

bool PointerTargets::Add(Node& node, uint32_t target) {
  const auto at = std::lower_bound(node.targets.begin(), node.targets.end(), target);
  if (at != node.targets.end() && *at == target) return false;
  if (node.targets.size() == kMaxTargets) {
    const bool before = node.too_many;
    node.too_many = true;
    return !before;
  }
  node.targets.insert(at, target);
  return true;
}

void PointerTargets::Propagate() {
  while (!changed_.empty()) {
    const uint32_t n = changed_.back();
    changed_.pop_back();
    for (uint32_t to : nodes_[n].flows_to) {
      bool grows = nodes_[n].too_many && !nodes_[to].too_many;
      nodes_[to].too_many |= nodes_[n].too_many;
      for (uint32_t target : nodes_[n].targets) grows |= Add(nodes_[to], target);
      if (grows) changed_.push_back(to);
    }
  }
}

}  // namespace kiln::front
