#include "core/intel/emit/edit_program.h"

#include <utility>

namespace kiln::intel {

using isa::Instruction;
using isa::Opcode;
using isa::PredCtrl;
using isa::Program;

void RemoveMarked(Program& p, const std::vector<bool>& dead) {
  const auto count = static_cast<int32_t>(p.insts.size());
  std::vector<int32_t> place(count + 1);
  Program out(p.generation);
  for (int32_t i = 0; i < count; ++i) {
    place[i] = out.Next();
    if (!dead[i]) out.Append(p.insts[i], p.targets[i]);
  }
  place[count] = out.Next();
  for (isa::BranchTargets& t : out.targets) {
    if (t.jip != isa::kNoTarget) t.jip = place[t.jip];
    if (t.uip != isa::kNoTarget) t.uip = place[t.uip];
  }
  out.indirect = p.indirect;
  for (isa::IndirectRange& r : out.indirect) r.inst = place[r.inst];
  p = std::move(out);
}

void TakePredicate(Instruction& inst, const Instruction& from, bool inverse) {
  inst.pred = from.pred;
  inst.pred_inverse = from.pred_inverse != inverse;
  inst.flag_nr = from.flag_nr;
  inst.flag_subnr = from.flag_subnr;
}

bool IsIf(const Program& p, int32_t at) {
  return p.insts[at].op == Opcode::kIf && p.insts[at].pred == PredCtrl::kNormal;
}

int32_t ThenEnd(const Program& p, int32_t at) {
  const isa::BranchTargets& t = p.targets[at];
  return t.jip > at + 1 && p.insts[t.jip - 1].op == Opcode::kElse ? t.jip - 1 : t.uip;
}

}  // namespace kiln::intel
