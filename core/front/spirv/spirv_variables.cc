#include "core/front/spirv/spirv_variables.h"

#include "core/front/check/refusal.h"

namespace kiln::front {

absl::Status ReadVariable(SpirvModule& m, const SpirvInst& inst) {
  const SpirvType& type = *m.Type(inst.type);
  if (type.kind != SpirvType::kPointer)
    return Invalid("variable's type is not a pointer type", inst.result);
  SpirvVariable variable;
  variable.id = inst.result;
  variable.type = inst.type;
  variable.pointee = type.element;
  variable.storage = type.storage;
  variable.initializer = inst.operand(4);
  const auto index = static_cast<uint32_t>(m.variables.size());
  const SpirvDef def = {SpirvDef::kVariable, index, kNoValue, inst.type};
  if (absl::Status s = m.Define(inst.result, def); !s.ok()) return s;
  m.variables.push_back(variable);
  return absl::OkStatus();
}

}  // namespace kiln::front
