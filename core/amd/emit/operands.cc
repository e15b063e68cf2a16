#include "core/amd/emit/operands.h"

#include <cassert>

#include "core/amd/lir/ops.h"

namespace kiln::amd {
bool IsVector(const lir::Function& f, const lir::Operand& operand) {
  if (!lir::IsValue(operand)) return false;
  const uint8_t file = f.value(operand.value()).file;
  return file == kFileV || file == kFileW;
}

uint32_t UnitsOf(const lir::Function& f, const lir::Operand& o) {
  const bool mask = lir::IsValue(o) && f.value(o.value()).file == kFileM;
  return o.comps * (mask ? MaskUnits(f) : 1);
}

isa::Operand RegisterOf(const lir::Function& f, const lir::Operand& operand, uint32_t unit) {
  if (operand.kind == lir::Operand::Kind::kFixed) {
    return isa::Source(static_cast<int>(operand.id + unit));
  }
  assert(lir::IsValue(operand) && operand.reg != lir::Operand::kNoReg);
  const uint8_t file = f.value(operand.value()).file;
  if (file == kFileScc) return isa::Source(isa::kScc);
  if (file == kFileV || file == kFileW) return isa::Vgpr(static_cast<int>(operand.reg + unit));
  return isa::Sgpr(SgprOfUnit(operand.reg + unit));
}

}  // namespace kiln::amd
