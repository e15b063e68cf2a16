// Selects private arrays with a dynamic index, which are in the thread's scratch memory.
//
// Layout: dword i of lane l of a thread of `width` lanes is at dword i * width + l, as in Mesa, so
// that one message of equal indices touches consecutive memory. Message: dword scattered read /
// write of data cache 0 on the stateless surface 253, addresses in dwords, header with the scratch
// base (r0.5) and size (r0.3). Elements of 1 and 2 bytes: byte scattered, addresses in bytes, the
// same layout.
#include <bit>
#include <utility>

#include "core/intel/lir/message.h"
#include "core/intel/select/access.h"
#include "core/intel/select/private_arrays.h"

namespace kiln::intel {

// Returns the message for elements of a dword, or of 1 or 2 bytes.
isa::MessageFields PrivateArrays::ScratchMessage(uint32_t element, bool write) const {
  using isa::Message;
  isa::MessageFields f;
  if (element == 4) {
    f.message = write ? Message::kDwordScatteredWrite : Message::kDwordScatteredRead;
  } else {
    f.message = write ? Message::kByteScatteredWrite : Message::kByteScatteredRead;
    f.element_bytes = static_cast<uint8_t>(element);
  }
  f.header = true;
  f.bti = isa::kBtiStatelessNonCoherent;
  f.lanes = MessageLanes(width_);
  return f;
}

Operand PrivateArrays::ScratchHeader() {
  if (!scratch_header_) {
    const lir::ValueId v = e_.NewRegisters(1);
    const lir::SelectionBuilder::Prologue prologue(b_);
    e_.EmitRaw(kScratchHeader, e_.UniformFields(8), {e_.Def(v, Type::kUD)},
               {Use(launch_.r0(), Type::kUD, 0, 8)});
    scratch_header_ = Use(v, Type::kUD, 0, 8);
  }
  return *scratch_header_;
}

// Returns the dword address of this lane's dword at byte `offset` of the array.
Operand PrivateArrays::ScratchAddress(uint32_t array, mir::ValueId offset) {
  const auto lanes_log2 = static_cast<uint32_t>(std::countr_zero(static_cast<unsigned>(width_)));
  const uint32_t base = abi_.array_offset[array] / 4 << lanes_log2;
  const Operand bytes = e_.Src(offset, Type::kUD);
  Operand place = launch_.LaneIds();
  if (IsImm(bytes)) {
    return e_.Alu(Opcode::kAdd, Type::kUD, Where::kLanes,
                  {place, Imm(base + (bytes.id / 4 << lanes_log2), Type::kUD)});
  }
  const Operand row =
      e_.Alu(Opcode::kShl, Type::kUD, e_.WhereOf(offset), {bytes, Imm(lanes_log2 - 2, Type::kUD)});
  place = e_.Alu(Opcode::kAdd, Type::kUD, Where::kLanes, {row, place});
  return e_.Offset(place, base, Where::kLanes);
}

// Returns the byte address of this lane's byte `bytes` after `offset`; both need not share a dword.
Operand PrivateArrays::ScratchByteAddress(uint32_t array, mir::ValueId offset, uint32_t bytes) {
  const auto lanes_log2 = static_cast<uint32_t>(std::countr_zero(static_cast<unsigned>(width_)));
  const uint32_t base = abi_.array_offset[array] << lanes_log2;
  const Where where = e_.WhereOf(offset);
  const auto ud = [&](Opcode op, Where w, Operand a, Operand b) {
    return e_.Alu(op, Type::kUD, w, {a, b});
  };
  const Operand lane = ud(Opcode::kShl, Where::kLanes, launch_.LaneIds(), Imm(2, Type::kUD));
  const Operand byte = e_.Offset(e_.Src(offset, Type::kUD), bytes, where);
  if (IsImm(byte)) {
    const uint32_t at = base + ((byte.id & ~3u) << lanes_log2) + byte.id % 4;
    return ud(Opcode::kAdd, Where::kLanes, lane, Imm(at, Type::kUD));
  }
  const Operand dword = ud(Opcode::kAnd, where, Retype(byte, Type::kUD), Imm(~3u, Type::kUD));
  const Operand row = ud(Opcode::kShl, where, dword, Imm(lanes_log2, Type::kUD));
  const Operand rest = ud(Opcode::kAnd, where, Retype(byte, Type::kUD), Imm(3, Type::kUD));
  const Operand place = ud(Opcode::kAdd, where, row, rest);
  return e_.Offset(ud(Opcode::kAdd, Where::kLanes, place, lane), base, Where::kLanes);
}

// Returns the address of this lane's element `i` from `offset` on, in the unit of its message.
// `first` is kept between the elements of an access.
Operand PrivateArrays::ElementAddress(uint32_t array, mir::ValueId offset, uint32_t element, int i,
                                      std::optional<Operand>& first) {
  Operand address;
  if (element < 4) {
    address = ScratchByteAddress(array, offset, element * static_cast<uint32_t>(i));
  } else {
    if (!first) first = ScratchAddress(array, offset);
    address = e_.Offset(*first, static_cast<uint32_t>(i * width_), Where::kLanes);
  }
  return Retype(address, Type::kUD);
}

void PrivateArrays::VisitLoad(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  if (inst.num_results == 0) return;
  const Operand header = ScratchHeader();
  const uint32_t element = e_.BytesOf(m_.result(id));
  std::optional<Operand> first;
  lir::InstFields fields = e_.Fields(Where::kLanes);
  fields.aux = AddMessage(f_, {ScratchMessage(element, /*write=*/false)});
  for (int i = 0; i < inst.num_results; ++i) {
    const Operand address = ElementAddress(inst.imm0, m_.source(id, 0), element, i, first);
    const lir::ValueId v = e_.NewG();
    e_.EmitRaw(kMsgRead, fields, {Use(v, Type::kUD)}, {header, address});
    e_.Set(m_.result(id, i), ElementAt(v, 0, element, 1));
  }
}

void PrivateArrays::VisitStore(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const Operand header = ScratchHeader();
  const uint32_t element = e_.BytesOf(m_.source(id, 1));
  std::optional<Operand> first;
  lir::InstFields fields = e_.Fields(Where::kLanes);
  fields.aux = AddMessage(f_, {ScratchMessage(element, /*write=*/true)});
  for (int i = 1; i < inst.num_sources; ++i) {
    const Operand parts[] = {ElementAddress(inst.imm0, m_.source(id, 0), element, i - 1, first),
                             bools_.LaneValue(m_.source(id, i))};
    e_.EmitRaw(kMsgWrite, fields, {}, {header, e_.Payload(parts)});
  }
}

}  // namespace kiln::intel
