#include "core/intel/messages/payload.h"

#include "core/intel/isa/instruction.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/ops.h"
#include "core/lir/build.h"

namespace kiln::intel {
namespace {

lir::Operand New(lir::Function& f, const lir::Value& v) {
  f.values.push_back(v);
  return lir::ValueOperand(lir::ValueId(f.values.size() - 1), static_cast<uint8_t>(isa::Type::kUD),
                           0, v.comps);
}

}  // namespace

lir::Operand MakeRegisters(lir::Function& f, int registers) {
  lir::Value v;
  v.file = kFileU;
  v.comps = static_cast<uint16_t>(8 * registers);
  v.whole_registers = true;
  return New(f, v);
}

lir::Operand MakePayload(lir::Function& f, absl::Span<const lir::Operand> parts) {
  uint32_t registers = 0;
  lir::Value v;
  v.file = kFileG;
  v.comps = 0;
  bool lanes = true;
  for (const lir::Operand& p : parts) {
    lanes = lanes && f.value(p.value()).file == kFileG;
    v.comps = static_cast<uint16_t>(v.comps + p.comps);
    registers += PayloadRegisters(f, p);
  }
  return lanes ? New(f, v) : MakeRegisters(f, static_cast<int>(registers));
}

}  // namespace kiln::intel
