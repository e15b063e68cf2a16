// Selects reads of blocks of memory for all lanes at once.
#include "core/intel/select/blocks.h"

namespace kiln::intel {

// Returns the bytes between the possible start of a block and the first byte that is read.
uint32_t Blocks::SkippedBytes(const Location& location) const {
  return IsImm(location.offset) ? location.offset.id % BlockAlignment(location) : 0;
}

Operand Blocks::ConstantChunk(const Location& location, uint32_t chunk) {
  const auto same = [&](const CachedChunk& c) {
    return SameSurface(c.surface, location.surface) && c.chunk == chunk;
  };
  if (const CachedChunk* c = chunks_.Find(same)) return Use(c->value, Type::kUD);
  const lir::ValueId v = BlockRead(location, kSend, Imm(chunk * 32, Type::kUD), 2);
  chunks_.Add({location.surface, chunk, v});
  return Use(v, Type::kUD);
}

// Returns the alignment that a block's offset needs. Shared memory has no message for blocks that
// begin at any dword (Mesa reads it by aligned ones as well).
uint32_t Blocks::BlockAlignment(const Location& location) {
  return location.surface.bti == kSharedMemorySurface ? 16 : 4;
}

// Reads a block. Messages for aligned blocks count in owords.
lir::ValueId Blocks::BlockRead(const Location& location, uint16_t op, Operand offset, int owords) {
  using isa::Message;
  const uint8_t size = owords <= 2 ? 2 : owords <= 4 ? 4 : 8;
  const bool aligned = BlockAlignment(location) == 16;
  const lir::ValueId header = e_.NewRegisters(1);
  lir::InstFields fields = e_.Fields(Where::kUniform);
  fields.width = 8;
  if (aligned && !IsImm(offset)) {
    e_.EmitRaw(Op(Opcode::kShr), fields, {e_.Def(header, Type::kUD)}, {offset, Imm(4, Type::kUD)});
  } else {
    const Operand start = aligned ? Imm(offset.id / 16, Type::kUD) : offset;
    e_.EmitRaw(kHeader, fields, {e_.Def(header, Type::kUD)}, {start});
  }
  const lir::ValueId data = e_.NewRegisters(size / 2);
  isa::MessageFields message;
  if (location.constant_cache) {
    message.message = aligned ? Message::kConstBlockRead : Message::kConstBlockReadUnaligned;
  } else {
    message.message = aligned ? Message::kBlockRead : Message::kBlockReadUnaligned;
  }
  message.header = true;
  message.bti = static_cast<uint8_t>(location.surface.bti);
  message.owords = size;
  fields.width = size == 2 ? 8 : 16;  // 8 for one register, 16 for several (isa/ERRATA.md, 15)
  access_.EmitMessage(op, fields, message, {e_.Def(data, Type::kUD)},
                      {Use(header, Type::kUD, 0, 8)}, location.surface);
  return data;
}

}  // namespace kiln::intel
