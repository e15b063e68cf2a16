#include "core/intel/emit/alu.h"

#include <algorithm>
#include <cassert>

#include "core/intel/emit/operands.h"
#include "core/intel/isa/codes.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::Operand;

isa::Operand NullSource(Type type) {
  isa::Operand o = NullOperand(type);
  o.region = {8, 8, 1};
  return o;
}

// Returns the number of lanes that one instruction can do, by the EU verifier's rules "math width",
// "half math width", "mixed float width" and "regions".
int MaxLanes(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  bool half = false, single = false, packed_half_result = false;
  for (const Operand& o : em.f.uses(id)) {
    // Dwords of qwords: a source spans at most two registers.
    if (IsValue(o) && em.f.value(o.value()).elem_bytes == 8) return 8;
    half |= o.type == static_cast<uint8_t>(Type::kHF);
    single |= o.type == static_cast<uint8_t>(Type::kF);
  }
  for (const Operand& d : em.f.defs(id)) {
    if (d.type != static_cast<uint8_t>(Type::kHF)) continue;
    packed_half_result = em.f.value(d.value()).elem_bytes == 2;
    half = true;
  }
  if (in.op == Op(Opcode::kMath)) {
    const bool division = isa::IsIntegerDivision(static_cast<isa::MathFunction>(in.aux));
    return division || half ? 8 : 16;
  }
  return single && packed_half_result ? 8 : 16;
}

void Dwords(EmitContext& em, lir::InstId id, Opcode op, int first, int count) {
  isa::Instruction e = em.Head(em.f.inst(id), op, count, 0);
  const auto place = [&](const Operand& o) {
    return BytePlace(static_cast<int>(o.reg * 4) + 4 * first, Type::kUD);
  };
  e.dst = place(em.f.defs(id)[0]);
  e.dst.region.hstride = 1;
  for (size_t i = 0; i < em.f.uses(id).size(); ++i) {
    e.src[i] = place(em.f.uses(id)[i]);
    e.src[i].region = {8, 8, 1};
  }
  em.p.Append(e);
}

// Emits an instruction on the dwords at byte `sub` of the elements of 8 lanes.
void LaneHalves(EmitContext& em, lir::InstId id, Opcode op, int first, uint8_t sub) {
  const lir::Inst& in = em.f.inst(id);
  const auto half = [&](Operand o) {
    o.type = static_cast<uint8_t>(Type::kUD);
    o.sub = sub;
    return o;
  };
  isa::Instruction e = em.Head(in, op, 8, first);
  e.dst = Destination(em.f, half(em.f.defs(id)[0]), first, in.group);
  for (size_t i = 0; i < em.f.uses(id).size(); ++i) {
    e.src[i] = Source(em.f, half(em.f.uses(id)[i]), 8, first, in.group);
  }
  em.p.Append(e);
}

void PlainPart(EmitContext& em, lir::InstId id, Opcode op, int lanes, int first) {
  const lir::Inst& in = em.f.inst(id);
  isa::Instruction e = em.Head(in, op, lanes, first);
  const auto defs = em.f.defs(id);
  const auto uses = em.f.uses(id);
  // The condition defines a flag, besides the destination or instead of it.
  e.dst = NullOperand(uses.empty() ? Type::kUD : static_cast<Type>(uses[0].type));
  if (uses.size() > 1) {  // the null destination has the execution type
    const auto second = static_cast<Type>(uses[1].type);
    if (isa::ByteSize(second) > isa::ByteSize(e.dst.type)) e.dst.type = second;
  }
  for (const Operand& d : defs) {
    if (IsFlag(em.f, d) && in.cmod != 0) {
      SetFlag(e, d);
    } else {
      e.dst = Destination(em.f, d, first, in.group);
    }
  }
  em.SetPredicate(e, id);
  const size_t sources = uses.size() - (in.predicate_mode != 0 ? 1 : 0);
  assert(sources <= 3);
  for (size_t i = 0; i < sources; ++i) e.src[i] = Source(em.f, uses[i], lanes, first, in.group);
  if (op == Opcode::kMath) {
    e.math = static_cast<isa::MathFunction>(in.aux);
    if (sources == 1) e.src[1] = NullSource(e.src[0].type);
  }
  em.p.Append(e);
}

absl::Status EmitWhole(EmitContext& em, lir::InstId id, Opcode op) {
  const lir::Inst& in = em.f.inst(id);
  const Operand& def = em.f.defs(id)[0];
  const lir::Value& v = em.f.value(def.value());
  if (v.file != kFileG || v.elem_bytes != 8) return EmitPlain(em, id, op);
  if ((in.flags & lir::kNoMask) != 0 && in.width == em.f.dispatch_width) {
    for (int dword = 0; dword < 2 * in.width; dword += 16) Dwords(em, id, op, dword, 16);
    return absl::OkStatus();
  }
  for (int first = 0; first < in.width; first += 8) {
    for (uint8_t half : {0, 4}) LaneHalves(em, id, op, first, half);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status EmitPlain(EmitContext& em, lir::InstId id, Opcode op) {
  const lir::Inst& in = em.f.inst(id);
  const int lanes = std::min<int>(in.width, MaxLanes(em, id));
  for (int first = 0; first < in.width; first += lanes) PlainPart(em, id, op, lanes, first);
  return absl::OkStatus();
}

absl::Status EmitCopy(EmitContext& em, lir::InstId id) { return EmitWhole(em, id, Opcode::kMov); }

absl::Status EmitXor(EmitContext& em, lir::InstId id) { return EmitWhole(em, id, Opcode::kXor); }

}  // namespace kiln::intel
