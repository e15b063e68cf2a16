// Pointers as values (SPV_KHR_variable_pointers): selected, joined, compared, kept in variables.
//
// As a value, a pointer into a storage buffer or shared memory is two scalars: its byte offset, and
// its selector, which tells from where the offset counts. Selectors number the descriptors of all
// storage buffers of the module from 1 on; an array of descriptors takes one number for each
// element; all of shared memory has the number 1. Null is 0, 0.
//
// The variables that a pointer may lead to are known statically (pointer_targets.h). With one
// variable, the selector only chooses an element if it is an array of descriptors; with several,
// each access is conditional on the selector naming its variable. An access through a null pointer
// is undefined behaviour: it goes to the last variable.
//
// A pointer's value does not include the layout of a matrix, or of a vector that is a row of one
// (its struct's member has it): accesses through such values are refused, comparisons are not.
#include <algorithm>

#include "core/front/check/coverage.h"
#include "core/front/emit/emit.h"
#include "core/front/emit/pointers.h"

namespace kiln::front {
namespace {

constexpr uint32_t kSharedSelector = 1;

bool IsArray(const SpirvType& type) {
  return type.kind == SpirvType::kArray || type.kind == SpirvType::kRuntimeArray;
}

}  // namespace

// ---- Whole variables ----

bool Pointers::VariablePointer(uint32_t id, uint32_t type_id, spv::StorageClass storage,
                               Pointer* pointer) const {
  *pointer = Pointer();
  pointer->variable = id;
  pointer->type = spirv().Type(type_id)->element;
  const std::string_view cause = CauseOf(storage);
  if (!cause.empty()) return Refuse(cause, "variable of this storage class", id);
  const SpirvDecorations& d = spirv().decorations[id];
  if (d.coherent) pointer->flags |= mir::kCoherent;
  if (d.is_volatile) pointer->flags |= mir::kVolatile;
  switch (storage) {
    case spv::StorageClass::Output:
      if (module().stage == mir::Stage::kCompute)
        return Malformed("output variable in a compute shader", id);
      [[fallthrough]];
    case spv::StorageClass::Function:
    case spv::StorageClass::Private: {
      const LocalVariable* v = plan().Variable(id);
      if (v == nullptr) return Malformed("local variable used in unreachable code", id);
      if (!v->unsupported.empty()) return Refuse(v->unsupported, "local variable", id);
      if (spirv().Type(v->type)->has_doubles) NeedDoubles(mir::DoubleUse::kLocal, id);
      pointer->flags = 0;
      pointer->space = Pointer::kLocal;
      return true;
    }
    case spv::StorageClass::Workgroup:
      pointer->space = Pointer::kShared;
      pointer->offset = c_.shared.offsets[spirv().Def(id).index];
      return true;
    case spv::StorageClass::PushConstant: pointer->space = Pointer::kPush; break;
    case spv::StorageClass::Input: {
      const auto builtin = static_cast<spv::BuiltIn>(d.builtin);
      const bool compute = module().stage == mir::Stage::kCompute;
      if (compute && d.builtin == kNoValue) {
        return Malformed("input of a compute shader is not a built-in", id);
      }
      pointer->space = Pointer::kBuiltin;
      if (compute || (d.builtin != kNoValue && BuiltInOf(builtin) == mir::BuiltIn::kNone)) {
        return true;
      }
      pointer->space = Pointer::kInput;
      return Supported(pointer->type) != nullptr;
    }
    case spv::StorageClass::UniformConstant: {
      uint32_t image = pointer->type;
      while (spirv().Type(image)->kind == SpirvType::kArray ||
             spirv().Type(image)->kind == SpirvType::kRuntimeArray) {
        image = spirv().Type(image)->element;
        pointer->descriptors = true;
      }
      const SpirvType& type = *spirv().Type(image);
      pointer->space = Pointer::kImage;
      if (type.IsImage()) return true;
      if (type.kind == SpirvType::kStruct && !type.unsupported.empty()) {
        return Refuse(type.unsupported, "images in a struct", id);
      }
      if (type.kind == SpirvType::kOpaque)
        return Refuse(type.unsupported, "variable of an opaque type", id);
      return Malformed("UniformConstant variable is not an image or sampler", id);
    }
    default: {  // Uniform, StorageBuffer: one block, or an array of them
      uint32_t block = pointer->type;
      while (spirv().Type(block)->kind == SpirvType::kArray ||
             spirv().Type(block)->kind == SpirvType::kRuntimeArray) {
        block = spirv().Type(block)->element;
        pointer->descriptors = true;
      }
      if (spirv().Type(block)->kind != SpirvType::kStruct) {
        return Malformed("buffer variable is not a block", id);
      }
      const bool storage_buffer =
          storage == spv::StorageClass::StorageBuffer || spirv().decorations[block].buffer_block;
      pointer->space = storage_buffer ? Pointer::kStorage : Pointer::kUniform;
      return true;
    }
  }
  if (spirv().Type(pointer->type)->kind != SpirvType::kStruct) {
    return Malformed("push-constant variable is not a block", id);
  }
  return true;
}

// ---- Pointers as values ----

bool Pointers::PointerLeaves(const Pointer& pointer, uint32_t id, Leaves* leaves,
                             bool followed) const {
  if (pointer.space == Pointer::kShared) {
    *leaves = {Offset(pointer, pointer.offset), Int(kSharedSelector)};
    return true;
  }
  const SpirvVariable* v = spirv().Variable(pointer.variable);
  if (pointer.space != Pointer::kStorage || v == nullptr ||
      v->storage != spv::StorageClass::StorageBuffer) {
    return Refuse("variable_pointers", "pointer used as a value", id);
  }
  if (followed && pointer.component_stride != 0 &&
      spirv().Type(pointer.type)->kind == SpirvType::kVector) {
    return Refuse("variable_pointers", "pointer into a row-major matrix used as a value", id);
  }
  ValueId selector = pointer.selector;
  if (!selector.valid()) {
    const uint32_t first = c_.selectors.First(spirv().Def(pointer.variable).index);
    if (first == kNoValue)
      return Refuse("variable_pointers", "pointer to one of too many descriptors", id);
    selector = Int(first + pointer.element);
    if (pointer.descriptor.valid()) {
      selector = Emit(mir::Op::kIadd, {pointer.descriptor, selector});
    }
  }
  *leaves = {Offset(pointer, pointer.offset), selector};
  return ok();
}

// Returns the same pointer, restricted to one of its targets.
Pointer Pointers::AtTarget(const Pointer& pointer, uint32_t variable_index) const {
  Pointer at = pointer;
  at.variable = spirv().variables[variable_index].id;
  at.selector = ValueId();
  at.element = 0;
  if (IsArray(*spirv().Type(spirv().variables[variable_index].pointee)) && !IsBlock(at.variable)) {
    at.descriptor =
        Emit(mir::Op::kIsub, {pointer.selector, Int(c_.selectors.First(variable_index))});
    at.flags |= mir::kIndexed | mir::kNonUniform;
  }
  return at;
}

bool Pointers::IsBlock(uint32_t variable) const {
  return spirv().Type(spirv().Variable(variable)->pointee)->kind == SpirvType::kStruct;
}

bool Pointers::PointerFromLeaves(uint32_t id, const SpirvType& type,
                                 absl::Span<const ValueId> leaves, Pointer* pointer) const {
  *pointer = Pointer();
  pointer->type = type.element;
  pointer->align = layouts().ScalarAlign(type.element);
  if (!IsConstant(leaves[0], &pointer->offset)) pointer->dynamic = leaves[0];
  const absl::Span<const uint32_t> targets = c_.targets.Of(id);
  if (c_.targets.TooMany(id)) {
    return Refuse("variable_pointers",
                  {"pointer to one of too many variables", std::nullopt, kMaxTargets}, id);
  }
  if (targets.empty()) return Refuse("variable_pointers", "pointer with no known variable", id);
  for (uint32_t target : targets) {
    Pointer whole;
    const SpirvVariable& v = spirv().variables[target];
    if (v.storage != type.storage)
      return Malformed("pointer and variable differ in storage class", id);
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
  if (spirv().Type(innermost)->kind == SpirvType::kMatrix) {
    return Refuse("variable_pointers", "access to a matrix through a pointer selected at run time",
                  id);
  }
  pointer->descriptors = IsArray(*pointee) && spirv().decorations[innermost].block;
  pointer->selector = leaves[1];
  pointer->targets = id;
  for (uint32_t target : targets) {
    if (c_.selectors.First(target) == kNoValue) {
      return Refuse("variable_pointers", "pointer to one of too many descriptors", id);
    }
  }
  if (targets.size() == 1) *pointer = AtTarget(*pointer, targets[0]);
  return ok();
}

bool Pointers::ByTarget(const Pointer& pointer, absl::Span<const mir::Type> types, Access access,
                        Leaves* results) const {
  if (!pointer.selector.valid()) return access(pointer, results);
  return ByTargetFrom(pointer, c_.targets.Of(pointer.targets), types, access, results);
}

bool Pointers::ByTargetFrom(const Pointer& pointer, absl::Span<const uint32_t> targets,
                            absl::Span<const mir::Type> types, Access access,
                            Leaves* results) const {
  if (targets.size() == 1) return access(AtTarget(pointer, targets[0]), results);
  const uint32_t first = c_.selectors.First(targets[0]);
  const uint32_t count = c_.selectors.Count(spirv().variables[targets[0]].id);
  const ValueId here =
      count == 1
          ? Emit(mir::Op::kIeq, {pointer.selector, Int(first)})
          : Emit(mir::Op::kUlt, {Emit(mir::Op::kIsub, {pointer.selector, Int(first)}), Int(count)});
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

uint64_t Pointers::PointerStride(uint32_t pointer_type) const {
  const SpirvType& type = *spirv().Type(pointer_type);
  const uint32_t given = spirv().decorations[pointer_type].array_stride;
  if (type.storage != spv::StorageClass::Workgroup || c_.shared.in_blocks) return given;
  const MemoryShape& shape = layouts().Shared(type.element);
  return (shape.size + shape.align - 1) / shape.align * shape.align;
}

// ---- Accesses ----

ValueId Pointers::Offset(const Pointer& pointer, uint32_t offset) const {
  if (!pointer.dynamic.valid()) return Int(offset);
  return offset == 0 ? pointer.dynamic : Emit(mir::Op::kIadd, {pointer.dynamic, Int(offset)});
}

ValueId Pointers::AddressOf(const Pointer& pointer) const {
  if (pointer.offset == 0) return pointer.dynamic;
  return Emit(mir::Op::kIadd, {pointer.dynamic, builder().IntOf(mir::Type::kI64, pointer.offset)});
}

Leaves Pointers::DescriptorSources(const Pointer& pointer) const {
  if (!pointer.descriptor.valid()) return {};
  if (pointer.element == 0) return {pointer.descriptor};
  return {Emit(mir::Op::kIadd, {pointer.descriptor, Int(pointer.element)})};
}

Leaves Pointers::AddressSources(const Pointer& pointer, uint32_t offset) const {
  if (pointer.space != Pointer::kPhysical) {
    Leaves sources = DescriptorSources(pointer);
    sources.push_back(Offset(pointer, offset));
    return sources;
  }
  Pointer at = pointer;
  at.offset = offset;
  const ValueId address = AddressOf(at);
  const ValueId high = Emit(mir::Op::kUshr, {address, Int(32)});
  return {ConvertInt(address, mir::Type::kI32, false), ConvertInt(high, mir::Type::kI32, false)};
}

}  // namespace kiln::front
