// Selects loads and stores of memory.
//
// The value of a load is in registers already (push constants), or descriptors.h says where the
// memory is, access.h decides by which messages it is read, and surface_messages.h emits these.
#include "core/intel/select/memory.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kiln::intel {

void Memory::VisitLoad(mir::InstId id) {
  if (m_.inst(id).num_results == 0) return;
  if (IsPushed(id)) {
    LoadPush(id);
    return;
  }
  const Location location = descriptors_.LocationOf(id);
  const LoadPlan plan = PlanLoad(e_, id, location);
  if (!plan.block) {
    LoadLanes(id, location, plan);
  } else if (IsImm(location.offset) && plan.op == kSend) {
    LoadKnown(id, location, plan.element);
  } else {
    LoadBlock(id, location, plan);
  }
}

// Loads by lanes. A load at a uniform location reads into U.
void Memory::LoadLanes(mir::InstId id, const Location& location, const LoadPlan& plan) {
  for (const Piece& piece : plan.pieces) {
    const lir::ValueId data = messages_.ReadLanes(location, plan, piece);
    for (uint32_t byte = 0; byte < piece.bytes; byte += plan.element) {
      e_.Set(m_.result(id, static_cast<int>((piece.byte + byte) / plan.element)),
             ElementAt(data, byte, plan.element, plan.uniform ? 8 : 1));
    }
  }
}

// Loads a block, into U. It may extend beyond the end of a buffer: bounds hold for each dword (Mesa
// reads the last dword of a storage buffer this way).
void Memory::LoadBlock(mir::InstId id, const Location& location, const LoadPlan& plan) {
  const lir::ValueId all = messages_.ReadBlock(location.surface, plan.op, *plan.block);
  for (int i = 0; i < m_.inst(id).num_results; ++i) {
    const uint32_t byte = plan.skip + plan.element * static_cast<uint32_t>(i);
    e_.Set(m_.result(id, i), ElementAt(all, byte, plan.element, 1));
  }
}

// Loads at a known offset from memory that does not change: reads of 32 aligned bytes are kept for
// neighbouring loads.
void Memory::LoadKnown(mir::InstId id, const Location& location, uint32_t element) {
  for (int i = 0; i < m_.inst(id).num_results; ++i) {
    const uint32_t byte = location.offset.id + element * static_cast<uint32_t>(i);
    const lir::ValueId all = KnownRegister(id, location, byte / kRangeGranule);
    e_.Set(m_.result(id, i), ElementAt(all, byte % kRangeGranule, element, 1));
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
  return messages_.ConstantChunk(location, index);
}

// ---- push constants

// Returns true if the push constants are in registers. An offset that the dispatch width has made
// constant was not constant when push registers were assigned.
bool Memory::IsPushed(mir::InstId id) const {
  if (m_.inst(id).op != mir::Op::kLoadPush || !m_.IsConstant(m_.source(id, 0))) return false;
  const uint64_t bytes = uint64_t{e_.BytesOf(m_.result(id))} * m_.inst(id).num_results;
  return !abi_.push_surface || m_.value(m_.source(id, 0)).bits + bytes <= abi_.client_bytes;
}

void Memory::LoadPush(mir::InstId id) {
  const auto offset = static_cast<uint32_t>(m_.value(m_.source(id, 0)).bits);
  const uint32_t element = e_.BytesOf(m_.result(id));
  for (int i = 0; i < m_.inst(id).num_results; ++i) {
    const uint32_t byte = offset + element * static_cast<uint32_t>(i);
    if (byte + element > abi_.client_bytes) {
      e_.Set(m_.result(id, i),
             Imm(0, Type::kUD));  // past the declared block: robust access reads 0
    } else {
      const Operand dword = launch_.PushDword(byte & ~3u);
      e_.Set(m_.result(id, i), ElementAt(dword.value(), 4u * dword.comp + byte % 4, element, 1));
    }
  }
}

// ---- stores

void Memory::VisitStore(mir::InstId id) {
  const Location location = descriptors_.LocationOf(id);
  const absl::Span<const mir::ValueId> values =
      m_.sources(id).subspan(mir::FirstValueSource(m_.inst(id)));
  const uint32_t element = e_.BytesOf(values[0]);
  const auto bytes = static_cast<uint32_t>(element * values.size());
  for (const Piece& piece : PlanStore(location, bytes, element, width_)) {
    std::vector<Operand> dwords;
    const uint32_t step = std::min(piece.bytes, 4u);
    for (uint32_t byte = 0; byte < piece.bytes; byte += step) {
      dwords.push_back(LaneDword(values.subspan((piece.byte + byte) / element, step / element)));
    }
    messages_.WriteLanes(location, piece, dwords);
  }
}

// Returns the dword that these values fill in each lane; a single value is its low part.
Operand Memory::LaneDword(absl::Span<const mir::ValueId> values) {
  if (values.size() == 1) return bools_.LaneValue(values[0]);
  std::vector<Operand> parts;
  for (mir::ValueId v : values) {
    parts.push_back(values.size() == 2 ? conversions_.WordPart(v) : e_.Src(v, Type::kUB));
  }
  return e_.ToLanes(conversions_.Packed(Where::kLanes, std::move(parts)));
}

// ---- sizes

// The sampler's resinfo of a raw buffer returns its size in bytes in component 0.
void Memory::BufferSize(mir::InstId id) {
  const SurfaceRef surface = descriptors_.BufferOf(id);
  const Operand lod = e_.LanePart(Imm(0, Type::kUD), 8, 0);
  isa::MessageFields message;
  message.message = isa::Message::kResinfo;
  message.bti = static_cast<uint8_t>(surface.bti);
  const lir::ValueId info = e_.NewRegisters(1);  // one of the four components
  messages_.Emit(kSend, e_.UniformFields(8), message, {e_.Def(info, Type::kUD)}, {lod}, surface);
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
