#include "core/lir/ra/assign_result.h"

#include <algorithm>

namespace kiln::lir::ra {

AssignResult::AssignResult(const AssignInput& in, Places& at, const Here& here, LiveNow& live,
                           WrittenSets& written, Assignment* out_to, OutOfRegisters* why_to)
    : out(*out_to), why(*why_to), in_(in), at_(at), here_(here), live_(live), written_(written) {
  out = Assignment();
  out.operand_reg.assign(in.f.operands.size(), Operand::kNoReg);
  out.removed.assign(in.f.insts.size(), 0);
  out.top.assign(in.t.pools.size(), 0);
}

void AssignResult::Settle(ValueId v, uint32_t reg) {
  at_.home[v.index] = at_.now[v.index] = reg;
  const uint32_t first = in_.live.first_slot(v);
  for (uint32_t c = 0; c < in_.f.value(v).comps; ++c) live_.Revive(first + c);
  if (const ValueId p = in_.info(v).param; p.valid()) Suggest(p, reg);
  for (const ValueInfo::PartArgument& part : in_.info(v).parts) {
    Suggest(part.param, reg + part.offset);
  }
  if (live_.IsShort(v)) {
    Pool& p = live_.pool(v);
    p.recent[p.next_recent++ % kRecent] = reg / p.register_units * p.register_units;
  }
  out.top[in_.info(v).pool] = std::max(out.top[in_.info(v).pool], reg + in_.info(v).units);
}

// Makes the register of a parameter's first argument the parameter's hint.
void AssignResult::Suggest(ValueId param, uint32_t reg) {
  if (at_.home[param.index] != kNowhere || at_.hint[param.index] != kNowhere) return;
  at_.hint[param.index] = reg;
  if (live_.HopesAcrossBlocks(in_.info(param).pool)) live_.Hope(param, reg);
}

void AssignResult::RecordSteps(BlockId b, uint8_t pool, const std::vector<MoveStep>& steps) {
  for (const MoveStep& s : steps) {
    const ValueId v(s.tag);
    const auto record = [&](uint32_t reg) {
      LaneLayout layout = at_.LayoutOf(v, reg);
      layout.whole |= s.no_mask;
      RecordWrite(b, pool, reg, s.units, layout);
    };
    record(s.to);
    if (s.swap) record(s.from);
  }
}

}  // namespace kiln::lir::ra
