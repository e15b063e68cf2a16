// Selects atomics.
//
// Those of buffers and shared memory are messages on a surface, others go by address. Loads and
// stores among them are those of memory.h.
#include "core/intel/select/atomics.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/cause.h"

namespace kiln::intel {

namespace {

// Returns the hardware's code of the operation, integer or float. Float addition is not among the
// features that the pipeline states (mid/features.h).
std::optional<uint8_t> AtomicCode(mir::AtomicOp op) {
  if (op == mir::AtomicOp::kFmax) return static_cast<uint8_t>(isa::AtomicFloatOp::kMax);
  if (op == mir::AtomicOp::kFmin) return static_cast<uint8_t>(isa::AtomicFloatOp::kMin);
  const std::optional<isa::AtomicOp> code = AtomicOpOf(op);
  return code ? std::optional(static_cast<uint8_t>(*code)) : std::nullopt;
}

isa::Message AtomicMessage(bool address, bool is_float) {
  using isa::Message;
  if (address) return is_float ? Message::kA64AtomicFloat : Message::kA64Atomic;
  return is_float ? Message::kUntypedAtomicFloat : Message::kUntypedAtomic;
}

}  // namespace

absl::Status Atomics::VisitAtomic(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const auto op = static_cast<mir::AtomicOp>(inst.imm1);
  if (op == mir::AtomicOp::kLoad) {
    memory_.VisitLoad(id);
    return absl::OkStatus();
  }
  if (op == mir::AtomicOp::kStore) {
    memory_.VisitStore(id);
    return absl::OkStatus();
  }
  const std::optional<uint8_t> code = AtomicCode(op);
  if (!code || e_.BitsOf(m_.result(id)) != 32) {
    return e_.Unexpected(inst, "atomic operation not selected");
  }
  const Location location = descriptors_.LocationOf(id);
  const absl::Span<const mir::ValueId> values = m_.sources(id).subspan(mir::FirstValueSource(inst));
  isa::MessageFields message;
  message.message = AtomicMessage(location.high.has_value(), mir::IsFloatAtomic(op));
  message.bti =
      location.high ? isa::kBtiStatelessNonCoherent : static_cast<uint8_t>(location.surface.bti);
  message.lanes = std::min(MessageLanes(width_), isa::Info(message.message).most_lanes);
  message.op = *code;
  message.returns = true;
  std::vector<Operand> payloads = {messages_.AddressPayload(location, /*uniform=*/false)};
  const Operand before = Use(e_.NewG(), Type::kUD);
  std::vector<Operand> parts;
  for (mir::ValueId v : values) parts.push_back(bools_.LaneValue(v));
  if (parts.size() == 2 && location.high && width_ > 8) {
    // Each half of the lanes has both operands together.
    payloads.push_back(Use(e_.NewG(1, 8), Type::kUD));
    e_.EmitRaw(kInterleave, e_.Fields(Where::kLanes), {payloads.back()}, {parts[0], parts[1]});
  } else if (!parts.empty()) {
    payloads.push_back(e_.Payload(parts));
  }
  messages_.Emit(kMsgAtomic, e_.Fields(Where::kLanes), message, {before}, payloads,
                 location.surface);
  e_.Set(m_.result(id), before);
  return absl::OkStatus();
}

// Selects atomics on 64 bits, by address (PRM, "A64 Untyped Atomic Integer": the only form that has
// them). Operands and result are qwords of 8 lanes. Wider threads send 8 lanes at a time; each part
// of the payload has both operands of a compare-exchange one after the other.
absl::Status Atomics::VisitWideAtomic(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const std::optional<isa::AtomicOp> op = AtomicOpOf(static_cast<mir::AtomicOp>(inst.imm1));
  if (!op || inst.op != mir::Op::kGlobalAtomic64) {
    return e_.Unexpected(inst, "atomic operation not selected");
  }
  const Location location = descriptors_.LocationOf(id);
  const absl::Span<const mir::ValueId> values = m_.sources(id).subspan(mir::FirstValueSource(inst));
  isa::MessageFields message;
  message.message = isa::Message::kA64Atomic;
  message.bti = isa::kBtiStatelessNonCoherent;
  message.op = static_cast<uint8_t>(*op);
  message.returns = true;
  message.data64 = true;
  std::vector<Operand> payloads = {messages_.AddressPayload(location, /*uniform=*/false)};
  std::vector<Operand> operands;
  for (size_t i = 0; i < values.size(); i += 2) {
    operands.push_back(Use(e_.NewG(1, 8), Type::kUD));
    const Operand halves[] = {e_.Src(values[i], Type::kUD), e_.Src(values[i + 1], Type::kUD)};
    conversions_.EmitPack(Where::kLanes, operands.back(), halves);
  }
  if (operands.size() == 1) payloads.push_back(operands[0]);
  if (operands.size() == 2) {
    payloads.push_back(e_.Def(e_.NewG(2, 8), Type::kUD));
    e_.EmitRaw(kInterleave, e_.Fields(Where::kLanes), {payloads.back()},
               {operands[0], operands[1]});
  }
  const lir::ValueId before = e_.NewG(1, 8);
  messages_.Emit(kMsgAtomic, e_.Fields(Where::kLanes), message, {e_.Def(before, Type::kUD)},
                 payloads, location.surface);
  for (int half = 0; half < 2; ++half) {
    Operand part = Use(before, Type::kUD);
    part.sub = static_cast<uint8_t>(4 * half);
    e_.Set(m_.result(id, half), e_.Alu(Opcode::kMov, Type::kUD, Where::kLanes, {part}));
  }
  return absl::OkStatus();
}

absl::Status Atomics::BufferAddress(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  if (!e_.device_has().addresses) {
    return e_.Refuse(inst, "int64_atomics", "atomic of 64 bits on a buffer");
  }
  const bool indexed = (inst.flags & mir::kIndexed) != 0;
  const auto refusal = [&] {
    return e_.Refuse(inst, "int64_atomics", "atomic of 64 bits on a buffer chosen by value");
  };
  uint32_t element = m_.resources[inst.imm0].element;
  if (indexed) {
    if (!m_.IsConstant(m_.source(id, 0))) return refusal();
    element += KnownElement(*abi_.device, m_.resources[inst.imm0], m_.value(m_.source(id, 0)).bits);
  }
  for (const Abi::BufferAddress& a : abi_.buffer_addresses) {
    if (a.resource != inst.imm0 || a.element != element) continue;
    e_.Set(m_.result(id, 0), launch_.PushDword(a.byte));
    e_.Set(m_.result(id, 1), launch_.PushDword(a.byte + 4));
    return absl::OkStatus();
  }
  // The index became constant only with the width, after the registers of addresses were assigned.
  return indexed ? refusal() : e_.Unexpected(inst, "the buffer has no address");
}

}  // namespace kiln::intel
