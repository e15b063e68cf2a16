// What built-in variables of a compute shader hold.
#include <algorithm>

#include "core/front/coverage.h"
#include "core/front/emit.h"
#include "core/front/inst_emitter.h"

namespace kiln::front {
namespace {

class BuiltinEmitter : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool LoadBuiltin(const Pointer& pointer, Leaves* leaves);

 private:
  bool Builtin(spv::BuiltIn builtin, uint32_t component, uint32_t id, ValueId* value);
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

bool BuiltinEmitter::Builtin(spv::BuiltIn builtin, uint32_t component, uint32_t id,
                             ValueId* value) {
  const auto workgroup = [&] {
    const ValueId w = builder().WorkgroupId(component);
    return c_.options.dispatch_base ? Emit(mir::Op::kIadd, {w, builder().BaseWorkgroup(component)})
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
      *value = size[0] * size[1] * size[2] == 1 ? Int(0) : LocalInvocationIndex(c_);
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
      if (SubgroupBuiltin(c_, builtin, component, value)) return true;
      break;
  }
  const std::string_view cause = CauseOf(builtin);
  return Refuse(cause, "built-in variable", id);
}

bool BuiltinEmitter::LoadBuiltin(const Pointer& pointer, Leaves* leaves) {
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

bool LoadBuiltin(ImportContext& c, const Pointer& pointer, Leaves* leaves) {
  return BuiltinEmitter(c).LoadBuiltin(pointer, leaves);
}

}  // namespace kiln::front
