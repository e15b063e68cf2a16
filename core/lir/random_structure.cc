#include "core/lir/random_structure.h"

#include <algorithm>
#include <utility>

namespace kiln::lir::testing {

void RandomStructure::Statement(int depth) {
  if (o_.exits != 0 && r_.Chance(o_.exits)) return Exits();
  const int kind = r_.Below(100);
  if (depth < o_.max_depth && Made() < o_.instructions) {
    if (kind < 6) return If(depth);
    if (kind < 9) return UniformIf(depth);
    if (kind < 14) return LoopStatement(depth);
  }
  if (!loops_.empty() && kind < 14 + o_.leaves) return Leave();
  Arithmetic();
}

void RandomStructure::Body(int depth) {
  for (int k = 1 + r_.Below(8); k > 0; --k) Statement(depth + 1);
}

void RandomStructure::ContinueFrom(BlockId block) {
  const BlockId next = b_.NewBlock(Depth());
  b_.AddEdge(block, next);
  b_.SetBlock(next);
}

void RandomStructure::LeaveScope() {
  scope_.resize(marks_.back());
  marks_.pop_back();
}

void RandomStructure::If(int depth) {
  const ValueId flag = Flag();
  const std::vector<Value> params = r_.Chance(70) ? ParamShapes(3, false) : std::vector<Value>();
  const bool two = !params.empty() || r_.Chance(50);
  const BlockId head = b_.block();
  Predicated(ops_.if_op, flag);
  ContinueFrom(head);
  Enter();
  Body(depth);
  PendingEdge from_then{BlockId(), Arguments(params)};
  from_then.from = b_.block();
  b_.Emit(two ? ops_.else_op : ops_.endif_op, Fields(), {}, {});
  LeaveScope();
  PendingEdge from_else{head, {}};
  if (two) {
    const BlockId other = b_.NewBlock(Depth());
    b_.AddEdge(head, other);
    b_.AddPhysicalEdge(from_then.from, other);
    b_.SetBlock(other);
    Enter();
    if (r_.Chance(80)) Body(depth);
    from_else.args = Arguments(params);
    from_else.from = b_.block();
    b_.Emit(ops_.endif_op, Fields(), {}, {});
    LeaveScope();
  }
  Join(params, {from_then, from_else});
}

void RandomStructure::UniformIf(int depth) {
  const ValueId condition = UniformCondition();
  const std::vector<Value> params = ParamShapes(3, true);
  const BlockId head = b_.block();
  b_.Emit(ops_.uniform_if_op, Fields(), {}, {Component(condition)});
  ContinueFrom(head);
  Enter();
  Body(depth);
  PendingEdge from_then{BlockId(), Arguments(params)};
  from_then.from = b_.block();
  b_.Emit(ops_.uniform_jump_op, Fields(), {}, {});
  LeaveScope();
  ContinueFrom(head);
  Enter();
  Body(depth);
  PendingEdge from_else{BlockId(), Arguments(params)};
  from_else.from = b_.block();
  LeaveScope();
  Join(params, {from_then, from_else});
}

void RandomStructure::Join(const std::vector<Value>& params,
                           const std::vector<PendingEdge>& edges) {
  const BlockId join = b_.NewBlock(Depth());
  for (const PendingEdge& e : edges) b_.AddEdge(e.from, join, e.args);
  b_.SetBlock(join);
  AddParams(join, params);
}

void RandomStructure::Predicated(uint16_t op, ValueId flag) {
  InstFields fields = Fields();
  fields.predicate_mode = 1;
  b_.Emit(op, fields, {}, {ValueOperand(flag, 0)});
}

void RandomStructure::Leave() {
  const bool is_break = r_.Chance(60);
  LeaveIf(is_break);
}

void RandomStructure::LeaveIf(bool is_break) {
  const ValueId flag = Flag();
  RandomLoop& loop = loops_.back();
  size_t& scope = is_break ? loop.break_scope : loop.cont_scope;
  // Values of the enclosing constructs do not dominate the jump's destination; those before them
  // may.
  scope = std::min(scope, marks_.size() > loop.level ? marks_[loop.level] : scope_.size());
  const std::vector<Value>& params = is_break ? loop.exit_params : loop.cont_params;
  const uint16_t op = is_break ? ops_.break_op : ops_.continue_op;
  const BlockId head = b_.block();
  if (params.empty() && r_.Chance(60)) {
    Predicated(op, flag);
    (is_break ? loop.breaks : loop.conts).push_back({head, {}});
    ContinueFrom(head);
    return;
  }
  Predicated(ops_.if_op, flag);
  const BlockId leave = b_.NewBlock(Depth());
  b_.AddEdge(head, leave);
  b_.SetBlock(leave);
  Enter();
  for (int k = r_.Below(3); k > 0; --k) Arithmetic();
  PendingEdge edge{leave, Arguments(params)};
  b_.Emit(op, Fields(), {}, {});
  LeaveScope();
  (is_break ? loops_.back().breaks : loops_.back().conts).push_back(edge);
  const BlockId endif = b_.NewBlock(Depth());  // no lane arrives here, but the thread does
  b_.AddPhysicalEdge(leave, endif);
  b_.SetBlock(endif);
  b_.Emit(ops_.endif_op, Fields(), {}, {});
  const BlockId next = b_.NewBlock(Depth());
  b_.AddEdge(head, next);
  b_.AddEdge(endif, next);
  b_.SetBlock(next);
}

void RandomStructure::LoopStatement(int depth) {
  const bool counted = r_.Chance(40);  // ends by a predicated while; no parameters
  const std::vector<Value> head_params = counted ? std::vector<Value>() : ParamShapes(3, true);
  RandomLoop loop;
  if (!counted && r_.Chance(70)) loop.exit_params = ParamShapes(2, false);
  if (r_.Chance(50)) loop.cont_params = ParamShapes(2, false);
  const std::vector<Operand> init = Arguments(head_params);
  const BlockId before = b_.block();
  const size_t outside = scope_.size();
  loops_.push_back(loop);
  const BlockId head = b_.NewBlock(Depth());
  b_.AddEdge(before, head, init);
  b_.SetBlock(head);
  AddParams(head, head_params);
  loops_.back().level = marks_.size();
  Body(depth);
  if (!counted) LeaveIf(true);
  Body(depth);
  ContinueBlock();
  Latch(counted, head, head_params);
  Exit(outside);
}

void RandomStructure::ContinueBlock() {
  RandomLoop& loop = loops_.back();
  const std::vector<Operand> args = Arguments(loop.cont_params);
  const BlockId end = b_.block();
  const BlockId cont = b_.NewBlock(Depth());
  b_.AddEdge(end, cont, args);
  for (const PendingEdge& e : loop.conts) b_.AddEdge(e.from, cont, e.args);
  b_.SetBlock(cont);
  scope_.resize(std::min(scope_.size(), loop.cont_scope));
  loop.break_scope = std::min(loop.break_scope, scope_.size());  // values that follow are new
  AddParams(cont, loop.cont_params);
  for (int k = r_.Below(3); k > 0; --k) Arithmetic();
}

void RandomStructure::Latch(bool counted, BlockId head, const std::vector<Value>& head_params) {
  RandomLoop& loop = loops_.back();
  if (counted) {
    const ValueId flag = Flag();
    const BlockId latch = b_.block();
    Predicated(ops_.while_op, flag);
    b_.AddEdge(latch, head);
    loop.breaks.push_back({latch, {}});
    loop.break_scope = std::min(loop.break_scope, scope_.size());
    return;
  }
  const std::vector<Operand> args = Arguments(head_params);
  const BlockId latch = b_.block();
  b_.Emit(ops_.while_op, Fields(), {}, {});
  b_.AddEdge(latch, head, args);
}

void RandomStructure::Exit(size_t outside) {
  const RandomLoop loop = loops_.back();
  const uint16_t depth = Depth();
  loops_.pop_back();
  const BlockId exit = b_.NewBlock(Depth());
  for (const PendingEdge& e : loop.breaks) b_.AddEdge(e.from, exit, e.args);
  b_.SetBlock(exit);
  scope_.resize(std::min(scope_.size(), loop.break_scope));
  size_t kept = outside;
  for (size_t k = outside; k < scope_.size(); ++k) {
    if (varies_[scope_[k].index] < depth) scope_[kept++] = scope_[k];
  }
  scope_.resize(std::min(scope_.size(), kept));
  AddParams(exit, loop.exit_params);
}

void RandomStructure::Exits() {
  do {
    const ValueId flag = Flag();
    if (first_exit_ == kNone) first_exit_ = static_cast<uint32_t>(f_.values.size());
    Predicated(ops_.exit_op, flag);
    for (int k = r_.Below(3); k > 0; --k) Arithmetic();
  } while (r_.Chance(40));
}

void RandomStructure::ExitBlock() {
  const std::vector<Value> params = ParamShapes(2, false);
  const std::vector<Operand> args = Arguments(params);
  const BlockId before = b_.block();
  f_.exit_block = b_.NewBlock();
  b_.AddEdge(before, f_.exit_block, args);
  exit_values_ = static_cast<uint32_t>(f_.values.size());
  std::erase_if(scope_, [&](ValueId v) { return IsWhole(f_.value(v)) && IsLate(v); });
  b_.SetBlock(f_.exit_block);
  for (const Value& s : params) {
    const ValueId p = b_.AddParam(f_.exit_block, s);
    ++exit_values_;
    Publish(p);
  }
  for (int k = r_.Below(12); k > 0; --k) Arithmetic();
}

}  // namespace kiln::lir::testing
