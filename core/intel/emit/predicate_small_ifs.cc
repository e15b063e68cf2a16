// Predicates the instructions of small ifs and removes their branches.
//
// Soundness: the instructions of a small if execute for the lanes that the if's flag selects, which
// is the meaning of the predicate. NoMask instructions (uniform values) stay as they are: the
// thread may run through a skipped block anyway (fused EUs), so allocation lets them overwrite no
// live value. The flag must not change inside.
//
// Cost: a thread none of whose lanes enters the if jumps over its instructions; predicates save the
// branches. Threads that enter and threads that do not are assumed equally frequent, as the model
// (perf/estimate.h) assumes after an exit, so half of the instructions' cycles must be no more than
// those of the branches. With an else, half is also what a thread saves if all its lanes take one
// side.
//
// Limits: at most kMaxPredicated instructions. Messages with a response stay under the if: when no
// lane needs the response, the message costs more than a jump. Besides, Tiger Lake allows no
// predicated send with a destination, and no predicated instruction with an indirect source
// (Wa_16012061344, Wa_16012292205: isa/apply_workarounds.cc).
#include <optional>
#include <vector>

#include "core/intel/emit/edit_program.h"
#include "core/intel/emit/passes.h"
#include "core/intel/isa/apply_workarounds.h"
#include "core/intel/perf/estimate.h"

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

// Returns true if the instruction may run under a predicate, or unchanged because it is NoMask.
bool CanBePredicated(const Instruction& inst) {
  if (isa::IsBranch(inst.op) || inst.op == Opcode::kSync || inst.op == Opcode::kNop) return false;
  // min and max are sel with a condition; a predicate would make it a selection by the flag.
  if (UsesFlag(inst) || inst.op == Opcode::kSel || inst.acc_write || inst.send.eot) return false;
  if (inst.dst.file == isa::File::kArf && inst.dst.arf == isa::Arf::kAccumulator) return false;
  const bool message = isa::IsSend(inst.op);
  if ((message || !inst.no_mask) && isa::MustNotBePredicated(inst)) return false;
  return inst.no_mask || isa::Info(inst.op).pred;
}

// Returns the index of the endif of an if that begins a small block, or -1.
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

// Returns the model's cycles from the first of these instructions until the last has issued, or
// nothing if the model does not know one of them. Branches have no targets here, so none makes a
// loop.
std::optional<int64_t> CyclesOf(const Device& device, const Program& p,
                                absl::Span<const int32_t> insts) {
  Program part(p.generation);
  for (const int32_t i : insts) part.Append(p.insts[i]);
  const absl::StatusOr<Estimate> estimate = EstimateProgram(device, part);
  if (!estimate.ok()) return std::nullopt;
  return estimate->cycles;
}

// Returns true if, by the model, predicates cost no more than the branches of the if from `at` to
// `end`.
bool Gains(const Device& device, const Program& p, int32_t at, int32_t end) {
  const int32_t then_end = ThenEnd(p, at);
  std::vector<int32_t> branches = {at}, body;
  if (then_end != end) branches.push_back(then_end);
  branches.push_back(end);
  for (int32_t i = at + 1; i < end; ++i) {
    if (i != then_end) body.push_back(i);
  }
  const std::optional<int64_t> jumps = CyclesOf(device, p, branches);
  const std::optional<int64_t> predicated = CyclesOf(device, p, body);
  return jumps && predicated && *predicated <= 2 * *jumps;
}

}  // namespace

int PredicateSmallIfs(const Device& device, Program& p, MayRewrite may_rewrite, void* context) {
  std::vector<bool> dead(p.insts.size());
  int rewrites = 0;
  for (int32_t at = 0; at < p.Next(); ++at) {
    const int32_t end = SmallIfEnd(p, at);
    if (end < 0 || !Gains(device, p, at, end) || !may_rewrite(context)) continue;
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
