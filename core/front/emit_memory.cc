// Pointers, loads and stores.
//
// A pointer is static but for a byte offset (and, for vectors held in slots, a component) chosen by
// value. A pointer to physical memory is an address chosen by value. Buffers, push constants, shared
// and physical memory are accessed as runs of up to four consecutive elements of one size; local
// variables leaf by leaf: a slot, dwords of a private array, or of a constant table.
#include <algorithm>

#include "core/front/coverage.h"
#include "core/front/importer.h"
#include "core/front/refusal.h"

namespace kiln::front {
namespace {

constexpr uint32_t kMaxAlign = 64;
constexpr size_t kRunDwords = 4;

uint32_t LowBit(uint32_t x) { return x == 0 ? kMaxAlign : std::min(kMaxAlign, x & (0u - x)); }

bool IsOffset(uint64_t x) { return x < (uint64_t{1} << 31); }

}  // namespace

// ---- Making pointers ----

bool Importer::VariablePointer(uint32_t id, uint32_t type_id, spv::StorageClass storage,
                               Pointer* pointer) {
  *pointer = Pointer();
  pointer->variable = id;
  pointer->type = spirv().Type(type_id)->element;
  const std::string_view cause = CauseOf(storage);
  if (!cause.empty()) return Refuse(cause, "variable of this storage class", id);
  const SpirvDecorations& d = spirv().decorations[id];
  if (d.coherent) pointer->flags |= mir::kCoherent;
  if (d.is_volatile) pointer->flags |= mir::kVolatile;
  switch (storage) {
    case spv::StorageClass::Function:
    case spv::StorageClass::Private: {
      const LocalVariable* v = plan().Variable(id);
      if (v == nullptr) return Malformed("local variable in an unreachable place", id);
      if (!v->unsupported.empty()) return Refuse(v->unsupported, "local variable", id);
      pointer->flags = 0;
      pointer->space = Pointer::kLocal;
      return true;
    }
    case spv::StorageClass::Workgroup:
      pointer->space = Pointer::kShared;
      pointer->offset = c_.shared_offset[spirv().Def(id).index];
      return true;
    case spv::StorageClass::PushConstant:
      pointer->space = Pointer::kPush;
      break;
    case spv::StorageClass::Input:
      pointer->space = Pointer::kBuiltin;
      if (d.builtin == kNoValue) return Malformed("compute input that is no built-in", id);
      return true;
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
      if (type.kind == SpirvType::kOpaque) return Refuse(type.unsupported, "variable", id);
      return Malformed("uniform constant that is no image or sampler", id);
    }
    default: {  // Uniform, StorageBuffer: one block, or an array of them
      uint32_t block = pointer->type;
      while (spirv().Type(block)->kind == SpirvType::kArray ||
             spirv().Type(block)->kind == SpirvType::kRuntimeArray) {
        block = spirv().Type(block)->element;
        pointer->descriptors = true;
      }
      if (spirv().Type(block)->kind != SpirvType::kStruct) {
        return Malformed("buffer that is no block", id);
      }
      const bool storage_buffer =
          storage == spv::StorageClass::StorageBuffer || spirv().decorations[block].buffer_block;
      pointer->space = storage_buffer ? Pointer::kStorage : Pointer::kUniform;
      return true;
    }
  }
  if (spirv().Type(pointer->type)->kind != SpirvType::kStruct) {
    return Malformed("push constants that are no block", id);
  }
  return true;
}

bool Importer::EmitVariable(const SpirvInst& inst) {
  const SpirvType& type = *spirv().Type(inst.type);
  if (type.kind != SpirvType::kPointer || type.storage != spv::StorageClass::Function) {
    return Malformed("variable in a function of another storage class", inst.result);
  }
  Pointer pointer;
  const LocalVariable* v = plan().Variable(inst.result);
  if (v == nullptr) return Malformed("misplaced variable", inst.result);
  if (!v->unsupported.empty()) {
    // Refused where it is used. (Debug-only and dead variables of such types are common.)
    return true;
  }
  if (!VariablePointer(inst.result, inst.type, type.storage, &pointer)) return false;
  c_.bindings.BindPointer(inst.result, pointer);
  if (v->initializer == 0 || v->constant != 0) return true;
  Leaves leaves;
  uint32_t initial_type = 0;
  if (!Get(v->initializer, &leaves, &initial_type)) return false;
  if (initial_type != v->type) return Malformed("initialiser of another type", inst.result);
  return StoreLocal(pointer, leaves);
}

bool Importer::EmitChain(const SpirvInst& inst) {
  Pointer pointer;
  if (!GetPointer(inst.operand(3), &pointer)) return false;
  if (pointer.component.valid()) return Malformed("index into a scalar", inst.result);
  const bool element = inst.op == spv::Op::OpPtrAccessChain ||
                       inst.op == spv::Op::OpInBoundsPtrAccessChain;
  if (element && !EmitPointerElement(inst, &pointer)) return false;
  for (size_t i = element ? 5 : 4; i < inst.size(); ++i) {
    if (!Index(&pointer, inst.words[i])) return false;
  }
  if (pointer.descriptor.valid() && spirv().decorations[inst.result].non_uniform) {
    pointer.flags |= mir::kNonUniform;
  }
  const SpirvType& type = *spirv().Type(inst.type);
  if (type.kind != SpirvType::kPointer || type.element != pointer.type) {
    return Malformed("access chain of another type", inst.result);
  }
  return DefinePointer(inst, pointer);
}

// The first index of OpPtrAccessChain: steps over whole objects like the one pointed at.
bool Importer::EmitPointerElement(const SpirvInst& inst, Pointer* pointer) {
  ValueId index;
  if (!GetIndex(inst.operand(4), &index)) return false;
  if (pointer->space != Pointer::kShared && pointer->space != Pointer::kStorage &&
      pointer->space != Pointer::kPhysical) {
    return Refuse("variable_pointers", "pointer stepped over an array", inst.result);
  }
  const SpirvVariable* variable = spirv().Variable(inst.operand(3));
  const uint64_t stride =
      PointerStride(variable != nullptr ? variable->type : spirv().Def(inst.operand(3)).type);
  if (pointer->descriptors || stride == 0 || !IsOffset(stride)) {
    return Malformed("pointer stepped without a usable stride", inst.result);
  }
  AddBytes(pointer, index, inst.operand(4), static_cast<uint32_t>(stride));
  return ok();
}

// Adds index * stride; the index also has the id, which may be wider.
void Importer::AddBytes(Pointer* pointer, ValueId index, uint32_t index_id, uint32_t stride) {
  using mir::Op;
  const uint32_t align = LowBit(stride);
  uint32_t bits = 0;
  if (pointer->space != Pointer::kPhysical) {
    const bool buffer = pointer->space == Pointer::kStorage || pointer->space == Pointer::kUniform;
    Leaves given;
    if (buffer && Get(index_id, &given) && IsWideConstant(given[0])) {
      // Behind every buffer: these have at most 2^30 bytes, and what is added to this does not wrap.
      pointer->offset = 0x80000000u;
      return;
    }
    if (IsConstant(index, &bits)) {
      pointer->offset += bits * stride;
      return;
    }
    const ValueId bytes = stride == 1 ? index : Emit(Op::kImul, {index, Int(stride)});
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

bool Importer::Index(Pointer* pointer, uint32_t index_id) {
  ValueId index;
  if (!GetIndex(index_id, &index)) return false;
  const SpirvType& type = *spirv().Type(pointer->type);
  if (pointer->descriptors) return IndexDescriptor(pointer, type, index, index_id);
  switch (type.kind) {
    case SpirvType::kStruct:
      return IndexStruct(pointer, type, index, index_id);
    case SpirvType::kVector:
    case SpirvType::kMatrix:
    case SpirvType::kArray:
    case SpirvType::kRuntimeArray:
      if (pointer->space == Pointer::kLocal || pointer->space == Pointer::kBuiltin) {
        return LocalIndex(pointer, type, index);
      }
      return IndexElements(pointer, type, index, index_id);
    default:
      return Malformed("index into what has no parts", index_id);
  }
}

bool Importer::IndexStruct(Pointer* pointer, const SpirvType& type, ValueId index, uint32_t id) {
  uint32_t member_index = 0;
  if (!IsConstant(index, &member_index) || member_index >= type.count) {
    return Malformed("struct index", id);
  }
  const SpirvMember& member = spirv().members[type.first_member + member_index];
  pointer->type = member.type;
  if (member.coherent) pointer->flags |= mir::kCoherent;
  if (member.is_volatile) pointer->flags |= mir::kVolatile;
  switch (pointer->space) {
    case Pointer::kLocal:
    case Pointer::kBuiltin:
      pointer->offset += member.leaf;
      return true;
    default:
      break;
  }
  if (HasOwnLayout(*pointer)) {
    pointer->offset +=
        static_cast<uint32_t>(layouts().SharedMemberOffset(type.first_member + member_index));
    return true;
  }
  if (member.offset == kNoValue || !IsOffset(member.offset)) {
    const SpirvType& t = *spirv().Type(member.type);
    if (!t.unsupported.empty()) return Refuse(t.unsupported, "member", pointer->variable);
    return Malformed("member without a usable offset", pointer->variable);
  }
  pointer->offset += member.offset;
  pointer->matrix_stride = member.matrix_stride;
  pointer->row_major = member.row_major;
  pointer->component_stride = 0;
  return true;
}

// Arrays, matrices and vectors in memory with a layout.
bool Importer::IndexElements(Pointer* pointer, const SpirvType& type, ValueId index,
                             uint32_t index_id) {
  const SpirvType* element = spirv().Type(type.element);
  uint64_t stride = 0;
  if (HasOwnLayout(*pointer)) {
    stride = layouts().SharedStride(type);
  } else if (type.kind == SpirvType::kVector) {
    stride = pointer->component_stride != 0 ? pointer->component_stride : ScalarBytes(*element);
  } else if (type.kind == SpirvType::kMatrix) {
    stride = pointer->row_major ? ScalarBytes(*spirv().Type(element->element))
                                : pointer->matrix_stride;
    pointer->component_stride = pointer->row_major ? pointer->matrix_stride : 0;
  } else {
    stride = type.array_stride;
  }
  const bool composite = element->kind == SpirvType::kStruct ||
                         element->kind == SpirvType::kArray ||
                         element->kind == SpirvType::kRuntimeArray;
  if (!element->unsupported.empty() && (!composite || !IsOffset(stride))) {
    return Refuse(element->unsupported, "element", pointer->variable);
  }
  if (stride == 0 || !IsOffset(stride)) {
    return Malformed("array or matrix without a usable stride", pointer->variable);
  }
  pointer->type = type.element;
  AddBytes(pointer, index, index_id, static_cast<uint32_t>(stride));
  return ok();
}

// Parts of local variables, counted in leaves. What the plan put in memory takes byte offsets.
bool Importer::LocalIndex(Pointer* pointer, const SpirvType& type, ValueId index) {
  const uint32_t step = spirv().Type(type.element)->leaves;
  uint32_t bits = 0;
  if (IsConstant(index, &bits)) {
    // Out of bounds is undefined behaviour; any element will do.
    pointer->offset += std::min(bits, type.count - 1) * step;
    pointer->type = type.element;
    return true;
  }
  const LocalVariable* v =
      pointer->space == Pointer::kLocal ? plan().Variable(pointer->variable) : nullptr;
  const bool in_memory = v != nullptr && MemoryRange(*v, pointer->offset) != nullptr;
  if (!in_memory) {
    if (type.kind != SpirvType::kVector) {
      if (pointer->space == Pointer::kBuiltin) {
        return Refuse("partial_pointer", "index by value", pointer->variable);
      }
      return Fail(absl::InternalError("local variable indexed by value is not in memory"));
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

bool Importer::EmitArrayLength(const SpirvInst& inst) {
  Pointer pointer;
  if (!GetPointer(inst.operand(3), &pointer)) return false;
  const SpirvType& type = *spirv().Type(pointer.type);
  const uint32_t member_index = inst.operand(4);
  if (pointer.space != Pointer::kStorage || pointer.descriptors ||
      type.kind != SpirvType::kStruct || member_index >= type.count) {
    return Malformed("array length of what is no storage buffer", inst.result);
  }
  const SpirvMember& member = spirv().members[type.first_member + member_index];
  const SpirvType* array = spirv().Type(member.type);
  if (array == nullptr || array->kind != SpirvType::kRuntimeArray || array->array_stride == 0 ||
      member.offset == kNoValue) {
    return Malformed("array length of what is no runtime array", inst.result);
  }
  const auto size = [this](const Pointer& at, Leaves* bytes) {
    uint32_t resource = 0;
    if (!Resource(at, &resource)) return false;
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

// ---- Memory with a layout ----

ValueId Importer::Offset(const Pointer& pointer, uint32_t offset) {
  if (!pointer.dynamic.valid()) return Int(offset);
  return offset == 0 ? pointer.dynamic : Emit(mir::Op::kIadd, {pointer.dynamic, Int(offset)});
}

// The address that a pointer to physical memory is.
ValueId Importer::AddressOf(const Pointer& pointer) {
  if (pointer.offset == 0) return pointer.dynamic;
  return Emit(mir::Op::kIadd,
              {pointer.dynamic, builder().IntOf(mir::Type::kI64, pointer.offset)});
}

Leaves Importer::AddressSources(const Pointer& pointer, uint32_t offset) {
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

uint32_t Importer::Alignment(const Pointer& pointer, uint32_t offset, uint32_t bytes) {
  uint32_t known = std::min(pointer.dynamic.valid() ? pointer.align : kMaxAlign, LowBit(offset));
  if (pointer.space == Pointer::kPhysical) {
    // What the access says of its first byte; without that, what Vulkan asks of every element.
    const uint32_t first = pointer.given_align != 0 ? pointer.given_align : bytes;
    known = std::min({kMaxAlign, LowBit(first), LowBit(offset - pointer.offset)});
  }
  return known;
}

// Lists the elements of a value in memory; leaves of a run are consecutive in memory.
bool Importer::Runs(const Pointer& pointer, uint32_t type_id, uint32_t offset, uint32_t leaf,
                    std::vector<MemoryRun>* runs) {
  const SpirvType& type = *spirv().Type(type_id);
  const bool shared = HasOwnLayout(pointer);
  if (type.leaves == 0) return true;  // empty structs, perhaps without number
  switch (type.kind) {
    case SpirvType::kBool:
      if (!shared) return Malformed("bool in a buffer", pointer.variable);
      runs->push_back({offset, 1, {leaf}});
      return true;
    case SpirvType::kPointer:
      if (!type.IsPhysicalPointer()) {
        return Refuse("variable_pointers", "pointer in a buffer", pointer.variable);
      }
      [[fallthrough]];
    case SpirvType::kInt:
    case SpirvType::kFloat:
      runs->push_back({offset, 1, {leaf}});
      return true;
    case SpirvType::kVector: {
      const uint32_t packed = ScalarBytes(*spirv().Type(type.element));
      const bool apart = !shared && pointer.component_stride != 0;
      const uint32_t stride = apart ? pointer.component_stride : packed;
      for (uint32_t i = 0; i < type.count; ++i) {
        if (i == 0 || stride != packed) runs->push_back({offset + i * stride, 0, {}});
        runs->back().Add(leaf + i);
      }
      return true;
    }
    case SpirvType::kMatrix: {
      const uint32_t rows = spirv().Type(type.element)->count;
      const uint64_t stride = shared ? layouts().SharedStride(type) : pointer.matrix_stride;
      if (stride == 0 || !IsOffset(stride)) {
        return Malformed("matrix without a usable stride", pointer.variable);
      }
      const bool by_rows = !shared && pointer.row_major;
      for (uint32_t i = 0; i < (by_rows ? rows : type.count); ++i) {
        runs->push_back({offset + i * static_cast<uint32_t>(stride), 0, {}});
        for (uint32_t k = 0; k < (by_rows ? type.count : rows); ++k) {
          runs->back().Add(leaf + (by_rows ? k * rows + i : i * rows + k));
        }
      }
      return true;
    }
    case SpirvType::kArray: {
      const uint64_t stride = shared ? layouts().SharedStride(type) : type.array_stride;
      if (stride == 0 || !IsOffset(stride)) {
        return Malformed("array without a usable stride", pointer.variable);
      }
      const uint32_t step = spirv().Type(type.element)->leaves;
      for (uint32_t i = 0; i < type.count; ++i) {
        if (!Runs(pointer, type.element, offset + i * static_cast<uint32_t>(stride),
                  leaf + i * step, runs)) {
          return false;
        }
      }
      return true;
    }
    case SpirvType::kStruct:
      for (uint32_t i = 0; i < type.count; ++i) {
        const SpirvMember& member = spirv().members[type.first_member + i];
        Pointer inner = pointer;
        uint64_t at = layouts().SharedMemberOffset(type.first_member + i);
        if (!shared) {
          if (member.offset == kNoValue || !IsOffset(member.offset)) {
            return Malformed("member without a usable offset", pointer.variable);
          }
          at = member.offset;
          inner.matrix_stride = member.matrix_stride;
          inner.row_major = member.row_major;
          inner.component_stride = 0;
        }
        if (!Runs(inner, member.type, offset + static_cast<uint32_t>(at), leaf + member.leaf,
                  runs)) {
          return false;
        }
      }
      return true;
    default:
      return Malformed("access to what is no value", pointer.variable);
  }
}

bool Importer::Load(const Pointer& pointer, Leaves* leaves) {
  const SpirvType* type = Supported(pointer.type);
  if (type == nullptr || !Charge(type->leaves)) return false;
  if (pointer.space == Pointer::kLocal) return LoadLocal(pointer, type->leaves, leaves);
  if (pointer.space == Pointer::kBuiltin) return LoadBuiltin(pointer, leaves);
  if (pointer.space == Pointer::kTexel) {
    return Malformed("load from a texel that is no atomic", pointer.variable);
  }
  const std::vector<mir::Type>& types = LeafTypes(pointer.type);
  return ByTarget(
      pointer, types,
      [&](const Pointer& at, Leaves* loaded) { return LoadMemory(at, types, loaded); }, leaves);
}

// Cut into parts of the alignment known, each part an access of its own (they are seldom more).
bool Importer::LoadRun(const Pointer& pointer, mir::Op op, uint32_t resource, const MemoryRun& run,
                       absl::Span<const mir::Type> types, Leaves* leaves) {
  const bool constant = pointer.space == Pointer::kUniform || pointer.space == Pointer::kPush;
  const uint8_t flags = constant ? pointer.flags & (mir::kNonUniform | mir::kIndexed)
                                 : pointer.flags;
  const auto in_memory = [](mir::Type t) { return t == mir::Type::kBool ? mir::Type::kI32 : t; };
  const auto load = [&](uint32_t offset, absl::Span<const mir::Type> loaded, uint32_t align) {
    const Leaves sources = AddressSources(pointer, offset);
    builder().set_flags(flags);
    const mir::InstId inst = builder().EmitInst(op, sources, loaded, resource, align);
    builder().set_flags(0);
    return inst;
  };
  if (!Charge(run.count)) return false;
  const uint32_t bytes = mir::BytesOf(in_memory(types[run.leaves[0]]));
  const uint32_t align = Alignment(pointer, run.offset, bytes);
  if (align >= bytes) {
    std::vector<mir::Type> run_types;
    for (uint32_t leaf : run.all()) run_types.push_back(in_memory(types[leaf]));
    const mir::InstId inst = load(run.offset, run_types, align);
    for (uint32_t i = 0; i < run.count; ++i) {
      (*leaves)[run.leaves[i]] =
          FromMemory(module().result(inst, static_cast<int>(i)), types[run.leaves[i]]);
    }
    return ok();
  }
  const mir::Type part = mir::IntOfBits(8 * align);
  for (uint32_t i = 0; i < run.count; ++i) {
    Leaves parts;
    for (uint32_t byte = 0; byte < bytes; byte += align) {
      const mir::InstId inst =
          load(run.offset + i * bytes + byte, absl::MakeConstSpan(&part, 1), align);
      parts.push_back(module().result(inst));
    }
    Leaves whole;
    Recut(parts, in_memory(types[run.leaves[i]]), &whole);
    if (!Charge(4 * parts.size()) || !ok()) return false;
    (*leaves)[run.leaves[i]] = FromMemory(whole[0], types[run.leaves[i]]);
  }
  return ok();
}

bool Importer::StoreRun(const Pointer& pointer, mir::Op op, uint32_t resource,
                        const MemoryRun& run, absl::Span<const ValueId> leaves) {
  Leaves values;
  for (uint32_t leaf : run.all()) values.push_back(ToMemory(leaves[leaf]));
  if (!Charge(run.count) || !ok()) return false;
  const auto store = [&](uint32_t offset, absl::Span<const ValueId> stored, uint32_t align) {
    Leaves sources = AddressSources(pointer, offset);
    sources.insert(sources.end(), stored.begin(), stored.end());
    builder().set_flags(pointer.flags);
    builder().EmitInst(op, sources, {}, resource, align);
    builder().set_flags(0);
  };
  const uint32_t bytes = mir::BytesOf(TypeOf(values[0]));
  const uint32_t align = Alignment(pointer, run.offset, bytes);
  if (align >= bytes) {
    store(run.offset, values, align);
    return ok();
  }
  for (uint32_t i = 0; i < run.count; ++i) {
    Leaves parts;
    Recut(absl::MakeConstSpan(&values[i], 1), mir::IntOfBits(8 * align), &parts);
    if (!Charge(4 * parts.size()) || !ok()) return false;
    for (uint32_t k = 0; k < parts.size(); ++k) {
      store(run.offset + i * bytes + k * align, absl::MakeConstSpan(&parts[k], 1), align);
    }
  }
  return ok();
}

bool Importer::LoadMemory(const Pointer& pointer, absl::Span<const mir::Type> types,
                          Leaves* leaves) {
  mir::Op op = mir::Op::kLoadPush;
  uint32_t resource = 0;
  if (pointer.space == Pointer::kUniform || pointer.space == Pointer::kStorage) {
    op = pointer.space == Pointer::kUniform ? mir::Op::kLoadUbo : mir::Op::kLoadSsbo;
    if (!Resource(pointer, &resource)) return false;
  } else if (pointer.space == Pointer::kShared) {
    op = mir::Op::kLoadShared;
  } else if (pointer.space == Pointer::kPhysical) {
    op = mir::Op::kLoadGlobal;
  }
  std::vector<MemoryRun> runs;
  if (!Runs(pointer, pointer.type, pointer.offset, 0, &runs)) return false;
  leaves->resize(types.size());
  for (const MemoryRun& run : runs) {
    if (!LoadRun(pointer, op, resource, run, types, leaves)) return false;
  }
  return ok();
}

bool Importer::Store(const Pointer& pointer, absl::Span<const ValueId> leaves) {
  if (!Charge(leaves.size())) return false;
  if (pointer.space == Pointer::kLocal) return StoreLocal(pointer, leaves);
  Leaves none;
  return ByTarget(
      pointer, {}, [&](const Pointer& at, Leaves*) { return StoreMemory(at, leaves); }, &none);
}

bool Importer::StoreMemory(const Pointer& pointer, absl::Span<const ValueId> leaves) {
  uint32_t resource = 0;
  mir::Op op = mir::Op::kStoreShared;
  if (pointer.space == Pointer::kStorage) {
    op = mir::Op::kStoreSsbo;
    if (!Resource(pointer, &resource)) return false;
    module().resources[resource].read_only = false;
  } else if (pointer.space == Pointer::kPhysical) {
    op = mir::Op::kStoreGlobal;
  } else if (pointer.space != Pointer::kShared) {
    return Malformed("store to read-only memory", pointer.variable);
  }
  std::vector<MemoryRun> runs;
  if (!Runs(pointer, pointer.type, pointer.offset, 0, &runs)) return false;
  for (const MemoryRun& run : runs) {
    if (!StoreRun(pointer, op, resource, run, leaves)) return false;
  }
  return ok();
}

ValueId Importer::ToMemory(ValueId v) {
  if (TypeOf(v) != mir::Type::kBool) return v;
  return Emit(mir::Op::kSelect, {v, Int(1), Int(0)});
}

ValueId Importer::FromMemory(ValueId v, mir::Type type) {
  return type == mir::Type::kBool ? Emit(mir::Op::kIne, {v, Int(0)}) : v;
}

void Importer::ToDwords(ValueId v, uint32_t words, Leaves* dwords) {
  using mir::Op;
  const mir::Type type = TypeOf(v);
  if (type == mir::Type::kI64) {
    dwords->push_back(ConvertInt(v, mir::Type::kI32, false));
    dwords->push_back(ConvertInt(Emit(Op::kUshr, {v, Int(32)}), mir::Type::kI32, false));
    return;
  }
  const bool narrow = mir::BitsOf(type) < 32 && type != mir::Type::kBool;
  dwords->push_back(narrow ? ConvertInt(AsInt(v), mir::Type::kI32, false) : ToMemory(v));
  if (words == 2) dwords->push_back(Int(0));
}

ValueId Importer::FromDwords(absl::Span<const ValueId> dwords, mir::Type type) {
  if (type == mir::Type::kI64) {
    Leaves whole;
    Recut(dwords, type, &whole);
    return whole[0];
  }
  if (type == mir::Type::kBool || mir::BitsOf(type) == 32) return FromMemory(dwords[0], type);
  return FromInt(ConvertInt(dwords[0], mir::IntOfBits(mir::BitsOf(type)), false), type);
}

// ---- Local variables ----

const std::pair<uint32_t, uint32_t>* Importer::MemoryRange(const LocalVariable& v, uint32_t leaf) {
  const auto it = std::upper_bound(
      v.memory.begin(), v.memory.end(), leaf,
      [](uint32_t x, const std::pair<uint32_t, uint32_t>& r) { return x < r.second; });
  return it != v.memory.end() && it->first <= leaf ? &*it : nullptr;
}

uint32_t Importer::PrivateArrayOf(const LocalVariable& v, size_t range) {
  uint32_t& first = c_.private_range_of[&v - plan().variables.data()];
  if (first == kNoValue) {
    first = static_cast<uint32_t>(c_.private_ranges.size());
    for (size_t i = 0; i < v.memory.size(); ++i) c_.private_ranges.push_back({v.id, i, kNoValue});
  }
  ImportContext::PrivateRange& r = c_.private_ranges[first + range];
  if (r.array == kNoValue) {
    r.array = static_cast<uint32_t>(module().private_arrays.size());
    const uint32_t leaves = v.memory[range].second - v.memory[range].first;
    module().private_arrays.push_back({4 * v.words * leaves, v.id});
  }
  return r.array;
}

uint32_t Importer::ConstantDataOf(uint32_t constant, uint32_t type, uint32_t words) {
  Charge(c_.constant_tables.size() / 8);
  for (const ImportContext::ConstantTable& t : c_.constant_tables) {
    if (t.constant == constant) return t.offset;
  }
  const auto offset = static_cast<uint32_t>(module().constant_data.size());
  const SpirvConstant& c = *spirv().Constant(constant);
  const uint32_t count = spirv().Type(type)->leaves;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t bits = spirv().ConstantLeaf(c, i);
    for (uint32_t byte = 0; byte < 4 * words; ++byte) {
      module().constant_data.push_back(static_cast<uint8_t>(bits >> (8 * byte)));
    }
  }
  while (module().constant_data.size() % 16 != 0) module().constant_data.push_back(0);
  c_.constant_tables.push_back({constant, offset});
  return offset;
}

// Leaves [leaf, leaf + count) of one memory range, with the pointer's dynamic offset.
bool Importer::LoadPrivateRun(const Pointer& pointer, const LocalVariable& v, uint32_t leaf,
                              uint32_t count, Leaves* leaves) {
  const auto* range = MemoryRange(v, leaf);
  if (range == nullptr || leaf + count > range->second) {
    return Fail(absl::InternalError("local access outside its private array"));
  }
  const bool constant = v.constant != 0;
  const uint32_t array =
      constant ? 0 : PrivateArrayOf(v, static_cast<size_t>(range - v.memory.data()));
  const uint32_t base =
      constant ? ConstantDataOf(v.constant, v.type, v.words) + 4 * v.words * leaf
               : 4 * v.words * (leaf - range->first);
  std::vector<mir::Type> types;
  for (uint32_t i = 0; i < count * v.words; ++i) {
    const bool is_float = plan().slot_types[v.slot + leaf + i / v.words] == mir::Type::kF32;
    types.push_back(is_float && i % v.words == 0 ? mir::Type::kF32 : mir::Type::kI32);
  }
  const mir::InstId load =
      builder().Load(constant ? mir::Op::kLoadConstant : mir::Op::kLoadPrivate, array,
                    Offset(pointer, base), types, Alignment(pointer, base, 4));
  for (uint32_t i = 0; i < count; ++i) {
    Leaves dwords;
    for (uint32_t w = 0; w < v.words; ++w) {
      dwords.push_back(module().result(load, static_cast<int>(i * v.words + w)));
    }
    leaves->push_back(FromDwords(dwords, plan().slot_types[v.slot + leaf + i]));
  }
  return Charge(count);
}

bool Importer::StorePrivateRun(const Pointer& pointer, const LocalVariable& v, uint32_t leaf,
                               absl::Span<const ValueId> values) {
  const auto* range = MemoryRange(v, leaf);
  if (range == nullptr || leaf + values.size() > range->second) {
    return Fail(absl::InternalError("local access outside its private array"));
  }
  const uint32_t array = PrivateArrayOf(v, static_cast<size_t>(range - v.memory.data()));
  const uint32_t base = 4 * v.words * (leaf - range->first);
  Leaves dwords;
  for (ValueId value : values) ToDwords(value, v.words, &dwords);
  builder().Store(mir::Op::kStorePrivate, array, Offset(pointer, base), dwords,
                 Alignment(pointer, base, 4));
  return Charge(values.size());
}

bool Importer::LoadLocal(const Pointer& pointer, uint32_t count, Leaves* leaves) {
  const LocalVariable& v = *plan().Variable(pointer.variable);
  if (pointer.component.valid()) count = pointer.component_count;
  if (count > v.leaves || pointer.offset > v.leaves - count) {
    return Malformed("access outside its variable", pointer.variable);
  }
  for (uint32_t leaf = pointer.offset; leaf < pointer.offset + count;) {
    const auto* range = MemoryRange(v, leaf);
    if (range != nullptr && (v.constant == 0 || pointer.dynamic.valid())) {
      const uint32_t end = std::min<uint32_t>(
          {pointer.offset + count, range->second, leaf + static_cast<uint32_t>(kRunDwords)});
      if (!LoadPrivateRun(pointer, v, leaf, end - leaf, leaves)) return false;
      leaf = end;
      continue;
    }
    if (pointer.dynamic.valid()) {
      return Fail(absl::InternalError("dynamic access to a variable in slots"));
    }
    if (v.constant != 0) {
      leaves->push_back(
          builder().Constant(plan().slot_types[v.slot + leaf],
                             spirv().ConstantLeaf(*spirv().Constant(v.constant), leaf)));
    } else {
      leaves->push_back(SlotValue(v.slot + leaf));
    }
    ++leaf;
  }
  if (pointer.component.valid()) {
    const ValueId value = SelectComponent(*leaves, pointer.component);
    leaves->assign(1, value);
  }
  return ok();
}

bool Importer::StoreLocal(const Pointer& pointer, absl::Span<const ValueId> leaves) {
  const LocalVariable& v = *plan().Variable(pointer.variable);
  if (v.constant != 0) return true;  // its only store: of the constant that loads give
  const auto count =
      static_cast<uint32_t>(pointer.component.valid() ? pointer.component_count : leaves.size());
  if (count > v.leaves || pointer.offset > v.leaves - count) {
    return Malformed("access outside its variable", pointer.variable);
  }
  if (pointer.component.valid()) {
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t slot = v.slot + pointer.offset + i;
      const ValueId is = Emit(mir::Op::kIeq, {pointer.component, Int(i)});
      const ValueId stored = Emit(mir::Op::kSelect, {is, leaves[0], SlotValue(slot)});
      c_.slots.Set(slot, UndefinedBeyond(pointer.component, count, stored));
    }
    return ok();
  }
  for (uint32_t i = 0; i < count;) {
    const uint32_t leaf = pointer.offset + i;
    const auto* range = MemoryRange(v, leaf);
    if (range == nullptr) {
      if (pointer.dynamic.valid()) {
        return Fail(absl::InternalError("dynamic access to a variable in slots"));
      }
      c_.slots.Set(v.slot + leaf, leaves[i++]);
      continue;
    }
    const uint32_t n =
        std::min<uint32_t>({count - i, range->second - leaf, static_cast<uint32_t>(kRunDwords)});
    if (!StorePrivateRun(pointer, v, leaf, leaves.subspan(i, n))) return false;
    i += n;
  }
  return ok();
}

// ---- Built-in variables ----

ValueId Importer::LocalInvocationId(uint32_t component) {
  const auto& size = module().local_size;
  if (size[component] == 1) return Int(0);
  if (c_.derivative_group == DerivativeGroup::kQuads) return QuadLocalId(component);
  ValueId id = builder().LocalIndex();
  const uint32_t below = component == 0 ? 1 : component == 1 ? size[0] : size[0] * size[1];
  const uint32_t above = component == 0 ? size[1] * size[2] : component == 1 ? size[2] : 1;
  if (below != 1) id = Emit(mir::Op::kUdiv, {id, Int(below)});
  if (above != 1) id = Emit(mir::Op::kUrem, {id, Int(size[component])});
  return id;
}

bool Importer::Builtin(spv::BuiltIn builtin, uint32_t component, uint32_t id, ValueId* value) {
  const auto workgroup = [&] {
    const ValueId w = builder().WorkgroupId(component);
    return options().dispatch_base ? Emit(mir::Op::kIadd, {w, builder().BaseWorkgroup(component)})
                                  : w;
  };
  switch (builtin) {
    case spv::BuiltIn::WorkgroupId:
      *value = workgroup();
      return true;
    case spv::BuiltIn::NumWorkgroups:
      *value = builder().NumWorkgroups(component);
      return true;
    case spv::BuiltIn::WorkgroupSize:
      *value = Int(module().local_size[component]);
      return true;
    case spv::BuiltIn::LocalInvocationId:
      *value = LocalInvocationId(component);
      return true;
    case spv::BuiltIn::LocalInvocationIndex: {
      const auto& size = module().local_size;
      *value = size[0] * size[1] * size[2] == 1 ? Int(0) : LocalInvocationIndex();
      return true;
    }
    case spv::BuiltIn::GlobalInvocationId: {
      const ValueId first =
          Emit(mir::Op::kImul, {workgroup(), Int(module().local_size[component])});
      *value = Emit(mir::Op::kIadd, {first, LocalInvocationId(component)});
      return true;
    }
    case spv::BuiltIn::DeviceIndex:
      *value = Int(0);
      return true;
    default:
      if (SubgroupBuiltin(builtin, component, value)) return true;
      break;
  }
  const std::string_view cause = CauseOf(builtin);
  return Refuse(cause, "built-in variable", id);
}

bool Importer::LoadBuiltin(const Pointer& pointer, Leaves* leaves) {
  const uint32_t variable_type = spirv().Variable(pointer.variable)->pointee;
  const auto builtin = static_cast<spv::BuiltIn>(spirv().decorations[pointer.variable].builtin);
  const bool mask = builtin == spv::BuiltIn::SubgroupEqMask ||
                    builtin == spv::BuiltIn::SubgroupGeMask ||
                    builtin == spv::BuiltIn::SubgroupGtMask ||
                    builtin == spv::BuiltIn::SubgroupLeMask ||
                    builtin == spv::BuiltIn::SubgroupLtMask;
  const bool vector =
      mask || builtin == spv::BuiltIn::WorkgroupId || builtin == spv::BuiltIn::NumWorkgroups ||
      builtin == spv::BuiltIn::WorkgroupSize || builtin == spv::BuiltIn::LocalInvocationId ||
      builtin == spv::BuiltIn::GlobalInvocationId;
  const std::vector<mir::Type>& types = LeafTypes(variable_type);
  const uint32_t expected = mask ? 4 : vector ? 3 : 1;
  const bool fits =
      types.size() == expected &&
      spirv().Type(variable_type)->kind == (vector ? SpirvType::kVector : SpirvType::kInt) &&
      types[0] == mir::Type::kI32;
  if (!fits && CauseOf(builtin).empty()) {
    return Malformed("built-in variable of another type", pointer.variable);
  }
  const uint32_t count =
      pointer.component.valid() ? pointer.component_count : spirv().Type(pointer.type)->leaves;
  for (uint32_t i = 0; i < count; ++i) {
    ValueId value;
    if (!Builtin(builtin, std::min(pointer.offset + i, expected - 1), pointer.variable, &value)) {
      return false;
    }
    leaves->push_back(value);
  }
  if (pointer.component.valid()) {
    const ValueId value = SelectComponent(*leaves, pointer.component);
    leaves->assign(1, value);
  }
  return ok();
}

// ---- Instructions ----

// Flags of the memory operands at word `operand`, if there.
uint8_t Importer::AccessFlags(const SpirvInst& inst, size_t operand) const {
  const uint32_t mask = inst.operand(operand);
  const auto has = [mask](spv::MemoryAccessMask bit) {
    return (mask & static_cast<uint32_t>(bit)) != 0;
  };
  uint8_t flags = 0;
  if (has(spv::MemoryAccessMask::Volatile)) flags |= mir::kVolatile;
  // Non-private memory may be made visible by a barrier or atomic elsewhere.
  if (has(spv::MemoryAccessMask::MakePointerAvailable) ||
      has(spv::MemoryAccessMask::MakePointerVisible) ||
      has(spv::MemoryAccessMask::NonPrivatePointer)) {
    flags |= mir::kCoherent;
  }
  return flags;
}

// The literal behind the memory operands at word `operand` if they say Aligned, else 0.
uint32_t Importer::GivenAlignment(const SpirvInst& inst, size_t operand) const {
  const bool aligned =
      (inst.operand(operand) & static_cast<uint32_t>(spv::MemoryAccessMask::Aligned)) != 0;
  return aligned ? inst.operand(operand + 1) : 0;
}

bool Importer::EmitLoad(const SpirvInst& inst) {
  Pointer pointer;
  if (!GetPointer(inst.operand(3), &pointer)) return false;
  if (pointer.type != inst.type) return Malformed("load of another type", inst.result);
  if (pointer.space == Pointer::kImage) return LoadImage(inst, pointer);
  if (pointer.space != Pointer::kLocal && pointer.space != Pointer::kBuiltin) {
    pointer.flags |= AccessFlags(inst, 4);
    pointer.given_align = GivenAlignment(inst, 4);
  }
  Leaves leaves;
  return Load(pointer, &leaves) && Define(inst, leaves);
}

bool Importer::EmitStore(const SpirvInst& inst) {
  Pointer pointer;
  Leaves leaves;
  uint32_t type = 0;
  if (!GetPointer(inst.operand(1), &pointer)) return false;
  if (!Get(inst.operand(2), &leaves, &type)) return false;
  if (pointer.type != type) return Malformed("store of another type", inst.operand(1));
  if (pointer.space != Pointer::kLocal) pointer.flags |= AccessFlags(inst, 3);
  pointer.given_align = GivenAlignment(inst, 3);
  return Store(pointer, leaves);
}

bool Importer::EmitCopyMemory(const SpirvInst& inst) {
  Pointer to;
  Pointer from;
  if (!GetPointer(inst.operand(1), &to) || !GetPointer(inst.operand(2), &from)) return false;
  if (to.type != from.type) return Malformed("copy of another type", inst.operand(1));
  const uint8_t flags = AccessFlags(inst, 3);
  to.given_align = from.given_align = GivenAlignment(inst, 3);
  if (to.space != Pointer::kLocal) to.flags |= flags;
  if (from.space != Pointer::kLocal) from.flags |= flags;
  Leaves leaves;
  return Load(from, &leaves) && Store(to, leaves);
}

}  // namespace kiln::front
