#include "core/intel/emit/fragment.h"

#include <algorithm>

#include "core/intel/emit/operands.h"
#include "core/intel/lir/ops.h"

namespace kiln::intel {
namespace {

using isa::Opcode;
using isa::Type;
using lir::Operand;

// lanes covered by one register of positions, or by one word of flags
constexpr int kHalfLanes = 16;

// Returns the mask of dead lanes: its word for lanes from 16 * half on, or all of it.
isa::Operand DeadMask(Type type, int half = 0) {
  isa::Operand o;
  o.file = isa::File::kArf;
  o.arf = isa::Arf::kFlag;
  o.type = type;
  o.nr = kDeadMask / 2;
  o.subnr = static_cast<uint8_t>(2 * half);
  o.region.hstride = 1;
  return o;
}

void UseDeadMask(isa::Instruction& e) {
  e.flag_nr = kDeadMask / 2;
  e.flag_subnr = 0;
}

isa::Instruction OneLane(Opcode op) {
  isa::Instruction e;
  e.op = op;
  e.exec_size = 1;
  e.no_mask = true;
  return e;
}

}  // namespace

// The payload has the upper left pixels of subspans, x and y alternating as words from dword 2 on.
// A row of the region is one of these words for its subspan's four lanes; the immediate adds each
// lane's position in the subspan.
absl::Status EmitPixelPlaces(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  const bool y = in.aux != 0;
  constexpr uint32_t kRight = 0x10101010u, kDown = 0x11001100u;
  constexpr int kFirstByte = 8;
  const int lanes = std::min<int>(in.width, kHalfLanes);
  for (int first = 0, half = 0; first < in.width; first += lanes, ++half) {
    isa::Instruction add = em.Head(in, Opcode::kAdd, lanes, first);
    add.dst = Destination(em.f, em.f.defs(id)[0], first);
    add.src[0] = Payload(em.f.uses(id)[static_cast<size_t>(half)]);
    add.src[0].type = Type::kUW;
    add.src[0].subnr = static_cast<uint8_t>(kFirstByte + (y ? 2 : 0));
    add.src[0].region = {2, 4, 0};
    add.src[1] = ImmediateOperand(y ? kDown : kRight, Type::kV);
    em.p.Append(add);
  }
  return absl::OkStatus();
}

// The first dword has a nibble for each subspan. A row of the region is a byte for eight lanes, of
// which the upper four take the upper nibble.
absl::Status EmitSampleIds(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  const Operand def = em.f.defs(id)[0];
  constexpr uint32_t kNibble = 0x44440000u;
  const int lanes = std::min<int>(in.width, kHalfLanes);
  for (int first = 0, half = 0; first < in.width; first += lanes, ++half) {
    isa::Instruction shift = em.Head(in, Opcode::kShr, lanes, first);
    shift.dst = Destination(em.f, def, first);
    shift.src[0] = Payload(em.f.uses(id)[static_cast<size_t>(half)]);
    shift.src[0].type = Type::kUB;
    shift.src[0].region = {1, 8, 0};
    shift.src[1] = ImmediateOperand(kNibble, Type::kUV);
    em.p.Append(shift);
    isa::Instruction mask = em.Head(in, Opcode::kAnd, lanes, first);
    mask.dst = Destination(em.f, def, first);
    mask.src[0] = Source(em.f, def, lanes, first);
    mask.src[1] = ImmediateOperand(15, Type::kUW);
    em.p.Append(mask);
  }
  return absl::OkStatus();
}

// The payload has bytes, x and y alternating.
absl::Status EmitSampleOffsets(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  const int lanes = std::min<int>(in.width, kHalfLanes);
  for (int first = 0, half = 0; first < in.width; first += lanes, ++half) {
    isa::Instruction mov = em.Head(in, Opcode::kMov, lanes, first);
    mov.dst = Destination(em.f, em.f.defs(id)[0], first);
    mov.src[0] = Payload(em.f.uses(id)[static_cast<size_t>(half)]);
    mov.src[0].type = Type::kUB;
    mov.src[0].subnr = static_cast<uint8_t>(in.aux);
    mov.src[0].region = {16, 8, 2};
    em.p.Append(mov);
  }
  return absl::OkStatus();
}

absl::Status EmitPackLanes(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  const Type type = in.aux == 1 ? Type::kUB : Type::kUW;
  const int lanes = std::min<int>(in.width, kHalfLanes);
  for (int first = 0; first < in.width; first += lanes) {
    isa::Instruction mov = em.Head(in, Opcode::kMov, lanes, first);
    mov.dst = Payload(em.f.defs(id)[0]);
    mov.dst.nr = static_cast<uint8_t>(mov.dst.nr + first * static_cast<int>(in.aux) / kGrfBytes);
    mov.dst.type = type;
    Operand from = em.f.uses(id)[0];
    from.type = static_cast<uint8_t>(type);
    mov.src[0] = Source(em.f, from, lanes, first);
    em.p.Append(mov);
  }
  return absl::OkStatus();
}

absl::Status EmitDispatched(EmitContext& em, lir::InstId id) {
  const auto uses = em.f.uses(id);
  for (size_t half = 0; half < uses.size(); ++half) {
    isa::Instruction mov = OneLane(Opcode::kMov);
    mov.dst = Destination(em.f, em.f.defs(id)[0], 0);
    mov.dst.type = Type::kUW;
    mov.dst.subnr = static_cast<uint8_t>(mov.dst.subnr + 2 * half);
    mov.src[0] = Source(em.f, uses[half], 1, 0);
    em.p.Append(mov);
  }
  return absl::OkStatus();
}

absl::Status EmitStartDead(EmitContext& em, lir::InstId id) {
  const auto uses = em.f.uses(id);
  for (size_t half = 0; half < uses.size(); ++half) {
    isa::Instruction e = OneLane(Opcode::kNot);
    e.dst = DeadMask(Type::kUW, static_cast<int>(half));
    e.src[0] = Source(em.f, uses[half], 1, 0);
    em.p.Append(e);
  }
  return absl::OkStatus();
}

// Lanes that are dead already are not compared, so that they stay dead.
absl::Status EmitKill(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  const auto uses = em.f.uses(id);
  const int lanes = std::min<int>(in.width, kHalfLanes);
  for (int first = 0; first < in.width; first += lanes) {
    isa::Instruction e = em.Head(in, Opcode::kCmp, lanes, first);
    e.dst = NullOperand(static_cast<Type>(uses[0].type));
    e.src[0] = Source(em.f, uses[0], lanes, first);
    e.src[1] = Source(em.f, uses[1], lanes, first);
    e.pred = isa::PredCtrl::kNormal;
    e.pred_inverse = true;
    UseDeadMask(e);
    em.p.Append(e);
  }
  return absl::OkStatus();
}

absl::Status EmitLive(EmitContext& em, lir::InstId id) {
  isa::Instruction e = OneLane(Opcode::kNot);
  e.dst = Destination(em.f, em.f.defs(id)[0], 0);
  e.src[0] = DeadMask(e.dst.type);
  e.src[0].region = {0, 1, 0};
  em.p.Append(e);
  return absl::OkStatus();
}

absl::Status EmitDiscardJump(EmitContext& em, lir::InstId id) {
  const lir::Inst& in = em.f.inst(id);
  isa::Instruction e = em.Head(in, Opcode::kHalt, in.width, 0);
  em.SetPredicate(e, id);
  if (in.aux != 0) {
    e.pred = isa::PredCtrl::kAll4h;
    UseDeadMask(e);
  }
  em.structure.OnHalt(em.p.Append(e));
  return absl::OkStatus();
}

}  // namespace kiln::intel
