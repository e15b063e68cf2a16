// See program.h.
//
// Region arithmetic: element i of a source <V;W,H> is at row i / W, column i % W, that is at base +
// (row * V + column * H) elements; a destination has only H.
#include "core/sim/eu/program.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/intel/isa/decode.h"
#include "core/intel/isa/disasm.h"
#include "core/intel/isa/opcodes.h"
#include "core/sim/eu/type_rules.h"

namespace kiln::sim::eu {
namespace {

using isa::Arf;
using isa::File;
using isa::Format;
using isa::Opcode;
using isa::Operand;
using isa::Type;

int ArfOffset(Arf arf) {
  switch (arf) {
    case Arf::kNull: return kNullOffset;
    case Arf::kAddress: return kAddressOffset;
    case Arf::kFlag: return kFlagOffset;
    case Arf::kMask: return kMaskOffset;
    case Arf::kState: return kStateOffset;
    case Arf::kControl: return kControlOffset;
    case Arf::kNotification: return kNotificationOffset;
    case Arf::kIp: return kIpOffset;
    case Arf::kTdr: return kTdrOffset;
    case Arf::kTimestamp: return kTimestampOffset;
    case Arf::kAccumulator: return -1;
  }
  return -1;
}

// Bytes between consecutive registers of the kind: 4 for flags; the other kinds have one register.
int ArfStride(Arf arf) { return arf == Arf::kFlag ? 4 : 32; }

void PlanImmediate(const Operand& operand, OperandPlan& plan) {
  plan.access = Access::kImmediate;
  for (int i = 0; i < 8; ++i) {
    int64_t v = 0;
    float f = 0;
    const uint64_t imm = operand.imm;
    switch (operand.type) {
      case Type::kUB: v = static_cast<uint8_t>(imm); break;
      case Type::kB: v = static_cast<int8_t>(imm); break;
      case Type::kUW: v = static_cast<uint16_t>(imm); break;
      case Type::kW: v = static_cast<int16_t>(imm); break;
      case Type::kUD: v = static_cast<uint32_t>(imm); break;
      case Type::kD: v = static_cast<int32_t>(imm); break;
      case Type::kHF:
        v = static_cast<uint16_t>(imm);
        f = scene::HalfToFloat(static_cast<uint16_t>(imm));
        break;
      case Type::kF:
        v = static_cast<uint32_t>(imm);
        f = std::bit_cast<float>(static_cast<uint32_t>(imm));
        break;
      case Type::kUQ:
      case Type::kQ:
      case Type::kDF: break;  // refused (type_rules.h)
      case Type::kUV: v = (imm >> (4 * i)) & 15; break;
      case Type::kV: v = static_cast<int64_t>(((imm >> (4 * i)) & 15) ^ 8) - 8; break;
      case Type::kVF: {
        // 8-bit float: sign, 3 exponent bits (bias 3), 4 fraction bits; +-0 are special.
        const uint32_t b = (imm >> (8 * (i % 4))) & 0xff;
        const uint32_t magnitude =
            (b & 0x7f) == 0 ? 0 : (((b >> 4) & 7) + 124) << 23 | (b & 15) << 19;
        f = std::bit_cast<float>((b & 0x80) << 24 | magnitude);
        break;
      }
    }
    if (!IsFloat(operand.type) && operand.type != Type::kVF) f = static_cast<float>(v);
    plan.imm[i] = v;
    plan.imm_float[i] = f;
  }
}

// Computes the dwords that the planned accesses touch in one file.
void PlanFootprint(OperandPlan& plan, int exec_size, int bytes) {
  int low = 1 << 20, high = 0;
  for (int i = 0; i < exec_size; ++i) {
    low = std::min(low, plan.base + plan.lane[i]);
    high = std::max(high, plan.base + plan.lane[i] + bytes);
  }
  plan.first_dword = static_cast<uint16_t>(low / 4);
  plan.dword_count = static_cast<uint16_t>((high + 3) / 4 - low / 4);
}

// Fills lane offsets of a region; units are bytes, for accumulators channels.
void PlanLanes(const Operand& operand, bool is_dst, int exec_size, int unit, OperandPlan& plan) {
  const isa::Region& r = operand.region;
  const int width = std::max<int>(r.width, 1);
  for (int i = 0; i < exec_size; ++i) {
    int element;
    if (is_dst) {
      element = i * r.hstride;
    } else if (r.vstride == isa::Region::kVxH) {
      element = (i % width) * r.hstride;
    } else {
      element = (i / width) * r.vstride + (i % width) * r.hstride;
    }
    plan.lane[i] = static_cast<uint16_t>(element * unit);
  }
}

absl::Status PlanOperand(const Op& op, const Operand& operand, bool is_dst, OperandPlan& plan) {
  plan.type = operand.type;
  plan.negate = operand.negate;
  plan.absolute = operand.absolute;
  if (operand.file == File::kNone) return absl::OkStatus();
  if (operand.file == File::kImm) {
    PlanImmediate(operand, plan);
    return absl::OkStatus();
  }
  const int exec_size = op.inst.exec_size;
  const int bytes = isa::ByteSize(operand.type);
  if (is_dst && operand.file == File::kArf && operand.arf == Arf::kNull) return absl::OkStatus();
  if (operand.indirect) {
    const bool rows = !is_dst && operand.region.vstride == isa::Region::kVxH;
    plan.access = rows ? Access::kIndirectRows : Access::kIndirect;
    plan.address = operand.address_subnr;
    plan.address_imm = operand.address_imm;
    plan.row_width = std::max<uint8_t>(operand.region.width, 1);
    PlanLanes(operand, is_dst, exec_size, bytes, plan);
    return absl::OkStatus();
  }
  if (operand.file == File::kArf && operand.arf == Arf::kAccumulator) {
    // A register of accumulators holds eight channels of 4 bytes (or 16 of 2, 4 of 8).
    plan.access = Access::kAccumulator;
    plan.base = static_cast<uint16_t>((operand.nr * 32 + operand.subnr) / bytes);
    PlanLanes(operand, is_dst, exec_size, 1, plan);
    for (int i = 0; i < exec_size; ++i) {
      if (plan.base + plan.lane[i] >= 64) {
        return OpError(absl::StatusCode::kInvalidArgument, op, "accumulator out of range");
      }
    }
    return absl::OkStatus();
  }
  plan.access = Access::kRegister;
  if (operand.file == File::kGrf) {
    plan.base = static_cast<uint16_t>(operand.nr * kGrfBytes + operand.subnr);
  } else {
    plan.base = static_cast<uint16_t>(ArfOffset(operand.arf) + operand.nr * ArfStride(operand.arf) +
                                      operand.subnr);
  }
  PlanLanes(operand, is_dst, exec_size, bytes, plan);
  const int limit = operand.file == File::kGrf  ? kGrfCount * kGrfBytes
                    : operand.arf == Arf::kNull ? kRegisterBytes
                                                : (plan.base / 32 + 1) * 32;
  for (int i = 0; i < exec_size; ++i) {
    if (plan.base + plan.lane[i] + bytes > limit) {
      return OpError(absl::StatusCode::kInvalidArgument, op, "operand beyond the register file");
    }
  }
  if (operand.file == File::kGrf || operand.arf == Arf::kAddress) {
    PlanFootprint(plan, exec_size, bytes);
  }
  return absl::OkStatus();
}

bool IsFloatLike(Type type) { return isa::IsFloat(type) || type == Type::kVF; }

ExecType ExecTypeOf(const isa::Instruction& inst) {
  if (inst.op == Opcode::kMath) {
    if (inst.math == isa::MathFunction::kIntDivBoth ||
        inst.math == isa::MathFunction::kIntDivQuotient ||
        inst.math == isa::MathFunction::kIntDivRemainder) {
      return ExecType::kInt;
    }
  }
  bool half = false;
  for (int i = 0; i < isa::Info(inst.op).nsrc; ++i) {
    const Operand& s = inst.src[i];
    if (s.file == File::kNone || !IsFloatLike(s.type)) continue;
    if (s.type != Type::kHF) return ExecType::kFloat;
    half = true;
  }
  return half ? ExecType::kHalf : ExecType::kInt;
}

bool IsRawMove(const Op& op) {
  const isa::Instruction& i = op.inst;
  return i.op == Opcode::kMov && !i.saturate && i.cmod == isa::CondMod::kNone && !i.acc_write &&
         !i.src[0].negate && !i.src[0].absolute &&
         isa::ByteSize(i.dst.type) == isa::ByteSize(i.src[0].type) &&
         isa::IsFloat(i.dst.type) == isa::IsFloat(i.src[0].type) &&
         op.src[0].access == Access::kRegister && op.dst.access == Access::kRegister;
}

bool CountsInOrder(const isa::Instruction& inst) {
  return !isa::IsSend(inst.op) && inst.op != Opcode::kMath && inst.op != Opcode::kSync;
}

absl::Status PlanSend(Op& op) {
  const isa::SendFields& send = op.inst.send;
  if (send.desc_is_register || send.ex_desc_is_register) return absl::OkStatus();
  absl::StatusOr<Message> message = DecodeMessage(send.sfid, send.eot, send.desc, send.ex_desc);
  // An unsupported message is an error only when it is executed.
  if (!message.ok()) return absl::OkStatus();
  op.message = *message;
  op.has_message = true;
  return absl::OkStatus();
}

absl::Status PlanOperands(Op& op) {
  const Format format = isa::Info(op.inst.op).format;
  if (format == Format::kSend) return PlanSend(op);
  if (format == Format::kSync || format == Format::kNullary) return absl::OkStatus();
  if (const absl::string_view why = WhyUnsupported(op.inst); !why.empty()) {
    return OpError(absl::StatusCode::kUnimplemented, op, absl::StrCat("unsupported: ", why));
  }
  absl::Status status = PlanOperand(op, op.inst.dst, true, op.dst);
  for (int i = 0; i < 3 && status.ok(); ++i) {
    status = PlanOperand(op, op.inst.src[i], false, op.src[i]);
  }
  for (const OperandPlan& s : op.src) {
    op.reads_special |=
        s.access == Access::kRegister && s.base >= kMaskOffset && s.base < kNotificationOffset;
  }
  op.exec = ExecTypeOf(op.inst);
  op.raw_move = IsRawMove(op);
  return status;
}

// Turns byte distances into indices and marks where channels may wait.
absl::Status ResolveBranches(Program& program) {
  const uint32_t count = static_cast<uint32_t>(program.ops.size());
  for (uint32_t i = 0; i < count; ++i) {
    Op& op = program.ops[i];
    if (!isa::IsBranch(op.inst.op)) continue;
    const Format format = isa::Info(op.inst.op).format;
    const bool has_jip = format != Format::kRet && op.inst.src[0].file != File::kGrf;
    if (has_jip) {
      absl::StatusOr<uint32_t> at = program.IndexOf(op.offset + op.inst.jip);
      if (!at.ok()) return OpError(absl::StatusCode::kInvalidArgument, op, "branch target");
      op.jip = *at;
      if (*at < count) program.ops[*at].join_target = true;
    }
    if (format == Format::kBranchJU) {
      absl::StatusOr<uint32_t> at = program.IndexOf(op.offset + op.inst.uip);
      if (!at.ok()) return OpError(absl::StatusCode::kInvalidArgument, op, "branch target");
      op.uip = *at;
      if (*at < count) program.ops[*at].join_target = true;
      if (op.inst.op == Opcode::kBreak && *at + 1 < count) program.ops[*at + 1].join_target = true;
    }
    if (i + 1 < count) program.ops[i + 1].join_target = true;
  }
  return absl::OkStatus();
}

bool WritesAddress(const isa::Instruction& inst) {
  return !isa::IsSend(inst.op) && inst.dst.file == File::kArf && inst.dst.arf == isa::Arf::kAddress;
}

// Returns the immediate from which the descriptor in a0.0 was made in straight-line code before the
// send; it has all fields but an index. 0 if there is none.
uint32_t ConstantDescriptor(const std::vector<Op>& ops, size_t at) {
  while (at-- > 0 && !ops[at + 1].join_target && !isa::IsBranch(ops[at].inst.op)) {
    const isa::Instruction& inst = ops[at].inst;
    if (!WritesAddress(inst)) continue;
    const bool scalar = inst.exec_size == 1 && isa::ByteSize(inst.dst.type) == 4;
    if (scalar && inst.dst.subnr != 0) continue;  // another dword's
    const bool constant = (inst.op == Opcode::kAdd || inst.op == Opcode::kOr) &&
                          inst.src[1].file == File::kImm && inst.pred == isa::PredCtrl::kNone;
    return scalar && constant ? static_cast<uint32_t>(inst.src[1].imm) : 0;
  }
  return 0;
}

// Notes the immediates with which values in a0 are compared at run time.
void NoteConstantDescriptors(Program& program) {
  for (size_t i = 0; i < program.ops.size(); ++i) {
    isa::SendFields& send = program.ops[i].inst.send;
    if (send.desc_is_register) send.desc = ConstantDescriptor(program.ops, i);
  }
}

}  // namespace

absl::StatusOr<uint32_t> Program::IndexOf(uint32_t offset) const {
  if (offset == code_bytes) return static_cast<uint32_t>(ops.size());
  auto at = std::lower_bound(ops.begin(), ops.end(), offset,
                             [](const Op& op, uint32_t o) { return op.offset < o; });
  if (at == ops.end() || at->offset != offset) {
    return absl::InvalidArgumentError(absl::StrFormat("no instruction starts at 0x%x", offset));
  }
  return static_cast<uint32_t>(at - ops.begin());
}

std::string Describe(const Op& op) {
  return absl::StrFormat("offset 0x%x: %s", op.offset, isa::Disassemble(kGeneration, op.inst));
}

absl::Status OpError(absl::StatusCode code, const Op& op, absl::string_view what) {
  return absl::Status(code, absl::StrCat(what, " at ", Describe(op)));
}

absl::StatusOr<Program> Load(absl::Span<const uint8_t> code) {
  Program program;
  program.code_bytes = static_cast<uint32_t>(code.size());
  absl::StatusOr<std::vector<isa::PlacedInstruction>> placed =
      isa::DecodeProgram(kGeneration, code);
  if (!placed.ok()) return placed.status();
  program.ops.resize(placed->size());
  for (size_t i = 0; i < placed->size(); ++i) {
    Op& op = program.ops[i];
    op.inst = (*placed)[i].inst;
    op.offset = (*placed)[i].offset;
    if (op.inst.channel_offset + op.inst.exec_size > kMaxChannels) {
      return OpError(absl::StatusCode::kInvalidArgument, op, "channels beyond 32");
    }
    const uint32_t mask = op.inst.exec_size == 32 ? ~0u : (1u << op.inst.exec_size) - 1;
    op.lanes = mask << op.inst.channel_offset;
    op.in_order = CountsInOrder(op.inst);
    absl::Status status = PlanOperands(op);
    if (!status.ok()) return status;
  }
  absl::Status status = ResolveBranches(program);
  if (!status.ok()) return status;
  NoteConstantDescriptors(program);
  return program;
}

}  // namespace kiln::sim::eu
