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

// Uniform integers and booleans are in S, divergent booleans in M, all other values in V.
void Control::AddParams(lir::BlockId block, mir::ValueId first, int count) {
  for (int i = 0; i < count; ++i) {
    const mir::ValueId v(first.index + static_cast<uint32_t>(i));
    const mir::Type type = m_.value(v).type;
    lir::Value param;
    param.spirv_id = e_.spirv_id();
    param.file = kFileV;
    if (e_.IsUniform(v) && !mir::IsFloat(type)) param.file = kFileS;
    if (!e_.IsUniform(v) && e_.IsBool(v)) {
      param.file = kFileM;
      param.elem_bytes = 0;
    }
    if (mir::BitsOf(type) == 64) param.comps = 2;
    e_.Set(v, Use(b_.AddParam(block, param), 0, param.comps));
  }
}

bool Control::IsEmpty(mir::RegionId region) const {
  const std::vector<mir::InstId>& insts = m_.region(region).insts;
  return insts.size() == 1 && m_.inst(insts[0]).op == mir::Op::kYield;
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

// After a jump of lanes the thread continues, without lanes, in a block of its own.
void Control::EnterTail() {
  const lir::BlockId jumped = b_.block();
  const lir::BlockId tail = NewBlock();
  b_.AddPhysicalEdge(jumped, tail);
  Enter(tail);
}

absl::Status Control::VisitIf(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const bool swap = inst.num_results == 0 && IsEmpty(inst.regions[0]);
  return e_.IsUniform(m_.source(id, 0)) ? VisitUniformIf(id, swap) : VisitMaskedIf(id, swap);
}

// Ends one side with the else or endif `op`; `next` is the block after that.
absl::Status Control::VisitMaskedSide(mir::RegionId region, LirOp op, lir::BlockId join,
                                      lir::BlockId next, uint32_t slot) {
  const absl::StatusOr<End> end = VisitSide(region);
  if (!end.ok()) return end.status();
  if (*end == End::kYield) AddEdgeTo(join, m_.sources(m_.region(region).insts.back()));
  if (*end == End::kJumped) EnterTail();
  Terminate(op, {}, slot);
  b_.AddPhysicalEdge(b_.block(), next);
  b_.AddPhysicalEdge(b_.block(), join);
  return absl::OkStatus();
}

absl::Status Control::VisitMaskedIf(mir::InstId id, bool swap) {
  const mir::Inst inst = m_.inst(id);
  const mir::RegionId then_region = inst.regions[swap ? 1 : 0];
  const mir::RegionId else_region = inst.regions[swap ? 0 : 1];
  const bool has_else = inst.num_results != 0 || !IsEmpty(else_region);
  const Operand mask = bools_.MaskOf(m_.source(id, 0));
  const uint32_t slot = TakeSlots(1);
  Terminate(kMaskIf, {mask}, slot, InverseIf(swap));
  const lir::BlockId head = b_.block();
  const lir::BlockId then_block = NewBlock();
  const lir::BlockId else_block = has_else ? NewBlock() : lir::BlockId();
  const lir::BlockId join = NewBlock();
  AddParams(join, inst.first_result, inst.num_results);
  b_.AddEdge(head, then_block);
  b_.AddEdge(head, has_else ? else_block : join);

  masks_.push_back({has_else ? else_block : join, lir::BlockId()});
  Enter(then_block);
  absl::Status s = VisitMaskedSide(then_region, has_else ? kMaskElse : kMaskEndif, join,
                                   has_else ? else_block : join, slot);
  if (!s.ok()) return s;
  if (has_else) {
    masks_.back().next = join;
    Enter(else_block);
    s = VisitMaskedSide(else_region, kMaskEndif, join, join, slot);
    if (!s.ok()) return s;
  }
  if (masks_.back().left) AddRestoringEdges(masks_.size() - 1);
  masks_.pop_back();
  --used_slots_;
  Enter(join);
  return absl::OkStatus();
}

absl::Status Control::VisitUniformSide(mir::RegionId region, lir::BlockId join) {
  const absl::StatusOr<End> end = VisitSide(region);
  if (!end.ok()) return end.status();
  if (*end == End::kYield) {
    AddEdgeTo(join, m_.sources(m_.region(region).insts.back()));
    Terminate(kJump);
    return absl::OkStatus();
  }
  if (*end == End::kUnreachable) {
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
  EnterTail();
  AddRestoringEdges(masks_.size());
  Terminate(kJump);
  return absl::OkStatus();
}

absl::Status Control::VisitUniformIf(mir::InstId id, bool swap) {
  const mir::Inst inst = m_.inst(id);
  const mir::RegionId then_region = inst.regions[swap ? 1 : 0];
  const mir::RegionId else_region = inst.regions[swap ? 0 : 1];
  const bool has_else = inst.num_results != 0 || !IsEmpty(else_region);
  const Operand scc = bools_.SccOf(m_.source(id, 0));
  Terminate(kSccIf, {scc}, 0, InverseIf(swap));
  const lir::BlockId head = b_.block();
  const lir::BlockId then_block = NewBlock();
  const lir::BlockId else_block = has_else ? NewBlock() : lir::BlockId();
  const lir::BlockId join = NewBlock();
  AddParams(join, inst.first_result, inst.num_results);
  b_.AddEdge(head, then_block);
  b_.AddEdge(head, has_else ? else_block : join);
  Enter(then_block);
  if (absl::Status s = VisitUniformSide(then_region, join); !s.ok()) return s;
  if (has_else) {
    Enter(else_block);
    if (absl::Status s = VisitUniformSide(else_region, join); !s.ok()) return s;
  }
  Enter(join);
  return absl::OkStatus();
}

lir::BlockId Control::ExitBlock() {
  if (!exit_.valid()) exit_ = b_.NewBlock(0);
  return exit_;
}

bool Control::EnterExitBlock() {
  if (!exit_.valid()) return false;
  Enter(exit_);
  f_.exit_block = exit_;
  return true;
}

// Ends all lanes that are on.
void Control::EndLanes() {
  b_.AddPhysicalEdge(b_.block(), ExitBlock());
  Terminate(kMaskEnd);
  for (Mask& mask : masks_) mask.left = true;
  EnterTail();
  ended_ = b_.block();
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
  const Operand mask = bools_.MaskOf(condition);
  if (masks_.empty() && !e_.notes_helpers()) {
    ExitBlock();
    e_.EmitRaw(kEndLanes, {}, {mask});
    return;
  }
  // An if with nothing else in it.
  const uint32_t slot = TakeSlots(1);
  Terminate(kMaskIf, {mask}, slot);
  const lir::BlockId head = b_.block(), then_block = NewBlock(), join = NewBlock();
  b_.AddEdge(head, then_block);
  b_.AddEdge(head, join);
  masks_.push_back({join, lir::BlockId()});
  Enter(then_block);
  EndLanes();
  Terminate(kMaskEndif, {}, slot);
  b_.AddPhysicalEdge(b_.block(), join);
  AddRestoringEdges(masks_.size() - 1);
  masks_.pop_back();
  --used_slots_;
  Enter(join);
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
  loop.exit = NewBlock();
  AddParams(loop.exit, inst.first_result, inst.num_results);
  loop.masks = masks_.size();
  if (loop.masked) loop.slot = TakeSlots(2);
  loops_.push_back(loop);
  const lir::BlockId header = NewBlock();
  loops_.back().header = header;
  const std::vector<mir::ValueId>& params = m_.region(body).params;
  if (!params.empty()) AddParams(header, params[0], static_cast<int>(params.size()));
  AddEdgeTo(header, m_.sources(id));
  Terminate(loop.masked ? kMaskLoop : kJump, {}, loop.slot);
  if (loop.masked) masks_.push_back({header, loop.exit});

  Enter(header);
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
        EnterTail();
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
  Enter(loop.exit);
  return absl::OkStatus();
}

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
}

}  // namespace kiln::amd
