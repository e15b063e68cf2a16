#include "core/mid/analysis/loop_ends.h"

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
    if (CountsToBound(loop, id)) return true;
    if (Continues(id)) return false;  // what follows is not met by every iteration
  }
  return false;
}

// Whether a side of this if goes on to the next iteration of the loop around it.
bool LoopEnds::Continues(InstId id) const {
  bool continues = false;
  for (const RegionId region : m_.inst(id).regions) {
    mir::ForEachJumpOfLoop(m_, region,
                           [&](InstId jump) { continues |= m_.inst(jump).op == Op::kContinue; });
  }
  return continues;
}

// Whether the value is a constant or defined outside of the loop. What the body defines is found by
// looking: bodies are not large where it matters.
bool LoopEnds::IsInvariant(RegionId body, ValueId v) const {
  const mir::Value& value = m_.value(v);
  if (value.kind == mir::Value::Kind::kConstant) return true;
  bool inside = false;
  mir::ForEachRegion(m_, body, [&](RegionId region) {
    inside |= value.kind == mir::Value::Kind::kParam && value.owner == region.index;
    for (InstId id : m_.region(region).insts) {
      inside |= value.kind == mir::Value::Kind::kResult && value.owner == id.index;
    }
  });
  return !inside;
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

// Whether this if, which every iteration meets, leaves the loop once a counter is at its bound.
bool LoopEnds::CountsToBound(InstId loop, InstId exit) const {
  const RegionId body = m_.inst(loop).regions[0];
  const Inst& inst = m_.inst(exit);
  const auto breaks = [this](RegionId r) {
    return m_.inst(m_.region(r).insts.back()).op == Op::kBreak;
  };
  const bool when = breaks(inst.regions[0]);
  if (!when && !breaks(inst.regions[1])) return false;
  const mir::Value& condition = m_.value(m_.source(exit, 0));
  if (condition.kind != mir::Value::Kind::kResult) return false;
  const InstId compare(condition.owner);
  // It has to leave when both are equal, which the counter comes to be; no counter is beyond the
  // last number there is.
  const Op op = m_.inst(compare).op;
  if (when ? op != Op::kSge && op != Op::kUge : op != Op::kSlt && op != Op::kUlt) return false;
  for (int side = 0; side < 2; ++side) {
    const ValueId counter = m_.source(compare, side), bound = m_.source(compare, 1 - side);
    const mir::Value& value = m_.value(counter);
    if (value.kind != mir::Value::Kind::kParam || value.owner != body.index) continue;
    const bool up = side == 0;  // it leaves with counter >= bound, else with bound >= counter
    if (IsInvariant(body, bound) && StepsByOne(loop, counter, up)) return true;
  }
  return false;
}

}  // namespace kiln::mid
