#include "core/intel/emit/sends.h"

#include <algorithm>
#include <cassert>

#include "core/intel/emit/headers.h"
#include "core/intel/emit/operands.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::Operand;

// A message for part of the lanes reads a payload that holds all lanes of the thread, of one
// component, from the register in which its lanes begin (core/intel/messages/halve_messages.cc).
bool IsWhole(EmitContext& em, const lir::Inst& in, const Operand& o) {
  return IsValue(o) && in.width > 1 && in.width < em.f.dispatch_width && o.comps == 1 &&
         em.f.value(o.value()).file == kFileG;
}

uint32_t PartRegisters(EmitContext& em, const lir::Inst& in, const Operand& o) {
  const uint32_t all = PayloadRegisters(em.f, o);
  return IsWhole(em, in, o) ? all * in.width / em.f.dispatch_width : all;
}

uint32_t FirstPart(EmitContext& em, const lir::Inst& in, const Operand& o) {
  return IsWhole(em, in, o) ? PayloadRegisters(em.f, o) * in.group / em.f.dispatch_width : 0;
}

void ToAddressRegister(EmitContext& em, const lir::Inst& in, Opcode op, const Operand& value,
                       uint32_t known, uint8_t dword) {
  isa::Instruction e = em.Head(in, op, 1, 0);
  e.no_mask = true;
  e.channel_offset = 0;
  e.cmod = isa::CondMod::kNone;
  e.dst.file = isa::File::kArf;
  e.dst.arf = isa::Arf::kAddress;
  e.dst.subnr = static_cast<uint8_t>(4 * dword);
  e.dst.type = Type::kUD;
  e.dst.region.hstride = 1;
  e.src[0] = Source(em.f, value, 1, 0);
  e.src[1] = ImmediateOperand(known, Type::kUD);
  em.p.Append(e);
}

// Computes the descriptor in a0.0: its constant part plus a value.
void ComputeDescriptor(EmitContext& em, const lir::Inst& in, const Operand& value,
                       isa::Instruction& send) {
  ToAddressRegister(em, in, Opcode::kAdd, value, send.send.desc, 0);
  send.send.desc_is_register = true;  // the constant part stays: it has the lengths
}

// Computes the extended descriptor in a0.1: the handle of a surface fills its upper bits, which are
// 0 in the constant part.
void ComputeExtendedDescriptor(EmitContext& em, const lir::Inst& in, const Operand& handle,
                               isa::Instruction& send) {
  constexpr uint8_t kDword = 1;
  ToAddressRegister(em, in, Opcode::kOr, handle, isa::ExDescriptorInRegister(send.send), kDword);
  send.send.ex_desc_is_register = true;
  send.send.ex_desc_address = kDword;
}

// Waits until a message has written its result, which is not read otherwise.
void WaitForResult(EmitContext& em, const lir::Inst& in, const Operand& result) {
  isa::Instruction wait;
  if (em.device.instructions.software_scoreboard) {
    wait.op = Opcode::kSync;
    wait.sync = isa::SyncFunction::kNop;
    wait.no_mask = true;
    wait.src[0] = Payload(result);
  } else {
    wait = em.Head(in, Opcode::kMov, 1, 0);
    wait.no_mask = true;
    wait.dst = NullOperand(Type::kUD);
    wait.src[0] = Payload(result);
    wait.src[0].region = {0, 1, 0};
  }
  em.p.Append(wait);
}

// Waits until all threads of the workgroup have reached the barrier. `wait` reads the notification
// register n0.0, which the barrier sets.
isa::Instruction WaitForBarrier(EmitContext& em) {
  isa::Instruction wait;
  wait.no_mask = true;
  if (em.device.instructions.software_scoreboard) {
    wait.op = Opcode::kSync;
    wait.sync = isa::SyncFunction::kBar;
    wait.src[0] = NullOperand(Type::kUD);
    return wait;
  }
  wait.op = Opcode::kWait;
  wait.dst.file = isa::File::kArf;
  wait.dst.arf = isa::Arf::kNotification;
  wait.dst.type = Type::kUD;
  wait.dst.region.hstride = 1;
  wait.src[0] = wait.dst;
  wait.src[0].region = {0, 1, 0};
  return wait;
}

}  // namespace

absl::StatusOr<isa::Instruction> MakeSend(EmitContext& em, const lir::Inst& in, int lanes,
                                          const isa::MessageFields& message) {
  const absl::StatusOr<isa::SendFields> send = isa::BuildSend(em.p.generation, message);
  if (!send.ok()) return send.status();
  isa::Instruction e = em.Head(in, Opcode::kSend, lanes, 0);
  e.cmod = isa::CondMod::kNone;
  e.send = *send;
  e.dst = NullOperand(Type::kUD);
  e.src[1] = NullOperand(Type::kUD);
  return e;
}

absl::Status EmitMessage(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  const auto defs = em.f.defs(id);
  const auto uses = em.f.uses(id);
  LirMessage message = MessageOf(em.f, in);
  const bool two = PayloadCount(em.f, in) == 2;
  const uint32_t messages = IsSplitMessage(em.f, in) ? in.width / 8u : 1;
  const uint32_t mlen = PartRegisters(em, in, uses[0]) / messages;
  const uint32_t ex_mlen = two ? PartRegisters(em, in, uses[1]) / messages : 0;
  const uint32_t rlen = defs.empty() ? 0 : PayloadRegisters(em.f, defs[0]) / messages;
  message.fields.mlen = static_cast<uint8_t>(mlen);
  message.fields.ex_mlen = static_cast<uint8_t>(ex_mlen);
  message.fields.rlen = static_cast<uint8_t>(rlen);
  const auto lanes = static_cast<int>(in.width / messages);
  const absl::StatusOr<isa::Instruction> send = MakeSend(em, in, lanes, message.fields);
  if (!send.ok()) return send.status();
  for (uint32_t m = 0; m < messages; ++m) {
    isa::Instruction e = *send;
    e.channel_offset = static_cast<uint8_t>(e.channel_offset + m * static_cast<uint32_t>(lanes));
    const auto part = [&](const Operand& o, uint32_t registers) {
      isa::Operand r = Payload(o);
      r.nr = static_cast<uint8_t>(r.nr + FirstPart(em, in, o) + m * registers);
      return r;
    };
    // Writes to render targets wait for those of earlier threads to the same pixels.
    if (IsTargetWrite(in.op)) e.op = Opcode::kSendc;
    e.send.eot = in.op == kMsgTargetEnd || in.op == kMsgUrbEnd;
    if (!defs.empty()) e.dst = part(defs[0], rlen);
    e.src[0] = part(uses[0], mlen);
    if (two) e.src[1] = part(uses[1], ex_mlen);
    int next = two ? 2 : 1;
    if (message.indirect) ComputeDescriptor(em, in, uses[next++], e);
    if (message.bindless) ComputeExtendedDescriptor(em, in, uses[next], e);
    em.SetPredicate(e, id);
    em.p.Append(e);
  }
  return absl::OkStatus();
}

absl::Status EmitFence(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  isa::MessageFields message = MessageOf(em.f, in).fields;
  message.mlen = message.rlen = 1;
  absl::StatusOr<isa::Instruction> e = MakeSend(em, in, 1, message);
  if (!e.ok()) return e.status();
  e->dst = Payload(em.f.defs(id)[0]);
  e->src[0] = Payload(em.f.uses(id)[0]);
  em.p.Append(*e);
  WaitForResult(em, in, em.f.defs(id)[0]);
  return absl::OkStatus();
}

absl::Status EmitBarrier(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  const Operand& header = em.f.defs(id)[0];
  ClearHeader(em, in, header);
  MaskInto(em, in, header, 2, em.f.uses(id)[0], 0x7f000000u);
  isa::MessageFields message;
  message.message = isa::Message::kBarrier;
  message.mlen = 1;
  absl::StatusOr<isa::Instruction> e = MakeSend(em, in, 8, message);
  if (!e.ok()) return e.status();
  e->src[0] = Payload(header);
  em.p.Append(*e);
  em.p.Append(WaitForBarrier(em));
  return absl::OkStatus();
}

absl::Status EmitEot(EmitContext& em, lir::InstId id) {
  isa::MessageFields message;
  message.message = isa::Message::kEndOfThread;
  message.mlen = 1;
  absl::StatusOr<isa::Instruction> e = MakeSend(em, em.f.inst(id), 8, message);
  if (!e.ok()) return e.status();
  e->src[0] = Payload(em.f.uses(id)[0]);
  em.p.Append(*e);
  return absl::OkStatus();
}

}  // namespace kiln::intel
