// Passes each instruction to its emitter.
#include <string>
#include <string_view>

#include "core/front/check/coverage.h"
#include "core/front/emit/emit.h"
#include "core/front/emit/inst_emitter.h"
#include "core/front/grammar/spirv_grammar.h"
#include "core/front/plan/float_limits.h"

namespace kiln::front {
namespace {

bool RefuseInst(Errors& errors, std::string_view cause, const SpirvInst& inst) {
  return errors.Refuse(cause, OpText(inst.op), inst.result != 0 ? inst.result : inst.operand(1));
}

bool EmitHelper(ImportContext& c, const SpirvInst& inst) {
  mir::Builder& builder = c.emission.builder;
  if (c.emission.module.stage != mir::Stage::kFragment) {
    return c.emission.errors.Malformed("OpIsHelperInvocationEXT outside a fragment shader",
                                       inst.result);
  }
  if (inst.op == spv::Op::OpIsHelperInvocationEXT) {
    return InstEmitter(c).Define(inst, {builder.HelperInvocation()});
  }
  builder.Kill(mir::Op::kDemote, builder.Bool(true));
  return true;
}

// One row for each kind, the most frequent first.
using Emitter = bool (*)(ImportContext& c, const SpirvInst& inst, bool* handled);
constexpr Emitter kEmitters[] = {
    EmitMemory, EmitChain, EmitComposite, EmitConvert,    EmitAlu,        EmitAtomic,
    EmitMatrix, EmitImage, EmitSubgroup,  EmitIntegerDot, EmitDerivative,
};

}  // namespace

bool EmitInst(ImportContext& c, const SpirvInst& inst, bool* returns) {
  Errors& errors = c.emission.errors;
  const std::string_view cause = CauseOf(inst.op);
  if (!cause.empty()) return RefuseInst(errors, cause, inst);
  c.emission.float_limits = LimitsOfInst(c.spirv, inst, c.emission.entry_limits);
  c.emission.no_contraction = inst.result != 0 && c.spirv.decorations[inst.result].no_contraction;
  switch (inst.op) {
    case spv::Op::OpFunctionCall: return EmitCall(c, inst, returns);
    case spv::Op::OpExtInst: return EmitExtInst(c, inst);
    case spv::Op::OpExtInstWithForwardRefsKHR:
      return errors.Malformed(
          "forward reference in an instruction set other than a NonSemantic one", inst.result);
    case spv::Op::OpPtrEqual:
    case spv::Op::OpPtrNotEqual:
    case spv::Op::OpPtrDiff: return EmitPointerCompare(c, inst);
    case spv::Op::OpDemoteToHelperInvocation:
    case spv::Op::OpIsHelperInvocationEXT: return EmitHelper(c, inst);
    case spv::Op::OpReadClockKHR: return EmitReadClock(c, inst);
    case spv::Op::OpAssumeTrueKHR:  // dropped: no pass uses assumptions
      return true;
    default: break;
  }
  for (Emitter emit : kEmitters) {
    bool handled = false;
    if (!emit(c, inst, &handled) || handled) return errors.ok();
  }
  return errors.Malformed(OpText(inst.op) + " inside a function", inst.result);
}

}  // namespace kiln::front
