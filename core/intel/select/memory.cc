// Loads, stores and atomics of MIR: which way each goes to memory. The messages by lanes are in
// access.cc; here are blocks for uniform reads, push constants, atomics, fences.
//
// A payload of address and data goes out as two register ranges, so data that
// lies together already needs no copies.
#include "core/intel/select/selector.h"

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

// Addition is none of the features that the pipeline states (mid/features.h).
std::optional<isa::AtomicFloatOp> FloatAtomicOpOf(mir::AtomicOp op) {
  switch (op) {
    case mir::AtomicOp::kFmax:
      return isa::AtomicFloatOp::kMax;
    case mir::AtomicOp::kFmin:
      return isa::AtomicFloatOp::kMin;
    default:
      return std::nullopt;
  }
}

// The hardware's code of the operation, integer or float.
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
  return op == mir::Op::kLoadShared || op == mir::Op::kStoreShared ||
         op == mir::Op::kSharedAtomic;
}

}  // namespace

std::optional<isa::AtomicOp> AtomicOpOf(mir::AtomicOp op) {
  switch (op) {
    case mir::AtomicOp::kAnd:
      return isa::AtomicOp::kAnd;
    case mir::AtomicOp::kOr:
      return isa::AtomicOp::kOr;
    case mir::AtomicOp::kXor:
      return isa::AtomicOp::kXor;
    case mir::AtomicOp::kExchange:
      return isa::AtomicOp::kExchange;
    case mir::AtomicOp::kIncrement:
      return isa::AtomicOp::kIncrement;
    case mir::AtomicOp::kDecrement:
      return isa::AtomicOp::kDecrement;
    case mir::AtomicOp::kAdd:
      return isa::AtomicOp::kAdd;
    case mir::AtomicOp::kSub:
      return isa::AtomicOp::kSub;
    case mir::AtomicOp::kSmax:
      return isa::AtomicOp::kSMax;
    case mir::AtomicOp::kSmin:
      return isa::AtomicOp::kSMin;
    case mir::AtomicOp::kUmax:
      return isa::AtomicOp::kUMax;
    case mir::AtomicOp::kUmin:
      return isa::AtomicOp::kUMin;
    case mir::AtomicOp::kCompareExchange:
      return isa::AtomicOp::kCompareExchange;
    default:
      return std::nullopt;
  }
}

Operand Selector::LaneValue(mir::ValueId v) {
  return ToLanes(m_.value(v).type == mir::Type::kBool ? StoredBool(v)
                                                      : Src(v, IntType(v, false)));
}

// One operand for consecutive components: themselves if they are such already.
Operand Selector::Payload(absl::Span<const Operand> parts) {
  const auto comps = static_cast<uint16_t>(parts.size());
  if (comps == 1) return parts[0];
  bool together = true;
  for (size_t i = 1; i < parts.size(); ++i) {
    together = together && parts[i].id == parts[0].id && parts[i].comp == parts[0].comp + i;
  }
  if (together) {
    Operand all = parts[0];
    all.comps = comps;
    return all;
  }
  const lir::ValueId v = NewG(comps);
  const Operand def = Def(v, Type::kUD);
  lir::InstFields fields = Fields(Where::kLanes);
  b_.Emit(kCollect, fields, absl::Span<const Operand>(&def, 1), parts);
  return def;
}

Operand Selector::Offset(Operand base, uint32_t bytes, Where where) {
  if (bytes == 0) return base;
  if (IsImm(base)) return Imm(base.id + bytes, Type::kUD);
  return Alu(Opcode::kAdd, Type::kD, where, {Retype(base, Type::kD), Imm(bytes, Type::kD)});
}

void Selector::EmitMessage(uint16_t op, const lir::InstFields& fields,
                           const isa::MessageFields& message, absl::Span<const Operand> defs,
                           std::vector<Operand> uses, const SurfaceRef& surface) {
  if (surface.index) uses.push_back(*surface.index);
  if (surface.handle) uses.push_back(*surface.handle);
  lir::InstFields all = fields;
  all.aux = AddMessage(f_, {message, surface.index.has_value(), surface.handle.has_value()});
  const bool address = message.bti == isa::kBtiStatelessNonCoherent;
  if (const std::optional<Operand> guard = Guard(fields, address || surface.chosen)) {
    all.predicate_mode = static_cast<uint8_t>(isa::PredCtrl::kNormal);
    uses.push_back(*guard);
  }
  b_.Emit(op, all, defs, uses);
}

// Where a load, store or atomic by lanes goes.
Selector::Place Selector::PlaceOf(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  Place place;
  const int offset = mir::OffsetSource(inst);
  place.offset = Src(m_.source(id, offset), Type::kUD);
  if (IsGlobal(inst.op)) {
    place.high = Src(m_.source(id, offset + 1), Type::kUD);
  } else if (IsShared(inst.op)) {
    place.surface.bti = kSharedMemorySurface;
  } else {
    place.surface = BufferOf(id);
  }
  const bool atomic = inst.op == mir::Op::kSsboAtomic || inst.op == mir::Op::kSharedAtomic ||
                      inst.op == mir::Op::kGlobalAtomic;
  place.alignment = atomic ? 4 : AlignmentOf(id);
  place.uniform = inst.num_results != 0 && IsUniform(m_.result(id));
  return place;
}

absl::Status Selector::VisitLoad(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  if (inst.num_results == 0) return absl::OkStatus();
  Place place;
  switch (inst.op) {
    case mir::Op::kLoadPrivate: LoadPrivate(id); return absl::OkStatus();
    case mir::Op::kLoadGlobal:
      LoadElements(id, PlaceOf(id));
      return absl::OkStatus();
    case mir::Op::kLoadShared:
    case mir::Op::kLoadSsbo:
      place = PlaceOf(id);
      place.constant_cache = false;
      break;
    case mir::Op::kLoadPush:
      // What the dispatch width has made constant was not when push registers were assigned.
      if (m_.IsConstant(m_.source(id, 0)) && (!abi_.push_surface || IsInPushRegisters(id))) {
        LoadPush(id);
        return absl::OkStatus();
      }
      place.surface.bti = *abi_.push_surface;
      break;
    case mir::Op::kLoadConstant: place.surface.bti = *abi_.constant_surface; break;
    default: place.surface = BufferOf(id); break;
  }
  place.offset = Src(m_.source(id, mir::OffsetSource(inst)), Type::kUD);
  place.alignment = AlignmentOf(id);
  place.uniform = IsUniform(m_.result(id)) && !IsCopied(id);
  constexpr uint32_t kLongestBlock = 128;
  const bool block = place.alignment >= BlockAlignment(place) || IsImm(place.offset);
  if (place.uniform && block &&
      SkippedBytes(place) + ElementBytes(m_.result(id)) * inst.num_results <= kLongestBlock) {
    LoadBlock(id, place);
  } else {
    LoadElements(id, place);
  }
  return absl::OkStatus();
}

// Does everything that is read go into stores as it is? Then each lane reads its own: what comes back is
// a payload, and nothing is copied from one lane to all.
bool Selector::IsCopied(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  constexpr int kMostDwords = 4;   // of one message
  if ((inst.op != mir::Op::kLoadSsbo && inst.op != mir::Op::kLoadShared) ||
      inst.num_results > kMostDwords || ElementBytes(m_.result(id)) != 4) {
    return false;
  }
  if (!uses_) uses_.emplace(m_);
  for (int i = 0; i < inst.num_results; ++i) {
    const absl::Span<const mir::Use> uses = uses_->Of(m_.result(id, i));
    if (uses.size() != 1) return false;
    const mir::Inst& user = m_.inst(uses[0].inst);
    const bool store = user.op == mir::Op::kStoreSsbo || user.op == mir::Op::kStoreShared ||
                       user.op == mir::Op::kStoreGlobal;
    if (!store || uses[0].source < static_cast<uint32_t>(mir::FirstValueSource(user)) ||
        (i != 0 && uses[0].inst != uses_->Of(m_.result(id))[0].inst)) {
      return false;
    }
  }
  return true;
}

bool Selector::IsInPushRegisters(mir::InstId id) const {
  const uint64_t bytes = uint64_t{ElementBytes(m_.result(id))} * m_.inst(id).num_results;
  return m_.value(m_.source(id, 0)).bits + bytes <= abi_.client_bytes;
}

void Selector::LoadPush(mir::InstId id) {
  const auto offset = static_cast<uint32_t>(m_.value(m_.source(id, 0)).bits);
  const uint32_t element = ElementBytes(m_.result(id));
  for (int i = 0; i < m_.inst(id).num_results; ++i) {
    const uint32_t byte = offset + element * static_cast<uint32_t>(i);
    if (byte + element > abi_.client_bytes) {
      Set(m_.result(id, i), Imm(0, Type::kUD));  // past the declared block: robust access reads 0
    } else {
      const Operand dword = PushDword(byte & ~3u);
      Set(m_.result(id, i), ElementAt(dword.value(), 4u * dword.comp + byte % 4, element, 1));
    }
  }
}

// From where a block may begin to what is read of it.
uint32_t Selector::SkippedBytes(const Place& place) const {
  return IsImm(place.offset) ? place.offset.id % BlockAlignment(place) : 0;
}

// Buffers at a uniform offset, into U. Of memory that does not change while the program runs, reads
// of 32 aligned bytes at a known offset are kept for what lies beside it. A block may go beyond the
// end of a buffer: bounds hold for each dword (Mesa reads the last dword of a storage buffer so).
void Selector::LoadBlock(mir::InstId id, const Place& place) {
  const Operand offset = place.offset;
  const uint16_t op = mid::IsPure(m_, id) ? kSend : kMsgRead;
  const int count = m_.inst(id).num_results;
  const uint32_t element = ElementBytes(m_.result(id));
  if (IsImm(offset) && op == kSend) {
    for (int i = 0; i < count; ++i) {
      const uint32_t byte = offset.id + element * static_cast<uint32_t>(i);
      const Operand chunk = ConstantChunk(place, byte / 32);
      Set(m_.result(id, i), ElementAt(chunk.value(), byte % 32, element, 1));
    }
    return;
  }
  const uint32_t skip = SkippedBytes(place);
  const uint32_t bytes = skip + element * static_cast<uint32_t>(count);
  const Operand start = IsImm(offset) ? Imm(offset.id - skip, Type::kUD) : offset;
  const lir::ValueId all = BlockRead(place, op, start, static_cast<int>((bytes + 15) / 16));
  for (int i = 0; i < count; ++i) {
    Set(m_.result(id, i), ElementAt(all, skip + element * static_cast<uint32_t>(i), element, 1));
  }
}

Operand Selector::ConstantChunk(const Place& place, uint32_t chunk) {
  for (const CachedChunk& c : chunks_) {
    if (SameSurface(c.surface, place.surface) && c.chunk == chunk) return Use(c.value, Type::kUD);
  }
  const lir::ValueId v = BlockRead(place, kSend, Imm(chunk * 32, Type::kUD), 2);
  chunks_.push_back({place.surface, chunk, v});
  return Use(v, Type::kUD);
}

// Of the offset of a block. Shared memory has no message for blocks that begin at any dword (Mesa
// reads it by aligned ones as well).
uint32_t Selector::BlockAlignment(const Place& place) {
  return place.surface.bti == kSharedMemorySurface ? 16 : 4;
}

// Messages for aligned blocks count in owords.
lir::ValueId Selector::BlockRead(const Place& place, uint16_t op, Operand offset, int owords) {
  using isa::Message;
  const uint8_t size = owords <= 2 ? 2 : owords <= 4 ? 4 : 8;
  const bool aligned = BlockAlignment(place) == 16;
  const lir::ValueId header = NewRegisters(1);
  lir::InstFields fields = Fields(Where::kUniform);
  fields.width = 8;
  if (aligned && !IsImm(offset)) {
    EmitRaw(Op(Opcode::kShr), fields, {Def(header, Type::kUD)}, {offset, Imm(4, Type::kUD)});
  } else {
    const Operand start = aligned ? Imm(offset.id / 16, Type::kUD) : offset;
    EmitRaw(kHeader, fields, {Def(header, Type::kUD)}, {start});
  }
  const lir::ValueId data = NewRegisters(size / 2);
  isa::MessageFields message;
  if (place.constant_cache) {
    message.message = aligned ? Message::kConstBlockRead : Message::kConstBlockReadUnaligned;
  } else {
    message.message = aligned ? Message::kBlockRead : Message::kBlockReadUnaligned;
  }
  message.header = true;
  message.bti = static_cast<uint8_t>(place.surface.bti);
  message.owords = size;
  fields.width = size == 2 ? 8 : 16;  // for one register, for several (isa/ERRATA.md, 15)
  EmitMessage(op, fields, message, {Def(data, Type::kUD)}, {Use(header, Type::kUD, 0, 8)},
              place.surface);
  return data;
}

absl::Status Selector::VisitStore(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  if (inst.op == mir::Op::kStorePrivate) {
    StorePrivate(id);
    return absl::OkStatus();
  }
  StoreElements(PlaceOf(id), m_.sources(id).subspan(mir::FirstValueSource(inst)));
  return absl::OkStatus();
}

absl::Status Selector::VisitAtomic(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const auto op = static_cast<mir::AtomicOp>(inst.imm1);
  const Place place = PlaceOf(id);
  const absl::Span<const mir::ValueId> values =
      m_.sources(id).subspan(mir::FirstValueSource(inst));
  if (op == mir::AtomicOp::kLoad) {
    LoadElements(id, place);
    return absl::OkStatus();
  }
  if (op == mir::AtomicOp::kStore) {
    StoreElements(place, values);
    return absl::OkStatus();
  }
  const std::optional<uint8_t> code = AtomicCode(op);
  if (!code || BitsOf(m_.result(id)) != 32) {
    return Unexpected(inst, "atomic operation not selected");
  }
  lir::InstFields fields = Fields(Where::kLanes);
  isa::MessageFields message;
  message.message = AtomicMessage(place.high.has_value(), mir::IsFloatAtomic(op));
  message.bti =
      place.high ? isa::kBtiStatelessNonCoherent : static_cast<uint8_t>(place.surface.bti);
  message.lanes = std::min(MessageLanes(), isa::Info(message.message).most_lanes);
  message.op = *code;
  message.returns = true;
  const Operand address = AddressPayload(place);
  const lir::ValueId before = NewG();
  std::vector<Operand> parts;
  for (mir::ValueId v : values) parts.push_back(LaneValue(v));
  const Operand def = Def(before, Type::kUD);
  if (parts.empty() || op == mir::AtomicOp::kIncrement || op == mir::AtomicOp::kDecrement) {
    EmitMessage(kMsgAtomic, fields, message, {def}, {address}, place.surface);
  } else if (parts.size() == 2 && place.high && width_ > 8) {
    // Each half of the lanes has both operands together.
    const Operand both = Use(NewG(1, 8), Type::kUD);
    EmitRaw(kInterleave, Fields(Where::kLanes), {both}, {parts[0], parts[1]});
    EmitMessage(kMsgAtomic, fields, message, {def}, {address, both}, place.surface);
  } else {
    EmitMessage(kMsgAtomic, fields, message, {def}, {address, Payload(parts)}, place.surface);
  }
  Set(m_.result(id), Use(before, Type::kUD));
  return absl::OkStatus();
}

// On 64 bits, by address (PRM, "A64 Untyped Atomic Integer": the only form that has them). Operands
// and result are qwords of 8 lanes; wider threads send 8 lanes at a time, for which each part of the
// payload has both operands of a compare-exchange one after the other.
absl::Status Selector::VisitWideAtomic(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const std::optional<isa::AtomicOp> op = AtomicOpOf(static_cast<mir::AtomicOp>(inst.imm1));
  if (!op) return Unexpected(inst, "atomic operation not selected");
  Place place = PlaceOf(id);
  place.uniform = false;
  const absl::Span<const mir::ValueId> values =
      m_.sources(id).subspan(mir::FirstValueSource(inst));
  isa::MessageFields message;
  message.message = isa::Message::kA64Atomic;
  message.bti = isa::kBtiStatelessNonCoherent;
  message.op = static_cast<uint8_t>(*op);
  message.returns = true;
  message.data64 = true;
  std::vector<Operand> payloads = {AddressPayload(place)};
  std::vector<Operand> operands;
  for (size_t i = 0; i < values.size(); i += 2) {
    operands.push_back(Use(NewG(1, 8), Type::kUD));
    const Operand halves[] = {Src(values[i], Type::kUD), Src(values[i + 1], Type::kUD)};
    EmitPack(Where::kLanes, operands.back(), halves);
  }
  if (operands.size() == 1) payloads.push_back(operands[0]);
  if (operands.size() == 2) {
    payloads.push_back(Def(NewG(2, 8), Type::kUD));
    EmitRaw(kInterleave, Fields(Where::kLanes), {payloads.back()}, {operands[0], operands[1]});
  }
  const lir::ValueId before = NewG(1, 8);
  EmitMessage(kMsgAtomic, Fields(Where::kLanes), message, {Def(before, Type::kUD)}, payloads,
              place.surface);
  for (int half = 0; half < 2; ++half) {
    Operand part = Use(before, Type::kUD);
    part.sub = static_cast<uint8_t>(4 * half);
    Set(m_.result(id, half), Alu(Opcode::kMov, Type::kUD, Where::kLanes, {part}));
  }
  return absl::OkStatus();
}

absl::Status Selector::BufferAddress(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  uint32_t element = m_.resources[inst.imm0].element;
  if ((inst.flags & mir::kIndexed) != 0) {
    if (!m_.IsConstant(m_.source(id, 0))) {
      return Refuse(inst, "int64_atomics", "64-bit atomics on a buffer chosen by value");
    }
    element += KnownElement(*abi_.device, m_.resources[inst.imm0], m_.value(m_.source(id, 0)).bits);
  }
  for (const Abi::BufferAddress& a : abi_.buffer_addresses) {
    if (a.resource != inst.imm0 || a.element != element) continue;
    Set(m_.result(id, 0), PushDword(a.byte));
    Set(m_.result(id, 1), PushDword(a.byte + 4));
    return absl::OkStatus();
  }
  // The index became constant only with the width, when the registers of addresses were assigned.
  if ((inst.flags & mir::kIndexed) != 0) {
    return Refuse(inst, "int64_atomics", "64-bit atomics on a buffer chosen by value");
  }
  return Unexpected(inst, "the buffer's address was not assigned");
}

void Selector::Fence(uint8_t surface) {
  lir::InstFields fields = Fields(Where::kUniform);
  isa::MessageFields message;
  message.message = isa::Message::kMemoryFence;
  message.header = true;
  message.bti = surface;
  message.commit = true;  // the fence answers when it is done
  fields.aux = AddMessage(f_, {message});
  EmitRaw(kFence, fields, {Def(NewRegisters(1), Type::kUD)}, {Use(r0_, Type::kUD, 0, 8)});
}

// Orders memory of these classes (mir::MemoryClass) for the scope. A thread sees its own messages
// in order, so that only others are fenced for.
void Selector::MemoryBarrier(uint32_t classes, mir::Scope scope) {
  const bool alone = at_width_.threads_per_group == 1;
  if (scope == mir::Scope::kSubgroup || (alone && scope == mir::Scope::kWorkgroup)) return;
  if ((classes & mir::kMemoryShared) && abi_.writes_shared && !alone) Fence(isa::kBtiSlm);
  // Typed surfaces are in the same data port.
  if ((classes & (mir::kMemoryBuffer | mir::kMemoryImage)) && abi_.writes_buffers) Fence(0);
}

// Memory first: what lanes wrote before the barrier must be seen behind it. The lanes of a thread
// have nobody to wait for.
void Selector::ControlBarrier(const mir::Inst& barrier) {
  const auto scope = static_cast<mir::Scope>(barrier.imm1);
  if (scope == mir::Scope::kSubgroup || at_width_.threads_per_group == 1) return;
  MemoryBarrier(barrier.imm0, scope);
  EmitRaw(kBarrier, Fields(Where::kUniform), {Def(NewRegisters(1), Type::kUD)},
          {Use(r0_, Type::kUD, 0, 8)});
}

// The sampler's resinfo of a raw buffer answers its size in bytes in component 0.
void Selector::BufferSize(mir::InstId id) {
  const SurfaceRef surface = BufferOf(id);
  lir::InstFields fields = Fields(Where::kUniform);
  fields.width = 8;
  const lir::ValueId lod = NewRegisters(1);
  EmitRaw(Op(Opcode::kMov), fields, {Def(lod, Type::kUD)}, {Imm(0, Type::kUD)});
  isa::MessageFields message;
  message.message = isa::Message::kResinfo;
  message.bti = static_cast<uint8_t>(surface.bti);
  const lir::ValueId info = NewRegisters(1);  // of the four components
  EmitMessage(kSend, fields, message, {Def(info, Type::kUD)}, {Use(lod, Type::kUD, 0, 8)}, surface);
  // Rounded up to dwords, and as much again: the low two bits are the padding.
  const Operand told = Use(info, Type::kUD);
  const auto masked = [&](uint32_t mask) {
    return Alu(Opcode::kAnd, Type::kUD, Where::kUniform, {told, Imm(mask, Type::kUD)});
  };
  Operand padding = masked(3);
  padding.mods = Operand::kNegate;
  SetAnswer(m_.result(id), Alu(Opcode::kAdd, Type::kUD, Where::kUniform, {padding, masked(~3u)}));
}

}  // namespace kiln::intel
