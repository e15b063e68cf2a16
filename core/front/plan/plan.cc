#include "core/front/plan/plan.h"

#include <algorithm>

#include "core/front/check/refusal.h"
#include "core/front/plan/layout.h"

namespace kiln::front {
namespace {

constexpr uint32_t kMaxCallDepth = 256;
constexpr size_t kMaxSlots = size_t{1} << 20;

uint64_t AddSaturating(uint64_t a, uint64_t b) { return a + b < a ? ~uint64_t{0} : a + b; }

bool IsLocal(spv::StorageClass storage) {
  return storage == spv::StorageClass::Function || storage == spv::StorageClass::Private ||
         storage == spv::StorageClass::Output;
}

class Planner {
 public:
  Planner(const SpirvModule& module, Plan& plan) : m_(module), plan_(plan) {}

  absl::Status Run(uint32_t entry_function, mir::Stage stage, uint64_t max_instructions);

 private:
  absl::Status CallOrder(uint32_t entry);
  absl::Status Callees(uint32_t function, std::vector<uint32_t>* callees) const;
  void AddVariable(uint32_t id, uint32_t pointee, uint32_t initializer);
  bool IsKnown(uint32_t id, uint32_t type) const;
  uint32_t AllocateSlots(uint32_t type);
  absl::Status PlanFunction(uint32_t index);
  void PlanBlock(uint32_t b);
  void PlanInst(const SpirvInst& inst, uint32_t b);
  void PlanPhi(const SpirvInst& inst);
  void PlanChain(const SpirvInst& inst);
  void PlanCall(const SpirvInst& inst, uint32_t b);
  void PlanStore(const SpirvInst& inst, uint32_t b);
  void WriteThrough(uint32_t pointer, uint32_t b, uint32_t stored);
  void WriteRange(const PointerRoot& root, uint32_t first, uint32_t count, uint32_t b,
                  uint32_t stored);
  void MarkMemory(const PointerRoot& root, uint32_t first, uint32_t count);
  void FindCarried();
  void Use(uint32_t id, uint32_t block);
  void Finish();
  void Simplify(std::vector<Write>* writes) const;
  const PointerRoot& Root(uint32_t id) const {
    return plan_.roots[id < plan_.roots.size() ? id : 0];
  }

  absl::Status CheckSize() const;

  const SpirvModule& m_;
  Plan& plan_;
  uint64_t max_instructions_ = 0;
  const SpirvFunction* f_ = nullptr;
  FunctionPlan* p_ = nullptr;
  uint32_t index_ = 0;
  absl::Status status_ = absl::OkStatus();
};

absl::Status Planner::Callees(uint32_t function, std::vector<uint32_t>* callees) const {
  const SpirvFunction& f = m_.functions[function];
  for (uint32_t b = f.first_block; b < f.end_block; ++b) {
    for (uint32_t i = m_.blocks[b].first; i < m_.blocks[b].end; ++i) {
      const uint32_t word = m_.words[m_.body_offsets[i]];
      if (static_cast<spv::Op>(word & 0xffff) != spv::Op::OpFunctionCall) continue;
      const uint32_t callee = m_.words[m_.body_offsets[i] + 3];
      if (m_.Function(callee) == nullptr)
        return Invalid("call of an id that is not a function", callee);
      callees->push_back(m_.Def(callee).index);
    }
  }
  std::sort(callees->begin(), callees->end());
  callees->erase(std::unique(callees->begin(), callees->end()), callees->end());
  return absl::OkStatus();
}

// Orders the functions depth first over the call graph, callees first, without recursion in C++.
absl::Status Planner::CallOrder(uint32_t entry) {
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> state(m_.functions.size(), kNew);
  struct Frame {
    uint32_t function;
    std::vector<uint32_t> callees;
    size_t next = 0;
  };
  std::vector<Frame> stack;
  std::vector<uint32_t> depth(m_.functions.size(), 0);
  const auto open = [&](uint32_t function) {
    state[function] = kOpen;
    stack.push_back({function, {}});
    return Callees(function, &stack.back().callees);
  };
  absl::Status status = open(entry);
  while (status.ok() && !stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next < frame.callees.size()) {
      const uint32_t callee = frame.callees[frame.next++];
      const uint32_t id = m_.functions[callee].id;
      if (state[callee] == kOpen) return Invalid("recursive function", id);
      if (state[callee] == kNew) status = open(callee);
      continue;
    }
    uint32_t& d = depth[frame.function];
    for (uint32_t callee : frame.callees) d = std::max(d, depth[callee] + 1);
    if (d > kMaxCallDepth) {
      return Refused("nesting_too_deep", {"nested calls", d, kMaxCallDepth},
                     m_.functions[frame.function].id);
    }
    state[frame.function] = kDone;
    plan_.order.push_back(frame.function);
    stack.pop_back();
  }
  return status;
}

uint32_t Planner::AllocateSlots(uint32_t type) {
  const auto first = static_cast<uint32_t>(plan_.slot_types.size());
  AppendLeafTypes(m_, type, &plan_.slot_types);
  if (plan_.slot_types.size() > kMaxSlots && status_.ok()) {
    status_ =
        Refused("module_too_large", {"local scalars", plan_.slot_types.size(), kMaxSlots}, type);
  }
  return first;
}

void Planner::AddVariable(uint32_t id, uint32_t pointee, uint32_t initializer) {
  LocalVariable v;
  v.id = id;
  v.type = pointee;
  v.initializer = initializer;
  const SpirvType& type = *m_.Type(pointee);
  v.leaves = type.leaves;
  v.unsupported = type.unsupported;
  if (v.unsupported.empty() && type.leaves > kMaxLeaves) v.unsupported = "composite_too_large";
  if (v.unsupported.empty()) {
    v.slot = AllocateSlots(pointee);
    const auto begin = plan_.slot_types.begin() + v.slot;
    const auto is_wide = [](mir::Type t) { return mir::BitsOf(t) == 64; };
    if (std::any_of(begin, plan_.slot_types.end(), is_wide)) v.words = 2;
    plan_.roots[id] = {PointerRoot::kVariable, false, id, pointee, 0, v.leaves};
  }
  plan_.variable_index[id] = static_cast<uint32_t>(plan_.variables.size());
  plan_.variables.push_back(std::move(v));
}

void Planner::WriteRange(const PointerRoot& root, uint32_t first, uint32_t count, uint32_t b,
                         uint32_t stored) {
  if (root.kind == PointerRoot::kNone) return;
  if (root.kind == PointerRoot::kParameter) {
    p_->writes[b].push_back({root.id, first, count});
    return;
  }
  LocalVariable& v = plan_.variables[plan_.variable_index[root.id]];
  ++v.writes;
  v.written = first == 0 && count == v.leaves && !root.dynamic ? stored : 0;
  p_->writes[b].push_back({0, v.slot + first, count});
}

void Planner::WriteThrough(uint32_t pointer, uint32_t b, uint32_t stored) {
  const PointerRoot root = Root(pointer);
  WriteRange(root, root.first, root.count, b, stored);
}

void Planner::MarkMemory(const PointerRoot& root, uint32_t first, uint32_t count) {
  if (count == 0) return;
  if (root.kind == PointerRoot::kVariable) {
    plan_.variables[plan_.variable_index[root.id]].memory.push_back({first, first + count});
  } else if (root.kind == PointerRoot::kParameter) {
    p_->parameter_memory.push_back({root.id, {first, first + count}});
  }
}

// Follows the indices; an array or matrix that is indexed by a value is put into memory.
void Planner::PlanChain(const SpirvInst& inst) {
  PointerRoot root = Root(inst.operand(3));
  if (root.kind == PointerRoot::kNone) return;
  uint32_t type_id = root.type;
  for (size_t i = 4; i < inst.size(); ++i) {
    const SpirvType& type = *m_.Type(type_id);
    uint32_t index = 0;
    const bool constant = m_.IndexConstant(inst.words[i], &index);
    if (type.kind == SpirvType::kStruct) {
      if (!constant || index >= type.count) return;  // refused where it is emitted
      const SpirvMember& member = m_.members[type.first_member + index];
      type_id = member.type;
      if (!root.dynamic) {
        root.first += member.leaf;
        root.count = m_.Type(type_id)->leaves;
      }
      continue;
    }
    if (type.kind != SpirvType::kArray && type.kind != SpirvType::kMatrix &&
        type.kind != SpirvType::kVector) {
      return;
    }
    const uint32_t step = m_.Type(type.element)->leaves;
    type_id = type.element;
    if (root.dynamic) continue;
    if (constant) {
      root.first += std::min(index, type.count - 1) * step;
      root.count = step;
    } else if (type.kind == SpirvType::kVector) {
      break;  // a component chosen by value stays in slots, by selection among the components
    } else {
      MarkMemory(root, root.first, root.count);
      root.dynamic = true;
    }
  }
  root.type = type_id;
  plan_.roots[inst.result] = root;
}

void Planner::PlanCall(const SpirvInst& inst, uint32_t b) {
  const SpirvFunction* callee = m_.Function(inst.operand(3));
  const FunctionPlan& plan = plan_.functions[m_.Def(inst.operand(3)).index];
  p_->size = AddSaturating(p_->size, plan.size);
  // The work of carrying the callee's effects counts too.
  p_->size = AddSaturating(p_->size, (plan.summary.size() + plan.parameter_memory.size()) / 8);
  if (callee->parameters.size() != inst.size() - 4) {
    if (status_.ok()) status_ = Invalid("call has the wrong number of arguments", inst.result);
    return;
  }
  const auto argument = [&](uint32_t parameter) {
    for (size_t i = 0; i < callee->parameters.size(); ++i) {
      if (callee->parameters[i] != parameter) continue;
      const PointerRoot root = Root(inst.words[4 + i]);
      // A different type is an error, reported where the call is emitted.
      const bool fits = root.type == m_.Type(callee->parameter_types[i])->element;
      return fits ? root : PointerRoot();
    }
    return PointerRoot();
  };
  for (const Write& w : plan.summary) {
    if (w.parameter == 0) {
      p_->writes[b].push_back(w);
      continue;
    }
    const PointerRoot root = argument(w.parameter);
    if (root.dynamic) {
      WriteRange(root, root.first, root.count, b, 0);
    } else if (w.first <= root.count && w.count <= root.count - w.first) {
      WriteRange(root, root.first + w.first, w.count, b, 0);
    }
  }
  for (const auto& [parameter, range] : plan.parameter_memory) {
    const PointerRoot root = argument(parameter);
    if (!root.dynamic && range.second <= root.count) {
      MarkMemory(root, root.first + range.first, range.second - range.first);
    }
  }
}

void Planner::PlanPhi(const SpirvInst& inst) {
  const SpirvType& type = *m_.Type(inst.type);
  if (!type.unsupported.empty() || type.leaves > kMaxLeaves) return;  // refused when emitted
  const uint32_t slot = AllocateSlots(inst.type);
  plan_.slots[inst.result] = slot;
  for (size_t i = 4; i < inst.size(); i += 2) {
    const SpirvDef& def = m_.Def(inst.words[i]);
    if (def.kind != SpirvDef::kLabel || def.function != index_) continue;
    p_->writes[def.index - f_->first_block].push_back({0, slot, type.leaves});
  }
}

// Returns true if this is a constant of that type with known leaves. If the type of a store or
// initialiser differs, which is an error, the emitter reports it.
bool Planner::IsKnown(uint32_t id, uint32_t type) const {
  const SpirvConstant* constant = m_.Constant(id);
  return constant != nullptr && constant->type == type &&
         (constant->kind == SpirvConstant::kLeaves || constant->kind == SpirvConstant::kNull);
}

void Planner::PlanStore(const SpirvInst& inst, uint32_t b) {
  WriteThrough(inst.operand(1), b, inst.operand(2));
}

void Planner::PlanInst(const SpirvInst& inst, uint32_t b) {
  switch (inst.op) {
    case spv::Op::OpVariable: {
      const SpirvType& type = *m_.Type(inst.type);
      if (type.kind != SpirvType::kPointer || type.storage != spv::StorageClass::Function) return;
      p_->variables.push_back(static_cast<uint32_t>(plan_.variables.size()));
      AddVariable(inst.result, type.element, inst.operand(4));
      break;
    }
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain: PlanChain(inst); break;
    case spv::Op::OpCopyObject: plan_.roots[inst.result] = Root(inst.operand(3)); break;
    case spv::Op::OpStore: PlanStore(inst, b); break;
    case spv::Op::OpCopyMemory:
    case spv::Op::OpAtomicStore: WriteThrough(inst.operand(1), b, 0); break;
    case spv::Op::OpExtInst:  // modf and frexp write through their last operand
      if (inst.operand(4) == GLSLstd450Modf || inst.operand(4) == GLSLstd450Frexp) {
        WriteThrough(inst.operand(6), b, 0);
      }
      break;
    case spv::Op::OpPhi: PlanPhi(inst); break;
    case spv::Op::OpFunctionCall: PlanCall(inst, b); break;
    case spv::Op::OpReturnValue: {
      const SpirvType& type = *m_.Type(f_->return_type);
      if (p_->return_slot == kNoSlot && type.unsupported.empty() && type.leaves <= kMaxLeaves) {
        p_->return_slot = AllocateSlots(f_->return_type);
      }
      if (p_->return_slot != kNoSlot) p_->writes[b].push_back({0, p_->return_slot, type.leaves});
      break;
    }
    default: break;
  }
}

absl::Status Planner::CheckSize() const {
  if (p_->size <= max_instructions_) return absl::OkStatus();
  return Refused("module_too_large",
                 {"instructions after inlining", std::nullopt, max_instructions_}, f_->id);
}

void Planner::PlanBlock(uint32_t b) {
  const SpirvBlock& block = m_.blocks[f_->first_block + b];
  p_->size = AddSaturating(p_->size, block.end - block.first);
  for (uint32_t i = block.first; i < block.end && status_.ok(); ++i) {
    const SpirvInst inst = m_.Inst(m_.body_offsets[i]);
    if (inst.result != 0) plan_.block_of[inst.result] = b;
    PlanInst(inst, b);
    if (status_.ok()) status_ = CheckSize();
  }
}

void Planner::Use(uint32_t id, uint32_t block) {
  const SpirvDef& def = m_.Def(id);
  if (def.kind != SpirvDef::kBody || def.function != index_ || plan_.slots[id] != kNoSlot) return;
  const uint32_t b = plan_.block_of[id];
  if (b == kNoBlock || p_->cfg.Visible(b, block)) return;
  const SpirvType* type = m_.Type(def.type);
  if (type == nullptr || plan_.variable_index[id] != kNoValue) return;
  const auto first = static_cast<uint32_t>(plan_.slot_types.size());
  if (type->kind == SpirvType::kPointer) {
    // The parts of a pointer that are known only at run time: a byte offset or address, a vector
    // component, the index of a descriptor.
    plan_.slot_types.insert(plan_.slot_types.end(), kPointerSlots, mir::Type::kI32);
    if (type->IsPhysicalPointer()) plan_.slot_types[first] = mir::Type::kI64;
  } else if (type->IsImage()) {
    // The descriptor indices of the image and of the sampler.
    plan_.slot_types.insert(plan_.slot_types.end(), 2, mir::Type::kI32);
  } else if (type->unsupported.empty() && type->leaves != 0 && type->leaves <= kMaxLeaves) {
    AllocateSlots(def.type);
  } else {
    return;
  }
  plan_.slots[id] = first;
  p_->writes[b].push_back({0, first, static_cast<uint32_t>(plan_.slot_types.size()) - first});
}

// Treats any operand word that equals the id of a value as a use of it: a literal that happens to
// be equal costs only a slot.
void Planner::FindCarried() {
  for (uint32_t b : p_->cfg.by_order) {
    const SpirvBlock& block = m_.blocks[f_->first_block + b];
    for (uint32_t i = block.first; i < block.end && status_.ok(); ++i) {
      const SpirvInst inst = m_.Inst(m_.body_offsets[i]);
      const size_t first = 1 + (inst.type != 0) + (inst.result != 0);
      if (inst.op == spv::Op::OpPhi) {
        for (size_t k = 3; k + 1 < inst.size(); k += 2) {
          const SpirvDef& def = m_.Def(inst.words[k + 1]);
          if (def.kind != SpirvDef::kLabel || def.function != index_) continue;
          const uint32_t from = def.index - f_->first_block;
          if (p_->cfg.blocks[from].reachable) Use(inst.words[k], from);
        }
        continue;
      }
      for (size_t k = first; k < inst.size(); ++k) Use(inst.words[k], b);
    }
  }
}

// Sorts and joins overlapping ranges.
void Planner::Simplify(std::vector<Write>* writes) const {
  std::sort(writes->begin(), writes->end());
  size_t out = 0;
  for (const Write& w : *writes) {
    if (out > 0) {
      Write& last = (*writes)[out - 1];
      if (last.parameter == w.parameter && w.first <= last.first + last.count) {
        last.count = std::max(last.count, w.first + w.count - last.first);
        continue;
      }
    }
    (*writes)[out++] = w;
  }
  writes->resize(out);
}

absl::Status Planner::PlanFunction(uint32_t index) {
  index_ = index;
  f_ = &m_.functions[index];
  p_ = &plan_.functions[index];
  absl::StatusOr<Cfg> cfg = BuildCfg(m_, *f_);
  if (!cfg.ok()) return cfg.status();
  p_->cfg = *std::move(cfg);
  p_->writes.resize(p_->cfg.blocks.size());
  p_->first_slot = static_cast<uint32_t>(plan_.slot_types.size());
  for (size_t i = 0; i < f_->parameters.size(); ++i) {
    const SpirvType& type = *m_.Type(f_->parameter_types[i]);
    plan_.block_of[f_->parameters[i]] = 0;
    if (type.kind != SpirvType::kPointer || !IsLocal(type.storage)) continue;
    plan_.roots[f_->parameters[i]] = {
        PointerRoot::kParameter,      false, f_->parameters[i], type.element, 0,
        m_.Type(type.element)->leaves};
  }
  for (uint32_t b : p_->cfg.by_order) PlanBlock(b);
  if (!status_.ok()) return status_;
  FindCarried();
  p_->end_slot = static_cast<uint32_t>(plan_.slot_types.size());
  p_->size = AddSaturating(p_->size, (p_->end_slot - p_->first_slot) / 4);
  if (status_.ok()) status_ = CheckSize();
  for (std::vector<Write>& writes : p_->writes) {
    Simplify(&writes);
    for (const Write& w : writes) {
      if (w.parameter != 0 || w.first < plan_.global_slots) p_->summary.push_back(w);
    }
  }
  Simplify(&p_->summary);
  std::sort(p_->parameter_memory.begin(), p_->parameter_memory.end());
  p_->parameter_memory.erase(std::unique(p_->parameter_memory.begin(), p_->parameter_memory.end()),
                             p_->parameter_memory.end());
  return status_;
}

// Joins memory ranges and finds the variables that only ever hold one constant.
void Planner::Finish() {
  for (LocalVariable& v : plan_.variables) {
    std::sort(v.memory.begin(), v.memory.end());
    size_t out = 0;
    for (const auto& range : v.memory) {
      if (out > 0 && range.first < v.memory[out - 1].second) {
        v.memory[out - 1].second = std::max(v.memory[out - 1].second, range.second);
      } else {
        v.memory[out++] = range;
      }
    }
    v.memory.resize(out);
    if (v.memory.empty()) continue;
    // Before its only store a variable without initialiser is undefined, so the constant is
    // correct.
    const uint32_t constant = v.writes == 0   ? v.initializer
                              : v.writes == 1 ? v.initializer == 0 ? v.written : 0
                                              : 0;
    if (IsKnown(constant, v.type)) v.constant = constant;
  }
}

absl::Status Planner::Run(uint32_t entry_function, mir::Stage stage, uint64_t max_instructions) {
  max_instructions_ = max_instructions;
  plan_.functions.resize(m_.functions.size());
  plan_.roots.resize(m_.bound);
  plan_.slots.assign(m_.bound, kNoSlot);
  plan_.variable_index.assign(m_.bound, kNoValue);
  plan_.block_of.assign(m_.bound, kNoBlock);
  absl::Status status = CallOrder(entry_function);
  if (!status.ok()) return status;
  for (const SpirvVariable& v : m_.variables) {
    const bool output = v.storage == spv::StorageClass::Output && stage != mir::Stage::kCompute;
    if (v.storage == spv::StorageClass::Private || output) {
      AddVariable(v.id, v.pointee, v.initializer);
    }
  }
  plan_.global_slots = static_cast<uint32_t>(plan_.slot_types.size());
  for (uint32_t function : plan_.order) {
    status = PlanFunction(function);
    if (!status.ok()) return status;
  }
  Finish();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Plan> MakePlan(const SpirvModule& module, uint32_t entry_function, mir::Stage stage,
                              uint64_t max_instructions) {
  Plan plan;
  const absl::Status status = Planner(module, plan).Run(entry_function, stage, max_instructions);
  if (!status.ok()) return status;
  return plan;
}

}  // namespace kiln::front
