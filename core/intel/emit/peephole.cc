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

bool IsIf(const Program& p, int32_t at) {
  return p.insts[at].op == Opcode::kIf && p.insts[at].pred == PredCtrl::kNormal;
}

// The else of an if, or its endif if it has none. Behind the else begins what `jip` names.
int32_t ThenEnd(const Program& p, int32_t at) {
  const isa::BranchTargets& t = p.targets[at];
  return t.jip > at + 1 && p.insts[t.jip - 1].op == Opcode::kElse ? t.jip - 1 : t.uip;
}

// The endif of an if that begins a small block, or -1.
int32_t SmallIfEnd(const Program& p, int32_t at) {
  if (!IsIf(p, at)) return -1;
  const int32_t end = p.targets[at].uip, then_end = ThenEnd(p, at);
  const bool has_break = then_end == end && end - 1 > at && p.insts[end - 1].op == Opcode::kBreak &&
                         p.insts[end - 1].pred == PredCtrl::kNone;
  const int32_t body_end = has_break ? end - 1 : end;
  const int32_t jumps = then_end == end ? 1 : 2;
  if (end <= at || body_end - at - jumps > kMaxPredicated) return -1;
  for (int32_t i = at + 1; i < body_end; ++i) {
    if (i != then_end && !CanBePredicated(p.insts[i])) return -1;
  }
  return end;
}

}  // namespace

int RemoveEmptySides(Program& p, MayRewrite may_rewrite, void* context) {
  std::vector<bool> dead(p.insts.size());
  int rewrites = 0;
  for (int32_t at = 0; at < p.Next(); ++at) {
    if (!IsIf(p, at)) continue;
    const int32_t end = p.targets[at].uip, then_end = ThenEnd(p, at);
    const bool no_then = then_end == at + 1;
    if (then_end == end || (!no_then && then_end + 1 != end) || !may_rewrite(context)) continue;
    if (no_then) p.insts[at].pred_inverse = !p.insts[at].pred_inverse;
    p.targets[at].jip = end;
    dead[then_end] = true;
    ++rewrites;
  }
  if (rewrites != 0) Remove(p, dead);
  return rewrites;
}

int PredicateSmallIfs(Program& p, MayRewrite may_rewrite, void* context) {
  std::vector<bool> dead(p.insts.size());
  int rewrites = 0;
  for (int32_t at = 0; at < p.Next(); ++at) {
    const int32_t end = SmallIfEnd(p, at);
    if (end < 0 || !may_rewrite(context)) continue;
    const Instruction head = p.insts[at];
    const int32_t then_end = ThenEnd(p, at);
    for (int32_t i = at + 1; i < end; ++i) {
      Instruction& inst = p.insts[i];
      if (inst.op == Opcode::kBreak) {
        TakePredicate(inst, head, false);
        p.targets[i].jip = p.targets[end].jip;  // the next end around the if
      } else if (!inst.no_mask) {
        TakePredicate(inst, head, i > then_end);
      }
    }
    dead[at] = dead[then_end] = dead[end] = true;
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
