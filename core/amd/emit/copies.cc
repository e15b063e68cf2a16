// Copies and exchanges of registers.
#include "core/amd/emit/operands.h"
#include "core/amd/emit/pseudo.h"
#include "core/amd/isa/inline_constants.h"

namespace kiln::amd {
namespace {

using isa::Opcode;
using Kind = lir::Operand::Kind;

bool AllLanes(const lir::Inst& in) { return (in.flags & lir::kNoMask) != 0; }

void AddVectorMove(Context& c, isa::Operand dst, const lir::Operand& use, uint32_t unit) {
  isa::Instruction inst;
  inst.op = Opcode::kVMovB32;
  inst.dst = dst;
  if (use.kind != Kind::kImm) {
    inst.src[0] = RegisterOf(c.f(), use, unit);
  } else if (const auto constant = isa::InlineConstant(use.id, isa::Type::kB32)) {
    inst.src[0] = *constant;
  } else {
    inst.src[0] = isa::Source(isa::kLiteralCode);
    inst.literal = use.id;
  }
  c.Add(inst);
}

// Copies of the same registers to themselves are left out.
void EmitVectorCopy(Context& c, lir::InstId i, uint32_t units) {
  const lir::Operand &def = c.f().defs(i)[0], &use = c.f().uses(i)[0];
  const bool same = use.kind != Kind::kImm && RegisterOf(c.f(), def) == RegisterOf(c.f(), use);
  if (same) return;
  const bool all = AllLanes(c.f().inst(i));
  if (all) c.BeginAllLanes();
  for (uint32_t u = 0; u < units; ++u) AddVectorMove(c, RegisterOf(c.f(), def, u), use, u);
  if (all) c.EndAllLanes();
}

// Two units lie in an aligned pair on both sides.
bool IsPair(isa::Operand a, isa::Operand b) { return a.code % 2 == 0 && b.code % 2 == 0; }

void EmitScalarCopy(Context& c, const lir::Operand& def, const lir::Operand& use, uint32_t units) {
  for (uint32_t u = 0; u < units;) {
    const isa::Operand to = RegisterOf(c.f(), def, u), from = RegisterOf(c.f(), use, u);
    const bool pair = u + 2 <= units && IsPair(to, from);
    if (!(to == from)) c.Add(pair ? Opcode::kSMovB64 : Opcode::kSMovB32, to, from);
    u += pair ? 2 : 1;
  }
}

// A constant of two dwords is sign-extended.
void EmitScalarConstant(Context& c, const lir::Operand& def, uint32_t bits, uint32_t units) {
  const isa::Operand to = RegisterOf(c.f(), def);
  if (units == 1) return c.AddScalarConstant(to, bits);
  if (const auto constant = isa::InlineConstant(bits, isa::Type::kB64)) {
    return c.Add(Opcode::kSMovB64, to, *constant);
  }
  c.AddScalarConstant(to, bits);
  c.AddScalarConstant(RegisterOf(c.f(), def, 1), static_cast<int32_t>(bits) < 0 ? ~0u : 0);
}

void EmitSwap(Context& c, lir::InstId i, uint32_t units) {
  const bool all = AllLanes(c.f().inst(i));
  if (all) c.BeginAllLanes();
  for (uint32_t u = 0; u < units; ++u) {
    c.Add(Opcode::kVSwapB32, RegisterOf(c.f(), c.f().defs(i)[0], u),
          RegisterOf(c.f(), c.f().defs(i)[1], u));
  }
  if (all) c.EndAllLanes();
}

// Two dwords at a time where both pairs are aligned.
void EmitScalarSwap(Context& c, lir::InstId i, uint32_t units) {
  for (uint32_t u = 0; u < units;) {
    const isa::Operand a = RegisterOf(c.f(), c.f().defs(i)[0], u);
    const isa::Operand b = RegisterOf(c.f(), c.f().defs(i)[1], u);
    const bool pair = u + 2 <= units && IsPair(a, b);
    const Opcode move = pair ? Opcode::kSMovB64 : Opcode::kSMovB32;
    c.Add(move, Temporary(), a);
    c.Add(move, a, b);
    c.Add(move, b, Temporary());
    u += pair ? 2 : 1;
  }
}

}  // namespace

bool EmitCopy(Context& c, lir::InstId i) {
  const lir::Inst& in = c.f().inst(i);
  const auto def = [&] { return c.f().defs(i)[0]; };
  const auto use = [&] { return c.f().uses(i)[0]; };
  switch (in.op) {
    case kVCopy: EmitVectorCopy(c, i, UnitsOf(c.f(), def())); break;
    case kVMove: EmitVectorCopy(c, i, in.aux); break;
    case kVSwap: EmitSwap(c, i, in.aux); break;
    case kSSwap: EmitScalarSwap(c, i, in.aux); break;
    case kWithHigh: c.AddScalarConstant(RegisterOf(c.f(), def(), 1), c.f().uses(i)[1].id); break;
    case kSMove: EmitScalarCopy(c, def(), use(), in.aux); break;
    case kSCopy:
      if (use().kind == Kind::kImm) {
        EmitScalarConstant(c, def(), use().id, UnitsOf(c.f(), def()));
      } else {
        EmitScalarCopy(c, def(), use(), UnitsOf(c.f(), def()));
      }
      break;
    default: return false;
  }
  return true;
}

}  // namespace kiln::amd
