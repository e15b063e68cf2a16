// See control_flow.h.
#include "core/sim/rdna2/control_flow.h"

#include "core/sim/rdna2/operand.h"

namespace kiln::sim::rdna2 {
namespace {

using isa::Opcode;

absl::Status JumpTo(const Op& op, const WaveState& w, uint32_t target, uint32_t& pc) {
  if (target == Op::kNoTarget) {
    return OpError(absl::StatusCode::kOutOfRange, op, w.size, "a branch out of the program");
  }
  pc = target;
  return absl::OkStatus();
}

// Goes to an address in a pair of registers.
absl::Status JumpToAddress(const Op& op, const Program& program, uint64_t code, uint64_t address,
                           WaveState& w) {
  const absl::StatusOr<uint32_t> index = program.IndexOf(address - code);
  if (!index.ok()) return OpError(index.status().code(), op, w.size, index.status().message());
  w.pc = *index;
  return absl::OkStatus();
}

void SavePc(const Op& op, uint64_t code, WaveState& w) {
  const uint64_t next = code + op.offset + op.bytes;
  if (op.inst.dst.code == isa::kNull) return;
  w.SetScalar(op.inst.dst.code, static_cast<uint32_t>(next));
  w.SetScalar(op.inst.dst.code + 1, static_cast<uint32_t>(next >> 32));
}

bool Taken(Opcode op, const WaveState& w) {
  switch (op) {
    case Opcode::kSCbranchScc0: return !w.scc;
    case Opcode::kSCbranchScc1: return w.scc;
    case Opcode::kSCbranchVccz: return w.LaneMask(isa::kVccLo) == 0;
    case Opcode::kSCbranchVccnz: return w.LaneMask(isa::kVccLo) != 0;
    case Opcode::kSCbranchExecz: return w.Exec() == 0;
    case Opcode::kSCbranchExecnz: return w.Exec() != 0;
    default: return true;
  }
}

}  // namespace

bool IsControlFlow(const Op& op) {
  switch (op.inst.op) {
    case Opcode::kSGetpcB64:
    case Opcode::kSSetpcB64:
    case Opcode::kSSwappcB64:
    case Opcode::kSRfeB64:
    case Opcode::kSCallB64:
    case Opcode::kSSubvectorLoopBegin:
    case Opcode::kSSubvectorLoopEnd:
    case Opcode::kSWaitcntVscnt:
    case Opcode::kSWaitcntVmcnt:
    case Opcode::kSWaitcntExpcnt:
    case Opcode::kSWaitcntLgkmcnt: return true;
    default: return op.info->encoding == isa::Encoding::kSopp;
  }
}

absl::Status ExecuteControlFlow(const Op& op, const Program& program, uint64_t code_address,
                                WaveState& w) {
  switch (op.inst.op) {
    case Opcode::kSBranch:
    case Opcode::kSCbranchScc0:
    case Opcode::kSCbranchScc1:
    case Opcode::kSCbranchVccz:
    case Opcode::kSCbranchVccnz:
    case Opcode::kSCbranchExecz:
    case Opcode::kSCbranchExecnz:
      if (!Taken(op.inst.op, w)) return absl::OkStatus();
      return JumpTo(op, w, op.target, w.pc);
    case Opcode::kSGetpcB64: SavePc(op, code_address, w); return absl::OkStatus();
    case Opcode::kSSetpcB64:
      return JumpToAddress(op, program, code_address, ScalarSource(w, op, 0), w);
    case Opcode::kSSwappcB64: {
      const uint64_t target = ScalarSource(w, op, 0);
      SavePc(op, code_address, w);
      return JumpToAddress(op, program, code_address, target, w);
    }
    case Opcode::kSCallB64: SavePc(op, code_address, w); return JumpTo(op, w, op.target, w.pc);
    // Rounding is MODE [3:0], subnormals MODE [7:4].
    case Opcode::kSRoundMode: w.mode = (w.mode & ~0xfu) | (op.inst.simm & 0xfu); break;
    case Opcode::kSDenormMode: w.mode = (w.mode & ~0xf0u) | (op.inst.simm & 0xfu) << 4; break;
    case Opcode::kSNop:
    case Opcode::kSWakeup:
    case Opcode::kSSleep:
    case Opcode::kSSetprio:
    case Opcode::kSWaitcnt:
    case Opcode::kSWaitcntVscnt:
    case Opcode::kSWaitcntVmcnt:
    case Opcode::kSWaitcntExpcnt:
    case Opcode::kSWaitcntLgkmcnt:
    case Opcode::kSWaitcntDepctr:
    case Opcode::kSWaitIdle:
    case Opcode::kSIcacheInv:
    case Opcode::kSInstPrefetch:
    case Opcode::kSClause:
    case Opcode::kSIncperflevel:
    case Opcode::kSDecperflevel:
    case Opcode::kSTtracedata:
    case Opcode::kSTtracedataImm: break;
    default: return NotModelled(op, w.size, "control flow");
  }
  return absl::OkStatus();
}

}  // namespace kiln::sim::rdna2
