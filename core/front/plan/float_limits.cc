#include "core/front/plan/float_limits.h"

namespace kiln::front {
namespace {

struct Licence {
  uint32_t bit;    // of FPFastMathMode
  uint16_t limit;  // without it
};
constexpr Licence kLicences[] = {
    {0x1, mir::kKeepNan},              // NotNaN
    {0x2, mir::kKeepInf},              // NotInf
    {0x4, mir::kKeepZeroSign},         // NSZ
    {0x8, mir::kNoReciprocal},         // AllowRecip
    {0x10000, mir::kNoContraction},    // AllowContract
    {0x20000, mir::kNoReassociation},  // AllowReassoc
    {0x40000, mir::kNoTransform},      // AllowTransform
};

}  // namespace

uint16_t LimitsOfFastMath(uint32_t mask) {
  uint16_t limits = 0;
  for (const Licence& l : kLicences) {
    if ((mask & l.bit) == 0) limits |= l.limit;
  }
  return limits;
}

bool IsFastMathMask(uint32_t mask) {
  constexpr uint32_t kContract = 0x10000, kReassoc = 0x20000, kTransform = 0x40000;
  uint32_t known = 0;
  for (const Licence& l : kLicences) known |= l.bit;
  const bool may_transform = (mask & kContract) != 0 && (mask & kReassoc) != 0;
  return (mask & ~known) == 0 && ((mask & kTransform) == 0 || may_transform);
}

FloatLimits LimitsOfInst(const SpirvModule& spirv, const SpirvInst& inst,
                         const FloatLimits& entry_point) {
  const uint32_t mask = inst.result == 0 ? kNoValue : spirv.decorations[inst.result].fast_math;
  if (mask != kNoValue) {
    const uint16_t limits = LimitsOfFastMath(mask);
    return {limits, limits, limits};
  }
  const bool same =
      entry_point.of_f16 == entry_point.of_f32 && entry_point.of_f32 == entry_point.of_f64;
  if (same || inst.type == 0) return entry_point;
  const SpirvType* type = spirv.Type(inst.type);
  while (type != nullptr &&
         (type->kind == SpirvType::kVector || type->kind == SpirvType::kMatrix)) {
    type = spirv.Type(type->element);
  }
  if (type == nullptr || type->kind != SpirvType::kFloat) return entry_point;
  const uint16_t result = entry_point.Of(mir::FloatOfBits(type->width));
  return {static_cast<uint16_t>(entry_point.of_f16 | result),
          static_cast<uint16_t>(entry_point.of_f32 | result),
          static_cast<uint16_t>(entry_point.of_f64 | result)};
}

}  // namespace kiln::front
