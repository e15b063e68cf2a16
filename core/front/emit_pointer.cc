// Pointers as values (SPV_KHR_variable_pointers): selected, joined, compared, kept in variables.
//
// As a value, a pointer into a storage buffer or shared memory is two scalars: its byte offset, and
// its selector, which says what the offset counts from. Selectors number the descriptors of all
// storage buffers of the module from 1 on, arrays of them taking as many numbers as they have
// elements; shared memory is one place and has the number 1. Null is 0, 0.
//
// Which variables a pointer may lead to is known statically (pointer_targets.h). With one of them
// the selector only chooses an element of an array of descriptors, if it is one; with several, each
// access is made under the condition that the selector asks for its variable. A null pointer that
// is followed is undefined behaviour: it is taken for the last variable.
//
// A pointer's value does not say how a matrix, or a vector cut out of one by rows, is laid out
// (its struct's member does): such pointers are refused as values.
#include <algorithm>

#include "core/front/coverage.h"
#include "core/front/importer.h"
#include "core/front/refusal.h"

namespace kiln::front {
namespace {

constexpr uint32_t kSharedSelector = 1;
constexpr uint32_t kMaxSelectors = 1u << 31;

bool IsArray(const SpirvType& type) {
  return type.kind == SpirvType::kArray || type.kind == SpirvType::kRuntimeArray;
}

}  // namespace

// Numbers the descriptors of storage buffers.
void Importer::NumberSelectors() {
  c_.first_selector.assign(spirv().variables.size(), kNoValue);
  uint32_t next = 1;
  for (size_t i = 0; i < spirv().variables.size(); ++i) {
    const SpirvVariable& v = spirv().variables[i];
    if (v.storage != spv::StorageClass::StorageBuffer) continue;
    const uint32_t count = DescriptorCount(v.id);
    if (count > kMaxSelectors - next) break;
    c_.first_selector[i] = next;
    next += count;
  }
}

// Descriptors that a variable stands for; as many as there can be where that is not known.
uint32_t Importer::DescriptorCount(uint32_t variable) const {
  Pointer pointer;
  pointer.variable = variable;
  uint32_t count = 1;
  DescriptorType(pointer, &count);
  return count == 0 ? kMaxDescriptors : count;
}

bool Importer::PointerLeaves(const Pointer& pointer, uint32_t id, Leaves* leaves) {
  const SpirvType* pointee = spirv().Type(pointer.type);
  const bool vector = pointee->kind == SpirvType::kVector;
  while (IsArray(*pointee)) pointee = spirv().Type(pointee->element);
  if (pointer.space == Pointer::kShared) {
    *leaves = {Offset(pointer, pointer.offset), Int(kSharedSelector)};
    return true;
  }
  const SpirvVariable* v = spirv().Variable(pointer.variable);
  if (pointer.space != Pointer::kStorage || v == nullptr ||
      v->storage != spv::StorageClass::StorageBuffer) {
    return Refuse("variable_pointers", "pointer used as a value", id);
  }
  if (pointee->kind == SpirvType::kMatrix || (vector && pointer.component_stride != 0)) {
    return Refuse("variable_pointers", "pointer to a matrix used as a value", id);
  }
  ValueId selector = pointer.selector;
  if (!selector.valid()) {
    const uint32_t first = c_.first_selector[spirv().Def(pointer.variable).index];
    if (first == kNoValue) return Refuse("variable_pointers", "too many descriptors", id);
    selector = Int(first + pointer.element);
    if (pointer.descriptor.valid()) {
      selector = Emit(mir::Op::kIadd, {pointer.descriptor, selector});
    }
  }
  *leaves = {Offset(pointer, pointer.offset), selector};
  return ok();
}

// The same pointer, known to lead to one of its targets.
Pointer Importer::AtTarget(const Pointer& pointer, uint32_t variable_index) {
  Pointer at = pointer;
  at.variable = spirv().variables[variable_index].id;
  at.selector = ValueId();
  at.element = 0;
  if (IsArray(*spirv().Type(spirv().variables[variable_index].pointee)) && !IsBlock(at.variable)) {
    at.descriptor =
        Emit(mir::Op::kIsub, {pointer.selector, Int(c_.first_selector[variable_index])});
    at.flags |= mir::kIndexed | mir::kNonUniform;
  }
  return at;
}

bool Importer::IsBlock(uint32_t variable) const {
  return spirv().Type(spirv().Variable(variable)->pointee)->kind == SpirvType::kStruct;
}

// What a value of pointer type points at.
bool Importer::PointerFromLeaves(uint32_t id, const SpirvType& type,
                                 absl::Span<const ValueId> leaves, Pointer* pointer) {
  *pointer = Pointer();
  pointer->type = type.element;
  pointer->align = layouts().ScalarAlign(type.element);
  if (!IsConstant(leaves[0], &pointer->offset)) pointer->dynamic = leaves[0];
  const absl::Span<const uint32_t> targets = c_.targets.Of(id);
  if (c_.targets.TooMany(id)) {
    return Refuse("variable_pointers", "pointer to one of too many variables", id);
  }
  if (targets.empty()) return Refuse("variable_pointers", "pointer to no variable", id);
  for (uint32_t target : targets) {
    Pointer whole;
    const SpirvVariable& v = spirv().variables[target];
    if (v.storage != type.storage) return Malformed("pointer of another storage class", id);
    if (!VariablePointer(v.id, v.type, v.storage, &whole)) return false;
    const SpirvType& inside = *spirv().Type(v.pointee);
    pointer->flags |= whole.flags;
    if (inside.has_coherent) pointer->flags |= mir::kCoherent;
    if (inside.has_volatile) pointer->flags |= mir::kVolatile;
  }
  pointer->variable = spirv().variables[targets[0]].id;
  if (type.storage == spv::StorageClass::Workgroup) {
    pointer->space = Pointer::kShared;
    return true;
  }
  pointer->space = Pointer::kStorage;
  const SpirvType* pointee = spirv().Type(type.element);
  uint32_t innermost = type.element;
  while (IsArray(*spirv().Type(innermost))) innermost = spirv().Type(innermost)->element;
  pointer->descriptors = IsArray(*pointee) && spirv().decorations[innermost].block;
  pointer->selector = leaves[1];
  pointer->targets = id;
  for (uint32_t target : targets) {
    if (c_.first_selector[target] == kNoValue) {
      return Refuse("variable_pointers", "too many descriptors", id);
    }
  }
  if (targets.size() == 1) *pointer = AtTarget(*pointer, targets[0]);
  return ok();
}

// Makes an access whose results have these types through a pointer that may lead to several
// variables.
bool Importer::ByTarget(const Pointer& pointer, absl::Span<const mir::Type> types,
                        absl::FunctionRef<bool(const Pointer&, Leaves*)> access, Leaves* results) {
  if (!pointer.selector.valid()) return access(pointer, results);
  return ByTargetFrom(pointer, c_.targets.Of(pointer.targets), types, access, results);
}

bool Importer::ByTargetFrom(const Pointer& pointer, absl::Span<const uint32_t> targets,
                            absl::Span<const mir::Type> types,
                            absl::FunctionRef<bool(const Pointer&, Leaves*)> access,
                            Leaves* results) {
  if (targets.size() == 1) return access(AtTarget(pointer, targets[0]), results);
  const uint32_t first = c_.first_selector[targets[0]];
  const uint32_t count = DescriptorCount(spirv().variables[targets[0]].id);
  const ValueId here =
      count == 1 ? Emit(mir::Op::kIeq, {pointer.selector, Int(first)})
                 : Emit(mir::Op::kUlt, {Emit(mir::Op::kIsub, {pointer.selector, Int(first)}),
                                        Int(count)});
  const mir::RegionId outer = builder().region();
  const mir::InstId choice = builder().If(here);
  for (int arm = 0; arm < 2; ++arm) {
    builder().SetRegion(module().inst(choice).regions[arm]);
    Leaves got;
    const bool done = arm == 0 ? access(AtTarget(pointer, targets[0]), &got)
                               : ByTargetFrom(pointer, targets.subspan(1), types, access, &got);
    if (!done || !ok()) return false;
    builder().Yield(got);
  }
  builder().SetRegion(outer);
  mir::SetResults(module(), choice, types);
  results->clear();
  for (size_t i = 0; i < types.size(); ++i) {
    results->push_back(module().result(choice, static_cast<int>(i)));
  }
  return Charge(types.size());
}

// OpPtrEqual, OpPtrNotEqual, OpPtrDiff.
bool Importer::EmitPointerCompare(const SpirvInst& inst) {
  using mir::Op;
  Leaves a;
  Leaves b;
  uint32_t type_id = 0;
  uint32_t other = 0;
  if (!Get(inst.operand(3), &a, &type_id) || !Get(inst.operand(4), &b, &other)) return false;
  const SpirvType& type = *spirv().Type(type_id);
  if (type.kind != SpirvType::kPointer || type_id != other) {
    return Malformed("comparison of what are no pointers of one type", inst.result);
  }
  if (inst.op != spv::Op::OpPtrDiff) {
    ValueId equal = Emit(Op::kIeq, {a[0], b[0]});
    if (a.size() > 1) equal = Emit(Op::kAnd, {equal, Emit(Op::kIeq, {a[1], b[1]})});
    return ok() && Define(inst, {inst.op == spv::Op::OpPtrEqual ? equal : builder().Not(equal)});
  }
  const std::vector<mir::Type>& types = LeafTypes(inst.type);
  if (types.size() != 1 || !mir::IsInt(types[0])) {
    return Malformed("difference that is no integer", inst.result);
  }
  const uint64_t stride = PointerStride(type_id);
  if (stride == 0 || stride >= 0x80000000u) {
    return Malformed("difference of pointers without a usable stride", inst.result);
  }
  const ValueId bytes = Emit(Op::kIsub, {a[0], b[0]});
  if (!ok()) return false;
  const ValueId count =
      Emit(Op::kSdiv, {bytes, builder().IntOf(TypeOf(bytes), static_cast<int64_t>(stride))});
  return ok() && Define(inst, {ConvertInt(count, types[0], true)});
}

// Bytes from one object to the next for a pointer that is stepped; 0 if nothing says.
uint64_t Importer::PointerStride(uint32_t pointer_type) const {
  const SpirvType& type = *spirv().Type(pointer_type);
  const uint32_t given = spirv().decorations[pointer_type].array_stride;
  if (type.storage != spv::StorageClass::Workgroup || c_.shared_blocks) return given;
  const MemoryShape& shape = layouts().Shared(type.element);
  return (shape.size + shape.align - 1) / shape.align * shape.align;
}

}  // namespace kiln::front
