// See control_flow.h.
#include "core/sim/eu/control_flow.h"

#include "core/intel/isa/opcodes.h"
#include "core/sim/eu/alu.h"

namespace kiln::sim::eu {
namespace {

using isa::Opcode;

// Parks channels at an instruction.
void Park(Thread& t, uint32_t channels, uint32_t at) {
  t.active &= ~channels;
  t.waiting |= channels;
  for (uint32_t rest = channels; rest != 0; rest &= rest - 1)
    t.channel_pc[__builtin_ctz(rest)] = at;
}

bool AnyWaitingAt(const Thread& t, uint32_t at) {
  for (uint32_t rest = t.waiting; rest != 0; rest &= rest - 1) {
    if (t.channel_pc[__builtin_ctz(rest)] == at) return true;
  }
  return false;
}

// Continues after the branch while any channel is (or will be) there, else at `jip`.
void Continue(Thread& t, uint32_t jip, bool fusion) {
  const bool stay = t.active != 0 || AnyWaitingAt(t, t.pc + 1) || fusion;
  t.pc = stay ? t.pc + 1 : jip;
}

void While(const Op& op, uint32_t taken, bool fusion, Thread& t) {
  if (taken != 0) {
    Park(t, t.active & ~taken, t.pc + 1);
    t.pc = op.jip;
    return;
  }
  if (fusion && !t.ghost_iteration) {
    Park(t, t.active, t.pc + 1);
    t.ghost_iteration = true;
    t.ghost_while = t.pc;
    t.pc = op.jip;
    return;
  }
  if (t.ghost_iteration && t.ghost_while == t.pc) t.ghost_iteration = false;
  t.pc = t.pc + 1;
}

uint32_t BreakTarget(const Program& program, const Op& op) {
  const bool names_while =
      op.uip < program.ops.size() && program.ops[op.uip].inst.op == Opcode::kWhile;
  return names_while ? op.uip + 1 : op.uip;
}

absl::Status Return(const Program& program, const Op& op, uint32_t taken, Thread& t) {
  const isa::Operand& src = op.inst.src[0];
  const int at = src.nr * kGrfBytes + src.subnr;
  if (src.file != isa::File::kGrf || src.indirect || at + 4 > kGrfCount * kGrfBytes) {
    return OpError(absl::StatusCode::kInvalidArgument, op, "return address operand");
  }
  absl::StatusOr<uint32_t> target = program.IndexOf(t.Read32(at));
  if (!target.ok()) return OpError(absl::StatusCode::kInvalidArgument, op, "return address");
  if (taken == 0) {
    t.pc = t.pc + 1;
    return absl::OkStatus();
  }
  Park(t, taken, *target);
  t.pc = t.active != 0 ? t.pc + 1 : *target;
  return absl::OkStatus();
}

// Executes a call. Channels go to the callee together; the return address and their mask go to the
// destination.
absl::Status Call(const Program& program, const Op& op, uint32_t taken, Thread& t) {
  if (op.inst.op == Opcode::kCalla || op.inst.dst.file != isa::File::kGrf) {
    return OpError(absl::StatusCode::kUnimplemented, op, "unsupported form of call");
  }
  if (taken == 0) {
    t.pc = t.pc + 1;
    return absl::OkStatus();
  }
  const int at = op.inst.dst.nr * kGrfBytes + op.inst.dst.subnr;
  if (at + 8 > kGrfCount * kGrfBytes) {
    return OpError(absl::StatusCode::kInvalidArgument, op, "return address operand");
  }
  const uint32_t next = t.pc + 1;
  t.Write32(at, next < program.ops.size() ? program.ops[next].offset : program.code_bytes);
  t.Write32(at + 4, taken);
  Park(t, t.active & ~taken, next);
  t.pc = op.jip;
  return absl::OkStatus();
}

absl::Status Jump(const Op& op, uint32_t predicate, Thread& t) {
  if (op.inst.src[0].file == isa::File::kGrf || op.inst.src[0].indirect) {
    return OpError(absl::StatusCode::kUnimplemented, op, "jump through a register");
  }
  t.pc = predicate & 1 ? op.jip : t.pc + 1;
  return absl::OkStatus();
}

}  // namespace

absl::Status ExecuteBranch(const Program& program, const Op& op, bool fusion, Thread& t) {
  const uint32_t predicate = PredicateMask(op, t);
  const uint32_t channels = t.active & op.lanes;
  const uint32_t taken = channels & predicate;
  switch (op.inst.op) {
    case Opcode::kIf:
      Park(t, channels & ~predicate, op.jip);
      Continue(t, op.jip, fusion);
      return absl::OkStatus();
    case Opcode::kElse:
      Park(t, channels, op.inst.branch_control ? op.uip : op.jip);
      Continue(t, op.jip, fusion);
      return absl::OkStatus();
    case Opcode::kEndif:
    case Opcode::kJoin: Continue(t, op.jip, fusion); return absl::OkStatus();
    case Opcode::kWhile: While(op, taken, fusion, t); return absl::OkStatus();
    case Opcode::kBreak:
      Park(t, taken, BreakTarget(program, op));
      Continue(t, op.jip, fusion);
      return absl::OkStatus();
    case Opcode::kCont:
    case Opcode::kHalt:
    case Opcode::kBrc:
      Park(t, taken, op.uip);
      Continue(t, op.jip, fusion);
      return absl::OkStatus();
    case Opcode::kGoto:
      if (op.inst.branch_control) {
        return OpError(absl::StatusCode::kUnimplemented, op, "goto with branch control");
      }
      Park(t, taken, op.uip);
      Continue(t, op.jip, fusion);
      return absl::OkStatus();
    case Opcode::kBrd:
      Park(t, taken, op.jip);
      Continue(t, op.jip, fusion);
      return absl::OkStatus();
    case Opcode::kJmpi: return Jump(op, predicate >> op.inst.channel_offset, t);
    case Opcode::kCall:
    case Opcode::kCalla: return Call(program, op, taken, t);
    case Opcode::kRet: return Return(program, op, taken, t);
    default: return OpError(absl::StatusCode::kUnimplemented, op, "unsupported branch");
  }
}

}  // namespace kiln::sim::eu
