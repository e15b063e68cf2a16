// Set-up of an import, bindings of SPIR-V ids, and errors.
#include "core/front/import.h"

#include <algorithm>
#include <utility>

#include "core/base/utf8.h"
#include "core/front/coverage.h"
#include "core/front/importer.h"
#include "core/front/layout.h"
#include "core/front/prune.h"
#include "core/front/refusal.h"
#include "core/front/specialise.h"
#include "core/front/spirv_grammar.h"

namespace kiln::front {
namespace {

constexpr uint32_t kMaxSharedBytes = 1u << 24;  // targets have less; theirs to refuse
constexpr uint32_t kMaxWorkgroup = 1u << 16;  // likewise

}  // namespace

// ---- Types ----

const SpirvType* Importer::Supported(uint32_t type_id) {
  const SpirvType* type = spirv().Type(type_id);
  if (type == nullptr) {
    Malformed("no type", type_id);
    return nullptr;
  }
  if (!type->unsupported.empty()) {
    Refuse(type->unsupported, "value of this type", type_id);
    return nullptr;
  }
  if (type->leaves > kMaxLeaves) {
    Refuse("composite_too_large", "value of this type", type_id);
    return nullptr;
  }
  if (type->kind == SpirvType::kVoid || type->kind == SpirvType::kFunction) {
    Malformed("value of a type without values", type_id);
    return nullptr;
  }
  return type;
}

const std::vector<mir::Type>& Importer::LeafTypes(uint32_t type) {
  std::vector<mir::Type>& types = c_.leaf_types[spirv().Def(type).index];
  if (types.empty()) AppendLeafTypes(spirv(), type, &types);
  return types;
}

// ---- Bindings ----

bool Importer::Define(const SpirvInst& inst, absl::Span<const ValueId> leaves) {
  if (Supported(inst.type) == nullptr || !Charge(leaves.size())) return false;
  const std::vector<mir::Type>& types = LeafTypes(inst.type);
  bool fits = types.size() == leaves.size();
  for (size_t i = 0; fits && i < leaves.size(); ++i) {
    fits = leaves[i].valid() && TypeOf(leaves[i]) == types[i];
  }
  if (!fits) return Malformed("result does not fit its type", inst.result);
  Leaves marked;
  if (options().mark_undefined) {
    marked.assign(leaves.begin(), leaves.end());
    if (!MarkUndefined(inst, &marked)) return false;
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

bool Importer::DefinePointer(const SpirvInst& inst, const Pointer& pointer) {
  c_.bindings.BindPointer(inst.result, pointer);
  const uint32_t slot = plan().slots[inst.result];
  if (slot == kNoSlot) return true;
  if (pointer.dynamic.valid()) c_.slots.Set(slot, pointer.dynamic);
  if (pointer.component.valid()) c_.slots.Set(slot + 1, pointer.component);
  if (pointer.selector.valid()) c_.slots.Set(slot + 1, pointer.selector);
  if (pointer.descriptor.valid()) c_.slots.Set(slot + 2, pointer.descriptor);
  return true;
}

bool Importer::GetPointer(uint32_t id, Pointer* pointer) {
  const SpirvVariable* variable = spirv().Variable(id);
  if (variable != nullptr) return VariablePointer(id, variable->type, variable->storage, pointer);
  const SpirvDef& def = spirv().Def(id);
  const SpirvType* type = spirv().Type(def.type);
  if (type == nullptr || type->kind != SpirvType::kPointer) {
    return Malformed("operand is no pointer", id);
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
    return Get(id, &leaves) && PointerFromLeaves(id, *type, leaves, pointer);
  }
  if (binding.kind != Binding::kPointer || !IsHere(id)) {
    const LocalVariable* v = plan().Variable(id);
    if (v != nullptr && !v->unsupported.empty()) return Refuse(v->unsupported, "variable", id);
    if (def.kind == SpirvDef::kBody && spirv().Inst(def.index).op == spv::Op::OpPhi) {
      return Refuse("variable_pointers", "pointer chosen by OpPhi", id);
    }
    return Malformed("pointer used before its definition", id);
  }
  *pointer = c_.bindings.pointer(binding);
  const uint32_t slot = plan().slots[id];
  if (slot != kNoSlot) {
    if (pointer->space == Pointer::kTexel) {
      return Refuse("image_values", "pointer to a texel is used far from where it is made", id);
    }
    if (pointer->dynamic.valid()) pointer->dynamic = SlotValue(slot);
    if (pointer->component.valid()) pointer->component = SlotValue(slot + 1);
    if (pointer->selector.valid()) pointer->selector = SlotValue(slot + 1);
    if (pointer->descriptor.valid()) pointer->descriptor = SlotValue(slot + 2);
  }
  return true;
}

bool Importer::GetConstant(const SpirvConstant& constant, Leaves* leaves) {
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

bool Importer::Get(uint32_t id, Leaves* leaves, uint32_t* type) {
  leaves->clear();
  const SpirvConstant* constant = spirv().Constant(id);
  if (constant != nullptr) {
    if (type != nullptr) *type = constant->type;
    if (constant->kind == SpirvConstant::kUnsupported) {
      return Refuse(constant->cause, "constant", id);
    }
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
    if (pointer_type->IsValuePointer()) return PointerLeaves(pointer, id, leaves);
    leaves->push_back(AddressOf(pointer));
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

bool Importer::GetScalar(uint32_t id, mir::Type type, ValueId* value) {
  Leaves leaves;
  if (!Get(id, &leaves)) return false;
  if (leaves.size() != 1 || TypeOf(leaves[0]) != type) {
    return Malformed("operand is no scalar of the type needed", id);
  }
  *value = leaves[0];
  return true;
}

// ---- Set-up ----

// Notes what float controls ask of a width. Zeros' signs, infinities and NaNs are kept where nothing
// is contracted. Rounding to nearest even is the case anyway; one rounding mode is for all widths.
void Importer::FloatControl(spv::ExecutionMode mode, uint32_t width) {
  const bool preserve = mode == spv::ExecutionMode::DenormPreserve;
  switch (mode) {
    case spv::ExecutionMode::SignedZeroInfNanPreserve:
      e_.exact_specials = true;
      return;
    case spv::ExecutionMode::RoundingModeRTE:
      c_.round_to_even |= width != 64;
      return;
    case spv::ExecutionMode::RoundingModeRTZ:
      module().round_to_zero |= width != 64;
      return;
    case spv::ExecutionMode::DenormPreserve:
    case spv::ExecutionMode::DenormFlushToZero:
      if (width == 64) return;
      (width == 16 ? module().denorms_f16 : module().denorms_f32) =
          preserve ? mir::DenormMode::kPreserve : mir::DenormMode::kFlush;
      return;
    default:
      return;
  }
}

bool Importer::CheckModes(uint32_t entry_function) {
  for (const SpirvExecutionMode& mode : spirv().execution_modes) {
    if (mode.entry != entry_function) continue;
    const uint32_t width = mode.operands.empty() ? 0 : mode.operands[0];
    FloatControl(mode.mode, width);
    SetDerivativeGroup(mode.mode);
    const std::string_view cause = CauseOf(mode.mode);
    // Nothing is computed in double precision.
    if (cause.empty() || (cause == "float_controls" && width == 64)) continue;
    return Refuse(cause, "execution mode " + std::to_string(static_cast<uint32_t>(mode.mode)),
                  entry_function);
  }
  if (module().round_to_zero && c_.round_to_even) {
    return Refuse("float_controls", "two rounding modes", entry_function);
  }
  return true;
}

bool Importer::SetLocalSize(uint32_t entry_function) {
  bool found = false;
  for (const SpirvExecutionMode& mode : spirv().execution_modes) {
    const bool by_id = mode.mode == spv::ExecutionMode::LocalSizeId;
    if (mode.entry != entry_function || (mode.mode != spv::ExecutionMode::LocalSize && !by_id)) {
      continue;
    }
    if (mode.operands.size() < 3) return Malformed("local size", entry_function);
    for (int i = 0; i < 3; ++i) {
      module().local_size[i] = mode.operands[i];
      if (by_id && !spirv().IntConstant(mode.operands[i], &module().local_size[i])) {
        return Malformed("local size is no constant", mode.operands[i]);
      }
    }
    const auto most = std::max_element(module().local_size.begin(), module().local_size.end());
    module().local_size_id =
        by_id ? mode.operands[most - module().local_size.begin()] : entry_function;
    found = true;
  }
  if (spirv().workgroup_size_constant != 0) {
    const SpirvConstant& c = *spirv().Constant(spirv().workgroup_size_constant);
    const SpirvType& type = *spirv().Type(c.type);
    if (type.kind != SpirvType::kVector || type.count != 3 || type.leaves != 3 ||
        c.kind != SpirvConstant::kLeaves || spirv().Type(type.element)->kind != SpirvType::kInt) {
      return Malformed("workgroup size is no vector of three integers",
                       spirv().workgroup_size_constant);
    }
    for (int i = 0; i < 3; ++i)
      module().local_size[i] = static_cast<uint32_t>(spirv().ConstantLeaf(c, i));
    module().local_size_id = spirv().workgroup_size_constant;
    found = true;
  }
  if (!found) return Malformed("compute shader without a local size", entry_function);
  uint64_t product = 1;
  for (uint32_t n : module().local_size)
    product = std::min<uint64_t>(product * n, kMaxWorkgroup + 1);
  if (product == 0) return Malformed("local size", module().local_size_id);
  if (product > kMaxWorkgroup) {
    return Refuse("too_many_invocations", "local size", module().local_size_id);
  }
  return true;
}

// By index: whether reachable code mentions the variable of shared memory or push constants; others take
// no space there. Only where some word of an instruction might be the id of one not met yet, the grammar
// says which words are ids.
std::vector<bool> Importer::UsedVariables() const {
  std::vector<bool> used(spirv().variables.size());
  const auto is_new = [&](uint32_t id) {
    const SpirvVariable* v = spirv().Variable(id);
    return v != nullptr && !used[spirv().Def(id).index] &&
           (v->storage == spv::StorageClass::Workgroup ||
            v->storage == spv::StorageClass::PushConstant);
  };
  std::vector<uint32_t> ids;
  for (uint32_t f : plan().order) {
    for (uint32_t b : plan().functions[f].cfg.by_order) {
      const SpirvBlock& block = spirv().blocks[spirv().functions[f].first_block + b];
      for (uint32_t i = block.first; i < block.end; ++i) {
        const absl::Span<const uint32_t> words = spirv().Inst(spirv().body_offsets[i]).words;
        if (std::none_of(words.begin() + 1, words.end(), is_new)) continue;
        ids.clear();
        AppendIdWords(words, 1, &ids);
        for (uint32_t at : ids) {
          if (is_new(words[at])) used[spirv().Def(words[at]).index] = true;
        }
      }
    }
  }
  return used;
}

bool Importer::LayOutShared() {
  c_.shared_offset.assign(spirv().variables.size(), 0);
  const std::vector<bool> used = UsedVariables();
  uint64_t size = 0;
  uint64_t largest = 0;
  bool has_own = false;
  for (size_t i = 0; i < spirv().variables.size(); ++i) {
    const SpirvVariable& v = spirv().variables[i];
    const SpirvType& type = *spirv().Type(v.pointee);
    if (!used[i]) continue;
    if (v.storage == spv::StorageClass::PushConstant) {
      const uint64_t bytes = layouts().ExplicitSize(v.pointee);
      if (bytes > kMaxSharedBytes) return Malformed("push constants too large", v.id);
      const auto dwords = static_cast<uint32_t>((bytes + 3) / 4 * 4);
      if (dwords > module().push_constant_bytes) module().push_constant_id = v.id;
      module().push_constant_bytes = std::max(module().push_constant_bytes, dwords);
    }
    if (v.storage != spv::StorageClass::Workgroup) continue;
    if (!type.unsupported.empty()) continue;  // refused where it is accessed
    if (spirv().decorations[v.pointee].block) {
      // Laid out by decorations; several variables are views of the same memory.
      c_.shared_blocks = true;
      if (layouts().ExplicitSize(v.pointee) > size) module().shared_id = v.id;
      size = std::max(size, layouts().ExplicitSize(v.pointee));
      if (size > kMaxSharedBytes) {
        return Refuse("shared_memory_too_large", "block of shared memory", v.id);
      }
      continue;
    }
    has_own = true;
    const MemoryShape& shape = layouts().Shared(v.pointee);
    if (shape.size > largest) module().shared_id = v.id;
    largest = std::max<uint64_t>(largest, shape.size);
    size = (size + shape.align - 1) / shape.align * shape.align;
    c_.shared_offset[i] = static_cast<uint32_t>(size);
    size += shape.size;
    if (size > kMaxSharedBytes) return Refuse("shared_memory_too_large", "shared memory", v.id);
  }
  if (c_.shared_blocks && has_own) {
    return Malformed("shared memory only in part in blocks", module().shared_id);
  }
  module().shared_bytes = static_cast<uint32_t>((size + 3) / 4 * 4);
  return true;
}

// Every lane clears each n-th dword, n being the size of the workgroup; then all wait.
void Importer::ClearShared() {
  bool wanted = options().zero_workgroup_memory;
  for (const SpirvVariable& v : spirv().variables) {
    wanted = wanted || (v.storage == spv::StorageClass::Workgroup && v.initializer != 0);
  }
  if (!wanted || module().shared_bytes == 0) return;
  const uint32_t lanes = module().local_size[0] * module().local_size[1] * module().local_size[2];
  const ValueId first = Emit(mir::Op::kShl, {builder().LocalIndex(), Int(2)});
  const mir::RegionId outer = builder().region();
  const mir::InstId loop = builder().Loop({first});
  const mir::RegionId body = module().inst(loop).regions[0];
  const ValueId offset = module().region(body).params[0];
  builder().SetRegion(body);
  const ValueId inside = Emit(mir::Op::kUlt, {offset, Int(module().shared_bytes)});
  const mir::InstId test = builder().If(inside);
  builder().SetRegion(module().inst(test).regions[0]);
  builder().Yield();
  builder().SetRegion(module().inst(test).regions[1]);
  builder().Break();
  builder().SetRegion(body);
  builder().Store(mir::Op::kStoreShared, 0, offset, {Int(0)});
  builder().Continue({Emit(mir::Op::kIadd, {offset, Int(4 * lanes)})});
  builder().SetRegion(outer);
  builder().EmitInst(mir::Op::kControlBarrier, {}, {}, mir::kMemoryShared,
                    static_cast<uint32_t>(mir::Scope::kWorkgroup));
}

bool Importer::InitialisePrivate() {
  for (const LocalVariable& v : plan().variables) {
    const SpirvVariable* variable = spirv().Variable(v.id);
    if (variable == nullptr || v.initializer == 0 || v.constant != 0) continue;
    if (!v.unsupported.empty()) continue;  // refused where it is used
    Pointer pointer;
    Leaves leaves;
    uint32_t type = 0;
    if (!GetPointer(v.id, &pointer) || !Get(v.initializer, &leaves, &type)) return false;
    if (type != v.type) return Malformed("initialiser of another type", v.id);
    if (!StoreLocal(pointer, leaves)) return false;
  }
  return true;
}

absl::Status Importer::Run(uint32_t entry_function) {
  const SpirvFunction* entry = spirv().Function(entry_function);
  NumberSelectors();
  c_.place.index = spirv().Def(entry_function).index;
  c_.place.function = entry;
  e_.errors.set_function(entry_function);
  module().body = mir::NewRegion(module());
  builder().SetRegion(module().body);
  if (!entry->parameters.empty()) Malformed("entry point with parameters", entry_function);
  if (!CheckModes(entry_function) || !SetLocalSize(entry_function) ||
      !CheckDerivativeGroup(entry_function) || !LayOutShared()) {
    return e_.errors.status();
  }
  ClearShared();
  if (!InitialisePrivate()) return e_.errors.status();
  const Flow flow = EmitFunction(spirv().Def(entry_function).index);
  if (!ok()) return e_.errors.status();
  if (!flow.empty()) builder().Return();
  FinishResources();
  return absl::OkStatus();
}

namespace {

// For messages: the first of them, and how many more there are.
std::string EntryNames(const SpirvModule& spirv, bool compute_only) {
  constexpr int kNamed = 20;
  std::string names;
  int count = 0;
  for (const SpirvEntryPoint& e : spirv.entry_points) {
    if (compute_only && e.model != spv::ExecutionModel::GLCompute) continue;
    if (++count <= kNamed) names += " \"" + Shortened(e.name) + "\"";
  }
  if (count > kNamed) names += " and " + std::to_string(count - kNamed) + " more";
  return names.empty() ? " none" : names;
}

absl::Status FindEntry(const SpirvModule& spirv, const std::string& name,
                       const SpirvEntryPoint** entry) {
  *entry = nullptr;
  int compute = 0;
  const SpirvEntryPoint* other = nullptr;
  const SpirvEntryPoint* nameless = nullptr;
  for (const SpirvEntryPoint& e : spirv.entry_points) {
    if (!name.empty() && e.name != name) continue;
    if (e.model != spv::ExecutionModel::GLCompute) {
      other = &e;
      continue;
    }
    ++compute;
    *entry = &e;
    if (e.name.empty()) nameless = &e;
  }
  if (compute > 1 && nameless != nullptr) {
    *entry = nameless;
  } else if (compute > 1) {
    return absl::InvalidArgumentError("several compute entry points, one is to be named:" +
                                      EntryNames(spirv, /*compute_only=*/true));
  }
  if (*entry == nullptr && other != nullptr) {
    if (other->model == spv::ExecutionModel::Kernel) {
      return Refused("kernel", "entry point " + Shortened(other->name), other->function);
    }
    return Refused("graphics_stages", "entry point " + Shortened(other->name), other->function);
  }
  if (*entry == nullptr) {
    return absl::NotFoundError("no entry point \"" + Shortened(name) + "\"; the module has" +
                               EntryNames(spirv, /*compute_only=*/false));
  }
  if (spirv.Function((*entry)->function) == nullptr) {
    return Invalid("entry point is no function", (*entry)->function);
  }
  return absl::OkStatus();
}

absl::Status CheckModel(const SpirvModule& spirv) {
  if (spirv.addressing != spv::AddressingModel::Logical &&
      spirv.addressing != spv::AddressingModel::PhysicalStorageBuffer64) {
    return Refused("physical_addresses", "addressing model");
  }
  if (spirv.memory_model != spv::MemoryModel::GLSL450 &&
      spirv.memory_model != spv::MemoryModel::Vulkan) {
    return Refused("memory_model", "memory model");
  }
  if (spirv.Declares(spv::Capability::Kernel)) {
    return Refused("kernel", "module for OpenCL", 0, "Kernel");
  }
  return absl::OkStatus();
}

absl::StatusOr<mir::Module> ImportParsed(const SpirvModule& spirv, const ImportOptions& options) {
  const SpirvEntryPoint* entry = nullptr;
  absl::Status status = CheckSpecialisation(spirv, options.spec_constants);
  if (status.ok()) status = FindEntry(spirv, options.entry, &entry);
  if (status.ok()) status = CheckModel(spirv);
  if (!status.ok()) return status;
  const uint32_t index = spirv.Def(entry->function).index;
  absl::StatusOr<Plan> plan = MakePlan(spirv, index, options.max_instructions);
  if (!plan.ok()) return plan.status();
  ImportContext context(spirv, *plan, options);
  status = Importer(context).Run(entry->function);
  if (!status.ok()) return status;
  mir::Module module = std::move(context.emission.module);
  module.entry_point = entry->name;
  Prune(module);
  return module;
}

// Ids that were numbered anew get the names that the module has for them.
void RestoreIds(absl::Span<const uint32_t> original, mir::Module& module) {
  if (original.empty()) return;
  for (mir::Inst& inst : module.insts) inst.spirv_id = original[inst.spirv_id];
  for (uint32_t* id : {&module.local_size_id, &module.shared_id, &module.push_constant_id}) {
    *id = original[*id];
  }
  for (mir::Resource& r : module.resources) r.spirv_id = original[r.spirv_id];
  for (mir::PrivateArray& array : module.private_arrays) array.spirv_id = original[array.spirv_id];
}

}  // namespace

absl::StatusOr<mir::Module> ImportSpirv(absl::Span<const uint32_t> words,
                                        const ImportOptions& options) {
  const absl::StatusOr<SpirvModule> spirv = ParseSpirv(words, options.spec_constants);
  if (!spirv.ok()) return spirv.status();
  absl::StatusOr<mir::Module> module = ImportParsed(*spirv, options);
  if (!module.ok()) return WithOriginalId(module.status(), spirv->original_ids);
  RestoreIds(spirv->original_ids, *module);
  return module;
}

}  // namespace kiln::front
