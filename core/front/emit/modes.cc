#include "core/front/emit/modes.h"

#include <algorithm>
#include <string>

#include "core/front/check/coverage.h"
#include "core/front/emit/inst_emitter.h"
#include "core/front/plan/float_limits.h"

namespace kiln::front {
namespace {

// targets have lower limits, which their back ends check
constexpr uint32_t kMaxWorkgroup = 1u << 16;

class Modes : public InstEmitter {
 public:
  using InstEmitter::InstEmitter;

  bool CheckModes(uint32_t entry_function);
  bool SetFastMathDefaults(uint32_t entry_function);
  bool SetLocalSize(uint32_t entry_function);
  bool CheckDerivativeGroup(uint32_t entry_function);
  bool SetFragmentModes(uint32_t entry_function);

 private:
  bool FloatControl(spv::ExecutionMode mode, uint32_t width, uint32_t entry_function);
  bool SetDerivativeGroup(spv::ExecutionMode mode);
  bool CheckStage(spv::ExecutionMode mode, uint32_t entry_function) const;
};

}  // namespace

// Records a width's float controls. SPV_KHR_float_controls forbids two modes of a kind for one
// width.
bool Modes::FloatControl(spv::ExecutionMode mode, uint32_t width, uint32_t entry_function) {
  const auto set = [&](auto mir::FloatMode::*kind, auto value) {
    if (width != 16 && width != 32 && width != 64) return true;
    auto& now = module().float_mode(mir::FloatOfBits(width)).*kind;
    const bool contradicts = now != decltype(value){} && now != value;
    now = value;
    return !contradicts || Malformed("two float controls of a kind for one width", entry_function);
  };
  switch (mode) {
    case spv::ExecutionMode::SignedZeroInfNanPreserve:
      if (width == 16) e_.entry_limits.of_f16 |= mir::kKeepSpecials;
      if (width == 32) e_.entry_limits.of_f32 |= mir::kKeepSpecials;
      if (width == 64) e_.entry_limits.of_f64 |= mir::kKeepSpecials;
      return true;
    case spv::ExecutionMode::RoundingModeRTE:
      return set(&mir::FloatMode::rounding, mir::RoundingMode::kToEven);
    case spv::ExecutionMode::RoundingModeRTZ:
      return set(&mir::FloatMode::rounding, mir::RoundingMode::kToZero);
    case spv::ExecutionMode::DenormPreserve:
      return set(&mir::FloatMode::denorms, mir::DenormMode::kPreserve);
    case spv::ExecutionMode::DenormFlushToZero:
      return set(&mir::FloatMode::denorms, mir::DenormMode::kFlush);
    default: return true;
  }
}

// Sets the licences of undecorated instructions: if one type has a default, types without one have
// none.
bool Modes::SetFastMathDefaults(uint32_t entry_function) {
  FloatLimits limits = {mir::kExact, mir::kExact, mir::kExact};
  bool any = false;
  for (const SpirvExecutionMode& mode : spirv().execution_modes) {
    if (mode.entry != entry_function || mode.mode != spv::ExecutionMode::FPFastMathDefault)
      continue;
    const SpirvType* type = spirv().Type(mode.operands.empty() ? 0 : mode.operands[0]);
    uint32_t mask = 0;
    if (mode.operands.size() != 2 || type == nullptr || type->kind != SpirvType::kFloat ||
        !spirv().IntConstant(mode.operands[1], &mask)) {
      return Malformed("FPFastMathDefault without a float type and a constant mask",
                       entry_function);
    }
    if (!IsFastMathMask(mask))
      return Malformed("FPFastMathDefault with an invalid mask", entry_function);
    any = true;
    if (type->width == 16) limits.of_f16 = LimitsOfFastMath(mask);
    if (type->width == 32) limits.of_f32 = LimitsOfFastMath(mask);
    if (type->width == 64) limits.of_f64 = LimitsOfFastMath(mask);
  }
  if (!any) return true;
  e_.entry_limits.of_f16 |= limits.of_f16;
  e_.entry_limits.of_f32 |= limits.of_f32;
  e_.entry_limits.of_f64 |= limits.of_f64;
  return true;
}

bool Modes::CheckModes(uint32_t entry_function) {
  for (const SpirvExecutionMode& mode : spirv().execution_modes) {
    if (mode.entry != entry_function) continue;
    const uint32_t width = mode.operands.empty() ? 0 : mode.operands[0];
    if (!CheckStage(mode.mode, entry_function)) return false;
    if (!FloatControl(mode.mode, width, entry_function)) return false;
    SetDerivativeGroup(mode.mode);
    const std::string_view cause = CauseOf(mode.mode);
    if (cause.empty()) continue;
    return Refuse(cause,
                  NamedRow("execution mode", "execution_mode", static_cast<uint32_t>(mode.mode)),
                  entry_function);
  }
  const mir::RoundingMode half = module().f16_mode.rounding, single = module().f32_mode.rounding;
  if (half != mir::RoundingMode::kAny && single != mir::RoundingMode::kAny && half != single) {
    Need(mir::Need::kRoundingByWidth, entry_function);
  }
  return true;
}

bool Modes::SetLocalSize(uint32_t entry_function) {
  bool found = false;
  for (const SpirvExecutionMode& mode : spirv().execution_modes) {
    const bool by_id = mode.mode == spv::ExecutionMode::LocalSizeId;
    if (mode.entry != entry_function || (mode.mode != spv::ExecutionMode::LocalSize && !by_id)) {
      continue;
    }
    if (mode.operands.size() < 3) return Malformed("local size is 0 or incomplete", entry_function);
    for (int i = 0; i < 3; ++i) {
      module().local_size[i] = mode.operands[i];
      if (by_id && !spirv().IntConstant(mode.operands[i], &module().local_size[i])) {
        return Malformed("local size is not a 32-bit integer constant", mode.operands[i]);
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
        c.kind != SpirvConstant::kLeaves || spirv().Type(type.element)->kind != SpirvType::kInt ||
        spirv().Type(type.element)->width != 32) {
      return Malformed("workgroup size is not a vector of three 32-bit integers",
                       spirv().workgroup_size_constant);
    }
    for (int i = 0; i < 3; ++i)
      module().local_size[i] = static_cast<uint32_t>(spirv().ConstantLeaf(c, i));
    module().local_size_id = spirv().workgroup_size_constant;
    found = true;
  }
  if (!found) return Malformed("compute shader has no local size", entry_function);
  uint64_t product = 1;
  for (uint32_t n : module().local_size)
    product = std::min<uint64_t>(product * n, kMaxWorkgroup + 1);
  if (product == 0) return Malformed("local size is 0 or incomplete", module().local_size_id);
  if (product > kMaxWorkgroup) {
    return Refuse("too_many_invocations",
                  {"invocations of the workgroup", std::nullopt, kMaxWorkgroup},
                  module().local_size_id);
  }
  return true;
}

bool Modes::SetDerivativeGroup(spv::ExecutionMode mode) {
  if (mode == spv::ExecutionMode::DerivativeGroupLinearNV) {
    c_.derivative_group = DerivativeGroup::kLinear;
  } else if (mode == spv::ExecutionMode::DerivativeGroupQuadsNV) {
    c_.derivative_group = DerivativeGroup::kQuads;
  }
  return true;
}

// Checks that workgroups consist of whole quads.
bool Modes::CheckDerivativeGroup(uint32_t entry_function) {
  const auto& size = module().local_size;
  switch (c_.derivative_group) {
    case DerivativeGroup::kNone: return true;
    case DerivativeGroup::kLinear:
      return size[0] * size[1] * size[2] % 4 == 0 ||
             Malformed("a derivative group needs whole quads", entry_function);
    case DerivativeGroup::kQuads:
      return (size[0] % 2 == 0 && size[1] % 2 == 0) ||
             Malformed("a derivative group needs whole quads", entry_function);
  }
  return true;
}

// Vulkan, VUID-StandaloneSpirv-OriginLowerLeft-04653: the origin is the upper left.
bool Modes::SetFragmentModes(uint32_t entry_function) {
  mir::FragmentModes& fragment = module().fragment;
  bool upper_left = false;
  bool related = false;
  for (const SpirvExecutionMode& mode : spirv().execution_modes) {
    if (mode.entry != entry_function) continue;
    mir::DepthMode depth = mir::DepthMode::kAny;
    switch (mode.mode) {
      case spv::ExecutionMode::OriginUpperLeft: upper_left = true; continue;
      case spv::ExecutionMode::EarlyFragmentTests: fragment.early_tests = true; continue;
      case spv::ExecutionMode::PostDepthCoverage: fragment.post_depth = true; continue;
      case spv::ExecutionMode::DepthReplacing:
        if (!related) fragment.depth = mir::DepthMode::kAny;
        continue;
      case spv::ExecutionMode::DepthGreater: depth = mir::DepthMode::kGreater; break;
      case spv::ExecutionMode::DepthLess: depth = mir::DepthMode::kLess; break;
      case spv::ExecutionMode::DepthUnchanged: depth = mir::DepthMode::kUnchanged; break;
      default: continue;
    }
    if (related && depth != fragment.depth)
      return Malformed("several depth execution modes", entry_function);
    fragment.depth = depth;
    related = true;
  }
  return upper_left ||
         Malformed("fragment shader without the execution mode OriginUpperLeft", entry_function);
}

// Rejects a mode of another stage.
bool Modes::CheckStage(spv::ExecutionMode mode, uint32_t entry_function) const {
  bool fits = true;
  switch (mode) {
    case spv::ExecutionMode::LocalSize:
    case spv::ExecutionMode::LocalSizeId:
    case spv::ExecutionMode::DerivativeGroupLinearNV:
    case spv::ExecutionMode::DerivativeGroupQuadsNV:
      fits = module().stage == mir::Stage::kCompute;
      break;
    case spv::ExecutionMode::OriginUpperLeft:
    case spv::ExecutionMode::EarlyFragmentTests:
    case spv::ExecutionMode::PostDepthCoverage:
    case spv::ExecutionMode::DepthReplacing:
    case spv::ExecutionMode::DepthGreater:
    case spv::ExecutionMode::DepthLess:
    case spv::ExecutionMode::DepthUnchanged:
    case spv::ExecutionMode::StencilRefReplacingEXT:
    case spv::ExecutionMode::RequireFullQuadsKHR:
      fits = module().stage == mir::Stage::kFragment;
      break;
    case spv::ExecutionMode::QuadDerivativesKHR:
      fits = module().stage != mir::Stage::kVertex;
      break;
    default: break;
  }
  return fits || Malformed("execution mode is for another stage", entry_function);
}

bool ReadModes(ImportContext& c, uint32_t entry_function) {
  Modes modes(c);
  if (!modes.CheckModes(entry_function) || !modes.SetFastMathDefaults(entry_function)) return false;
  switch (c.emission.module.stage) {
    case mir::Stage::kCompute:
      return modes.SetLocalSize(entry_function) && modes.CheckDerivativeGroup(entry_function);
    case mir::Stage::kFragment: return modes.SetFragmentModes(entry_function);
    case mir::Stage::kVertex: break;  // its modes concern transform feedback
  }
  return true;
}

}  // namespace kiln::front
