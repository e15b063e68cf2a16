// Why this is sound: the instructions of a small if execute for the lanes in the mask that the
// if's flag selects, which is what the predicate says. NoMask instructions (uniform values) stay
// as they are: the thread may run through a skipped block anyway (fused EUs), so allocation lets
// them overwrite nothing that is alive. The flag must not change inside.
//
// Limits: messages are predicated too, at most kMaxPredicated instructions in all, since lanes
// that skip would otherwise have jumped over them.
#include <vector>

#include "core/intel/emit/edit_program.h"
#include "core/intel/emit/passes.h"

namespace kiln::intel {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::PredCtrl;
using isa::Program;

constexpr int kMaxPredicated = 4;

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
  if (rewrites != 0) RemoveMarked(p, dead);
  return rewrites;
}

}  // namespace kiln::intel
