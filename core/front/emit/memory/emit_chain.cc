// Emits access chains, which derive pointers from pointers, and lengths of runtime arrays.
//
// A pointer is static except for a byte offset (and, for vectors held in slots, a component) chosen
// by value. A pointer to physical memory is an address chosen by value.
#include <algorithm>

#include "core/front/emit/emit.h"
#include "core/front/emit/pointers.h"
#include "core/front/emit/resources.h"
#include "core/front/plan/interface_parts.h"
#include "core/front/state/descriptors.h"
#include "core/front/state/private_arrays.h"

namespace kiln::front {
namespace {

bool IsArray(const SpirvType& type) {
  return type.kind == SpirvType::kArray || type.kind == SpirvType::kRuntimeArray;
}

class ChainEmitter : public Pointers {
 public:
  using Pointers::Pointers;

  bool EmitChain(const SpirvInst& inst);
  bool EmitArrayLength(const SpirvInst& inst);

 private:
  bool EmitPointerElement(const SpirvInst& inst, Pointer* pointer);
  void AddBytes(Pointer* pointer, ValueId index, uint32_t index_id, uint32_t stride);
  bool Index(Pointer* pointer, uint32_t index_id);
  bool IndexStruct(Pointer* pointer, const SpirvType& type, ValueId index, uint32_t id);
  bool IndexElements(Pointer* pointer, const SpirvType& type, ValueId index, uint32_t index_id);
  bool LocalIndex(Pointer* pointer, const SpirvType& type, ValueId index);
  bool InputElement(Pointer* pointer, const SpirvType& type, ValueId index);
  bool IndexDescriptor(Pointer* pointer, const SpirvType& type, ValueId index, uint32_t id);
};

}  // namespace

bool ChainEmitter::EmitChain(const SpirvInst& inst) {
  Pointer pointer;
  if (!GetPointer(inst.operand(3), &pointer)) return false;
  if (pointer.component.valid() && inst.size() > 4) {
    return Malformed("index into a scalar", inst.result);
  }
  const bool element =
      inst.op == spv::Op::OpPtrAccessChain || inst.op == spv::Op::OpInBoundsPtrAccessChain;
  if (element && !EmitPointerElement(inst, &pointer)) return false;
  for (size_t i = element ? 5 : 4; i < inst.size(); ++i) {
    if (!Index(&pointer, inst.words[i])) return false;
  }
  if (pointer.descriptor.valid() && spirv().decorations[inst.result].non_uniform) {
    pointer.flags |= mir::kNonUniform;
  }
  const SpirvType& type = *spirv().Type(inst.type);
  if (type.kind != SpirvType::kPointer || type.element != pointer.type) {
    return Malformed("access chain does not lead to its result type", inst.result);
  }
  return DefinePointer(inst, pointer);
}

// Emits the first index of OpPtrAccessChain, which steps over whole objects of the pointee's type.
bool ChainEmitter::EmitPointerElement(const SpirvInst& inst, Pointer* pointer) {
  ValueId index;
  if (!GetSignedIndex(inst.operand(4), &index)) return false;
  if (pointer->space != Pointer::kShared && pointer->space != Pointer::kStorage &&
      pointer->space != Pointer::kPhysical) {
    return Refuse("variable_pointers", "pointer arithmetic outside buffers and shared memory",
                  inst.result);
  }
  const SpirvVariable* variable = spirv().Variable(inst.operand(3));
  const uint64_t stride =
      PointerStride(variable != nullptr ? variable->type : spirv().Def(inst.operand(3)).type);
  if (pointer->descriptors || stride == 0 || !IsOffset(stride)) {
    return Malformed("pointer arithmetic without a valid array stride", inst.result);
  }
  pointer->element_stride = static_cast<uint32_t>(stride);
  AddBytes(pointer, index, inst.operand(4), pointer->element_stride);
  return ok();
}

// Adds index * stride; `index_id` is the same index, at its full width.
void ChainEmitter::AddBytes(Pointer* pointer, ValueId index, uint32_t index_id, uint32_t stride) {
  using mir::Op;
  const uint32_t align = LowBit(stride);
  uint32_t bits = 0;
  if (pointer->space != Pointer::kPhysical) {
    const bool buffer = pointer->space == Pointer::kStorage || pointer->space == Pointer::kUniform;
    // Beyond every buffer: these have at most 2^30 bytes, and offsets added to this do not wrap.
    constexpr uint32_t kBeyond = 0x80000000u;
    Leaves given;
    if (buffer && !Get(index_id, &given)) return;
    if (buffer && IsWideConstant(given[0])) {
      pointer->offset = kBeyond;
      return;
    }
    if (IsConstant(index, &bits)) {
      pointer->offset += bits * stride;
      return;
    }
    ValueId bytes = stride == 1 ? index : Emit(Op::kImul, {index, Int(stride)});
    if (buffer && TypeOf(given[0]) == mir::Type::kI64 && !WasNarrow(given[0], true)) {
      bytes = Emit(Op::kSelect, {FitsIndex(given[0], true), bytes, Int(kBeyond)});
    }
    pointer->dynamic =
        pointer->dynamic.valid() ? Emit(Op::kIadd, {pointer->dynamic, bytes}) : bytes;
    pointer->align = std::min(pointer->align, align);
    return;
  }
  // Indices are signed; static offsets of addresses are not.
  const bool is_constant = IsConstant(index, &bits) && bits < 0x80000000u / stride;
  if (is_constant && pointer->offset < 0x80000000u) {
    pointer->offset += bits * stride;
    return;
  }
  Leaves wide;
  if (!Get(index_id, &wide)) return;
  const ValueId n = ConvertInt(wide[0], mir::Type::kI64, true);
  const ValueId bytes =
      stride == 1 ? n : Emit(Op::kImul, {n, builder().IntOf(mir::Type::kI64, stride)});
  pointer->dynamic = Emit(Op::kIadd, {pointer->dynamic, bytes});
}

bool ChainEmitter::Index(Pointer* pointer, uint32_t index_id) {
  ValueId index;
  if (!GetSignedIndex(index_id, &index)) return false;
  const SpirvType& type = *spirv().Type(pointer->type);
  if (pointer->descriptors) return IndexDescriptor(pointer, type, index, index_id);
  switch (type.kind) {
    case SpirvType::kStruct: return IndexStruct(pointer, type, index, index_id);
    case SpirvType::kVector:
    case SpirvType::kMatrix:
    case SpirvType::kArray:
    case SpirvType::kRuntimeArray:
      if (pointer->space == Pointer::kLocal || pointer->space == Pointer::kBuiltin ||
          pointer->space == Pointer::kInput) {
        return LocalIndex(pointer, type, index);
      }
      return IndexElements(pointer, type, index, index_id);
    default: return Malformed("index into a type without elements", index_id);
  }
}

bool ChainEmitter::IndexStruct(Pointer* pointer, const SpirvType& type, ValueId index,
                               uint32_t id) {
  uint32_t member_index = 0;
  if (!IsConstant(index, &member_index) || member_index >= type.count) {
    return Malformed("struct index is not a constant below the number of members", id);
  }
  const SpirvMember& member = spirv().members[type.first_member + member_index];
  pointer->type = member.type;
  pointer->element_stride = 0;
  if (member.coherent) pointer->flags |= mir::kCoherent;
  if (member.is_volatile) pointer->flags |= mir::kVolatile;
  switch (pointer->space) {
    case Pointer::kLocal:
    case Pointer::kBuiltin:
    case Pointer::kInput: pointer->offset += member.leaf; return true;
    default: break;
  }
  if (HasOwnLayout(*pointer)) {
    pointer->offset +=
        static_cast<uint32_t>(layouts().SharedMemberOffset(type.first_member + member_index));
    return true;
  }
  if (member.offset == kNoValue || !IsOffset(member.offset)) {
    const SpirvType& t = *spirv().Type(member.type);
    if (!t.unsupported.empty())
      return Refuse(t.unsupported, "member of a block", pointer->variable);
    return Malformed("member has no valid offset", pointer->variable);
  }
  pointer->offset += member.offset;
  pointer->matrix_stride = member.matrix_stride;
  pointer->row_major = member.row_major;
  pointer->component_stride = 0;
  return true;
}

// Indexes arrays, matrices and vectors in memory with a layout.
bool ChainEmitter::IndexElements(Pointer* pointer, const SpirvType& type, ValueId index,
                                 uint32_t index_id) {
  const SpirvType* element = spirv().Type(type.element);
  uint64_t stride = 0;
  if (HasOwnLayout(*pointer)) {
    stride = layouts().SharedStride(type);
  } else if (type.kind == SpirvType::kVector) {
    stride = pointer->component_stride != 0 ? pointer->component_stride : ScalarBytes(*element);
  } else if (type.kind == SpirvType::kMatrix) {
    stride =
        pointer->row_major ? ScalarBytes(*spirv().Type(element->element)) : pointer->matrix_stride;
    pointer->component_stride = pointer->row_major ? pointer->matrix_stride : 0;
  } else {
    stride = type.array_stride;
  }
  const bool composite = element->kind == SpirvType::kStruct ||
                         element->kind == SpirvType::kArray ||
                         element->kind == SpirvType::kRuntimeArray;
  if (!element->unsupported.empty() && (!composite || !IsOffset(stride))) {
    return Refuse(element->unsupported, "element of an array or vector in memory",
                  pointer->variable);
  }
  if (element->has_doubles && !composite) {
    NeedDoubles(mir::DoubleUse::kElement, pointer->variable);
  }
  if (stride == 0 || !IsOffset(stride)) {
    return Malformed("array or matrix has no valid stride", pointer->variable);
  }
  pointer->type = type.element;
  pointer->element_stride = IsArray(type) ? static_cast<uint32_t>(stride) : 0;
  AddBytes(pointer, index, index_id, static_cast<uint32_t>(stride));
  return ok();
}

// Indexes parts of local variables and inputs, counted in leaves. Parts that the plan puts in
// memory use byte offsets.
bool ChainEmitter::LocalIndex(Pointer* pointer, const SpirvType& type, ValueId index) {
  const uint32_t step = spirv().Type(type.element)->leaves;
  uint32_t bits = 0;
  if (IsConstant(index, &bits)) {
    // Out of bounds is undefined behaviour; any element is correct.
    pointer->offset += std::min(bits, type.count - 1) * step;
    pointer->type = type.element;
    return true;
  }
  if (pointer->space == Pointer::kInput && type.kind != SpirvType::kVector) {
    return InputElement(pointer, type, index);
  }
  const LocalVariable* v =
      pointer->space == Pointer::kLocal ? plan().Variable(pointer->variable) : nullptr;
  const bool in_memory = v != nullptr && MemoryRange(*v, pointer->offset) != nullptr;
  if (!in_memory) {
    if (type.kind != SpirvType::kVector) {
      if (pointer->space == Pointer::kBuiltin) {
        return Refuse("partial_pointer", "dynamically indexed element of a built-in",
                      pointer->variable);
      }
      return Fail(absl::InternalError("dynamically indexed local variable is not in memory"));
    }
    pointer->component = index;
    pointer->component_count = type.count;
    pointer->type = type.element;
    return true;
  }
  const uint32_t stride = 4 * v->words * step;
  const ValueId bytes = Emit(mir::Op::kImul, {index, Int(stride)});
  pointer->dynamic =
      pointer->dynamic.valid() ? Emit(mir::Op::kIadd, {pointer->dynamic, bytes}) : bytes;
  pointer->align = std::min(pointer->align, LowBit(stride));
  pointer->type = type.element;
  return ok();
}

// Indexes an array or matrix of an input by value. The index counts the elements of the part that
// it belongs to, which are vectors or scalars (interface_parts.h). From an array of structs all are
// loaded, and one is selected (emit_input.cc); likewise from the vertices of a per-vertex input.
bool ChainEmitter::InputElement(Pointer* pointer, const SpirvType& type, ValueId index) {
  const SpirvType* element = spirv().Type(type.element);
  uint32_t count = 1;
  for (; element->kind == SpirvType::kArray || element->kind == SpirvType::kMatrix;
       element = spirv().Type(element->element)) {
    count *= element->count;
  }
  const SpirvVariable& variable = *spirv().Variable(pointer->variable);
  const bool of_vertices = pointer->type == variable.pointee && IsPerVertex(spirv(), variable);
  if (element->kind == SpirvType::kStruct || of_vertices) {
    if (pointer->descriptor.valid()) {
      return Refuse("input_structs", "element selected by two dynamic indices", pointer->variable);
    }
    pointer->descriptor = index;
    pointer->structs = type.count;
    pointer->struct_leaves = spirv().Type(type.element)->leaves;
    pointer->type = type.element;
    return true;
  }
  const ValueId elements = count == 1 ? index : Emit(mir::Op::kImul, {index, Int(count)});
  pointer->dynamic =
      pointer->dynamic.valid() ? Emit(mir::Op::kIadd, {pointer->dynamic, elements}) : elements;
  pointer->type = type.element;
  return ok();
}

bool ChainEmitter::IndexDescriptor(Pointer* pointer, const SpirvType& type, ValueId index,
                                   uint32_t id) {
  uint32_t element = 0;
  const bool constant = IsConstant(index, &element);
  if (type.kind == SpirvType::kArray && element >= type.count) {
    // Undefined behaviour if executed, which it often is not. The last descriptor exists.
    element = type.count - 1;
    index = Int(element);
  }
  uint64_t step = 1;  // number of descriptors in an element
  for (const SpirvType* t = spirv().Type(type.element); IsArray(*t); t = spirv().Type(t->element)) {
    step *= t->kind == SpirvType::kArray ? t->count : kMaxDescriptors;
    step = std::min<uint64_t>(step, kMaxDescriptors + 1);
  }
  const uint64_t flat = pointer->element + element * step;
  if (flat >= kMaxDescriptors || step > kMaxDescriptors) {
    return Refuse("too_many_descriptors",
                  {"descriptors of a binding", std::nullopt, kMaxDescriptors}, id);
  }
  const auto stride = static_cast<uint32_t>(step);
  ValueId& chosen = pointer->selector.valid() ? pointer->selector : pointer->descriptor;
  if (constant && !pointer->selector.valid()) {
    pointer->element = static_cast<uint32_t>(flat);
  } else {
    const ValueId steps = step == 1 ? index : Emit(mir::Op::kImul, {index, Int(stride)});
    chosen = chosen.valid() ? Emit(mir::Op::kIadd, {chosen, steps}) : steps;
    if (!pointer->selector.valid()) pointer->flags |= mir::kIndexed;
    if (spirv().decorations[id].non_uniform) pointer->flags |= mir::kNonUniform;
  }
  pointer->type = type.element;
  pointer->descriptors = IsArray(*spirv().Type(type.element));
  return ok();
}

bool ChainEmitter::EmitArrayLength(const SpirvInst& inst) {
  Pointer pointer;
  if (!GetPointer(inst.operand(3), &pointer)) return false;
  const SpirvType& type = *spirv().Type(pointer.type);
  const uint32_t member_index = inst.operand(4);
  if (pointer.space != Pointer::kStorage || pointer.descriptors ||
      type.kind != SpirvType::kStruct || member_index >= type.count) {
    return Malformed("OpArrayLength of a pointer that is not to a storage buffer", inst.result);
  }
  const SpirvMember& member = spirv().members[type.first_member + member_index];
  const SpirvType* array = spirv().Type(member.type);
  if (array == nullptr || array->kind != SpirvType::kRuntimeArray || array->array_stride == 0 ||
      member.offset == kNoValue) {
    return Malformed("OpArrayLength of a member that is not a runtime array", inst.result);
  }
  const auto size = [this](const Pointer& at, Leaves* bytes) {
    uint32_t resource = 0;
    if (!Resources(c_).Resource(at, &resource)) return false;
    const Leaves sources = DescriptorSources(at);
    builder().set_flags(at.flags & (mir::kNonUniform | mir::kIndexed));
    *bytes = {builder().Emit(mir::Op::kSsboSize, sources, resource)};
    builder().set_flags(0);
    return ok();
  };
  Leaves sizes;
  if (!ByTarget(pointer, {mir::Type::kI32}, size, &sizes)) return false;
  ValueId bytes = sizes[0];
  if (member.offset != 0) bytes = Emit(mir::Op::kIsub, {bytes, Int(member.offset)});
  const ValueId count = Emit(mir::Op::kUdiv, {bytes, Int(array->array_stride)});
  return Define(inst, {count});
}

bool EmitChain(ImportContext& c, const SpirvInst& inst, bool* handled) {
  *handled = true;
  switch (inst.op) {
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain: return ChainEmitter(c).EmitChain(inst);
    case spv::Op::OpArrayLength: return ChainEmitter(c).EmitArrayLength(inst);
    default: *handled = false; return true;
  }
}

}  // namespace kiln::front
