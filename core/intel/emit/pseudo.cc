#include "core/intel/emit/pseudo.h"

#include <algorithm>
#include <cassert>

#include "core/intel/emit/operands.h"
#include "core/intel/lir/machine.h"
#include "core/intel/lir/message.h"
#include "core/intel/lir/ops.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::Operand;

Operand Word(Operand o, int which) {
  o.sub = static_cast<uint8_t>(o.sub + 2 * which);
  if (o.kind == Operand::Kind::kImm) o.id = o.id >> (16 * which) & 0xffff;
  o.type = static_cast<uint8_t>(Type::kUW);
  return o;
}

// Calls f(lanes, first) for each part of the lanes that one instruction on dwords can execute.
template <class F>
void ForParts(const lir::Inst& in, F&& f) {
  const int lanes = std::min<int>(in.width, 16);
  for (int first = 0; first < in.width; first += lanes) f(lanes, first);
}

// Returns true if the move would copy a register to itself: allocation prefers to put a pack over
// its first source.
bool IsInPlace(const isa::Instruction& mov) {
  const isa::Operand& to = mov.dst;
  const isa::Operand& from = mov.src[0];
  return from.file == isa::File::kGrf && from.nr == to.nr && from.subnr == to.subnr &&
         from.type == to.type && from.region.hstride == to.region.hstride && !from.negate &&
         !from.absolute;
}

}  // namespace

absl::Status EmitLaneIds(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  isa::Instruction mov = em.Head(in, Opcode::kMov, 8, 0);
  mov.dst = Destination(em.f, em.f.defs(id)[0], 0);
  mov.src[0] = ImmediateOperand(0x76543210u, Type::kV);
  em.p.Append(mov);
  for (int have = 8; have < in.width; have *= 2) {
    isa::Instruction add = em.Head(in, Opcode::kAdd, have, 0);
    add.dst = Destination(em.f, em.f.defs(id)[0], have);
    add.src[0] = Source(em.f, em.f.defs(id)[0], have, 0);
    add.src[1] = ImmediateOperand(static_cast<uint32_t>(have), Type::kUW);
    em.p.Append(add);
  }
  return absl::OkStatus();
}

absl::Status EmitMul32(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  const auto defs = em.f.defs(id);
  const auto uses = em.f.uses(id);
  ForParts(in, [&](int lanes, int first) {
    for (int half = 0; half < 2; ++half) {
      isa::Instruction mul = em.Head(in, Opcode::kMul, lanes, first);
      mul.dst = Destination(em.f, defs[half], first);
      mul.src[0] = Source(em.f, uses[0], lanes, first);
      mul.src[1] = Source(em.f, Word(uses[1], half), lanes, first);
      em.p.Append(mul);
    }
    isa::Instruction add = em.Head(in, Opcode::kAdd, lanes, first);
    add.dst = Destination(em.f, Word(defs[0], 1), first);
    add.src[0] = Source(em.f, Word(defs[0], 1), lanes, first);
    add.src[1] = Source(em.f, Word(defs[1], 0), lanes, first);
    em.p.Append(add);
  });
  return absl::OkStatus();
}

absl::Status EmitMulHigh(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  const auto uses = em.f.uses(id);
  for (int first = 0; first < in.width; first += 8) {
    isa::Instruction mul = em.Head(in, Opcode::kMul, 8, first);
    mul.dst = AccumulatorOperand(static_cast<Type>(uses[0].type));
    mul.src[0] = Source(em.f, uses[0], 8, first);
    mul.src[1] = Source(em.f, Word(uses[1], 0), 8, first);
    em.p.Append(mul);
    isa::Instruction mach = em.Head(in, Opcode::kMach, 8, first);
    mach.acc_write = true;
    mach.dst = Destination(em.f, em.f.defs(id)[0], first);
    mach.src[0] = Source(em.f, uses[0], 8, first);
    mach.src[1] = Source(em.f, uses[1], 8, first);
    em.p.Append(mach);
  }
  return absl::OkStatus();
}

absl::Status EmitF2f16(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  Operand half = em.f.defs(id)[0];
  half.type = static_cast<uint8_t>(Type::kHF);
  ForParts(in, [&](int lanes, int first) {
    isa::Instruction convert = em.Head(in, Opcode::kMov, lanes, first);
    convert.dst = Destination(em.f, half, first);
    convert.src[0] = Source(em.f, em.f.uses(id)[0], lanes, first);
    em.p.Append(convert);
    isa::Instruction widen = em.Head(in, Opcode::kMov, lanes, first);
    widen.dst = Destination(em.f, em.f.defs(id)[0], first);
    widen.src[0] = Source(em.f, Word(em.f.defs(id)[0], 0), lanes, first);
    em.p.Append(widen);
  });
  return absl::OkStatus();
}

absl::Status EmitPack(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  const Operand def = em.f.defs(id)[0];
  const int element = em.f.value(def.value()).elem_bytes;
  const int part = element / in.num_uses;
  const int lanes = std::min<int>(in.width, 64 / element);
  for (int i = 0; i < in.num_uses; ++i) {
    const Operand& source = em.f.uses(id)[i];
    const auto from = static_cast<Type>(source.type);
    Operand to = def;
    to.type = static_cast<uint8_t>(part == 2 && from == Type::kF ? Type::kHF : from);
    to.sub = static_cast<uint8_t>(part * i);
    for (int first = 0; first < in.width; first += lanes) {
      isa::Instruction mov = em.Head(in, Opcode::kMov, lanes, first);
      mov.dst = Destination(em.f, to, first);
      mov.src[0] = Source(em.f, source, lanes, first);
      if (!IsInPlace(mov)) em.p.Append(mov);
    }
  }
  return absl::OkStatus();
}

absl::Status EmitSameAddress(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  for (int i = 0; i < 2; ++i) {
    isa::Instruction mov = em.Head(in, Opcode::kMov, 8, 0);
    mov.dst = Payload(em.f.defs(id)[0]);
    mov.dst.subnr = static_cast<uint8_t>(4 * i);
    mov.dst.region.hstride = 2;
    mov.src[0] = Source(em.f, em.f.uses(id)[i], 8, 0);
    em.p.Append(mov);
  }
  return absl::OkStatus();
}

absl::Status EmitInterleave(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  const int registers = em.f.value(em.f.uses(id)[0].value()).elem_bytes / 4;  // of 8 lanes
  for (int first = 0; first < in.width; first += 8) {
    for (int i = 0; i < 2; ++i) {
      for (int half = 0; half < registers; ++half) {
        // Dword `half` of each lane, with the stride of its element.
        isa::Instruction mov = em.Head(in, Opcode::kMov, 8, first);
        mov.dst = Payload(em.f.defs(id)[0]);
        mov.dst.nr = static_cast<uint8_t>(mov.dst.nr + registers * (first / 4 + i));
        mov.dst.subnr = static_cast<uint8_t>(4 * half);
        mov.dst.region.hstride = static_cast<uint8_t>(registers);
        Operand from = em.f.uses(id)[i];
        from.sub = static_cast<uint8_t>(from.sub + 4 * half);
        mov.src[0] = Source(em.f, from, 8, first);
        em.p.Append(mov);
      }
    }
  }
  return absl::OkStatus();
}

absl::Status EmitJoin(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  const auto uses = em.f.uses(id);
  const Operand& def = em.f.defs(id)[0];
  const int lanes = in.width / static_cast<int>(uses.size());
  const uint32_t component = PayloadRegisters(em.f, def) * 8 / def.comps;
  for (uint16_t c = 0; c < def.comps; ++c) {
    for (size_t i = 0; i < uses.size(); ++i) {
      const int first = static_cast<int>(i) * lanes;
      isa::Instruction mov = em.Head(in, Opcode::kMov, lanes, first);
      Operand to = def, from = uses[i];
      to.reg += c * component;
      from.reg += static_cast<uint32_t>(c * lanes);
      mov.dst = Destination(em.f, to, first);
      mov.src[0] = Source(em.f, from, lanes, 0);
      em.p.Append(mov);
    }
  }
  return absl::OkStatus();
}

}  // namespace kiln::intel
