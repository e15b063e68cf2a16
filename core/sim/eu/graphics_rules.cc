// See graphics_rules.h.
#include "core/sim/eu/graphics_rules.h"

#include "core/intel/isa/opcodes.h"
#include "core/sim/eu/swsb.h"

namespace kiln::sim::eu {
namespace {

using isa::Opcode;

absl::Status Refuse(const Op& op, absl::string_view what) {
  return OpError(absl::StatusCode::kInvalidArgument, op, what);
}

absl::Status CheckHalts(const Program& program) {
  const Op* first = nullptr;
  for (const Op& op : program.ops) {
    if (op.inst.op != Opcode::kHalt) continue;
    if (first == nullptr) first = &op;
    if (op.uip != first->uip) return Refuse(op, "a HALT with another target than the first");
  }
  if (first == nullptr) return absl::OkStatus();
  const uint32_t target = first->uip;
  if (target == 0 || target > program.ops.size()) {
    return Refuse(*first, "a HALT without a target");
  }
  const Op& last = program.ops[target - 1];
  if (last.inst.op != Opcode::kHalt || last.inst.pred != isa::PredCtrl::kNone ||
      last.jip != target) {
    return Refuse(last, "no HALT of all channels before the target of HALTs");
  }
  return absl::OkStatus();
}

bool WritesAccumulator(const isa::Instruction& i) {
  return i.acc_write || (i.dst.file == isa::File::kArf && i.dst.arf == isa::Arf::kAccumulator);
}

bool ClearsAccumulator(const isa::Instruction& i) {
  return i.op == Opcode::kMov && WritesAccumulator(i) && i.dst.nr == 0 && i.exec_size == 16 &&
         i.no_mask && i.pred == isa::PredCtrl::kNone && i.src[0].file == isa::File::kImm &&
         i.src[0].imm == 0;
}

bool Ends(const Op& op) { return isa::IsSend(op.inst.op) && op.inst.send.eot; }

// Returns true if the accumulator is clear before instruction `end`, on the straight path to it.
bool ClearBefore(const Program& program, uint32_t end) {
  for (uint32_t i = end; i-- > 0;) {
    const Op& op = program.ops[i];
    if (ClearsAccumulator(op.inst)) return true;
    if (isa::IsBranch(op.inst.op) || WritesAccumulator(op.inst)) return false;
  }
  return false;
}

absl::Status CheckEnds(const Program& program) {
  bool accumulates = false;
  for (const Op& op : program.ops) {
    accumulates |= WritesAccumulator(op.inst) && !ClearsAccumulator(op.inst);
  }
  for (uint32_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    if (!Ends(op)) continue;
    const Swsb s = SwsbOf(op);
    if (s.distance != 1 || s.set >= 0 || s.dst >= 0 || s.src >= 0) {
      return Refuse(op, "the end of the thread must wait @1 (Wa_14013672992)");
    }
    if (accumulates && !ClearBefore(program, i)) {
      return Refuse(op, "the end of the thread with an accumulator not cleared (Wa_14010017096)");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckGraphicsProgram(const Program& program, uint32_t dispatch_width, bool packed) {
  if (program.ops.empty()) return absl::InvalidArgumentError("an empty program");
  const Op& first = program.ops.front();
  const bool has_live_lane =
      first.inst.exec_size == dispatch_width || (packed && first.inst.channel_offset == 0);
  if (!first.inst.no_mask && !has_live_lane) {
    return Refuse(first, "the first instruction may have no live channel (Wa_14015360517)");
  }
  if (absl::Status s = CheckHalts(program); !s.ok()) return s;
  return CheckEnds(program);
}

}  // namespace kiln::sim::eu
