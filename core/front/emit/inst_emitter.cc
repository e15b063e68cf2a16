#include "core/front/emit/inst_emitter.h"

#include <algorithm>

#include "core/front/emit/emit.h"
#include "core/front/emit/pointers.h"
#include "core/front/plan/layout.h"

namespace kiln::front {

// ---- Types ----

const SpirvType* InstEmitter::Supported(uint32_t type_id) const {
  const SpirvType* type = spirv().Type(type_id);
  if (type == nullptr) {
    Malformed("result type is not a type", type_id);
    return nullptr;
  }
  if (!type->unsupported.empty()) {
    Refuse(type->unsupported, "value of this type", type_id);
    return nullptr;
  }
  if (type->has_doubles) NeedDoubles(mir::DoubleUse::kValue, type_id);
  if (type->leaves > kMaxLeaves) {
    Refuse("composite_too_large", {"scalars of a value of this type", std::nullopt, kMaxLeaves},
           type_id);
    return nullptr;
  }
  if (type->kind == SpirvType::kVoid || type->kind == SpirvType::kFunction) {
    Malformed("value of type void or function", type_id);
    return nullptr;
  }
  return type;
}

const std::vector<mir::Type>& InstEmitter::LeafTypes(uint32_t type) const {
  std::vector<mir::Type>& types = c_.leaf_types[spirv().Def(type).index];
  if (types.empty()) AppendLeafTypes(spirv(), type, &types);
  return types;
}

// ---- Operands ----

bool InstEmitter::GetConstant(const SpirvConstant& constant, Leaves* leaves) const {
  if (constant.kind == SpirvConstant::kUnsupported) return Refuse(constant.cause, "constant");
  if (Supported(constant.type) == nullptr) return false;
  const std::vector<mir::Type>& types = LeafTypes(constant.type);
  if (!Charge(types.size())) return false;
  leaves->reserve(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    if (constant.kind == SpirvConstant::kUndef) {
      leaves->push_back(builder().Undef(types[i]));
    } else {
      const uint64_t bits = spirv().ConstantLeaf(constant, static_cast<uint32_t>(i));
      leaves->push_back(builder().Constant(types[i], bits));
    }
  }
  return true;
}

bool InstEmitter::Get(uint32_t id, Leaves* leaves, uint32_t* type) const {
  leaves->clear();
  const SpirvConstant* constant = spirv().Constant(id);
  if (constant != nullptr) {
    if (type != nullptr) *type = constant->type;
    if (constant->kind == SpirvConstant::kUnsupported) {
      return Refuse(constant->cause, "constant", id);
    }
    if (spirv().Type(constant->type)->has_doubles) NeedDoubles(mir::DoubleUse::kConstant, id);
    return GetConstant(*constant, leaves);
  }
  const Binding& binding = c_.bindings.Of(id);
  const SpirvDef& def = spirv().Def(id);
  const SpirvType* pointer_type = spirv().Type(def.type);
  const bool known = binding.kind == Binding::kPointer || spirv().Variable(id) != nullptr;
  if (known && IsHere(id) && pointer_type != nullptr &&
      (pointer_type->IsPhysicalPointer() || pointer_type->IsValuePointer())) {
    Pointer pointer;
    if (!GetPointer(id, &pointer)) return false;
    if (type != nullptr) *type = def.type;
    if (pointer_type->IsValuePointer()) return Pointers(c_).PointerLeaves(pointer, id, leaves);
    leaves->push_back(Pointers(c_).AddressOf(pointer));
    return true;
  }
  if ((binding.kind != Binding::kValue && binding.kind != Binding::kSlots) || !IsHere(id)) {
    const SpirvType* t = spirv().Type(def.type);
    if (t != nullptr && t->kind == SpirvType::kPointer) {
      return Refuse("variable_pointers", "pointer used as a value", id);
    }
    if (t != nullptr && !t->unsupported.empty()) return Refuse(t->unsupported, "value", id);
    return Malformed("value used before its definition", id);
  }
  const uint32_t count = spirv().Type(binding.type)->leaves;
  if (type != nullptr) *type = binding.type;
  if (!Charge(count)) return false;
  leaves->reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    leaves->push_back(binding.kind == Binding::kValue ? c_.bindings.value(binding, i)
                                                      : SlotValue(binding.slot + i));
  }
  return true;
}

bool InstEmitter::GetScalar(uint32_t id, mir::Type type, ValueId* value) const {
  Leaves leaves;
  if (!Get(id, &leaves)) return false;
  if (leaves.size() != 1 || TypeOf(leaves[0]) != type) {
    return Malformed("operand is not a scalar of the required type", id);
  }
  *value = leaves[0];
  return true;
}

bool InstEmitter::GetIndex(uint32_t id, ValueId* value) const {
  return GetInteger(id, false, value);
}

bool InstEmitter::GetSignedIndex(uint32_t id, ValueId* value) const {
  return GetInteger(id, true, value);
}

bool InstEmitter::GetInteger(uint32_t id, bool always_signed, ValueId* value) const {
  Leaves leaves;
  uint32_t type = 0;
  if (!Get(id, &leaves, &type)) return false;
  if (leaves.size() != 1 || spirv().Type(type)->kind != SpirvType::kInt) {
    return Malformed("operand is not an integer", id);
  }
  *value = ToIndex(leaves[0], always_signed || spirv().Type(type)->is_signed);
  return ok();
}

bool InstEmitter::GetFloats(uint32_t id, Leaves* leaves) const {
  if (!Get(id, leaves)) return false;
  for (ValueId v : *leaves) {
    if (!mir::IsFloat(TypeOf(v))) return Malformed("operand is not a float", id);
  }
  if (leaves->empty()) return Malformed("operand is not a float", id);
  return true;
}

bool InstEmitter::GetMatrix(uint32_t id, Matrix* matrix) const {
  uint32_t type_id = 0;
  if (!Get(id, &matrix->m, &type_id)) return false;
  const SpirvType& type = *spirv().Type(type_id);
  if (type.kind == SpirvType::kMatrix) {
    matrix->columns = type.count;
    matrix->rows = spirv().Type(type.element)->count;
  } else if (type.kind == SpirvType::kVector &&
             spirv().Type(type.element)->kind == SpirvType::kFloat) {
    matrix->columns = 1;
    matrix->rows = type.count;
  } else {
    return Malformed("operand is not a matrix or vector of floats", id);
  }
  return true;
}

bool InstEmitter::GetPointer(uint32_t id, Pointer* pointer) const {
  const SpirvVariable* variable = spirv().Variable(id);
  if (variable != nullptr)
    return Pointers(c_).VariablePointer(id, variable->type, variable->storage, pointer);
  const SpirvDef& def = spirv().Def(id);
  const SpirvType* type = spirv().Type(def.type);
  if (type == nullptr || type->kind != SpirvType::kPointer) {
    return Malformed("operand is not a pointer", id);
  }
  const Binding& binding = c_.bindings.Of(id);
  if (type->IsPhysicalPointer() && binding.kind != Binding::kPointer) {
    Leaves address;
    if (!Get(id, &address)) return false;
    *pointer = Pointer();
    pointer->space = Pointer::kPhysical;
    pointer->variable = id;
    pointer->type = type->element;
    pointer->dynamic = address[0];
    return true;
  }
  if (type->IsValuePointer() && binding.kind != Binding::kPointer) {
    Leaves leaves;
    return Get(id, &leaves) && Pointers(c_).PointerFromLeaves(id, *type, leaves, pointer);
  }
  if (binding.kind != Binding::kPointer || !IsHere(id)) {
    const LocalVariable* v = plan().Variable(id);
    if (v != nullptr && !v->unsupported.empty()) return Refuse(v->unsupported, "variable", id);
    if (def.kind == SpirvDef::kBody && spirv().Inst(def.index).op == spv::Op::OpPhi) {
      return Refuse("variable_pointers", "pointer chosen by OpPhi", id);
    }
    return Malformed("pointer used before its definition", id);
  }
  const LocalVariable* local = plan().Variable(id);
  if (local != nullptr && spirv().Type(local->type)->has_doubles) {
    NeedDoubles(mir::DoubleUse::kVariable, id);
  }
  *pointer = c_.bindings.pointer(binding);
  const uint32_t slot = plan().slots[id];
  if (slot != kNoSlot) {
    if (pointer->space == Pointer::kTexel) {
      return Refuse("image_values", "pointer to a texel used outside the block that makes it", id);
    }
    if (pointer->dynamic.valid()) pointer->dynamic = SlotValue(slot);
    if (pointer->component.valid()) pointer->component = SlotValue(slot + 1);
    if (pointer->selector.valid()) pointer->selector = SlotValue(slot + 1);
    if (pointer->descriptor.valid()) pointer->descriptor = SlotValue(slot + 2);
  }
  return true;
}

bool InstEmitter::GetImage(uint32_t id, ImageHandle* handle) const {
  const SpirvDef& def = spirv().Def(id);
  const SpirvType* type = spirv().Type(def.type);
  if (type == nullptr || !type->IsImage())
    return Malformed("operand is not an image or sampler", id);
  const Binding& binding = c_.bindings.Of(id);
  if (binding.kind != Binding::kImage || !IsHere(id)) {
    return Refuse("image_values", "image or sampler that is not loaded from a descriptor", id);
  }
  *handle = c_.bindings.image(binding);
  const uint32_t slot = plan().slots[id];
  if (slot != kNoSlot) {
    if (handle->image.descriptor.valid()) handle->image.descriptor = SlotValue(slot);
    if (handle->sampler.descriptor.valid()) handle->sampler.descriptor = SlotValue(slot + 1);
  }
  if (spirv().decorations[id].non_uniform) {
    if (handle->image.descriptor.valid()) handle->image.flags |= mir::kNonUniform;
    if (handle->sampler.descriptor.valid()) handle->sampler.flags |= mir::kNonUniform;
  }
  return true;
}

// All operands must have the result's number of leaves, if the result's type gives one.
bool InstEmitter::Operands(const SpirvInst& inst, size_t first, size_t count,
                           Leaves* operands) const {
  const SpirvType* type = Supported(inst.type);
  if (type == nullptr) return false;
  for (size_t i = 0; i < count; ++i) {
    Leaves leaves;
    if (!Get(inst.operand(first + i), &leaves)) return false;
    if (leaves.size() != type->leaves)
      return Malformed("operand has another number of components than the result", inst.result);
    operands->insert(operands->end(), leaves.begin(), leaves.end());
  }
  return true;
}

bool InstEmitter::Semantics(uint32_t id, uint32_t* value) const {
  if (spirv().IntConstant(id, value)) return true;
  return Malformed("scope or memory semantics is not a constant", id);
}

// ---- Results ----

bool InstEmitter::Define(const SpirvInst& inst, absl::Span<const ValueId> leaves) const {
  if (Supported(inst.type) == nullptr || !Charge(leaves.size())) return false;
  const std::vector<mir::Type>& types = LeafTypes(inst.type);
  bool fits = types.size() == leaves.size();
  for (size_t i = 0; fits && i < leaves.size(); ++i) {
    fits = leaves[i].valid() && TypeOf(leaves[i]) == types[i];
  }
  if (!fits) return Malformed("result is not of its type", inst.result);
  Leaves marked;
  if (e_.mark_undefined) {
    marked.assign(leaves.begin(), leaves.end());
    if (!MarkUndefined(c_, inst, &marked)) return false;
    leaves = marked;
  }
  const uint32_t slot = plan().slots[inst.result];
  if (slot == kNoSlot) {
    c_.bindings.BindValue(inst.result, inst.type, leaves);
    return true;
  }
  for (size_t i = 0; i < leaves.size(); ++i)
    c_.slots.Set(slot + static_cast<uint32_t>(i), leaves[i]);
  c_.bindings.BindSlots(inst.result, inst.type, slot);
  return true;
}

bool InstEmitter::DefinePointer(const SpirvInst& inst, const Pointer& pointer) const {
  c_.bindings.BindPointer(inst.result, pointer);
  const uint32_t slot = plan().slots[inst.result];
  if (slot == kNoSlot) return true;
  if (pointer.dynamic.valid()) c_.slots.Set(slot, pointer.dynamic);
  if (pointer.component.valid()) c_.slots.Set(slot + 1, pointer.component);
  if (pointer.selector.valid()) c_.slots.Set(slot + 1, pointer.selector);
  if (pointer.descriptor.valid()) c_.slots.Set(slot + 2, pointer.descriptor);
  return true;
}

bool InstEmitter::DefineImage(const SpirvInst& inst, const ImageHandle& handle) const {
  c_.bindings.BindImage(inst.result, handle);
  const uint32_t slot = plan().slots[inst.result];
  if (slot == kNoSlot) return true;
  if (handle.image.descriptor.valid()) c_.slots.Set(slot, handle.image.descriptor);
  if (handle.sampler.descriptor.valid()) c_.slots.Set(slot + 1, handle.sampler.descriptor);
  return true;
}

}  // namespace kiln::front
