// Selects control flow: the MIR tree becomes blocks in layout order with the EU's structured jumps
// as terminators. Edges: see core/lir/lir.h.
//
//   if:    A [if] -> then, else (or join);  then-part [else | endif] -> join;  else-part [endif]
//   loop:  preheader -> header ... latch [while] -> header; breaks -> exit
// After a break or continue inside an if comes a separate block for the else / endif that the
// thread still passes with its lanes off; no lane reaches it.
#include "core/intel/select/control.h"

namespace kiln::intel {

void Control::Terminate(Opcode op, const std::optional<Flag>& predicate) {
  lir::InstFields fields = e_.Fields(Where::kLanes);
  if (!predicate) {
    e_.EmitRaw(Op(op), fields, {}, {});
    return;
  }
  fields.predicate_mode = static_cast<uint8_t>(isa::PredCtrl::kNormal);
  if (predicate->inverse) fields.flags |= lir::kPredicateInverse;
  e_.EmitRaw(Op(op), fields, {}, {predicate->operand});
}

// Returns arguments in the files of the parameters. An argument that is not a register of that file
// yet is copied to one here, in front of the jump.
std::vector<Operand> Control::EdgeArguments(lir::BlockId to,
                                            absl::Span<const mir::ValueId> values) {
  std::vector<Operand> args;
  for (size_t i = 0; i < values.size(); ++i) {
    const mir::ValueId v = values[i];
    if (m_.value(v).kind == mir::Value::Kind::kUndef) {
      args.push_back(lir::NoOperand());
      continue;
    }
    const Type t = e_.IntType(v, false);
    const Operand o = bools_.AnyValue(v);
    const lir::Value param = f_.value(f_.block(to).params[i]);
    const bool fits = IsValue(o) && o.mods == 0 && o.sub == 0 && e_.FileOf(o) == param.file &&
                      f_.value(o.value()).elem_bytes == param.elem_bytes;
    const Where where = param.file == kFileG ? Where::kLanes : Where::kUniform;
    if (fits) {
      args.push_back(Retype(o, Type::kUD));
    } else if (t == Type::kUB) {
      const Operand wide = conversions_.Widened(v, where, false);
      args.push_back(IsImm(wide) ? e_.Mov(Type::kUD, where, wide) : wide);
    } else {
      args.push_back(e_.Mov(t, where, Retype(o, t)));
    }
  }
  return args;
}

void Control::AddEdgeTo(lir::BlockId to, absl::Span<const mir::ValueId> values) {
  const std::vector<Operand> args = EdgeArguments(to, values);
  b_.AddEdge(b_.block(), to, args);
}

// Selects a break or continue: ends the current block, after which no lane is on.
void Control::JumpOut(mir::InstId jump) {
  const bool is_break = m_.inst(jump).op == mir::Op::kBreak;
  const LoopTargets& loop = loops_.back();
  AddEdgeTo(is_break ? loop.exit : loop.header, m_.sources(jump));
  Terminate(is_break ? Opcode::kBreak : Opcode::kCont);
}

// Visits a region up to its end, and past a jump out of the loop.
absl::StatusOr<Control::End> Control::VisitSide(mir::RegionId region) {
  if (absl::Status s = visit_region_(region); !s.ok()) return s;
  const mir::InstId last = m_.region(region).insts.back();
  e_.SetId(m_.inst(last).spirv_id);
  switch (m_.inst(last).op) {
    case mir::Op::kYield: return End::kYield;
    case mir::Op::kUnreachable: return End::kUnreachable;
    default: JumpOut(last); return End::kJumped;
  }
}

// After a jump the thread continues, without lanes, in a block of its own.
void Control::EnterTail() {
  const lir::BlockId jumped = b_.block();
  const lir::BlockId tail = NewBlock();
  b_.AddPhysicalEdge(jumped, tail);
  Enter(tail);
}

// Ends one side of an if with the else or endif `op`; `next` is the block after that.
absl::Status Control::VisitIfSide(mir::RegionId region, Opcode op, lir::BlockId join,
                                  lir::BlockId next) {
  const absl::StatusOr<End> end = VisitSide(region);
  if (!end.ok()) return end.status();
  if (*end == End::kYield) AddEdgeTo(join, m_.sources(m_.region(region).insts.back()));
  if (*end == End::kJumped) EnterTail();
  Terminate(op);
  b_.AddPhysicalEdge(b_.block(), next);
  return absl::OkStatus();
}

void Control::AddParams(lir::BlockId block, mir::ValueId first, int count) {
  for (int i = 0; i < count; ++i) {
    const mir::ValueId v(first.index + static_cast<uint32_t>(i));
    lir::Value param;
    param.file = e_.IsUniform(v) ? kFileU : kFileG;
    if (param.file == kFileG && e_.BitsOf(v) == 16) param.elem_bytes = 2;
    param.spirv_id = e_.spirv_id();
    e_.Set(v, Use(b_.AddParam(block, param), Type::kUD));
  }
}

absl::Status Control::VisitIf(mir::InstId id) {
  const mir::Inst inst = m_.inst(id);
  const auto empty = [&](mir::RegionId region) {
    const std::vector<mir::InstId>& insts = m_.region(region).insts;
    return inst.num_results == 0 && insts.size() == 1 && m_.inst(insts[0]).op == mir::Op::kYield;
  };
  // If the then-side is empty, the else-side takes its position under the opposite condition.
  const bool swap = empty(inst.regions[0]);
  const mir::RegionId then_region = inst.regions[swap ? 1 : 0];
  const mir::RegionId else_region = inst.regions[swap ? 0 : 1];
  const bool has_else = !empty(else_region);
  Flag flag = bools_.FlagOf(m_.source(id, 0), Where::kLanes);
  flag.inverse = flag.inverse != swap;
  Terminate(Opcode::kIf, flag);
  const lir::BlockId head = b_.block();
  const lir::BlockId then_block = NewBlock();
  const lir::BlockId else_block = has_else ? NewBlock() : lir::BlockId();
  const lir::BlockId join = NewBlock();
  if (inst.num_results != 0) AddParams(join, inst.first_result, inst.num_results);
  b_.AddEdge(head, then_block);
  b_.AddEdge(head, has_else ? else_block : join);

  Enter(then_block);
  absl::Status s = VisitIfSide(then_region, has_else ? Opcode::kElse : Opcode::kEndif, join,
                               has_else ? else_block : join);
  if (!s.ok()) return s;
  if (has_else) {
    Enter(else_block);
    s = VisitIfSide(else_region, Opcode::kEndif, join, join);
    if (!s.ok()) return s;
  }
  Enter(join);
  return absl::OkStatus();
}

absl::Status Control::VisitLoop(mir::InstId id) {
  const mir::Inst inst = m_.inst(id);
  const mir::RegionId body = inst.regions[0];
  const lir::BlockId exit = NewBlock();
  if (inst.num_results != 0) AddParams(exit, inst.first_result, inst.num_results);
  loops_.push_back({lir::BlockId(), exit});
  const lir::BlockId header = NewBlock();
  loops_.back().header = header;
  const std::vector<mir::ValueId>& params = m_.region(body).params;
  if (!params.empty()) AddParams(header, params[0], static_cast<int>(params.size()));
  AddEdgeTo(header, m_.sources(id));

  Enter(header);
  if (absl::Status s = visit_region_(body); !s.ok()) return s;
  const mir::InstId last = m_.region(body).insts.back();
  e_.SetId(m_.inst(last).spirv_id);
  if (m_.inst(last).op == mir::Op::kContinue) {
    AddEdgeTo(header, m_.sources(last));
  } else {
    if (m_.inst(last).op == mir::Op::kBreak) {
      JumpOut(last);
      EnterTail();
    }
    b_.AddPhysicalEdge(b_.block(), header);
  }
  Terminate(Opcode::kWhile);
  b_.AddPhysicalEdge(b_.block(), exit);
  loops_.pop_back();
  Enter(exit);
  return absl::OkStatus();
}

// Sorts the blocks, which were made when they were first named, into the order in which they were
// entered.
void Control::SortBlocks() {
  std::vector<lir::BlockId> place(f_.blocks.size());
  std::vector<lir::Block> sorted;
  sorted.reserve(f_.blocks.size());
  for (size_t i = 0; i < layout_.size(); ++i) {
    place[layout_[i].index] = lir::BlockId(i);
    sorted.push_back(std::move(f_.blocks[layout_[i].index]));
  }
  for (lir::Block& block : sorted) {
    for (lir::Edge& e : block.succs) e.to = place[e.to.index];
    for (lir::BlockId& b : block.physical_succs) b = place[b.index];
  }
  f_.blocks = std::move(sorted);
}

lir::BlockId Control::NewBlock() { return b_.NewBlock(static_cast<uint16_t>(loops_.size())); }

void Control::Enter(lir::BlockId block) {
  b_.SetBlock(block);
  layout_.push_back(block);
  e_.scopes().EnterBlock();
}

}  // namespace kiln::intel
