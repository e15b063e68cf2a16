// Selects reads of blocks of memory for all lanes at once.
#include "core/intel/select/blocks.h"

namespace kiln::intel {

// Returns the bytes between the possible start of a block and the first byte that is read.
uint32_t Blocks::SkippedBytes(const Place& place) const {
  return IsImm(place.offset) ? place.offset.id % BlockAlignment(place) : 0;
}

Operand Blocks::ConstantChunk(const Place& place, uint32_t chunk) {
  const auto same = [&](const CachedChunk& c) {
    return SameSurface(c.surface, place.surface) && c.chunk == chunk;
  };
  if (const CachedChunk* c = chunks_.Find(same)) return Use(c->value, Type::kUD);
  const lir::ValueId v = BlockRead(place, kSend, Imm(chunk * 32, Type::kUD), 2);
  chunks_.Add({place.surface, chunk, v});
  return Use(v, Type::kUD);
}

// Returns the alignment that a block's offset needs. Shared memory has no message for blocks that
// begin at any dword (Mesa reads it by aligned ones as well).
uint32_t Blocks::BlockAlignment(const Place& place) {
  return place.surface.bti == kSharedMemorySurface ? 16 : 4;
}

// Reads a block. Messages for aligned blocks count in owords.
lir::ValueId Blocks::BlockRead(const Place& place, uint16_t op, Operand offset, int owords) {
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
  fields.width = size == 2 ? 8 : 16;  // 8 for one register, 16 for several (isa/ERRATA.md, 15)
  access_.EmitMessage(op, fields, message, {Def(data, Type::kUD)}, {Use(header, Type::kUD, 0, 8)},
                      place.surface);
  return data;
}

}  // namespace kiln::intel
