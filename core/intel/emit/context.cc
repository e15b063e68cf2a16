#include "core/intel/emit/context.h"

#include "core/intel/emit/operands.h"

namespace kiln::intel {

isa::Instruction EmitContext::Head(const lir::Inst& in, isa::Opcode op, int lanes,
                                   int first_lane) const {
  isa::Instruction e;
  e.op = op;
  e.exec_size = static_cast<uint8_t>(lanes);
  e.channel_offset = static_cast<uint8_t>(in.group + first_lane);
  e.no_mask = (in.flags & lir::kNoMask) != 0;
  e.saturate = (in.flags & lir::kSaturate) != 0;
  e.cmod = static_cast<isa::CondMod>(in.cmod);
  return e;
}

void EmitContext::SetPredicate(isa::Instruction& e, lir::InstId id) const {
  const lir::Inst& in = f.inst(id);
  if (in.predicate_mode == 0) return;
  e.pred = static_cast<isa::PredCtrl>(in.predicate_mode);
  e.pred_inverse = (in.flags & lir::kPredicateInverse) != 0;
  SetFlag(e, f.uses(id).back());
}

}  // namespace kiln::intel
