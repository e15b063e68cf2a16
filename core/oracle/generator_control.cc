// Statements of random modules, ifs and loops: every loop counts down a budget.
#include "core/oracle/generator.h"

#include <vector>

namespace kiln::oracle::random_modules {

void Generator::Step(int depth) {
  --left_;
  if (DrawsFragments()) {
    if (random_.OneIn(3)) return DrawnOperation(depth);
  } else {
    if (IsFragment() && random_.OneIn(4)) return FragmentOperation(depth);
    if (IsVertex() && random_.OneIn(5)) return VertexOperation();
    if (options_.subgroups && random_.OneIn(5)) return LaneOperation();
  }
  if (options_.word_vectors && random_.OneIn(5)) return WordVectors();
  const uint32_t kind = random_.Below(100);
  if (kind < 70 || depth >= options_.max_depth) return Arithmetic();
  if (kind < 80) return MemoryAccess(depth);
  if (kind < 91) return IfStatement(depth);
  LoopStatement(depth);
}

void Generator::Block(int depth, uint32_t size) {
  for (uint32_t i = random_.Below(size + 1); i > 0 && left_ > 0; --i) Step(depth);
}

// Ends a region inside loops early.
void Generator::Jump() {
  if (random_.OneIn(2)) {
    b_.Break(PickAll(loop_results_.back()));
  } else {
    std::vector<ValueId> values = {b_.Isub(fuel_.back(), b_.Int(1))};
    for (ValueId v : PickAll(loop_params_.back())) values.push_back(v);
    b_.Continue(values);
  }
}

void Generator::IfStatement(int depth) {
  const InstId inst = b_.If(Pick(Type::kBool));
  const RegionId outer = b_.region();
  const std::vector<Type> types = SomeTypes();
  const bool may_jump = !fuel_.empty();
  const uint32_t jumping = may_jump && random_.OneIn(2) ? random_.Below(2) : 2;
  for (uint32_t r = 0; r < 2; ++r) {
    const Mark mark = Enter();
    b_.SetRegion(m_.inst(inst).regions[r]);
    Block(depth + 1, random_.OneIn(3) ? 0 : 5);
    if (r == jumping) {
      Jump();
    } else {
      b_.Yield(PickAll(types));
    }
    Leave(mark);
  }
  b_.SetRegion(outer);
  SetResults(m_, inst, types);
  DefineResults(inst);
}

// The first parameter is fuel; without fuel the loop breaks.
void Generator::LoopStatement(int depth) {
  const std::vector<Type> params = SomeTypes();
  loop_results_.push_back(SomeTypes());
  loop_params_.push_back(params);
  const bool divergent = random_.OneIn(2);
  ValueId iterations = b_.Int(1 + random_.Below(5));
  if (divergent) iterations = b_.And(Pick(Type::kI32), b_.Int(3));
  std::vector<ValueId> initial = {iterations};
  for (ValueId v : PickAll(params)) initial.push_back(v);
  const InstId loop = b_.Loop(initial);
  const RegionId outer = b_.region();
  const RegionId body = m_.inst(loop).regions[0];
  const Mark mark = Enter();
  b_.SetRegion(body);
  fuel_.push_back(m_.region(body).params[0]);
  for (size_t i = 1; i <= params.size(); ++i) Define(m_.region(body).params[i]);

  const InstId test = b_.If(b_.Ieq(fuel_.back(), b_.Int(0)));
  b_.SetRegion(m_.inst(test).regions[0]);
  b_.Break(PickAll(loop_results_.back()));
  b_.SetRegion(m_.inst(test).regions[1]);
  b_.Yield();
  b_.SetRegion(body);
  Block(depth + 1, 8);
  if (random_.OneIn(6)) {
    b_.Break(PickAll(loop_results_.back()));
  } else {
    std::vector<ValueId> next = {b_.Isub(fuel_.back(), b_.Int(1))};
    for (ValueId v : PickAll(params)) next.push_back(v);
    b_.Continue(next);
  }
  Leave(mark);
  b_.SetRegion(outer);
  SetResults(m_, loop, loop_results_.back());
  fuel_.pop_back();
  loop_results_.pop_back();
  loop_params_.pop_back();
  DefineResults(loop);
}

}  // namespace kiln::oracle::random_modules
