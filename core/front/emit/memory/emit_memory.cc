// Emits variables, loads and stores.
//
// Buffers, push constants, shared and physical memory are accessed as runs of up to four
// consecutive elements of one size. Local variables and outputs: emit_local.cc; inputs:
// emit_input.cc; other built-ins: emit_builtin.cc.
#include <algorithm>

#include "core/front/emit/emit.h"
#include "core/front/emit/pointers.h"
#include "core/front/emit/resources.h"

namespace kiln::front {
namespace {

class MemoryEmitter : public Pointers {
 public:
  using Pointers::Pointers;

  bool EmitVariable(const SpirvInst& inst);
  bool EmitLoad(const SpirvInst& inst);
  bool EmitStore(const SpirvInst& inst);
  bool EmitCopyMemory(const SpirvInst& inst);
  bool Load(const Pointer& pointer, Leaves* leaves);
  bool Store(const Pointer& pointer, absl::Span<const ValueId> leaves);

 private:
  // A run of consecutive elements of a value in laid-out memory: its byte offset and its leaves.
  struct MemoryRun {
    uint32_t offset = 0;
    uint32_t count = 0;
    uint32_t leaves[4] = {};  // vectors and rows have no more
    void Add(uint32_t leaf) { leaves[count++] = leaf; }
    absl::Span<const uint32_t> all() const { return absl::MakeConstSpan(leaves, count); }
  };
  bool Runs(const Pointer& pointer, uint32_t type, uint32_t offset, uint32_t leaf,
            std::vector<MemoryRun>* runs);
  bool LoadMemory(const Pointer& pointer, absl::Span<const mir::Type> types, Leaves* leaves);
  bool StoreMemory(const Pointer& pointer, absl::Span<const ValueId> leaves);
  // Load and store a run. Elements that are aligned to less than their size are accessed in parts.
  bool LoadRun(const Pointer& pointer, mir::Op op, uint32_t resource, const MemoryRun& run,
               absl::Span<const mir::Type> types, Leaves* leaves);
  bool StoreRun(const Pointer& pointer, mir::Op op, uint32_t resource, const MemoryRun& run,
                absl::Span<const ValueId> leaves);
  uint8_t AccessFlags(const SpirvInst& inst, size_t operand) const;
  uint32_t GivenAlignment(const SpirvInst& inst, size_t operand) const;
};
}  // namespace

bool MemoryEmitter::EmitVariable(const SpirvInst& inst) {
  const SpirvType& type = *spirv().Type(inst.type);
  if (type.kind != SpirvType::kPointer || type.storage != spv::StorageClass::Function) {
    return Malformed("variable in a function is not of storage class Function", inst.result);
  }
  Pointer pointer;
  const LocalVariable* v = plan().Variable(inst.result);
  if (v == nullptr)
    return Malformed("variable is not in a reachable block of its function", inst.result);
  if (!v->unsupported.empty()) {
    // Refused where it is used. (Debug-only and dead variables of such types are common.)
    return true;
  }
  return WithoutNeedOfDoubles([&] {
    if (!VariablePointer(inst.result, inst.type, type.storage, &pointer)) return false;
    c_.bindings.BindPointer(inst.result, pointer);
    if (v->initializer == 0 || v->constant != 0) return true;
    Leaves leaves;
    uint32_t initial_type = 0;
    if (!Get(v->initializer, &leaves, &initial_type)) return false;
    if (initial_type != v->type)
      return Malformed("initialiser is not of its variable's type", inst.result);
    return StoreLocal(c_, pointer, leaves);
  });
}

// ---- Memory with a layout ----

// Lists the elements of a value in memory; leaves of a run are consecutive in memory.
bool MemoryEmitter::Runs(const Pointer& pointer, uint32_t type_id, uint32_t offset, uint32_t leaf,
                         std::vector<MemoryRun>* runs) {
  const SpirvType& type = *spirv().Type(type_id);
  const bool shared = HasOwnLayout(pointer);
  if (type.leaves == 0) return true;  // any number of empty structs
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
    case SpirvType::kFloat: runs->push_back({offset, 1, {leaf}}); return true;
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
        return Malformed("matrix has no valid stride", pointer.variable);
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
        return Malformed("array has no valid stride", pointer.variable);
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
            return Malformed("member has no valid offset", pointer.variable);
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
    default: return Malformed("access to a type without values", pointer.variable);
  }
}

bool MemoryEmitter::Load(const Pointer& pointer, Leaves* leaves) {
  const SpirvType* type = Supported(pointer.type);
  if (type == nullptr || !Charge(type->leaves)) return false;
  if (pointer.space == Pointer::kLocal) return LoadLocal(c_, pointer, type->leaves, leaves);
  if (pointer.space == Pointer::kBuiltin) return LoadBuiltin(c_, pointer, leaves);
  if (pointer.space == Pointer::kInput) return LoadInput(c_, pointer, leaves);
  if (pointer.space == Pointer::kTexel) {
    return Malformed("load through a texel pointer", pointer.variable);
  }
  const std::vector<mir::Type>& types = LeafTypes(pointer.type);
  return ByTarget(
      pointer, types,
      [&](const Pointer& at, Leaves* loaded) { return LoadMemory(at, types, loaded); }, leaves);
}

// Elements are split into parts of the known alignment, each part an access of its own (seldom
// needed).
bool MemoryEmitter::LoadRun(const Pointer& pointer, mir::Op op, uint32_t resource,
                            const MemoryRun& run, absl::Span<const mir::Type> types,
                            Leaves* leaves) {
  const bool constant = pointer.space == Pointer::kUniform || pointer.space == Pointer::kPush;
  const uint8_t flags =
      constant ? pointer.flags & (mir::kNonUniform | mir::kIndexed) : pointer.flags;
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
  const uint32_t align = AlignmentOf(pointer, run.offset, bytes);
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

bool MemoryEmitter::StoreRun(const Pointer& pointer, mir::Op op, uint32_t resource,
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
  const uint32_t align = AlignmentOf(pointer, run.offset, bytes);
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

bool MemoryEmitter::LoadMemory(const Pointer& pointer, absl::Span<const mir::Type> types,
                               Leaves* leaves) {
  mir::Op op = mir::Op::kLoadPush;
  uint32_t resource = 0;
  if (pointer.space == Pointer::kUniform || pointer.space == Pointer::kStorage) {
    op = pointer.space == Pointer::kUniform ? mir::Op::kLoadUbo : mir::Op::kLoadSsbo;
    if (!Resources(c_).Resource(pointer, &resource)) return false;
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

bool MemoryEmitter::Store(const Pointer& pointer, absl::Span<const ValueId> leaves) {
  if (!Charge(leaves.size())) return false;
  if (pointer.space == Pointer::kLocal) return StoreLocal(c_, pointer, leaves);
  Leaves none;
  return ByTarget(
      pointer, {}, [&](const Pointer& at, Leaves*) { return StoreMemory(at, leaves); }, &none);
}

bool MemoryEmitter::StoreMemory(const Pointer& pointer, absl::Span<const ValueId> leaves) {
  uint32_t resource = 0;
  mir::Op op = mir::Op::kStoreShared;
  if (pointer.space == Pointer::kStorage) {
    op = mir::Op::kStoreSsbo;
    if (!Resources(c_).Resource(pointer, &resource)) return false;
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

// ---- Instructions ----

// Returns the flags of the memory operands at word `operand`, if present.
uint8_t MemoryEmitter::AccessFlags(const SpirvInst& inst, size_t operand) const {
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

// Returns the literal after the memory operands at word `operand` if these have Aligned, otherwise
// 0.
uint32_t MemoryEmitter::GivenAlignment(const SpirvInst& inst, size_t operand) const {
  const bool aligned =
      (inst.operand(operand) & static_cast<uint32_t>(spv::MemoryAccessMask::Aligned)) != 0;
  return aligned ? inst.operand(operand + 1) : 0;
}

bool MemoryEmitter::EmitLoad(const SpirvInst& inst) {
  Pointer pointer;
  if (!GetPointer(inst.operand(3), &pointer)) return false;
  if (pointer.type != inst.type)
    return Malformed("loaded type differs from the pointee type", inst.result);
  if (pointer.space == Pointer::kImage) return LoadImage(c_, inst, pointer);
  if (pointer.space != Pointer::kLocal) {
    pointer.flags |= AccessFlags(inst, 4);
    pointer.given_align = GivenAlignment(inst, 4);
  }
  Leaves leaves;
  return Load(pointer, &leaves) && Define(inst, leaves);
}

bool MemoryEmitter::EmitStore(const SpirvInst& inst) {
  Pointer pointer;
  Leaves leaves;
  uint32_t type = 0;
  if (!GetPointer(inst.operand(1), &pointer)) return false;
  if (!Get(inst.operand(2), &leaves, &type)) return false;
  if (pointer.type != type)
    return Malformed("stored type differs from the pointee type", inst.operand(1));
  if (pointer.space != Pointer::kLocal) pointer.flags |= AccessFlags(inst, 3);
  pointer.given_align = GivenAlignment(inst, 3);
  return Store(pointer, leaves);
}

bool MemoryEmitter::EmitCopyMemory(const SpirvInst& inst) {
  Pointer to;
  Pointer from;
  if (!GetPointer(inst.operand(1), &to) || !GetPointer(inst.operand(2), &from)) return false;
  if (to.type != from.type) return Malformed("copied types differ", inst.operand(1));
  const uint8_t flags = AccessFlags(inst, 3);
  to.given_align = from.given_align = GivenAlignment(inst, 3);
  if (to.space != Pointer::kLocal) to.flags |= flags;
  if (from.space != Pointer::kLocal) from.flags |= flags;
  Leaves leaves;
  return Load(from, &leaves) && Store(to, leaves);
}

bool EmitMemory(ImportContext& c, const SpirvInst& inst, bool* handled) {
  *handled = true;
  switch (inst.op) {
    case spv::Op::OpVariable: return MemoryEmitter(c).EmitVariable(inst);
    case spv::Op::OpLoad: return MemoryEmitter(c).EmitLoad(inst);
    case spv::Op::OpStore: return MemoryEmitter(c).EmitStore(inst);
    case spv::Op::OpCopyMemory: return MemoryEmitter(c).EmitCopyMemory(inst);
    default: *handled = false; return true;
  }
}

bool StoreTo(ImportContext& c, const Pointer& pointer, absl::Span<const ValueId> leaves) {
  return MemoryEmitter(c).Store(pointer, leaves);
}

}  // namespace kiln::front
