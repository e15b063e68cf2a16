// Emits messages to surfaces and to memory by address.
//
// Message layouts: core/intel/isa/messages.def. A payload of address and data is two register
// ranges, so data that lies together already needs no copies. 64-bit addresses take two GRFs per 8
// lanes. The address of a uniform location is the same in eight lanes, of which one or all are
// read.
#include "core/intel/select/surface_messages.h"

#include <algorithm>
#include <optional>

namespace kiln::intel {

// ---- by lanes

lir::ValueId SurfaceMessages::ReadLanes(const Location& location, const LoadPlan& plan,
                                        const Piece& piece) {
  const Operand address = AddressPayload(Moved(location, piece.byte), plan.uniform);
  // 8 lanes also by address (isa/ERRATA.md, 17).
  const lir::InstFields fields = plan.uniform ? e_.UniformFields(8) : e_.Fields(Where::kLanes);
  const int dwords = static_cast<int>(std::max(piece.bytes / 4, 1u));
  const lir::ValueId data = plan.uniform ? e_.NewRegisters(dwords) : e_.NewG(dwords);
  Emit(plan.op, fields, piece.message, {e_.Def(data, Type::kUD)}, {address}, location.surface);
  return data;
}

void SurfaceMessages::WriteLanes(const Location& location, const Piece& piece,
                                 absl::Span<const Operand> dwords) {
  const Operand address = AddressPayload(Moved(location, piece.byte), /*uniform=*/false);
  Emit(kMsgWrite, e_.Fields(Where::kLanes), piece.message, {}, {address, e_.Payload(dwords)},
       location.surface);
}

// Returns the location moved by some bytes.
Location SurfaceMessages::Moved(const Location& location, uint32_t bytes) {
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

Operand SurfaceMessages::AddressPayload(const Location& location, bool uniform) {
  if (!location.high) {
    return uniform ? e_.LanePart(location.offset, 8, 0) : e_.ToLanes(location.offset);
  }
  const Operand low = Retype(location.offset, Type::kUD), high = Retype(*location.high, Type::kUD);
  if (uniform) {
    const Operand same = e_.Def(e_.NewRegisters(2), Type::kUD);
    e_.EmitRaw(kSameAddress, e_.UniformFields(8), {same}, {low, high});
    return same;
  }
  const Operand addresses = Use(e_.NewG(1, 8), Type::kUD);
  conversions_.EmitPack(Where::kLanes, addresses, {low, high});
  return addresses;
}

// ---- blocks

lir::ValueId SurfaceMessages::ReadBlock(const SurfaceRef& surface, uint16_t op,
                                        const Block& block) {
  const Operand header = e_.Def(e_.NewRegisters(1), Type::kUD);
  if (block.in_owords && !IsImm(block.start)) {
    e_.EmitRaw(Op(Opcode::kShr), e_.UniformFields(8), {header}, {block.start, Imm(4, Type::kUD)});
  } else {
    const Operand start = block.in_owords ? Imm(block.start.id / 16, Type::kUD) : block.start;
    e_.EmitRaw(kHeader, e_.UniformFields(8), {header}, {start});
  }
  const int registers = block.message.owords / 2;
  const lir::ValueId data = e_.NewRegisters(registers);
  // 8 lanes for one register, 16 for several (isa/ERRATA.md, 15).
  const lir::InstFields fields = e_.UniformFields(registers == 1 ? 8 : 16);
  Emit(op, fields, block.message, {e_.Def(data, Type::kUD)}, {header}, surface);
  return data;
}

lir::ValueId SurfaceMessages::ConstantChunk(const Location& location, uint32_t chunk) {
  const auto same = [&](const CachedChunk& c) {
    return SameSurface(c.surface, location.surface) && c.chunk == chunk;
  };
  if (const CachedChunk* c = chunks_.Find(same)) return c->value;
  const Block block = BlockAt(location, Imm(chunk * 32, Type::kUD), 32);
  const lir::ValueId v = ReadBlock(location.surface, kSend, block);
  return chunks_.Add({location.surface, chunk, v}).value;
}

// ---- any message

void SurfaceMessages::Emit(uint16_t op, lir::InstFields fields, const isa::MessageFields& message,
                           absl::Span<const Operand> defs, std::vector<Operand> uses,
                           const SurfaceRef& surface) {
  Complete(op, message, surface, fields, uses);
  b_.Emit(op, fields, defs, uses);
}

void SurfaceMessages::Complete(uint16_t op, const isa::MessageFields& message,
                               const SurfaceRef& surface, lir::InstFields& fields,
                               std::vector<Operand>& uses) {
  if (surface.index) uses.push_back(*surface.index);
  if (surface.handle) uses.push_back(*surface.handle);
  fields.aux = AddMessage(f_, {message, surface.index.has_value(), surface.handle.has_value()});
  const bool writes = op == kMsgWrite || op == kMsgAtomic;
  const bool chosen = surface.chosen || message.bti == isa::kBtiStatelessNonCoherent;
  const std::optional<Operand> lanes =
      writes ? fragment_.LiveLanes() : lanes_.Guard(fields, chosen);
  if (!lanes) return;
  fields.predicate_mode = static_cast<uint8_t>(isa::PredCtrl::kNormal);
  uses.push_back(*lanes);
}

}  // namespace kiln::intel
