#include "core/mid/analysis/loop_ends.h"

#include <algorithm>

#include "core/mid/budgets.h"
#include "core/mir/build.h"

namespace kiln::mid {

using mir::Inst;
using mir::InstId;
using mir::Op;
using mir::RegionId;
using mir::ValueId;

bool LoopEnds::AllEnd(InstId id) {
  const Inst& inst = m_.inst(id);
  if (inst.op == Op::kLoop && !Ends(id)) return false;
  for (int r = 0; r < inst.num_regions; ++r) {
    for (InstId inner : m_.region(inst.regions[r]).insts) {
      if (!AllEnd(inner)) return false;
    }
  }
  return true;
}

bool LoopEnds::Ends(InstId loop) {
  LoopLimits limits;
  limits.max_iterations = budgets::kIterations;
  limits.max_steps = budgets::kLoopSteps;
  limits.max_residue = budgets::kLoopSteps;
  if (analysis_.CountIterations(loop, limits).bounded) return true;
  for (InstId id : m_.region(m_.inst(loop).regions[0]).insts) {
    if (m_.inst(id).op != Op::kIf) continue;
    if (CountsToBound(loop, id) || ClearsMask(loop, id)) return true;
    if (Continues(id)) return false;  // later instructions are not reached by every iteration
  }
  return false;
}

// Returns true if a side of this if continues the loop around it.
bool LoopEnds::Continues(InstId id) const {
  bool continues = false;
  for (const RegionId region : m_.inst(id).regions) {
    mir::ForEachJumpOfLoop(m_, region,
                           [&](InstId jump) { continues |= m_.inst(jump).op == Op::kContinue; });
  }
  return continues;
}

// By value: true if the body defines it. The bodies in question are small.
std::vector<bool> LoopEnds::DefinedIn(RegionId body) const {
  std::vector<bool> defined(m_.values.size());
  mir::ForEachRegion(m_, body, [&](RegionId region) {
    for (ValueId v : m_.region(region).params) defined[v.index] = true;
    for (InstId id : m_.region(region).insts) {
      for (int i = 0; i < m_.inst(id).num_results; ++i) defined[m_.result(id, i).index] = true;
    }
  });
  return defined;
}

// Returns true if the value is the same in all iterations: it is defined outside of the body, or in
// it by pure ops of such values (each iteration loads a bound from a uniform buffer).
bool LoopEnds::IsInvariant(const std::vector<bool>& of_body, ValueId v, int depth) const {
  constexpr int kDeepest = 4;
  const mir::Value& value = m_.value(v);
  if (value.kind == mir::Value::Kind::kConstant || !of_body[v.index]) return true;
  if (value.kind != mir::Value::Kind::kResult || depth == kDeepest) return false;
  const InstId id(value.owner);
  if (!mir::Info(m_.inst(id).op).Has('P')) return false;
  const auto sources = m_.sources(id);
  return std::all_of(sources.begin(), sources.end(),
                     [&](ValueId source) { return IsInvariant(of_body, source, depth + 1); });
}

bool LoopEnds::StepsByOne(InstId loop, ValueId counter, bool up) const {
  const uint32_t param = m_.value(counter).component;
  const uint64_t minus_one = mir::MaskOf(m_.value(counter).type);
  bool steps = true;
  mir::ForEachJumpOfLoop(m_, m_.inst(loop).regions[0], [&](InstId jump) {
    if (m_.inst(jump).op != Op::kContinue) return;
    const mir::Value& next = m_.value(m_.source(jump, static_cast<int>(param)));
    const InstId add(next.owner);
    if (next.kind != mir::Value::Kind::kResult || m_.inst(add).op != Op::kIadd) {
      steps = false;
      return;
    }
    const ValueId a = m_.source(add, 0), b = m_.source(add, 1);
    const ValueId step = a == counter ? b : a;
    steps = steps && (a == counter || b == counter) && m_.IsConstant(step) &&
            m_.value(step).bits == (up ? 1 : minus_one);
  });
  return steps;
}

// Returns the comparison on which an if leaves the loop, if one side breaks.
std::optional<LoopEnds::Exit> LoopEnds::ExitOf(InstId id) const {
  const Inst& inst = m_.inst(id);
  const auto breaks = [this](RegionId r) {
    return m_.inst(m_.region(r).insts.back()).op == Op::kBreak;
  };
  const bool when = breaks(inst.regions[0]);
  if (!when && !breaks(inst.regions[1])) return std::nullopt;
  const mir::Value& condition = m_.value(m_.source(id, 0));
  if (condition.kind != mir::Value::Kind::kResult) return std::nullopt;
  return Exit{InstId(condition.owner), when};
}

// Returns true if this if, which every iteration meets, leaves the loop once a counter reaches its
// bound.
bool LoopEnds::CountsToBound(InstId loop, InstId exit) const {
  const RegionId body = m_.inst(loop).regions[0];
  const std::optional<Exit> found = ExitOf(exit);
  if (!found) return false;
  const auto [compare, when] = *found;
  // The exit must be taken when both are equal, which the counter always reaches; an exit only
  // beyond the bound would never be taken if the bound is the largest number.
  const Op op = m_.inst(compare).op;
  if (when ? op != Op::kSge && op != Op::kUge : op != Op::kSlt && op != Op::kUlt) return false;
  for (int side = 0; side < 2; ++side) {
    const ValueId counter = m_.source(compare, side), bound = m_.source(compare, 1 - side);
    const mir::Value& value = m_.value(counter);
    if (value.kind != mir::Value::Kind::kParam || value.owner != body.index) continue;
    const bool up = side == 0;  // leaves if counter >= bound, else if bound >= counter
    if (StepsByOne(loop, counter, up) && IsInvariant(DefinedIn(body), bound, 0)) return true;
  }
  return false;
}

// Returns the instruction that defines a value, if it has this op.
std::optional<InstId> LoopEnds::MadeBy(ValueId v, Op op) const {
  const mir::Value& value = m_.value(v);
  if (value.kind != mir::Value::Kind::kResult || m_.inst(InstId(value.owner)).op != op) {
    return std::nullopt;
  }
  return InstId(value.owner);
}

// Returns true if a value is `mask` without its highest or its lowest bit: mask & ~(1 << bit), or
// mask & (mask - 1).
bool LoopEnds::LacksABitOf(ValueId v, ValueId mask) const {
  const std::optional<InstId> both = MadeBy(v, Op::kAnd);
  if (!both) return false;
  const ValueId a = m_.source(*both, 0), b = m_.source(*both, 1);
  if (a != mask && b != mask) return false;
  const ValueId rest = a == mask ? b : a;
  const auto is_constant = [this](ValueId c, uint64_t bits) {
    return m_.IsConstant(c) && m_.value(c).bits == bits;
  };
  if (const std::optional<InstId> less = MadeBy(rest, Op::kIadd)) {
    const ValueId x = m_.source(*less, 0), y = m_.source(*less, 1);
    const uint64_t minus_one = mir::MaskOf(m_.value(mask).type);
    return (x == mask && is_constant(y, minus_one)) || (y == mask && is_constant(x, minus_one));
  }
  const std::optional<InstId> others = MadeBy(rest, Op::kNot);
  if (!others) return false;
  const std::optional<InstId> one = MadeBy(m_.source(*others, 0), Op::kShl);
  if (!one || !is_constant(m_.source(*one, 0), 1)) return false;
  for (const Op op : {Op::kFindUmsb, Op::kFindLsb}) {
    const std::optional<InstId> bit = MadeBy(m_.source(*one, 1), op);
    if (bit && m_.source(*bit, 0) == mask) return true;
  }
  return false;
}

// Returns true if this if leaves the loop once a mask, from which each iteration clears a bit, is
// 0.
bool LoopEnds::ClearsMask(InstId loop, InstId exit) const {
  const RegionId body = m_.inst(loop).regions[0];
  const std::optional<Exit> found = ExitOf(exit);
  if (!found || m_.inst(found->compare).op != (found->when ? Op::kIeq : Op::kIne)) return false;
  for (int side = 0; side < 2; ++side) {
    const ValueId mask = m_.source(found->compare, side),
                  zero = m_.source(found->compare, 1 - side);
    const mir::Value& value = m_.value(mask);
    if (value.kind != mir::Value::Kind::kParam || value.owner != body.index) continue;
    if (!m_.IsConstant(zero) || m_.value(zero).bits != 0) continue;
    bool all = true;
    mir::ForEachJumpOfLoop(m_, body, [&](InstId jump) {
      if (m_.inst(jump).op != Op::kContinue) return;
      all = all && LacksABitOf(m_.source(jump, static_cast<int>(value.component)), mask);
    });
    if (all) return true;
  }
  return false;
}

}  // namespace kiln::mid
