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
absl::StatusOr<mir::RegionEnd> Control::VisitSide(mir::RegionId region) {
  if (absl::Status s = visit_region_(region); !s.ok()) return s;
  const mir::InstId last = m_.region(region).insts.back();
  e_.SetId(m_.inst(last).spirv_id);
  const mir::RegionEnd end = mir::EndOf(m_, region);
  if (end == mir::RegionEnd::kJump) JumpOut(last);
  return end;
}

// After a jump the thread continues, without lanes, in a block of its own.
void Control::EnterTail() {
  b_.EnterTail();
  e_.scopes().EnterBlock();
}

// Ends one side of an if with the else or endif `op`; `next` is the block after that.
absl::Status Control::VisitIfSide(mir::RegionId region, Opcode op, lir::BlockId join,
                                  lir::BlockId next) {
  const absl::StatusOr<mir::RegionEnd> end = VisitSide(region);
  if (!end.ok()) return end.status();
  if (*end == mir::RegionEnd::kYield) AddEdgeTo(join, m_.sources(m_.region(region).insts.back()));
  if (*end == mir::RegionEnd::kJump) EnterTail();
  Terminate(op);
  b_.AddPhysicalEdge(b_.block(), next);
  return absl::OkStatus();
}

void Control::AddParam(lir::BlockId block, mir::ValueId v) {
  lir::Value param;
  param.file = e_.IsUniform(v) ? kFileU : kFileG;
  if (param.file == kFileG && e_.BitsOf(v) == 16) param.elem_bytes = 2;
  param.spirv_id = e_.spirv_id();
  e_.Set(v, Use(b_.AddParam(block, param), Type::kUD));
}

void Control::AddResults(lir::BlockId block, mir::InstId id) {
  for (int i = 0; i < m_.inst(id).num_results; ++i) AddParam(block, m_.result(id, i));
}

absl::Status Control::VisitIf(mir::InstId id) {
  const mir::IfSides sides = mir::SidesOf(m_, id);
  Flag flag = bools_.FlagOf(m_.source(id, 0), Where::kLanes);
  flag.inverse = flag.inverse != sides.swapped;
  Terminate(Opcode::kIf, flag);
  const lir::SelectionBuilder::IfBlocks blocks = b_.NewIf(sides.has_else);
  AddResults(blocks.join, id);

  Enter(blocks.then_block);
  const Opcode end_of_then = sides.has_else ? Opcode::kElse : Opcode::kEndif;
  absl::Status s = VisitIfSide(sides.then_region, end_of_then, blocks.join, blocks.other());
  if (!s.ok()) return s;
  if (sides.has_else) {
    Enter(blocks.else_block);
    s = VisitIfSide(sides.else_region, Opcode::kEndif, blocks.join, blocks.join);
    if (!s.ok()) return s;
  }
  Enter(blocks.join);
  return absl::OkStatus();
}

absl::Status Control::VisitLoop(mir::InstId id) {
  const mir::Inst inst = m_.inst(id);
  const mir::RegionId body = inst.regions[0];
  const lir::BlockId exit = b_.NewBlock();
  AddResults(exit, id);
  b_.BeginLoop();
  const lir::BlockId header = b_.NewBlock();
  loops_.push_back({header, exit});
  // Passes that ran before may have removed some of them: their numbers need not be consecutive.
  for (const mir::ValueId v : m_.region(body).params) AddParam(header, v);
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
  b_.EndLoop();
  Enter(exit);
  return absl::OkStatus();
}

void Control::Enter(lir::BlockId block) {
  b_.Enter(block);
  e_.scopes().EnterBlock();
}

}  // namespace kiln::intel
