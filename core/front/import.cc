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

// ---- Errors and bounds ----

bool Importer::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
  return false;
}

bool Importer::Refuse(std::string_view cause, const std::string& detail, uint32_t id) {
  if (!status_.ok()) return false;
  std::string_view capability;
  for (spv::Capability c : spirv_.capabilities) {
    if (CauseOf(c) == cause) {
      capability = CapabilityName(c);
      break;
    }
  }
  return Fail(Refused(cause, detail, id, capability));
}

bool Importer::Malformed(const std::string& detail, uint32_t id) {
  return status_.ok() ? Fail(Invalid(detail, id)) : false;
}

bool Importer::RefuseSize() {
  return Refuse("module_too_large",
                "more than " + std::to_string(options_.max_instructions) + " instructions",
                context_.function != nullptr ? context_.function->id : 0);
}

const SpirvType* Importer::Supported(uint32_t type_id) {
  const SpirvType* type = spirv_.Type(type_id);
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
  std::vector<mir::Type>& types = leaf_types_[spirv_.Def(type).index];
  if (types.empty()) AppendLeafTypes(spirv_, type, &types);
  return types;
}

bool Importer::IsConstant(ValueId v, uint32_t* bits) const {
  if (!module_.IsConstant(v)) return false;
  *bits = static_cast<uint32_t>(module_.value(v).bits);
  return TypeOf(v) != mir::Type::kI64;
}

// ---- Emission of single ops ----

namespace {

// Whether a source with this letter of a signature may have the type; '*': of a bitcast.
bool Fits(char letter, mir::Type type) {
  switch (letter) {
    case 'b': return type == mir::Type::kBool;
    case 'u': return type == mir::Type::kI32;
    case 's': return type == mir::Type::kF32;
    case 'i': return mir::IsInt(type);
    case 'f': return mir::IsFloat(type);
    case 'n': return !mir::IsFloat(type);
    case 't': return true;
    default: return type != mir::Type::kBool;
  }
}

}  // namespace

ValueId Importer::Emit(mir::Op op, absl::Span<const ValueId> sources, uint32_t imm0) {
  const mir::OpInfo& info = mir::Info(op);
  const std::string_view signature = info.signature;
  const size_t equals = signature.find('=');
  bool fits = signature.size() - equals - 1 == sources.size();
  const std::string_view letters = signature.substr(equals + 1);
  for (size_t i = 0; fits && i < sources.size(); ++i) {
    fits = sources[i].valid() && Fits(letters[i], TypeOf(sources[i])) &&
           TypeOf(sources[i]) == TypeOf(sources[letters.find(letters[i])]);
  }
  if (!fits) {
    Malformed("operand types of " + std::string(info.name), builder_.spirv_id());
    return builder_.Undef(mir::Type::kI32);
  }
  const bool exact = (no_contraction_ || exact_specials_) && signature[0] == 'f';
  if (exact) builder_.set_flags(mir::kNoContraction);
  const ValueId value = builder_.Emit(op, sources, imm0);
  if (exact) builder_.set_flags(0);
  return value;
}

// ---- Bindings ----

void Importer::Bind(uint32_t id, uint32_t type, absl::Span<const ValueId> leaves) {
  Binding& binding = bindings_[id];
  if (binding.value == kNoValue) {
    binding.value = static_cast<uint32_t>(values_.size());
    values_.resize(values_.size() + leaves.size());
  }
  binding.kind = Binding::kValue;
  binding.type = type;
  std::copy(leaves.begin(), leaves.end(), values_.begin() + binding.value);
}

void Importer::BindPointer(uint32_t id, const Pointer& pointer) {
  Binding& binding = bindings_[id];
  if (binding.pointer == kNoValue) {
    binding.pointer = static_cast<uint32_t>(pointers_.size());
    pointers_.emplace_back();
  }
  binding.kind = Binding::kPointer;
  pointers_[binding.pointer] = pointer;
}

void Importer::BindSlots(uint32_t id, uint32_t type, uint32_t slot) {
  bindings_[id].kind = Binding::kSlots;
  bindings_[id].type = type;
  bindings_[id].slot = slot;
}

bool Importer::Define(const SpirvInst& inst, absl::Span<const ValueId> leaves) {
  if (Supported(inst.type) == nullptr || !Charge(leaves.size())) return false;
  const std::vector<mir::Type>& types = LeafTypes(inst.type);
  bool fits = types.size() == leaves.size();
  for (size_t i = 0; fits && i < leaves.size(); ++i) {
    fits = leaves[i].valid() && TypeOf(leaves[i]) == types[i];
  }
  if (!fits) return Malformed("result does not fit its type", inst.result);
  Leaves marked;
  if (options_.mark_undefined) {
    marked.assign(leaves.begin(), leaves.end());
    if (!MarkUndefined(inst, &marked)) return false;
    leaves = marked;
  }
  const uint32_t slot = plan_.slots[inst.result];
  if (slot == kNoSlot) {
    Bind(inst.result, inst.type, leaves);
    return true;
  }
  for (size_t i = 0; i < leaves.size(); ++i) SetSlot(slot + static_cast<uint32_t>(i), leaves[i]);
  BindSlots(inst.result, inst.type, slot);
  return true;
}

bool Importer::DefinePointer(const SpirvInst& inst, const Pointer& pointer) {
  BindPointer(inst.result, pointer);
  const uint32_t slot = plan_.slots[inst.result];
  if (slot == kNoSlot) return true;
  if (pointer.dynamic.valid()) SetSlot(slot, pointer.dynamic);
  if (pointer.component.valid()) SetSlot(slot + 1, pointer.component);
  if (pointer.selector.valid()) SetSlot(slot + 1, pointer.selector);
  if (pointer.descriptor.valid()) SetSlot(slot + 2, pointer.descriptor);
  return true;
}

bool Importer::GetPointer(uint32_t id, Pointer* pointer) {
  const SpirvVariable* variable = spirv_.Variable(id);
  if (variable != nullptr) return VariablePointer(id, variable->type, variable->storage, pointer);
  const SpirvDef& def = spirv_.Def(id);
  const SpirvType* type = spirv_.Type(def.type);
  if (type == nullptr || type->kind != SpirvType::kPointer) {
    return Malformed("operand is no pointer", id);
  }
  const Binding& binding = bindings_[id < bindings_.size() ? id : 0];
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
    const LocalVariable* v = plan_.Variable(id);
    if (v != nullptr && !v->unsupported.empty()) return Refuse(v->unsupported, "variable", id);
    if (def.kind == SpirvDef::kBody && spirv_.Inst(def.index).op == spv::Op::OpPhi) {
      return Refuse("variable_pointers", "pointer chosen by OpPhi", id);
    }
    return Malformed("pointer used before its definition", id);
  }
  *pointer = pointers_[binding.pointer];
  const uint32_t slot = plan_.slots[id];
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
      leaves->push_back(builder_.Undef(types[i]));
    } else {
      const uint64_t bits = spirv_.ConstantLeaf(constant, static_cast<uint32_t>(i));
      leaves->push_back(builder_.Constant(types[i], bits));
    }
  }
  return true;
}

bool Importer::Get(uint32_t id, Leaves* leaves, uint32_t* type) {
  leaves->clear();
  const SpirvConstant* constant = spirv_.Constant(id);
  if (constant != nullptr) {
    if (type != nullptr) *type = constant->type;
    if (constant->kind == SpirvConstant::kUnsupported) {
      return Refuse(constant->cause, "constant", id);
    }
    return GetConstant(*constant, leaves);
  }
  const Binding& binding = bindings_[id < bindings_.size() ? id : 0];
  const SpirvDef& def = spirv_.Def(id);
  const SpirvType* pointer_type = spirv_.Type(def.type);
  const bool known = binding.kind == Binding::kPointer || spirv_.Variable(id) != nullptr;
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
    const SpirvType* t = spirv_.Type(def.type);
    if (t != nullptr && t->kind == SpirvType::kPointer) {
      return Refuse("variable_pointers", "pointer used as a value", id);
    }
    if (t != nullptr && !t->unsupported.empty()) return Refuse(t->unsupported, "value", id);
    return Malformed("value used before its definition", id);
  }
  const uint32_t count = spirv_.Type(binding.type)->leaves;
  if (type != nullptr) *type = binding.type;
  if (!Charge(count)) return false;
  leaves->reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    leaves->push_back(binding.kind == Binding::kValue ? values_[binding.value + i]
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
      exact_specials_ = true;
      return;
    case spv::ExecutionMode::RoundingModeRTE:
      round_to_even_ |= width != 64;
      return;
    case spv::ExecutionMode::RoundingModeRTZ:
      module_.round_to_zero |= width != 64;
      return;
    case spv::ExecutionMode::DenormPreserve:
    case spv::ExecutionMode::DenormFlushToZero:
      if (width == 64) return;
      (width == 16 ? module_.denorms_f16 : module_.denorms_f32) =
          preserve ? mir::DenormMode::kPreserve : mir::DenormMode::kFlush;
      return;
    default:
      return;
  }
}

bool Importer::CheckModes(uint32_t entry_function) {
  for (const SpirvExecutionMode& mode : spirv_.execution_modes) {
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
  if (module_.round_to_zero && round_to_even_) {
    return Refuse("float_controls", "two rounding modes", entry_function);
  }
  return true;
}

bool Importer::SetLocalSize(uint32_t entry_function) {
  bool found = false;
  for (const SpirvExecutionMode& mode : spirv_.execution_modes) {
    const bool by_id = mode.mode == spv::ExecutionMode::LocalSizeId;
    if (mode.entry != entry_function || (mode.mode != spv::ExecutionMode::LocalSize && !by_id)) {
      continue;
    }
    if (mode.operands.size() < 3) return Malformed("local size", entry_function);
    for (int i = 0; i < 3; ++i) {
      module_.local_size[i] = mode.operands[i];
      if (by_id && !spirv_.IntConstant(mode.operands[i], &module_.local_size[i])) {
        return Malformed("local size is no constant", mode.operands[i]);
      }
    }
    const auto most = std::max_element(module_.local_size.begin(), module_.local_size.end());
    module_.local_size_id =
        by_id ? mode.operands[most - module_.local_size.begin()] : entry_function;
    found = true;
  }
  if (spirv_.workgroup_size_constant != 0) {
    const SpirvConstant& c = *spirv_.Constant(spirv_.workgroup_size_constant);
    const SpirvType& type = *spirv_.Type(c.type);
    if (type.kind != SpirvType::kVector || type.count != 3 || type.leaves != 3 ||
        c.kind != SpirvConstant::kLeaves || spirv_.Type(type.element)->kind != SpirvType::kInt) {
      return Malformed("workgroup size is no vector of three integers",
                       spirv_.workgroup_size_constant);
    }
    for (int i = 0; i < 3; ++i) module_.local_size[i] = static_cast<uint32_t>(spirv_.ConstantLeaf(c, i));
    module_.local_size_id = spirv_.workgroup_size_constant;
    found = true;
  }
  if (!found) return Malformed("compute shader without a local size", entry_function);
  uint64_t product = 1;
  for (uint32_t n : module_.local_size)
    product = std::min<uint64_t>(product * n, kMaxWorkgroup + 1);
  if (product == 0) return Malformed("local size", module_.local_size_id);
  if (product > kMaxWorkgroup) {
    return Refuse("too_many_invocations", "local size", module_.local_size_id);
  }
  return true;
}

// By index: whether reachable code mentions the variable of shared memory or push constants; others take
// no space there. Only where some word of an instruction might be the id of one not met yet, the grammar
// says which words are ids.
std::vector<bool> Importer::UsedVariables() const {
  std::vector<bool> used(spirv_.variables.size());
  const auto is_new = [&](uint32_t id) {
    const SpirvVariable* v = spirv_.Variable(id);
    return v != nullptr && !used[spirv_.Def(id).index] &&
           (v->storage == spv::StorageClass::Workgroup ||
            v->storage == spv::StorageClass::PushConstant);
  };
  std::vector<uint32_t> ids;
  for (uint32_t f : plan_.order) {
    for (uint32_t b : plan_.functions[f].cfg.by_order) {
      const SpirvBlock& block = spirv_.blocks[spirv_.functions[f].first_block + b];
      for (uint32_t i = block.first; i < block.end; ++i) {
        const absl::Span<const uint32_t> words = spirv_.Inst(spirv_.body_offsets[i]).words;
        if (std::none_of(words.begin() + 1, words.end(), is_new)) continue;
        ids.clear();
        AppendIdWords(words, 1, &ids);
        for (uint32_t at : ids) {
          if (is_new(words[at])) used[spirv_.Def(words[at]).index] = true;
        }
      }
    }
  }
  return used;
}

bool Importer::LayOutShared() {
  shared_offset_.assign(spirv_.variables.size(), 0);
  const std::vector<bool> used = UsedVariables();
  uint64_t size = 0;
  uint64_t largest = 0;
  bool has_own = false;
  for (size_t i = 0; i < spirv_.variables.size(); ++i) {
    const SpirvVariable& v = spirv_.variables[i];
    const SpirvType& type = *spirv_.Type(v.pointee);
    if (!used[i]) continue;
    if (v.storage == spv::StorageClass::PushConstant) {
      const uint64_t bytes = layouts_.ExplicitSize(v.pointee);
      if (bytes > kMaxSharedBytes) return Malformed("push constants too large", v.id);
      const auto dwords = static_cast<uint32_t>((bytes + 3) / 4 * 4);
      if (dwords > module_.push_constant_bytes) module_.push_constant_id = v.id;
      module_.push_constant_bytes = std::max(module_.push_constant_bytes, dwords);
    }
    if (v.storage != spv::StorageClass::Workgroup) continue;
    if (!type.unsupported.empty()) continue;  // refused where it is accessed
    if (spirv_.decorations[v.pointee].block) {
      // Laid out by decorations; several variables are views of the same memory.
      shared_blocks_ = true;
      if (layouts_.ExplicitSize(v.pointee) > size) module_.shared_id = v.id;
      size = std::max(size, layouts_.ExplicitSize(v.pointee));
      if (size > kMaxSharedBytes) {
        return Refuse("shared_memory_too_large", "block of shared memory", v.id);
      }
      continue;
    }
    has_own = true;
    const MemoryShape& shape = layouts_.Shared(v.pointee);
    if (shape.size > largest) module_.shared_id = v.id;
    largest = std::max<uint64_t>(largest, shape.size);
    size = (size + shape.align - 1) / shape.align * shape.align;
    shared_offset_[i] = static_cast<uint32_t>(size);
    size += shape.size;
    if (size > kMaxSharedBytes) return Refuse("shared_memory_too_large", "shared memory", v.id);
  }
  if (shared_blocks_ && has_own) {
    return Malformed("shared memory only in part in blocks", module_.shared_id);
  }
  module_.shared_bytes = static_cast<uint32_t>((size + 3) / 4 * 4);
  return true;
}

// Every lane clears each n-th dword, n being the size of the workgroup; then all wait.
void Importer::ClearShared() {
  bool wanted = options_.zero_workgroup_memory;
  for (const SpirvVariable& v : spirv_.variables) {
    wanted = wanted || (v.storage == spv::StorageClass::Workgroup && v.initializer != 0);
  }
  if (!wanted || module_.shared_bytes == 0) return;
  const uint32_t lanes = module_.local_size[0] * module_.local_size[1] * module_.local_size[2];
  const ValueId first = Emit(mir::Op::kShl, {builder_.LocalIndex(), Int(2)});
  const mir::RegionId outer = builder_.region();
  const mir::InstId loop = builder_.Loop({first});
  const mir::RegionId body = module_.inst(loop).regions[0];
  const ValueId offset = module_.region(body).params[0];
  builder_.SetRegion(body);
  const ValueId inside = Emit(mir::Op::kUlt, {offset, Int(module_.shared_bytes)});
  const mir::InstId test = builder_.If(inside);
  builder_.SetRegion(module_.inst(test).regions[0]);
  builder_.Yield();
  builder_.SetRegion(module_.inst(test).regions[1]);
  builder_.Break();
  builder_.SetRegion(body);
  builder_.Store(mir::Op::kStoreShared, 0, offset, {Int(0)});
  builder_.Continue({Emit(mir::Op::kIadd, {offset, Int(4 * lanes)})});
  builder_.SetRegion(outer);
  builder_.EmitInst(mir::Op::kControlBarrier, {}, {}, mir::kMemoryShared,
                    static_cast<uint32_t>(mir::Scope::kWorkgroup));
}

bool Importer::InitialisePrivate() {
  for (const LocalVariable& v : plan_.variables) {
    const SpirvVariable* variable = spirv_.Variable(v.id);
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
  const SpirvFunction* entry = spirv_.Function(entry_function);
  bindings_.resize(spirv_.bound);
  current_.assign(plan_.slot_types.size(), ValueId());
  stamp_.assign(plan_.slot_types.size(), 0);
  leaf_types_.resize(spirv_.types.size());
  private_range_of_.assign(plan_.variables.size(), kNoValue);
  NumberSelectors();
  context_.index = spirv_.Def(entry_function).index;
  context_.function = entry;
  module_.body = mir::NewRegion(module_);
  builder_.SetRegion(module_.body);
  if (!entry->parameters.empty()) Malformed("entry point with parameters", entry_function);
  if (!CheckModes(entry_function) || !SetLocalSize(entry_function) ||
      !CheckDerivativeGroup(entry_function) || !LayOutShared()) {
    return status_;
  }
  ClearShared();
  if (!InitialisePrivate()) return status_;
  const Flow flow = EmitFunction(spirv_.Def(entry_function).index);
  if (!ok()) return status_;
  if (!flow.empty()) builder_.Return();
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
  Importer importer(spirv, *plan, options);
  status = importer.Run(entry->function);
  if (!status.ok()) return status;
  mir::Module module = importer.Take();
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
