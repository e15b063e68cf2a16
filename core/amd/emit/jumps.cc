#include "core/amd/emit/jumps.h"

#include <algorithm>
#include <utility>

#include "core/amd/emit/operands.h"
#include "core/amd/emit/pseudo.h"

namespace kiln::amd {
namespace {

using isa::Opcode;

// Returns one more than the highest slot that the function names.
uint32_t CountSlots(const lir::Function& f) {
  uint32_t slots = 0;
  for (size_t b = 0; b < f.blocks.size(); ++b) {
    const lir::InstId last = TerminatorOf(f, b);
    if (!last.valid()) continue;
    const lir::Inst& in = f.inst(last);
    if (in.op == kMaskIf) slots = std::max(slots, in.aux + 1);
    if (in.op == kMaskLoop) slots = std::max(slots, in.aux + 2);
  }
  return slots;
}

bool Inverse(const lir::Inst& in) { return (in.flags & lir::kPredicateInverse) != 0; }

}  // namespace

Jumps::Jumps(Context& c, const Structure& structure)
    : c_(c),
      f_(c.f()),
      structure_(structure),
      places_(CountSlots(f_), MaskUnits(f_)),
      at_start_(f_.blocks.size()),
      at_end_(f_.blocks.size()) {
  for (size_t b = 0; b < f_.blocks.size(); ++b) block_labels_.push_back(c_.NewLabel());
}

isa::Operand Jumps::Register(uint32_t slot) const {
  const bool in_lanes = slot < places_.in_lanes();
  return isa::Sgpr(static_cast<int>(in_lanes ? places_.WorkSgpr() : places_.Sgpr(slot)));
}

isa::Operand Jumps::Read(uint32_t slot) {
  const isa::Operand mask = Register(slot);
  const uint32_t units = MaskUnits(f_);
  if (slot < places_.in_lanes()) ReadLanes(c_, mask, units, {kWaitingLanes, slot * units});
  return mask;
}

void Jumps::Write(uint32_t slot) {
  const uint32_t units = MaskUnits(f_);
  if (slot >= places_.in_lanes()) return;
  WriteLanes(c_, Register(slot), units, {kWaitingLanes, slot * units});
}

Jumps::Construct* Jumps::Top(Construct::Kind kind, lir::InstId i) {
  const lir::Inst& in = f_.inst(i);
  if (open_.empty() || open_.back().kind != kind || open_.back().slot != in.aux) {
    c_.Fail(in, "it does not belong to the innermost open construct");
    return nullptr;
  }
  return &open_.back();
}

size_t Jumps::InnermostLoop() const {
  for (size_t k = open_.size(); k-- > 0;) {
    if (open_[k].kind == Construct::Kind::kLoop) return k;
  }
  return open_.size();
}

// Returns true unless the only way to the exit block is an end_lanes that has left no lane on:
// lanes that were killed, or that end in a construct, still are.
bool Jumps::MayExitWithLanes() const {
  for (const lir::Block& block : f_.blocks) {
    for (lir::InstId i : block.insts) {
      const lir::Inst& in = f_.inst(i);
      if (in.op == kKill || in.op == kMaskEnd || (in.op == kEndLanes && in.aux != 0)) return true;
    }
  }
  return false;
}

void Jumps::BeginBlock(size_t block) {
  c_.Bind(Label(block));
  at_start_[block] = at_end_[block] = InnermostId();
  // The export there says that no lane is left.
  if (f_.exit_block == lir::BlockId(block) && MayExitWithLanes()) {
    c_.Add(c_.masks().mov, Exec(), Constant(0));
  }
  if (open_.empty() || open_.back().kind != Construct::Kind::kLoop) return;
  if (open_.back().continue_block == lir::BlockId(block)) RestoreContinued(open_.back());
}

// From here on lanes wait for the mask_while.
void Jumps::RestoreContinued(Construct& loop) {
  c_.Bind(loop.restore);
  loop.restore = c_.NewLabel();
  c_.Add(c_.masks().mov, Exec(), Read(loop.slot));
  loop.continues = false;
}

void Jumps::If(lir::InstId i) {
  const lir::Inst& in = f_.inst(i);
  Construct construct;
  construct.slot = in.aux;
  construct.restore = c_.NewLabel();
  construct.entry_id = ++next_id_;
  c_.Add(Inverse(in) ? c_.masks().andn1_saveexec : c_.masks().and_saveexec, Register(in.aux),
         RegisterOf(f_, f_.uses(i).back()));
  Write(in.aux);
  c_.AddBranch(Opcode::kSCbranchExecz, construct.restore);
  open_.push_back(construct);
}

void Jumps::Else(size_t block, lir::InstId i) {
  Construct* construct = Top(Construct::Kind::kIf, i);
  if (construct == nullptr) return;
  // An empty side: the mask_endif restores for both.
  if (block + 1 < f_.blocks.size() && structure_.only_endif[block + 1]) return;
  c_.Bind(construct->restore);
  construct->restore = c_.NewLabel();
  c_.Add(c_.masks().andn2, Exec(), Read(construct->slot), Exec());
  c_.AddBranch(Opcode::kSCbranchExecz, construct->restore);
}

void Jumps::Endif(lir::InstId i) {
  Construct* construct = Top(Construct::Kind::kIf, i);
  if (construct == nullptr) return;
  c_.Bind(construct->restore);
  c_.Add(c_.masks().mov, Exec(), Read(construct->slot));
  const bool removed = construct->removed;
  open_.pop_back();
  // Outside of all constructs some lanes are left: else the last one went to the exit block.
  if (!removed || open_.empty()) return;
  // Without continues the last lane that breaks ends the loop: here are some left.
  const Construct& outer = open_.back();
  if (outer.kind == Construct::Kind::kLoop && !outer.continues && !outer.ended) return;
  GoToRestoringPlace(Opcode::kSCbranchExecz);
}

void Jumps::Loop(size_t block, lir::InstId i) {
  const auto& succs = f_.blocks[block].succs;
  if (succs.size() != 1 || succs[0].to.index != block + 1) {
    return c_.Fail(f_.inst(i), "its head does not follow it");
  }
  Construct construct;
  construct.kind = Construct::Kind::kLoop;
  construct.slot = f_.inst(i).aux;
  construct.restore = c_.NewLabel();
  construct.exit = c_.NewLabel();
  construct.head = block + 1;
  construct.continue_block = structure_.continue_block[block];
  construct.entry_id = ++next_id_;
  for (const uint32_t slot : {construct.slot + 1, construct.slot}) {
    c_.Add(c_.masks().mov, Register(slot), Exec());
    Write(slot);
  }
  open_.push_back(construct);
}

void Jumps::While(size_t block, lir::InstId i) {
  Construct* loop = Top(Construct::Kind::kLoop, i);
  if (loop == nullptr) return;
  c_.Bind(loop->restore);
  if (loop->continues || loop->ended) c_.Add(c_.masks().mov, Exec(), Read(loop->slot));
  if (loop->ended) c_.AddBranch(Opcode::kSCbranchExecz, loop->exit);
  for (const lir::Edge& edge : f_.blocks[block].succs) {
    if (edge.to.index != loop->head) {
      return c_.Fail(f_.inst(i), "it does not go to the head of its loop");
    }
  }
  c_.AddBranch(Opcode::kSBranch, Label(loop->head));
  if (c_.IsUsed(loop->exit)) {
    c_.Bind(loop->exit);
    c_.Add(c_.masks().mov, Exec(), Read(loop->slot + 1));
  }
  const bool ended = loop->ended;
  open_.pop_back();
  if (ended && !open_.empty()) GoToRestoringPlace(Opcode::kSCbranchExecz);
}

void Jumps::GoToRestoringPlace(Opcode branch) { c_.AddBranch(branch, open_.back().restore); }

// SCC says whether lanes are left in the slot.
void Jumps::RemoveLanes(uint32_t slot, isa::Operand lanes) {
  const isa::Operand mask = Read(slot);
  c_.Add(c_.masks().andn2, mask, mask, lanes);
  Write(slot);
}

// The ifs inside the loop no longer wait for the lanes.
void Jumps::LeaveOpenIfs(size_t loop, isa::Operand lanes) {
  for (size_t k = loop + 1; k < open_.size(); ++k) {
    RemoveLanes(open_[k].slot, lanes);
    open_[k].removed = true;
  }
}

void Jumps::Leave(lir::InstId i, bool breaks) {
  const size_t loop = InnermostLoop();
  if (loop == open_.size() || (breaks && open_[loop].slot != f_.inst(i).aux)) {
    return c_.Fail(f_.inst(i), "it does not belong to the innermost open loop");
  }
  if (!f_.uses(i).empty()) {
    return LeaveIf(i, breaks, RegisterOf(f_, f_.uses(i).back()), Inverse(f_.inst(i)));
  }
  // All lanes of the loop are on, and leave it.
  if (breaks && loop + 1 == open_.size() && !open_[loop].continues) {
    return c_.AddBranch(Opcode::kSBranch, open_[loop].exit);
  }
  LeaveOpenIfs(loop, Exec());
  if (breaks) {
    RemoveLanes(open_[loop].slot, Exec());
    c_.AddBranch(Opcode::kSCbranchScc0, open_[loop].exit);
  } else {
    open_[loop].continues = true;
  }
  GoToRestoringPlace(Opcode::kSBranch);
}

void Jumps::LeaveIf(lir::InstId i, bool breaks, isa::Operand condition, bool inverse) {
  const size_t at = InnermostLoop();
  if (at == open_.size() || (breaks && open_[at].slot != f_.inst(i).aux)) {
    return c_.Fail(f_.inst(i), "it does not belong to the innermost open loop");
  }
  Construct& loop = open_[at];
  // All lanes of the loop are on: bits of others do not matter.
  if (breaks && at + 1 == open_.size() && !loop.continues) {
    const isa::Operand slot = Read(loop.slot);
    c_.Add(inverse ? c_.masks().and_ : c_.masks().andn2, slot, slot, condition);
    Write(loop.slot);
    c_.AddBranch(Opcode::kSCbranchScc0, loop.exit);
    c_.Add(c_.masks().mov, Exec(), slot);
    return;
  }
  const isa::Operand lanes = Temporary();
  if (inverse) {
    c_.Add(c_.masks().andn2, lanes, Exec(), condition);
  } else {
    c_.Add(c_.masks().and_, lanes, Exec(), condition);
  }
  LeaveOpenIfs(at, lanes);
  if (breaks) {
    RemoveLanes(loop.slot, lanes);
    c_.AddBranch(Opcode::kSCbranchScc0, loop.exit);
  } else {
    loop.continues = true;
  }
  c_.Add(c_.masks().andn2, Exec(), Exec(), lanes);
  GoToRestoringPlace(Opcode::kSCbranchExecz);
}

// All lanes that are on end. If those that are no helpers were all of the wave's, it ends.
void Jumps::EndAll(lir::InstId i) {
  const isa::Operand live = LiveLanes();
  for (size_t k = open_.size(); k-- > 0;) {
    Construct& open = open_[k];
    RemoveLanes(open.slot, Exec());
    if (open.kind == Construct::Kind::kLoop) RemoveLanes(open.slot + 1, Exec());
    open.removed = open.ended = true;
  }
  if (f_.inst(i).aux != 0) c_.Add(c_.masks().andn2, live, live, Exec());
  if (open_.empty()) return c_.AddBranch(Opcode::kSBranch, ExitLabel());
  c_.AddBranch(Opcode::kSCbranchScc0, ExitLabel());
  GoToRestoringPlace(Opcode::kSBranch);
}

bool Jumps::EmitKill(lir::InstId i) {
  const lir::Inst& in = f_.inst(i);
  if (in.op != kKill && in.op != kEndLanes && in.op != kEndHelpers) return false;
  if (in.op != kKill && !open_.empty()) c_.Fail(in, "in a construct of masks");
  if (in.op == kEndHelpers) {
    c_.Add(c_.masks().mov, Exec(), LiveLanes());
    return true;
  }
  if (in.op == kEndLanes) {
    const isa::Operand lanes = RegisterOf(f_, f_.uses(i)[0]);
    const Opcode take = Inverse(in) ? c_.masks().and_ : c_.masks().andn2;
    c_.Add(take, Exec(), Exec(), lanes);
    if (in.aux != 0) c_.Add(take, LiveLanes(), LiveLanes(), lanes);
  } else {
    isa::Operand lanes = Exec();
    if (!f_.uses(i).empty()) {
      lanes = Temporary();
      c_.Add(c_.masks().and_, lanes, RegisterOf(f_, f_.uses(i)[0]), Exec());
    }
    c_.Add(c_.masks().andn2, LiveLanes(), LiveLanes(), lanes);
  }
  c_.AddBranch(Opcode::kSCbranchScc0, ExitLabel());
  return true;
}

void Jumps::SccIf(size_t block, lir::InstId i) {
  const auto& succs = f_.blocks[block].succs;
  if (succs.size() != 2) return c_.Fail(f_.inst(i), "it has not two successors");
  size_t yes = succs[0].to.index, no = succs[1].to.index;
  if (Inverse(f_.inst(i))) std::swap(yes, no);
  NoteUniform(block, yes, i);
  NoteUniform(block, no, i);
  if (yes == block + 1) return c_.AddBranch(Opcode::kSCbranchScc0, Label(no));
  c_.AddBranch(Opcode::kSCbranchScc1, Label(yes));
  if (no != block + 1) c_.AddBranch(Opcode::kSBranch, Label(no));
}

void Jumps::Jump(size_t block, lir::InstId i) {
  const auto& succs = f_.blocks[block].succs;
  // No lane arrives behind a break, and the thread has gone on from there.
  if (succs.empty()) return;
  const size_t to = succs[0].to.index;
  NoteUniform(block, to, i);
  if (to != block + 1) c_.AddBranch(Opcode::kSBranch, Label(to));
}

size_t Jumps::EmitTerminator(size_t block, lir::InstId i) {
  const lir::Inst& in = f_.inst(i);
  size_t emitted = 0;
  switch (in.op) {
    case kMaskIf:
      if (structure_.leaves_at_once[block]) {
        const lir::InstId leave = f_.blocks[block + 1].insts[0];
        LeaveIf(leave, f_.inst(leave).op == kMaskBreak, RegisterOf(f_, f_.uses(i).back()),
                Inverse(in));
        emitted = 2;
        break;
      }
      If(i);
      break;
    case kMaskElse: Else(block, i); break;
    case kMaskEndif: Endif(i); break;
    case kMaskLoop: Loop(block, i); break;
    case kMaskBreak: Leave(i, true); break;
    case kMaskContinue: Leave(i, false); break;
    case kMaskWhile: While(block, i); break;
    case kMaskEnd: EndAll(i); break;
    case kSccIf: SccIf(block, i); break;
    case kJump: Jump(block, i); break;
    case kEnd: c_.Add(Opcode::kSEndpgm, {}); break;
    default: c_.Fail(in, "it is no terminator"); break;
  }
  for (size_t k = 1; k <= emitted; ++k) {
    c_.Bind(Label(block + k));
    at_start_[block + k] = at_end_[block + k] = InnermostId();
  }
  return emitted;
}

void Jumps::Finish() {
  if (!open_.empty()) {
    lir::Inst in;
    in.op = open_.back().kind == Construct::Kind::kIf ? kMaskIf : kMaskLoop;
    return c_.Fail(in, "it is never closed");
  }
  for (const UniformJump& jump : uniform_) {
    if (at_end_[jump.from] != at_start_[jump.to]) {
      c_.Fail(f_.inst(jump.inst), "a uniform jump into or out of a divergent construct");
    }
  }
}

}  // namespace kiln::amd
