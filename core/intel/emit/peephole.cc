// Why this is sound: the instructions of a small if execute for the lanes in the mask that the
// if's flag selects, which is what the predicate says. NoMask instructions (uniform values) stay
// as they are: the thread may run through a skipped block anyway (fused EUs), so allocation lets
// them overwrite nothing that is alive. The flag must not change inside.
//
// Limits: messages are predicated too, at most kMaxPredicated instructions in all, since lanes
// that skip would otherwise have jumped over them.
#include "core/intel/emit/peephole.h"

#include <utility>
#include <vector>

namespace kiln::intel {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::PredCtrl;
using isa::Program;

constexpr int kMaxPredicated = 4;

// Takes the marked instructions out; targets go to what follows.
void Remove(Program& p, const std::vector<bool>& dead) {
  const auto count = static_cast<int32_t>(p.insts.size());
  std::vector<int32_t> place(count + 1);
  Program out;
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

bool UsesFlag(const Instruction& inst) {
  return inst.pred != PredCtrl::kNone || inst.cmod != isa::CondMod::kNone ||
         (inst.dst.file == isa::File::kArf && inst.dst.arf == isa::Arf::kFlag);
}

// May the instruction run under a predicate, or unchanged because it is NoMask?
bool CanBePredicated(const Instruction& inst) {
  if (isa::IsBranch(inst.op) || inst.op == Opcode::kSync || inst.op == Opcode::kNop) return false;
  // min and max are sel with a condition, which a predicate would turn into something else.
  if (UsesFlag(inst) || inst.op == Opcode::kSel || inst.acc_write || inst.send.eot) return false;
  const bool accumulator = inst.dst.file == isa::File::kArf;
  if (accumulator && inst.dst.arf == isa::Arf::kAccumulator) return false;
  return inst.no_mask || isa::Info(inst.op).pred;
}

void TakePredicate(Instruction& inst, const Instruction& from, bool inverse) {
  inst.pred = from.pred;
  inst.pred_inverse = from.pred_inverse != inverse;
  inst.flag_nr = from.flag_nr;
  inst.flag_subnr = from.flag_subnr;
}

// The endif of an if that begins a small block without else, or -1.
int32_t SmallIfEnd(const Program& p, int32_t at) {
  const Instruction& head = p.insts[at];
  if (head.op != Opcode::kIf || head.pred != PredCtrl::kNormal) return -1;
  if (p.targets[at].jip != p.targets[at].uip) return -1;  // has an else
  const int32_t end = p.targets[at].uip;
  const bool has_break = end - 1 > at && p.insts[end - 1].op == Opcode::kBreak &&
                         p.insts[end - 1].pred == PredCtrl::kNone;
  const int32_t body_end = has_break ? end - 1 : end;
  if (end <= at || body_end - at - 1 > kMaxPredicated) return -1;
  for (int32_t i = at + 1; i < body_end; ++i) {
    if (!CanBePredicated(p.insts[i])) return -1;
  }
  return end;
}

}  // namespace

int PredicateSmallIfs(Program& p, MayRewrite may_rewrite, void* context) {
  std::vector<bool> dead(p.insts.size());
  int rewrites = 0;
  for (int32_t at = 0; at < p.Next(); ++at) {
    const int32_t end = SmallIfEnd(p, at);
    if (end < 0 || !may_rewrite(context)) continue;
    const Instruction head = p.insts[at];
    for (int32_t i = at + 1; i < end; ++i) {
      Instruction& inst = p.insts[i];
      if (inst.op == Opcode::kBreak) {
        TakePredicate(inst, head, false);
        p.targets[i].jip = p.targets[end].jip;  // the next end around the if
      } else if (!inst.no_mask) {
        TakePredicate(inst, head, false);
      }
    }
    dead[at] = dead[end] = true;
    ++rewrites;
    at = end;
  }
  if (rewrites != 0) Remove(p, dead);
  return rewrites;
}

int PredicateWhiles(Program& p, MayRewrite may_rewrite, void* context) {
  std::vector<bool> dead(p.insts.size());
  int rewrites = 0;
  for (int32_t at = 0; at + 1 < p.Next(); ++at) {
    const Instruction& jump = p.insts[at];
    Instruction& loop = p.insts[at + 1];
    if (jump.op != Opcode::kBreak || jump.pred == PredCtrl::kNone ||
        loop.op != Opcode::kWhile || loop.pred != PredCtrl::kNone || !may_rewrite(context)) {
      continue;
    }
    TakePredicate(loop, jump, true);
    dead[at] = true;
    ++rewrites;
  }
  if (rewrites != 0) Remove(p, dead);
  return rewrites;
}

}  // namespace kiln::intel
