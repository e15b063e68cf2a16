// The order of an import: which entry point, what it asks for, its functions, what is left to
// finish.
#include "core/front/import.h"

#include <algorithm>
#include <utility>

#include "core/base/utf8.h"
#include "core/front/coverage.h"
#include "core/front/context.h"
#include "core/front/emit.h"
#include "core/front/inst_emitter.h"
#include "core/front/modes.h"
#include "core/front/prune.h"
#include "core/front/refusal.h"
#include "core/front/resources.h"
#include "core/front/shared_memory.h"
#include "core/front/specialise.h"

namespace kiln::front {
namespace {

// Stores the initialisers of variables of the module.
bool InitialisePrivate(const InstEmitter& emitter, ImportContext& c) {
  for (const LocalVariable& v : c.plan.variables) {
    const SpirvVariable* variable = c.spirv.Variable(v.id);
    if (variable == nullptr || v.initializer == 0 || v.constant != 0) continue;
    if (!v.unsupported.empty()) continue;  // refused where it is used
    Pointer pointer;
    Leaves leaves;
    uint32_t type = 0;
    if (!emitter.GetPointer(v.id, &pointer) || !emitter.Get(v.initializer, &leaves, &type))
      return false;
    if (type != v.type) return emitter.Malformed("initialiser of another type", v.id);
    if (!StoreLocal(c, pointer, leaves)) return false;
  }
  return true;
}

// Emits the entry function.
absl::Status Emit(ImportContext& c, uint32_t entry_function) {
  const uint32_t index = c.spirv.Def(entry_function).index;
  Emission& e = c.emission;
  e.errors.set_function(entry_function);
  c.place.index = index;
  c.place.function = &c.spirv.functions[index];
  e.module.body = mir::NewRegion(e.module);
  e.builder.SetRegion(e.module.body);
  if (!c.place.function->parameters.empty()) {
    e.errors.Malformed("entry point with parameters", entry_function);
  }
  if (!ReadModes(c, entry_function) || !LayOutShared(c)) return e.errors.status();
  ClearShared(c);
  bool end = false;
  if (!InitialisePrivate(InstEmitter(c), c) || !EmitEntry(c, index, &end)) return e.errors.status();
  if (end) e.builder.Return();
  Resources(c).Finish();
  return absl::OkStatus();
}

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
  status = Emit(context, entry->function);
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
