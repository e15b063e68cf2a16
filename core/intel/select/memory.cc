// Selects loads, stores and atomics of MIR: chooses the path of each to memory. The messages by
// lanes are in access.cc; this file has blocks for uniform reads, push constants, atomics and
// fences.
//
// A payload of address and data is two register ranges, so data that lies together already needs no
// copies.
#include "core/intel/select/memory.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/cause.h"
#include "core/mid/analysis/alias.h"

namespace kiln::intel {

namespace {

bool IsGlobal(mir::Op op) {
  return op == mir::Op::kLoadGlobal || op == mir::Op::kStoreGlobal ||
         op == mir::Op::kGlobalAtomic || op == mir::Op::kGlobalAtomic64;
}

// Float addition is not among the features that the pipeline states (mid/features.h).
std::optional<isa::AtomicFloatOp> FloatAtomicOpOf(mir::AtomicOp op) {
  switch (op) {
    case mir::AtomicOp::kFmax: return isa::AtomicFloatOp::kMax;
    case mir::AtomicOp::kFmin: return isa::AtomicFloatOp::kMin;
    default: return std::nullopt;
  }
}

// Returns the hardware's code of the operation, integer or float.
std::optional<uint8_t> AtomicCode(mir::AtomicOp op) {
  if (mir::IsFloatAtomic(op)) {
    const std::optional<isa::AtomicFloatOp> code = FloatAtomicOpOf(op);
    return code ? std::optional(static_cast<uint8_t>(*code)) : std::nullopt;
  }
  const std::optional<isa::AtomicOp> code = AtomicOpOf(op);
  return code ? std::optional(static_cast<uint8_t>(*code)) : std::nullopt;
}

isa::Message AtomicMessage(bool address, bool is_float) {
  using isa::Message;
  if (address) return is_float ? Message::kA64AtomicFloat : Message::kA64Atomic;
  return is_float ? Message::kUntypedAtomicFloat : Message::kUntypedAtomic;
}

bool IsShared(mir::Op op) {
  return op == mir::Op::kLoadShared || op == mir::Op::kStoreShared || op == mir::Op::kSharedAtomic;
}

}  // namespace

// Returns the location of a load, store or atomic by lanes.
Location Memory::LocationOf(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  Location location;
  const int offset = mir::OffsetSource(inst);
  location.offset = e_.Src(m_.source(id, offset), Type::kUD);
  if (IsGlobal(inst.op)) {
    location.high = e_.Src(m_.source(id, offset + 1), Type::kUD);
  } else if (IsShared(inst.op)) {
    location.surface.bti = kSharedMemorySurface;
  } else {
    location.surface = descriptors_.BufferOf(id);
  }
  const bool atomic = inst.op == mir::Op::kSsboAtomic || inst.op == mir::Op::kSharedAtomic ||
                      inst.op == mir::Op::kGlobalAtomic;
  location.alignment = atomic ? 4 : access_.AlignmentOf(id);
  location.uniform = inst.num_results != 0 && e_.IsUniform(m_.result(id));
  return location;
}

absl::Status Memory::VisitLoad(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  if (inst.num_results == 0) return absl::OkStatus();
  Location location;
  switch (inst.op) {
    case mir::Op::kLoadPrivate: private_arrays_.LoadPrivate(id); return absl::OkStatus();
    case mir::Op::kLoadGlobal: access_.LoadElements(id, LocationOf(id)); return absl::OkStatus();
    case mir::Op::kLoadShared:
    case mir::Op::kLoadSsbo:
      location = LocationOf(id);
      location.constant_cache = false;
      break;
    case mir::Op::kLoadPush:
      // An offset that the dispatch width has made constant was not constant when push registers
      // were assigned.
      if (m_.IsConstant(m_.source(id, 0)) && (!abi_.push_surface || IsInPushRegisters(id))) {
        LoadPush(id);
        return absl::OkStatus();
      }
      location.surface.bti = *abi_.push_surface;
      break;
    case mir::Op::kLoadConstant: location.surface.bti = *abi_.constant_surface; break;
    default: location.surface = descriptors_.BufferOf(id); break;
  }
  location.offset = e_.Src(m_.source(id, mir::OffsetSource(inst)), Type::kUD);
  location.alignment = access_.AlignmentOf(id);
  location.uniform = e_.IsUniform(m_.result(id)) && !IsCopied(id);
  constexpr uint32_t kLongestBlock = 128;
  const bool block =
      location.alignment >= blocks_.BlockAlignment(location) || IsImm(location.offset);
  if (location.uniform && block &&
      blocks_.SkippedBytes(location) + access_.ElementBytes(m_.result(id)) * inst.num_results <=
          kLongestBlock) {
    LoadBlock(id, location);
  } else {
    access_.LoadElements(id, location);
  }
  return absl::OkStatus();
}

// Returns true if all values read go into stores unchanged. Then each lane reads its own copy: the
// response is a payload, and no value is copied from one lane to all.
bool Memory::IsCopied(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  constexpr int kMaxDwords = 4;  // of one message
  if ((inst.op != mir::Op::kLoadSsbo && inst.op != mir::Op::kLoadShared) ||
      inst.num_results > kMaxDwords || access_.ElementBytes(m_.result(id)) != 4) {
    return false;
  }
  for (int i = 0; i < inst.num_results; ++i) {
    const absl::Span<const mir::Use> uses = e_.uses().Of(m_.result(id, i));
    if (uses.size() != 1) return false;
    const mir::Inst& user = m_.inst(uses[0].inst);
    const bool store = user.op == mir::Op::kStoreSsbo || user.op == mir::Op::kStoreShared ||
                       user.op == mir::Op::kStoreGlobal;
    if (!store || uses[0].source < static_cast<uint32_t>(mir::FirstValueSource(user)) ||
        (i != 0 && uses[0].inst != e_.uses().Of(m_.result(id))[0].inst)) {
      return false;
    }
  }
  return true;
}

bool Memory::IsInPushRegisters(mir::InstId id) const {
  const uint64_t bytes = uint64_t{access_.ElementBytes(m_.result(id))} * m_.inst(id).num_results;
  return m_.value(m_.source(id, 0)).bits + bytes <= abi_.client_bytes;
}

void Memory::LoadPush(mir::InstId id) {
  const auto offset = static_cast<uint32_t>(m_.value(m_.source(id, 0)).bits);
  const uint32_t element = access_.ElementBytes(m_.result(id));
  for (int i = 0; i < m_.inst(id).num_results; ++i) {
    const uint32_t byte = offset + element * static_cast<uint32_t>(i);
    if (byte + element > abi_.client_bytes) {
      e_.Set(m_.result(id, i),
             Imm(0, Type::kUD));  // past the declared block: robust access reads 0
    } else {
      const Operand dword = launch_.PushDword(byte & ~3u);
      e_.Set(m_.result(id, i),
             access_.ElementAt(dword.value(), 4u * dword.comp + byte % 4, element, 1));
    }
  }
}

// Returns 32 bytes at a known offset of memory that does not change: pushed at the thread's start,
// or read.
lir::ValueId Memory::KnownRegister(mir::InstId id, const Location& location, uint32_t index) {
  uint32_t element = 0;
  if (m_.inst(id).op == mir::Op::kLoadUbo && NamesElement(m_, id, &element)) {
    const std::optional<uint32_t> pushed = PushedRegister(abi_, m_.inst(id).imm0, element, index);
    if (pushed) return launch_.PushRegister(*pushed);
  }
  return blocks_.ConstantChunk(location, index).value();
}

// Loads from buffers at a uniform offset, into U. For memory that does not change while the program
// runs, reads of 32 aligned bytes at a known offset are kept for neighbouring loads. A block may
// extend beyond the end of a buffer: bounds hold for each dword (Mesa reads the last dword of a
// storage buffer this way).
void Memory::LoadBlock(mir::InstId id, const Location& location) {
  const Operand offset = location.offset;
  const uint16_t op = mid::IsPure(m_, id) ? kSend : kMsgRead;
  const int count = m_.inst(id).num_results;
  const uint32_t element = access_.ElementBytes(m_.result(id));
  if (IsImm(offset) && op == kSend) {
    for (int i = 0; i < count; ++i) {
      const uint32_t byte = offset.id + element * static_cast<uint32_t>(i);
      const lir::ValueId all = KnownRegister(id, location, byte / kRangeGranule);
      e_.Set(m_.result(id, i), access_.ElementAt(all, byte % kRangeGranule, element, 1));
    }
    return;
  }
  const uint32_t skip = blocks_.SkippedBytes(location);
  const uint32_t bytes = skip + element * static_cast<uint32_t>(count);
  const Operand start = IsImm(offset) ? Imm(offset.id - skip, Type::kUD) : offset;
  const lir::ValueId all =
      blocks_.BlockRead(location, op, start, static_cast<int>((bytes + 15) / 16));
  for (int i = 0; i < count; ++i) {
    e_.Set(m_.result(id, i),
           access_.ElementAt(all, skip + element * static_cast<uint32_t>(i), element, 1));
  }
}

absl::Status Memory::VisitStore(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  if (inst.op == mir::Op::kStorePrivate) {
    private_arrays_.StorePrivate(id);
    return absl::OkStatus();
  }
  access_.StoreElements(LocationOf(id), m_.sources(id).subspan(mir::FirstValueSource(inst)));
  return absl::OkStatus();
}

absl::Status Memory::VisitAtomic(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const auto op = static_cast<mir::AtomicOp>(inst.imm1);
  const Location location = LocationOf(id);
  const absl::Span<const mir::ValueId> values = m_.sources(id).subspan(mir::FirstValueSource(inst));
  if (op == mir::AtomicOp::kLoad) {
    access_.LoadElements(id, location);
    return absl::OkStatus();
  }
  if (op == mir::AtomicOp::kStore) {
    access_.StoreElements(location, values);
    return absl::OkStatus();
  }
  const std::optional<uint8_t> code = AtomicCode(op);
  if (!code || e_.BitsOf(m_.result(id)) != 32) {
    return e_.Unexpected(inst, "atomic operation not selected");
  }
  lir::InstFields fields = e_.Fields(Where::kLanes);
  isa::MessageFields message;
  message.message = AtomicMessage(location.high.has_value(), mir::IsFloatAtomic(op));
  message.bti =
      location.high ? isa::kBtiStatelessNonCoherent : static_cast<uint8_t>(location.surface.bti);
  message.lanes = std::min(access_.MessageLanes(), isa::Info(message.message).most_lanes);
  message.op = *code;
  message.returns = true;
  const Operand address = access_.AddressPayload(location);
  const lir::ValueId before = e_.NewG();
  std::vector<Operand> parts;
  for (mir::ValueId v : values) parts.push_back(access_.LaneValue(v));
  const Operand def = e_.Def(before, Type::kUD);
  if (parts.empty() || op == mir::AtomicOp::kIncrement || op == mir::AtomicOp::kDecrement) {
    access_.EmitMessage(kMsgAtomic, fields, message, {def}, {address}, location.surface);
  } else if (parts.size() == 2 && location.high && width_ > 8) {
    // Each half of the lanes has both operands together.
    const Operand both = Use(e_.NewG(1, 8), Type::kUD);
    e_.EmitRaw(kInterleave, e_.Fields(Where::kLanes), {both}, {parts[0], parts[1]});
    access_.EmitMessage(kMsgAtomic, fields, message, {def}, {address, both}, location.surface);
  } else {
    access_.EmitMessage(kMsgAtomic, fields, message, {def}, {address, e_.Payload(parts)},
                        location.surface);
  }
  e_.Set(m_.result(id), Use(before, Type::kUD));
  return absl::OkStatus();
}

// Selects atomics on 64 bits, by address (PRM, "A64 Untyped Atomic Integer": the only form that has
// them). Operands and result are qwords of 8 lanes. Wider threads send 8 lanes at a time; each part
// of the payload has both operands of a compare-exchange one after the other.
absl::Status Memory::VisitWideAtomic(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const std::optional<isa::AtomicOp> op = AtomicOpOf(static_cast<mir::AtomicOp>(inst.imm1));
  if (!op) return e_.Unexpected(inst, "atomic operation not selected");
  Location location = LocationOf(id);
  location.uniform = false;
  const absl::Span<const mir::ValueId> values = m_.sources(id).subspan(mir::FirstValueSource(inst));
  isa::MessageFields message;
  message.message = isa::Message::kA64Atomic;
  message.bti = isa::kBtiStatelessNonCoherent;
  message.op = static_cast<uint8_t>(*op);
  message.returns = true;
  message.data64 = true;
  std::vector<Operand> payloads = {access_.AddressPayload(location)};
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
  access_.EmitMessage(kMsgAtomic, e_.Fields(Where::kLanes), message, {e_.Def(before, Type::kUD)},
                      payloads, location.surface);
  for (int half = 0; half < 2; ++half) {
    Operand part = Use(before, Type::kUD);
    part.sub = static_cast<uint8_t>(4 * half);
    e_.Set(m_.result(id, half), e_.Alu(Opcode::kMov, Type::kUD, Where::kLanes, {part}));
  }
  return absl::OkStatus();
}

absl::Status Memory::BufferAddress(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  uint32_t element = m_.resources[inst.imm0].element;
  if ((inst.flags & mir::kIndexed) != 0) {
    if (!m_.IsConstant(m_.source(id, 0))) {
      return e_.Refuse(inst, "int64_atomics", "atomic of 64 bits on a buffer chosen by value");
    }
    element += KnownElement(*abi_.device, m_.resources[inst.imm0], m_.value(m_.source(id, 0)).bits);
  }
  for (const Abi::BufferAddress& a : abi_.buffer_addresses) {
    if (a.resource != inst.imm0 || a.element != element) continue;
    e_.Set(m_.result(id, 0), launch_.PushDword(a.byte));
    e_.Set(m_.result(id, 1), launch_.PushDword(a.byte + 4));
    return absl::OkStatus();
  }
  // The index became constant only with the width, after the registers of addresses were assigned.
  if ((inst.flags & mir::kIndexed) != 0) {
    return e_.Refuse(inst, "int64_atomics", "atomic of 64 bits on a buffer chosen by value");
  }
  return e_.Unexpected(inst, "the buffer has no address");
}

// The sampler's resinfo of a raw buffer returns its size in bytes in component 0.
void Memory::BufferSize(mir::InstId id) {
  const SurfaceRef surface = descriptors_.BufferOf(id);
  lir::InstFields fields = e_.Fields(Where::kUniform);
  fields.width = 8;
  const lir::ValueId lod = e_.NewRegisters(1);
  e_.EmitRaw(Op(Opcode::kMov), fields, {e_.Def(lod, Type::kUD)}, {Imm(0, Type::kUD)});
  isa::MessageFields message;
  message.message = isa::Message::kResinfo;
  message.bti = static_cast<uint8_t>(surface.bti);
  const lir::ValueId info = e_.NewRegisters(1);  // one of the four components
  access_.EmitMessage(kSend, fields, message, {e_.Def(info, Type::kUD)},
                      {Use(lod, Type::kUD, 0, 8)}, surface);
  // The size is rounded up to dwords, plus the padding once more: its low two bits are the padding.
  const Operand told = Use(info, Type::kUD);
  const auto masked = [&](uint32_t mask) {
    return e_.Alu(Opcode::kAnd, Type::kUD, Where::kUniform, {told, Imm(mask, Type::kUD)});
  };
  Operand padding = masked(3);
  padding.mods = Operand::kNegate;
  e_.SetAnswer(m_.result(id),
               e_.Alu(Opcode::kAdd, Type::kUD, Where::kUniform, {padding, masked(~3u)}));
}

}  // namespace kiln::intel
