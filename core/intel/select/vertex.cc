// Selects a vertex shader's inputs (attributes) and outputs (writes to the URB) (core/intel/ABI.md,
// "Vertices").
//
// An attribute is four registers, one for each component of eight vertices; registers that are not
// read are no live-ins. Outputs are kept by their slot in the vertex's URB entry until the end.
// There, two neighbouring slots go in one message, the maximum of a message; a slot of which
// nothing is stored is not sent and ends a message. The header (shading rate, layer, viewport,
// point size) is always written: fixed functions read it. Components of a written slot that are not
// stored are undefined. The last message ends the thread: its handles and data are in the tail of
// the register file.
//
// Under multiview (core/intel/abi/views.h), the hardware's instance number gives the client's by a
// division and the view by the remainder, and the header's layer is the view. Views of a mask with
// gaps come from a table of four bits each.
//
// Values of 16 bits are 32 at this boundary: attributes arrive as floats, or as integers whose low
// word counts, and outputs leave likewise.
//
// Sources: Mesa 25.0.7, brw_vs_visitor / brw_fs_visitor.cpp (emit_urb_writes), brw_nir.c; the forms
// were derived from its programs for this generation.
#include "core/intel/select/vertex.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "core/intel/lir/message.h"

namespace kiln::intel {

namespace {

using mir::BuiltIn;
using out::VertexValue;

constexpr int kDwords = 8;        // of a register
constexpr uint32_t kHandles = 1;  // register of the URB handles
constexpr uint32_t kSlotsOfMessage = 2;
constexpr uint32_t kHeaderLayer = 1;  // component of the header

}  // namespace

void Vertex::DeclareLiveIns() {
  lir::Value reg;
  reg.file = kFileU;
  reg.comps = kDwords;
  reg.whole_registers = true;
  handles_ = b_.AddLiveIn(reg, kHandles * kDwords);
  FindView();
}

// ---- views

// In front of the program, so that all lanes have them.
void Vertex::FindView() {
  const Views& views = abi_.views;
  if (!views.several()) return;
  const Operand counted = DrawValue(VertexValue::kInstanceIdFromZero);
  const uint32_t count = views.count();
  Operand nth;  // number of the view in the mask
  if (std::has_single_bit(count)) {
    nth = Unsigned(Opcode::kAnd, counted, count - 1);
  } else {
    const Reciprocal r = ReciprocalOf(count);
    const Operand high = Use(e_.NewG(), Type::kUD);
    e_.EmitRaw(kMulHigh, e_.Fields(Where::kLanes), {high},
               {counted, e_.ToRegister(Imm(r.multiplier, Type::kUD))});
    instance_ = Unsigned(Opcode::kShr, high, r.shift);
    const Operand others = e_.Alu(Opcode::kMul, Type::kD, Where::kLanes,
                                  {Retype(*instance_, Type::kD), Imm(-count & 0xffff, Type::kW)});
    nth = e_.Alu(Opcode::kAdd, Type::kD, Where::kLanes, {Retype(counted, Type::kD), others});
    nth = Retype(nth, Type::kUD);
  }
  view_ = ViewOf(nth);
}

// For masks with gaps, a table has four bits for each view.
Operand Vertex::ViewOf(const Operand& nth) {
  const Views& views = abi_.views;
  if (const std::optional<uint32_t> first = views.first_without_gaps()) {
    return *first == 0 ? nth : Unsigned(Opcode::kAdd, nth, *first);
  }
  constexpr uint32_t kOfADword = 8;
  const uint64_t numbers = views.numbers();
  Operand table = Imm(static_cast<uint32_t>(numbers), Type::kUD);
  if (views.count() > kOfADword) {
    const Flag past_first =
        e_.CompareFlag(Where::kLanes, CondMod::kGe, nth, Imm(kOfADword, Type::kUD));
    const Operand high = Imm(static_cast<uint32_t>(numbers >> 32), Type::kUD);
    table = e_.SelectByFlag(Where::kLanes, Type::kUD, past_first, high, table);
  }
  // A shift takes the low five bits of its count.
  const Operand at = Unsigned(Opcode::kShl, nth, 2);
  const Operand shifted = e_.Alu(Opcode::kShr, Type::kUD, Where::kLanes, {table, at});
  return Unsigned(Opcode::kAnd, shifted, 0xf);
}

Operand Vertex::Unsigned(Opcode op, const Operand& a, uint32_t b) {
  return e_.Alu(op, Type::kUD, Where::kLanes, {a, Imm(b, Type::kUD)});
}

// Returns the client's instance: the hardware counts each instance once for each view.
Operand Vertex::InstanceFromZero() {
  if (instance_) return *instance_;
  const Operand counted = DrawValue(VertexValue::kInstanceIdFromZero);
  if (!abi_.views.several()) return counted;
  return Unsigned(Opcode::kShr, counted,
                  static_cast<uint32_t>(std::countr_zero(abi_.views.count())));
}

Operand Vertex::ViewIndex() const { return view_ ? *view_ : Imm(*abi_.views.only(), Type::kUD); }

// ---- inputs

Operand Vertex::Attribute(uint32_t slot, uint32_t component) {
  const uint32_t reg = at_width_.first_push_register + abi_.cross_thread_registers +
                       slot * kAttributeRegisters + component;
  const auto [it, added] = attributes_.try_emplace(reg);
  if (added) {
    lir::Value lanes;
    lanes.file = kFileG;
    it->second = Use(b_.AddLiveIn(lanes, reg * kDwords), Type::kUD);
  }
  return it->second;
}

Operand Vertex::DrawValue(VertexValue value) {
  const SlotComponent place = abi_.vertex->SlotOf(value);
  return Attribute(place.slot, place.component);
}

// Returns a component of the element that the instruction names. If a value selects among several
// elements, an index beyond the last selects the first, since none is defined.
Operand Vertex::Element(mir::InstId id, uint32_t component) {
  const mir::Inst& inst = m_.inst(id);
  const mir::Interface& v = m_.inputs[inst.imm0];
  const std::vector<uint32_t>& slots = abi_.vertex->slots[inst.imm0];
  const auto element = [&](uint32_t n) { return Attribute(slots[n], v.component + component); };
  if ((inst.flags & mir::kIndexed) == 0) return element(0);
  const mir::ValueId index = m_.source(id, 0);
  if (m_.IsConstant(index)) {
    const uint64_t n = m_.value(index).bits;
    return n < slots.size() ? element(static_cast<uint32_t>(n)) : Imm(0, Type::kUD);
  }
  Operand chosen = element(0);
  for (uint32_t n = 1; n < slots.size(); ++n) {
    const Flag is_it =
        e_.CompareFlag(Where::kLanes, CondMod::kZ, e_.Src(index, Type::kUD), Imm(n, Type::kUD));
    chosen = e_.SelectByFlag(Where::kLanes, Type::kUD, is_it, element(n), chosen);
  }
  return chosen;
}

absl::Status Vertex::VisitInput(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const auto give = [&](const Operand& o) { e_.Set(m_.result(id), o); };
  const auto sum = [&](const Operand& from_zero, VertexValue base) {
    give(e_.Alu(Opcode::kAdd, Type::kD, Where::kLanes, {from_zero, DrawValue(base)}));
  };
  switch (m_.inputs[inst.imm0].builtin) {
    case BuiltIn::kNone: break;
    case BuiltIn::kVertexIndex:
      sum(DrawValue(VertexValue::kVertexIdFromZero), VertexValue::kFirstVertex);
      return absl::OkStatus();
    case BuiltIn::kInstanceIndex:
      sum(InstanceFromZero(), VertexValue::kBaseInstance);
      return absl::OkStatus();
    case BuiltIn::kBaseVertex: give(DrawValue(VertexValue::kFirstVertex)); return absl::OkStatus();
    case BuiltIn::kBaseInstance:
      give(DrawValue(VertexValue::kBaseInstance));
      return absl::OkStatus();
    case BuiltIn::kDrawIndex: give(DrawValue(VertexValue::kDrawId)); return absl::OkStatus();
    case BuiltIn::kViewIndex: give(ViewIndex()); return absl::OkStatus();
    default: return e_.Unexpected(inst, "not a built-in of vertices");
  }
  for (int i = 0; i < inst.num_results; ++i) {
    const mir::ValueId result = m_.result(id, i);
    if (!e_.Used(result)) continue;
    Operand o = Element(id, inst.imm1 + static_cast<uint32_t>(i));
    if (m_.value(result).type == mir::Type::kF16) {
      o = e_.Mov(Type::kHF, Where::kLanes, Retype(o, Type::kF));
    }
    e_.Set(result, o);
  }
  return absl::OkStatus();
}

// ---- outputs

Operand Vertex::AsDword(mir::ValueId v) {
  if (m_.value(v).type == mir::Type::kF16) {
    return Retype(e_.Mov(Type::kF, Where::kLanes, e_.Src(v, Type::kHF)), Type::kUD);
  }
  if (mir::BitsOf(m_.value(v).type) == 16) {
    return e_.Mov(Type::kUD, Where::kLanes, e_.Src(v, Type::kUW));
  }
  return bools_.LaneValue(v);
}

absl::Status Vertex::VisitStore(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::Interface& v = m_.outputs[inst.imm0];
  int first = 0;
  uint32_t element = 0;
  if ((inst.flags & mir::kIndexed) != 0) {
    if (!m_.IsConstant(m_.source(id, 0))) {
      return e_.Refuse(inst, "vertex_outputs", "output chosen by value");
    }
    element = static_cast<uint32_t>(m_.value(m_.source(id, 0)).bits);
    if (element >= v.elements) return absl::OkStatus();  // there is none
    first = 1;
  }
  for (int i = first; i < inst.num_sources; ++i) {
    const mir::ValueId source = m_.source(id, i);
    const uint32_t component = inst.imm1 + static_cast<uint32_t>(i - first);
    const SlotComponent place = OutputPlace(m_, v, element, component);
    std::optional<Operand>& at = slots_[place.slot][place.component];
    if (m_.value(source).kind != mir::Value::Kind::kUndef) at = AsDword(source);
  }
  return absl::OkStatus();
}

void Vertex::FillHeader() {
  Slot& header = slots_[kVueHeader];
  if (abi_.views.on()) header[kHeaderLayer] = e_.ToLanes(ViewIndex());
  for (std::optional<Operand>& part : header) {
    if (!part) part = e_.ToLanes(Imm(0, Type::kUD));
  }
}

void Vertex::EndThread() {
  FillHeader();
  std::vector<uint32_t> written;
  for (const auto& [slot, components] : slots_) written.push_back(slot);
  for (size_t i = 0; i < written.size();) {
    uint32_t count = 1;
    while (count < kSlotsOfMessage && i + count < written.size() &&
           written[i + count] == written[i] + count) {
      ++count;
    }
    Write(written[i], count, i + count == written.size());
    i += count;
  }
}

void Vertex::Write(uint32_t first, uint32_t count, bool last) {
  std::vector<Operand> parts;
  for (uint32_t slot = first; slot < first + count; ++slot) {
    for (const std::optional<Operand>& c : slots_[slot]) parts.push_back(c ? *c : lir::NoOperand());
  }
  const lir::ValueId data = e_.NewG(static_cast<int>(parts.size()));
  f_.value(data).in_tail = last;
  const Operand all = e_.Def(data, Type::kUD);
  b_.Emit(kCollect, e_.Fields(Where::kLanes), absl::Span<const Operand>(&all, 1), parts);
  Operand handles = Use(handles_, Type::kUD, 0, kDwords);
  if (last) {
    handles = e_.LanePart(handles, kDwords, 0);
    f_.value(handles.value()).in_tail = true;
  }
  isa::MessageFields message;
  message.message = isa::Message::kUrbWrite;
  message.header = true;
  message.lanes = static_cast<uint8_t>(width_);
  message.urb_offset = static_cast<uint16_t>(first);
  lir::InstFields fields = e_.Fields(Where::kLanes);
  fields.aux = AddMessage(f_, {message, false, false});
  e_.EmitRaw(last ? kMsgUrbEnd : kMsgUrb, fields, {}, {handles, all});
}

}  // namespace kiln::intel
