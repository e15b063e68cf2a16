// Loads built-in variables that are ops of MIR: those of workgroups and subgroups, and
// HelperInvocation. Inputs of graphics stages are in emit_input.cc.
#include <algorithm>

#include "core/front/check/coverage.h"
#include "core/front/emit/emit.h"
#include "core/front/emit/inst_emitter.h"

namespace kiln::front {
namespace {

class BuiltinEmitter : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool LoadBuiltin(const Pointer& pointer, Leaves* leaves);
  void BeginBuiltins();

 private:
  bool IsHere(spv::BuiltIn builtin) const;
  bool Builtin(spv::BuiltIn builtin, uint32_t component, const Pointer& pointer, ValueId* value);
  ValueId LocalInvocationId(uint32_t component);
};

}  // namespace

ValueId BuiltinEmitter::LocalInvocationId(uint32_t component) {
  const auto& size = module().local_size;
  if (size[component] == 1) return Int(0);
  if (c_.derivative_group == DerivativeGroup::kQuads) return QuadLocalId(c_, component);
  ValueId id = builder().LocalIndex();
  const uint32_t below = component == 0 ? 1 : component == 1 ? size[0] : size[0] * size[1];
  const uint32_t above = component == 0 ? size[1] * size[2] : component == 1 ? size[2] : 1;
  if (below != 1) id = Emit(mir::Op::kUdiv, {id, Int(below)});
  if (above != 1) id = Emit(mir::Op::kUrem, {id, Int(size[component])});
  return id;
}

// Returns true if the stage has this supported built-in (Vulkan, "Built-In Variables").
bool BuiltinEmitter::IsHere(spv::BuiltIn builtin) const {
  switch (builtin) {
    case spv::BuiltIn::WorkgroupId:
    case spv::BuiltIn::NumWorkgroups:
    case spv::BuiltIn::WorkgroupSize:
    case spv::BuiltIn::LocalInvocationId:
    case spv::BuiltIn::LocalInvocationIndex:
    case spv::BuiltIn::GlobalInvocationId:
    case spv::BuiltIn::SubgroupId:
    case spv::BuiltIn::NumSubgroups: return module().stage == mir::Stage::kCompute;
    case spv::BuiltIn::HelperInvocation: return module().stage == mir::Stage::kFragment;
    default: return BuiltInOf(builtin) == mir::BuiltIn::kNone;
  }
}

// Loads that are not volatile need not see a demote: they return the value at the start (Vulkan,
// "HelperInvocation"; GL_EXT_demote_to_helper_invocation leaves it open).
void BuiltinEmitter::BeginBuiltins() {
  for (const SpirvVariable& v : spirv().variables) {
    const uint32_t builtin = spirv().decorations[v.id].builtin;
    if (v.storage != spv::StorageClass::Input ||
        builtin != static_cast<uint32_t>(spv::BuiltIn::HelperInvocation)) {
      continue;
    }
    builder().set_spirv_id(v.id);
    c_.helper_at_start = builder().HelperInvocation();
    return;
  }
}

bool BuiltinEmitter::Builtin(spv::BuiltIn builtin, uint32_t component, const Pointer& pointer,
                             ValueId* value) {
  const auto workgroup = [&] {
    const ValueId w = builder().WorkgroupId(component);
    return c_.options.dispatch_base ? Emit(mir::Op::kIadd, {w, builder().BaseWorkgroup(component)})
                                    : w;
  };
  switch (builtin) {
    case spv::BuiltIn::WorkgroupId: *value = workgroup(); return true;
    case spv::BuiltIn::NumWorkgroups: *value = builder().NumWorkgroups(component); return true;
    case spv::BuiltIn::WorkgroupSize: *value = Int(module().local_size[component]); return true;
    case spv::BuiltIn::LocalInvocationId: *value = LocalInvocationId(component); return true;
    case spv::BuiltIn::LocalInvocationIndex: {
      const auto& size = module().local_size;
      *value = size[0] * size[1] * size[2] == 1 ? Int(0) : LocalInvocationIndex(c_);
      return true;
    }
    case spv::BuiltIn::GlobalInvocationId: {
      const ValueId first =
          Emit(mir::Op::kImul, {workgroup(), Int(module().local_size[component])});
      *value = Emit(mir::Op::kIadd, {first, LocalInvocationId(component)});
      return true;
    }
    case spv::BuiltIn::DeviceIndex: *value = Int(0); return true;
    case spv::BuiltIn::HelperInvocation:
      *value =
          (pointer.flags & mir::kVolatile) != 0 ? builder().HelperInvocation() : c_.helper_at_start;
      return true;
    default:
      if (SubgroupBuiltin(c_, builtin, component, value)) return true;
      break;
  }
  return Refuse(CauseOf(builtin),
                NamedRow("built-in variable", "builtin", static_cast<uint32_t>(builtin)),
                pointer.variable);
}

bool BuiltinEmitter::LoadBuiltin(const Pointer& pointer, Leaves* leaves) {
  const uint32_t variable_type = spirv().Variable(pointer.variable)->pointee;
  const auto builtin = static_cast<spv::BuiltIn>(spirv().decorations[pointer.variable].builtin);
  const bool mask =
      builtin == spv::BuiltIn::SubgroupEqMask || builtin == spv::BuiltIn::SubgroupGeMask ||
      builtin == spv::BuiltIn::SubgroupGtMask || builtin == spv::BuiltIn::SubgroupLeMask ||
      builtin == spv::BuiltIn::SubgroupLtMask;
  const bool vector =
      mask || builtin == spv::BuiltIn::WorkgroupId || builtin == spv::BuiltIn::NumWorkgroups ||
      builtin == spv::BuiltIn::WorkgroupSize || builtin == spv::BuiltIn::LocalInvocationId ||
      builtin == spv::BuiltIn::GlobalInvocationId;
  const std::vector<mir::Type>& types = LeafTypes(variable_type);
  const uint32_t expected = mask ? 4 : vector ? 3 : 1;
  const bool helper = builtin == spv::BuiltIn::HelperInvocation;
  const SpirvType::Kind kind = vector   ? SpirvType::kVector
                               : helper ? SpirvType::kBool
                                        : SpirvType::kInt;
  const bool fits = types.size() == expected && spirv().Type(variable_type)->kind == kind &&
                    types[0] == (helper ? mir::Type::kBool : mir::Type::kI32);
  const bool supported = CauseOf(builtin).empty();
  if (supported && !IsHere(builtin)) {
    return Malformed("built-in variable is not available in this stage", pointer.variable);
  }
  if (supported && !fits)
    return Malformed("built-in variable is not of its prescribed type", pointer.variable);
  const uint32_t count =
      pointer.component.valid() ? pointer.component_count : spirv().Type(pointer.type)->leaves;
  for (uint32_t i = 0; i < count; ++i) {
    ValueId value;
    if (!Builtin(builtin, std::min(pointer.offset + i, expected - 1), pointer, &value))
      return false;
    leaves->push_back(value);
  }
  if (pointer.component.valid()) {
    const ValueId value = SelectComponent(*leaves, pointer.component);
    leaves->assign(1, value);
  }
  return ok();
}

bool LoadBuiltin(ImportContext& c, const Pointer& pointer, Leaves* leaves) {
  return BuiltinEmitter(c).LoadBuiltin(pointer, leaves);
}

void BeginBuiltins(ImportContext& c) { BuiltinEmitter(c).BeginBuiltins(); }

}  // namespace kiln::front
