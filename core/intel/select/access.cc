// Reads and writes of memory by lanes: a surface and a byte offset per lane, or a 64-bit address.
//
// Problem: elements have 1, 2 or 4 bytes and are at offsets with a known alignment; messages
// transfer up to 4 aligned dwords per lane (untyped), or one byte or word (byte scattered), each in
// a dword of its own. An access is cut into pieces, each as long as its alignment allows. Elements
// of a dword that was read are words and bytes of it, which costs nothing; elements to be written
// are packed by a move each.
//
// Message layouts: core/intel/isa/messages.def. 64-bit addresses take two GRFs per 8 lanes; their
// atomics take 8 lanes only. At a uniform location one lane or eight equal ones are read and the
// first is used, so that the result needs one GRF per dword at any width.
#include <algorithm>

#include "core/intel/select/access.h"
#include "core/mid/analysis/alias.h"
#include "core/mid/analysis/known_bits.h"

namespace kiln::intel {

std::optional<isa::AtomicOp> AtomicOpOf(mir::AtomicOp op) {
  switch (op) {
    case mir::AtomicOp::kAnd: return isa::AtomicOp::kAnd;
    case mir::AtomicOp::kOr: return isa::AtomicOp::kOr;
    case mir::AtomicOp::kXor: return isa::AtomicOp::kXor;
    case mir::AtomicOp::kExchange: return isa::AtomicOp::kExchange;
    case mir::AtomicOp::kIncrement: return isa::AtomicOp::kIncrement;
    case mir::AtomicOp::kDecrement: return isa::AtomicOp::kDecrement;
    case mir::AtomicOp::kAdd: return isa::AtomicOp::kAdd;
    case mir::AtomicOp::kSub: return isa::AtomicOp::kSub;
    case mir::AtomicOp::kSmax: return isa::AtomicOp::kSMax;
    case mir::AtomicOp::kSmin: return isa::AtomicOp::kSMin;
    case mir::AtomicOp::kUmax: return isa::AtomicOp::kUMax;
    case mir::AtomicOp::kUmin: return isa::AtomicOp::kUMin;
    case mir::AtomicOp::kCompareExchange: return isa::AtomicOp::kCompareExchange;
    default: return std::nullopt;
  }
}

std::vector<Access::Piece> Access::CutIntoPieces(uint32_t bytes, uint32_t element,
                                                 uint32_t alignment) {
  std::vector<Piece> pieces;
  for (uint32_t at = 0; at < bytes; at += pieces.back().bytes) {
    const uint32_t dwords = (bytes - at) / 4;
    const bool aligned = alignment >= 4 && at % 4 == 0 && dwords != 0;
    pieces.push_back({at, aligned ? 4 * std::min(4u, dwords) : element});
  }
  return pieces;
}

uint32_t Access::ElementBytes(mir::ValueId v) const { return e_.BitsOf(v) / 8; }

// Returns the known alignment of the offset, or address, of a load or store.
uint32_t Access::AlignmentOf(mir::InstId id) const {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId offset = m_.source(id, mir::OffsetSource(inst));
  constexpr uint32_t kLargest = 16;  // larger ones have no use here
  const uint32_t zeros = ~mid::KnownZeros(m_, offset) | kLargest;
  const uint32_t known = zeros & (0u - zeros);
  return m_.IsConstant(offset) ? known : std::max(known, inst.imm1);
}

Operand Access::ElementAt(lir::ValueId data, uint32_t byte, uint32_t element,
                          int dword_stride) const {
  const Type t = element == 1 ? Type::kUB : element == 2 ? Type::kUW : Type::kUD;
  Operand o = Use(data, t, static_cast<int>(byte / 4) * dword_stride);
  o.sub = static_cast<uint8_t>(byte % 4);
  return o;
}

// Returns the location moved by some bytes.
Location Access::Moved(const Location& location, uint32_t bytes) {
  if (bytes == 0) return location;
  Location moved = location;
  const auto per_lane = [&](const Operand& o) { return IsValue(o) && e_.FileOf(o) == kFileG; };
  const bool lanes = per_lane(location.offset) || (location.high && per_lane(*location.high));
  const Where where = lanes ? Where::kLanes : Where::kUniform;
  moved.offset = e_.Offset(location.offset, bytes, where);
  if (location.high && location.alignment <= bytes) {  // else no carry
    const Operand carry = e_.CompareStored(where, CondMod::kL, Type::kUD,
                                           Retype(moved.offset, Type::kUD), Imm(bytes, Type::kUD));
    Operand minus = carry;
    minus.mods = Operand::kNegate;
    moved.high = e_.Alu(Opcode::kAdd, Type::kD, where, {minus, Retype(*location.high, Type::kD)});
  }
  return moved;
}

// Returns the payload of addresses.
Operand Access::AddressPayload(const Location& location) {
  if (!location.high) {
    if (!location.uniform) return e_.ToLanes(location.offset);
    const lir::ValueId all = e_.NewRegisters(1);
    lir::InstFields fields = e_.Fields(Where::kUniform);
    fields.width = 8;
    e_.EmitRaw(Op(Opcode::kMov), fields, {e_.Def(all, Type::kUD)}, {location.offset});
    return Use(all, Type::kUD, 0, 8);
  }
  const Operand low = Retype(location.offset, Type::kUD), high = Retype(*location.high, Type::kUD);
  if (location.uniform) {
    const lir::ValueId same = e_.NewRegisters(2);
    lir::InstFields fields = e_.Fields(Where::kUniform);
    fields.width = 8;
    e_.EmitRaw(kSameAddress, fields, {e_.Def(same, Type::kUD)}, {low, high});
    return Use(same, Type::kUD, 0, 16);
  }
  const Operand addresses = Use(e_.NewG(1, 8), Type::kUD);
  conversions_.EmitPack(Where::kLanes, addresses, {low, high});
  return addresses;
}

// 32 lanes go out as two messages of 16 (halve_messages).
uint8_t Access::MessageLanes() const { return static_cast<uint8_t>(std::min(width_, 16)); }

isa::MessageFields Access::AccessMessage(const Location& location, uint32_t bytes,
                                         bool write) const {
  using isa::Message;
  const bool dwords = bytes >= 4, address = location.high.has_value();
  isa::MessageFields f;
  if (dwords) {
    f.message = address ? (write ? Message::kA64UntypedWrite : Message::kA64UntypedRead)
                        : (write ? Message::kUntypedWrite : Message::kUntypedRead);
    f.channels = static_cast<uint8_t>((1u << bytes / 4) - 1);
  } else {
    f.message = address ? (write ? Message::kA64ScatteredWrite : Message::kA64ScatteredRead)
                        : (write ? Message::kByteScatteredWrite : Message::kByteScatteredRead);
    f.element_bytes = static_cast<uint8_t>(bytes);
  }
  f.bti = address ? isa::kBtiStatelessNonCoherent : static_cast<uint8_t>(location.surface.bti);
  f.lanes = location.uniform ? 8 : MessageLanes();
  return f;
}

// Reads a piece. Component i (in the uniform form: 8 * i) is dword i.
lir::ValueId Access::Read(const Location& location, const Piece& piece, uint16_t op) {
  const Operand address = AddressPayload(Moved(location, piece.byte));
  lir::InstFields fields = e_.Fields(location.uniform ? Where::kUniform : Where::kLanes);
  if (location.uniform) fields.width = 8;  // also by address (isa/ERRATA.md, 17)
  const int dwords = static_cast<int>(std::max(piece.bytes / 4, 1u));
  const lir::ValueId data = location.uniform ? e_.NewRegisters(dwords) : e_.NewG(dwords);
  EmitMessage(op, fields, AccessMessage(location, piece.bytes, /*write=*/false),
              {e_.Def(data, Type::kUD)}, {address}, location.surface);
  return data;
}

void Access::LoadElements(mir::InstId id, const Location& location) {
  const mir::Inst& inst = m_.inst(id);
  if (inst.num_results == 0) return;
  const uint32_t element = ElementBytes(m_.result(id));
  // Atomic loads come here too: those of one location must keep their order.
  const bool is_load = inst.op == mir::Op::kLoadSsbo || inst.op == mir::Op::kLoadShared ||
                       inst.op == mir::Op::kLoadGlobal || mid::IsPure(m_, id);
  const uint16_t op = (inst.flags & mir::kVolatile) != 0 ? kMsgVolatileRead
                      : !is_load                         ? kMsgOrderedRead
                      : mid::IsPure(m_, id)              ? kSend
                                                         : kMsgRead;
  for (const Piece& piece :
       CutIntoPieces(element * inst.num_results, element, location.alignment)) {
    const lir::ValueId data = Read(location, piece, op);
    for (uint32_t byte = 0; byte < piece.bytes; byte += element) {
      e_.Set(m_.result(id, static_cast<int>((piece.byte + byte) / element)),
             ElementAt(data, byte, element, location.uniform ? 8 : 1));
    }
  }
}

// Returns the dword of the values from `first` on, in each lane; a single value is its low part.
Operand Access::LaneDword(absl::Span<const mir::ValueId> values) {
  if (values.size() == 1) return LaneValue(values[0]);
  std::vector<Operand> parts;
  for (mir::ValueId v : values) {
    parts.push_back(values.size() == 2 ? conversions_.WordPart(v) : e_.Src(v, Type::kUB));
  }
  return e_.ToLanes(conversions_.Packed(Where::kLanes, std::move(parts)));
}

void Access::StoreElements(const Location& location, absl::Span<const mir::ValueId> values) {
  const uint32_t element = ElementBytes(values[0]);
  for (const Piece& piece :
       CutIntoPieces(static_cast<uint32_t>(element * values.size()), element, location.alignment)) {
    std::vector<Operand> dwords;
    const uint32_t step = std::min(piece.bytes, 4u);
    for (uint32_t byte = 0; byte < piece.bytes; byte += step) {
      dwords.push_back(LaneDword(values.subspan((piece.byte + byte) / element, step / element)));
    }
    const Operand address = AddressPayload(Moved(location, piece.byte));
    const lir::InstFields fields = e_.Fields(Where::kLanes);
    EmitMessage(kMsgWrite, fields, AccessMessage(location, piece.bytes, /*write=*/true), {},
                {address, e_.Payload(dwords)}, location.surface);
  }
}

Operand Access::LaneValue(mir::ValueId v) {
  return e_.ToLanes(m_.value(v).type == mir::Type::kBool ? bools_.StoredBool(v)
                                                         : e_.Src(v, e_.IntType(v, false)));
}

void Access::EmitMessage(uint16_t op, const lir::InstFields& fields,
                         const isa::MessageFields& message, absl::Span<const Operand> defs,
                         std::vector<Operand> uses, const SurfaceRef& surface) {
  if (surface.index) uses.push_back(*surface.index);
  if (surface.handle) uses.push_back(*surface.handle);
  lir::InstFields all = fields;
  all.aux = AddMessage(f_, {message, surface.index.has_value(), surface.handle.has_value()});
  if (op == kMsgWrite || op == kMsgAtomic) {
    if (const std::optional<Operand> live = fragment_.LiveLanes()) {
      all.predicate_mode = static_cast<uint8_t>(isa::PredCtrl::kNormal);
      uses.push_back(*live);
    }
    b_.Emit(op, all, defs, uses);
    return;
  }
  const bool address = message.bti == isa::kBtiStatelessNonCoherent;
  if (const std::optional<Operand> guard = lanes_.Guard(fields, address || surface.chosen)) {
    all.predicate_mode = static_cast<uint8_t>(isa::PredCtrl::kNormal);
    uses.push_back(*guard);
  }
  b_.Emit(op, all, defs, uses);
}

}  // namespace kiln::intel
