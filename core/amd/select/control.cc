// Selects control flow: the MIR tree becomes blocks in layout order. Edges: see core/lir/lir.h.
//
//   masked if:    A [mask_if] -> then, else (or join);  then [mask_else | mask_endif] -> join;
//                 else [mask_endif] -> join
//   uniform if:   A [scc_if] -> then, else (or join);  then [jump] -> join;  else [jump] -> join
//   masked loop:  preheader [mask_loop] -> header ... latch [mask_while] -> header; breaks -> exit
//   uniform loop: preheader [jump] -> header ... latch [jump] -> header; breaks [jump] -> exit
// After a break or continue of masks, and after lanes have ended, comes a separate block, which no
// lane reaches.
#include "core/amd/select/control.h"

#include <algorithm>

namespace kiln::amd {
namespace {

uint8_t InverseIf(bool inverse) { return inverse ? uint8_t{lir::kPredicateInverse} : uint8_t{0}; }

}  // namespace

void Control::Terminate(LirOp op, std::initializer_list<Operand> uses, uint32_t aux,
                        uint8_t flags) {
  e_.EmitRaw(op, {}, uses, {}, flags, aux);
}

// Returns arguments in the files of the parameters.
std::vector<Operand> Control::EdgeArguments(lir::BlockId to,
                                            absl::Span<const mir::ValueId> values) {
  std::vector<Operand> args;
  for (size_t i = 0; i < values.size(); ++i) {
    const mir::ValueId v = values[i];
    const lir::Value param = f_.value(f_.block(to).params[i]);
    if (m_.value(v).kind == mir::Value::Kind::kUndef) {
      args.push_back(lir::NoOperand(param.comps));
      continue;
    }
    switch (param.file) {
      case kFileM: args.push_back(bools_.MaskOf(v)); break;
      case kFileS: args.push_back(e_.ToS(e_.IsBool(v) ? bools_.NumberOf(v) : e_.Src(v))); break;
      default:
        args.push_back(param.comps == 1 ? e_.ToV(e_.Src(v))
                                        : e_.Vector({e_.Half(v, 0), e_.Half(v, 1)}, kFileV));
        break;
    }
  }
  return args;
}

void Control::AddEdgeTo(lir::BlockId to, absl::Span<const mir::ValueId> values) {
  const std::vector<Operand> args = EdgeArguments(to, values);
  b_.AddEdge(b_.block(), to, args);
}

// Uniform integers and booleans are in S, divergent booleans in M, all other values in V. Where
// lanes arrive one side after the other no value is in S: the second side would write it for all
// lanes while those of the first hold it. Uniform values are there only if both sides have the
// same.
void Control::AddParam(lir::BlockId block, mir::ValueId v, bool masked) {
  const mir::Type type = m_.value(v).type;
  lir::Value param;
  param.spirv_id = e_.spirv_id();
  param.file = kFileV;
  const bool scalar = e_.IsUniform(v) && !masked;
  if (scalar && !mir::IsFloat(type)) param.file = kFileS;
  if (!scalar && e_.IsBool(v)) {
    param.file = kFileM;
    param.elem_bytes = 0;
  }
  if (mir::BitsOf(type) == 64) param.comps = 2;
  e_.Set(v, Use(b_.AddParam(block, param), 0, param.comps));
}

void Control::AddResults(lir::BlockId block, mir::InstId id, bool masked) {
  for (int i = 0; i < m_.inst(id).num_results; ++i) AddParam(block, m_.result(id, i), masked);
}

uint32_t Control::TakeSlots(uint32_t count) {
  const uint32_t first = used_slots_;
  used_slots_ += count;
  max_slots_ = std::max(max_slots_, used_slots_);
  return first;
}

// Adds the edges that the thread takes from the current block to the restoring point of the
// innermost of that many constructs, if there is one.
void Control::AddRestoringEdges(size_t masks) {
  if (masks == 0) return;
  const Mask& mask = masks_[masks - 1];
  b_.AddPhysicalEdge(b_.block(), mask.next);
  if (mask.other.valid()) b_.AddPhysicalEdge(b_.block(), mask.other);
}

// Selects a break or continue: ends the current block, after which no lane of it is on.
void Control::JumpOut(mir::InstId jump) {
  const bool is_break = m_.inst(jump).op == mir::Op::kBreak;
  const LoopState loop = loops_.back();
  AddEdgeTo(is_break ? loop.exit : loop.header, m_.sources(jump));
  if (!loop.masked) return Terminate(kJump);
  Terminate(is_break ? kMaskBreak : kMaskContinue, {}, loop.slot);
  for (size_t i = loop.masks + 1; i < masks_.size(); ++i) masks_[i].left = true;
}

// Visits a region up to its end, and a jump out of the loop.
absl::StatusOr<mir::RegionEnd> Control::VisitSide(mir::RegionId region) {
  if (absl::Status s = visit_region_(region); !s.ok()) return s;
  const mir::InstId last = m_.region(region).insts.back();
  e_.SetId(m_.inst(last).spirv_id);
  const mir::RegionEnd end = mir::EndOf(m_, region);
  if (end == mir::RegionEnd::kJump) JumpOut(last);
  return end;
}

absl::Status Control::VisitIf(mir::InstId id) {
  return e_.IsUniform(m_.source(id, 0)) ? VisitUniformIf(id) : VisitMaskedIf(id);
}

// Ends one side with the else or endif `op`; `next` is the block after that.
absl::Status Control::VisitMaskedSide(mir::RegionId region, LirOp op, lir::BlockId join,
                                      lir::BlockId next, uint32_t slot) {
  const absl::StatusOr<mir::RegionEnd> end = VisitSide(region);
  if (!end.ok()) return end.status();
  if (*end == mir::RegionEnd::kYield) AddEdgeTo(join, m_.sources(m_.region(region).insts.back()));
  if (*end == mir::RegionEnd::kJump) b_.EnterTail();
  Terminate(op, {}, slot);
  b_.AddPhysicalEdge(b_.block(), next);
  b_.AddPhysicalEdge(b_.block(), join);
  return absl::OkStatus();
}

absl::Status Control::VisitMaskedIf(mir::InstId id) {
  const mir::IfSides sides = mir::SidesOf(m_, id);
  const Operand mask = bools_.MaskOf(m_.source(id, 0));
  const uint32_t slot = TakeSlots(1);
  Terminate(kMaskIf, {mask}, slot, InverseIf(sides.swapped));
  const lir::SelectionBuilder::IfBlocks blocks = b_.NewIf(sides.has_else);
  AddResults(blocks.join, id, /*masked=*/true);

  masks_.push_back({blocks.other(), lir::BlockId()});
  b_.Enter(blocks.then_block);
  const LirOp end_of_then = sides.has_else ? kMaskElse : kMaskEndif;
  absl::Status s =
      VisitMaskedSide(sides.then_region, end_of_then, blocks.join, blocks.other(), slot);
  if (!s.ok()) return s;
  if (sides.has_else) {
    masks_.back().next = blocks.join;
    b_.Enter(blocks.else_block);
    s = VisitMaskedSide(sides.else_region, kMaskEndif, blocks.join, blocks.join, slot);
    if (!s.ok()) return s;
  }
  if (masks_.back().left) AddRestoringEdges(masks_.size() - 1);
  masks_.pop_back();
  --used_slots_;
  b_.Enter(blocks.join);
  return absl::OkStatus();
}

absl::Status Control::VisitUniformSide(mir::RegionId region, lir::BlockId join) {
  const absl::StatusOr<mir::RegionEnd> end = VisitSide(region);
  if (!end.ok()) return end.status();
  if (*end == mir::RegionEnd::kYield) {
    AddEdgeTo(join, m_.sources(m_.region(region).insts.back()));
    Terminate(kJump);
    return absl::OkStatus();
  }
  if (*end == mir::RegionEnd::kUnreachable) {
    if (b_.block() == ended_ && !masks_.empty()) {
      AddRestoringEdges(masks_.size());
      Terminate(kJump);
    } else {
      Terminate(kEnd);
    }
    return absl::OkStatus();
  }
  if (!loops_.back().masked) return absl::OkStatus();
  // No lane is left here: the thread goes to where some are restored.
  b_.EnterTail();
  AddRestoringEdges(masks_.size());
  Terminate(kJump);
  return absl::OkStatus();
}

absl::Status Control::VisitUniformIf(mir::InstId id) {
  const mir::IfSides sides = mir::SidesOf(m_, id);
  const Operand scc = bools_.SccOf(m_.source(id, 0));
  Terminate(kSccIf, {scc}, 0, InverseIf(sides.swapped));
  const lir::SelectionBuilder::IfBlocks blocks = b_.NewIf(sides.has_else);
  AddResults(blocks.join, id, /*masked=*/false);
  b_.Enter(blocks.then_block);
  if (absl::Status s = VisitUniformSide(sides.then_region, blocks.join); !s.ok()) return s;
  if (sides.has_else) {
    b_.Enter(blocks.else_block);
    if (absl::Status s = VisitUniformSide(sides.else_region, blocks.join); !s.ok()) return s;
  }
  b_.Enter(blocks.join);
  return absl::OkStatus();
}

lir::BlockId Control::ExitBlock() {
  if (!exit_.valid()) exit_ = b_.NewBlock();
  return exit_;
}

bool Control::EnterExitBlock() {
  if (!exit_.valid()) return false;
  b_.Enter(exit_);
  f_.exit_block = exit_;
  return true;
}

// Ends all lanes that are on.
void Control::EndLanes() {
  b_.AddPhysicalEdge(b_.block(), ExitBlock());
  Terminate(kMaskEnd, {}, e_.notes_helpers() ? 1 : 0);
  for (Mask& mask : masks_) mask.left = true;
  b_.EnterTail();
  ended_ = b_.block();
}

void Control::EndHelpers() {
  if (!e_.notes_helpers()) return;
  e_.EmitRaw(kEndHelpers, {}, {});
  e_.EndHelpers();
}

// A kill makes helpers of lanes if helpers are noted. Else, and if the lanes have nothing more to
// do, it ends them.
void Control::VisitKill(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId condition = m_.source(id, 0);
  const mir::Value& value = m_.value(condition);
  if (value.kind == mir::Value::Kind::kUndef) return;
  const bool all = value.kind == mir::Value::Kind::kConstant;
  if (all && value.bits == 0) return;
  const bool may_help = inst.op == mir::Op::kDemote || (inst.op == mir::Op::kDiscard && !all);
  if (e_.notes_helpers() && may_help) {
    if (all) {
      e_.EmitRaw(kKill, {}, {});
    } else {
      e_.EmitRaw(kKill, {}, {bools_.MaskOf(condition)});
    }
    b_.AddPhysicalEdge(b_.block(), ExitBlock());
    return;
  }
  if (all) return EndLanes();
  if (masks_.empty()) {
    ExitBlock();
    const auto inverse = e_.DefinedBy(condition, mir::Op::kNot);
    const bool inverts = inverse && e_.HasOperand(m_.source(*inverse, 0));
    const Operand mask = bools_.MaskOf(inverts ? m_.source(*inverse, 0) : condition);
    e_.EmitRaw(kEndLanes, {}, {mask}, {}, InverseIf(inverts), e_.notes_helpers() ? 1 : 0);
    return;
  }
  const Operand mask = bools_.MaskOf(condition);
  // An if with nothing else in it.
  const uint32_t slot = TakeSlots(1);
  Terminate(kMaskIf, {mask}, slot);
  const lir::BlockId head = b_.block(), then_block = b_.NewBlock(), join = b_.NewBlock();
  b_.AddEdge(head, then_block);
  b_.AddEdge(head, join);
  masks_.push_back({join, lir::BlockId()});
  b_.Enter(then_block);
  EndLanes();
  Terminate(kMaskEndif, {}, slot);
  b_.AddPhysicalEdge(b_.block(), join);
  AddRestoringEdges(masks_.size() - 1);
  masks_.pop_back();
  --used_slots_;
  b_.Enter(join);
}

bool Control::HasDivergentContinue(mir::RegionId region) const {
  for (mir::InstId id : m_.region(region).insts) {
    const mir::Inst& inst = m_.inst(id);
    if (inst.op == mir::Op::kContinue &&
        e_.divergence().ControlOf(id) == mid::Uniformity::kDivergent) {
      return true;
    }
    if (inst.op != mir::Op::kIf) continue;
    if (HasDivergentContinue(inst.regions[0]) || HasDivergentContinue(inst.regions[1])) return true;
  }
  return false;
}

bool Control::IsMasked(mir::InstId loop) const {
  return e_.divergence().ExitOf(loop) == mid::Uniformity::kDivergent ||
         HasDivergentContinue(m_.inst(loop).regions[0]);
}

absl::Status Control::VisitLoop(mir::InstId id) {
  const mir::Inst inst = m_.inst(id);
  const mir::RegionId body = inst.regions[0];
  LoopState loop;
  loop.masked = IsMasked(id);
  loop.exit = b_.NewBlock();
  AddResults(loop.exit, id, loop.masked);
  loop.masks = masks_.size();
  if (loop.masked) loop.slot = TakeSlots(2);
  b_.BeginLoop();
  const lir::BlockId header = b_.NewBlock();
  loop.header = header;
  loops_.push_back(loop);
  // Passes that ran before may have removed some of them: their numbers need not be consecutive.
  for (const mir::ValueId v : m_.region(body).params) AddParam(header, v, /*masked=*/false);
  AddEdgeTo(header, m_.sources(id));
  Terminate(loop.masked ? kMaskLoop : kJump, {}, loop.slot);
  if (loop.masked) masks_.push_back({header, loop.exit});

  b_.Enter(header);
  if (absl::Status s = visit_region_(body); !s.ok()) return s;
  const mir::InstId last = m_.region(body).insts.back();
  const mir::Op end = m_.inst(last).op;
  e_.SetId(m_.inst(last).spirv_id);
  if (!loop.masked) {
    if (end == mir::Op::kUnreachable) {
      Terminate(kEnd);
    } else {
      JumpOut(last);
    }
  } else {
    if (end == mir::Op::kContinue) {
      AddEdgeTo(header, m_.sources(last));
    } else {
      if (end == mir::Op::kBreak) {
        JumpOut(last);
        b_.EnterTail();
      }
      b_.AddPhysicalEdge(b_.block(), header);
    }
    Terminate(kMaskWhile, {}, loop.slot);
    b_.AddPhysicalEdge(b_.block(), loop.exit);
    if (masks_.back().left) AddRestoringEdges(masks_.size() - 1);  // all lanes may have ended
    masks_.pop_back();
    used_slots_ -= 2;
  }
  loops_.pop_back();
  b_.EndLoop();
  b_.Enter(loop.exit);
  return absl::OkStatus();
}

}  // namespace kiln::amd
