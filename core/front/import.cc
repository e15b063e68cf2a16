// Runs the steps of an import in order: chooses the entry point, reads its modes, emits its
// functions, finishes the module.
#include "core/front/import.h"

#include <utility>

#include "core/front/check/coverage.h"
#include "core/front/check/refusal.h"
#include "core/front/emit/context.h"
#include "core/front/emit/emit.h"
#include "core/front/emit/inst_emitter.h"
#include "core/front/emit/modes.h"
#include "core/front/emit/resources.h"
#include "core/front/emit/shared_memory.h"
#include "core/front/finish/find_needs.h"
#include "core/front/finish/finish_interface.h"
#include "core/front/finish/mark_invariant.h"
#include "core/front/finish/prune.h"
#include "core/front/finish/sample_rate.h"
#include "core/front/plan/entry_point.h"
#include "core/front/spirv/specialise.h"

namespace kiln::front {
namespace {

// Stores the initialisers of the module's variables.
bool InitialisePrivate(const InstEmitter& emitter, ImportContext& c) {
  for (const LocalVariable& v : c.plan.variables) {
    const SpirvVariable* variable = c.spirv.Variable(v.id);
    if (variable == nullptr || v.initializer == 0 || v.constant != 0) continue;
    if (!v.unsupported.empty()) continue;  // refused where it is used
    const bool stored = emitter.WithoutNeedOfDoubles([&] {
      Pointer pointer;
      Leaves leaves;
      uint32_t type = 0;
      if (!emitter.GetPointer(v.id, &pointer) || !emitter.Get(v.initializer, &leaves, &type))
        return false;
      if (type != v.type)
        return emitter.Malformed("initialiser is not of its variable's type", v.id);
      return StoreLocal(c, pointer, leaves);
    });
    if (!stored) return false;
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
    e.errors.Malformed("entry point has parameters", entry_function);
  }
  if (!ReadModes(c, entry_function) || !LayOutShared(c)) return e.errors.status();
  ClearShared(c);
  BeginBuiltins(c);
  bool end = false;
  if (!InitialisePrivate(InstEmitter(c), c) || !EmitEntry(c, index, &end)) return e.errors.status();
  if (end) {
    if (!StoreOutputs(c, index)) return e.errors.status();
    e.builder.Return();
  }
  Resources(c).Finish();
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
    return RefusedCapability("kernel", "Kernel");
  }
  return absl::OkStatus();
}

absl::StatusOr<mir::Module> ImportParsed(const SpirvModule& spirv, const ImportOptions& options) {
  absl::Status status = CheckSpecialisation(spirv, options.spec_constants);
  if (!status.ok()) return status;
  const absl::StatusOr<EntryPoint> entry = FindEntryPoint(spirv, options.entry, options.stage);
  if (!entry.ok()) return entry.status();
  status = CheckModel(spirv);
  if (!status.ok()) return status;
  const uint32_t function = entry->spirv->function;
  absl::StatusOr<Plan> plan =
      MakePlan(spirv, spirv.Def(function).index, entry->stage, options.max_instructions);
  if (!plan.ok()) return plan.status();
  ImportContext context(spirv, *plan, options);
  // Few instructions of SPIR-V are shorter than four words; most make one of MIR.
  constexpr size_t kWords = 4;
  context.emission.module.insts.reserve(spirv.words.size() / kWords);
  context.emission.module.operands.reserve(spirv.words.size() / kWords);
  context.emission.module.values.reserve(spirv.words.size() / kWords);
  context.emission.module.stage = entry->stage;
  context.emission.module.fragment.sample_rate =
      entry->stage == mir::Stage::kFragment && AsksForSampleRate(spirv, *entry->spirv);
  status = Emit(context, function);
  if (!status.ok()) return status;
  mir::Module module = std::move(context.emission.module);
  module.entry_point = entry->spirv->name;
  Prune(module);
  status = FinishInterface(module);
  if (!status.ok()) return status;
  MarkInvariant(module);
  FindNeeds(module);
  return module;
}

// Replaces renumbered ids by the ids that the module has for them.
void RestoreIds(absl::Span<const uint32_t> original, mir::Module& module) {
  if (original.empty()) return;
  for (mir::Inst& inst : module.insts) inst.spirv_id = original[inst.spirv_id];
  for (uint32_t* id : {&module.local_size_id, &module.shared_id, &module.push_constant_id}) {
    *id = original[*id];
  }
  for (mir::Needed& n : module.needs) n.spirv_id = original[n.spirv_id];
  for (mir::Resource& r : module.resources) r.spirv_id = original[r.spirv_id];
  for (mir::PrivateArray& array : module.private_arrays) array.spirv_id = original[array.spirv_id];
  for (mir::Interface& v : module.inputs) v.spirv_id = original[v.spirv_id];
  for (mir::Interface& v : module.outputs) v.spirv_id = original[v.spirv_id];
}

}  // namespace

absl::StatusOr<mir::Module> ImportSpirv(absl::Span<const uint32_t> words,
                                        const ImportOptions& options) {
  const absl::StatusOr<SpirvModule> spirv = ParseSpirv(words, options.spec_constants);
  if (!spirv.ok()) return spirv.status();
  absl::StatusOr<mir::Module> module = ImportParsed(*spirv, options);
  if (!module.ok()) return spirv->WithOriginalId(module.status());
  RestoreIds(spirv->original_ids, *module);
  return module;
}

}  // namespace kiln::front
