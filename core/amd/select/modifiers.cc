// See modifiers.h.
#include "core/amd/select/modifiers.h"

#include <algorithm>
#include <utility>

namespace kiln::amd {
namespace {

// Returns true for operations all of whose float sources are read by FloatSource.
bool TakesModifiers(mir::Op op) {
  using mir::Op;
  switch (op) {
    case Op::kFeq:
    case Op::kFne:
    case Op::kFlt:
    case Op::kFge:
    case Op::kFadd:
    case Op::kFsub:
    case Op::kFmul:
    case Op::kFfma:
    case Op::kFdiv:
    case Op::kFneg:
    case Op::kFabs:
    case Op::kFmin:
    case Op::kFmax:
    case Op::kFsaturate:
    case Op::kFfloor:
    case Op::kFceil:
    case Op::kFtrunc:
    case Op::kFroundEven:
    case Op::kFfract:
    case Op::kFsqrt:
    case Op::kFrsq:
    case Op::kFrcp:
    case Op::kFexp2:
    case Op::kFlog2:
    case Op::kFsin:
    case Op::kFcos:
    case Op::kFpow:
    case Op::kF2i:
    case Op::kF2u:
    case Op::kF2f:
    case Op::kF2f16: return true;
    default: return false;
  }
}

}  // namespace

uint8_t TakeModifiers(const Emission& e, mir::ValueId* v) {
  const mir::Module& m = e.module();
  uint8_t mods = 0;
  for (;;) {
    if (const auto negation = e.DefinedBy(*v, mir::Op::kFneg)) {
      if ((mods & Operand::kAbsolute) == 0) mods ^= Operand::kNegate;
      *v = m.source(*negation, 0);
    } else if (const auto absolute = e.DefinedBy(*v, mir::Op::kFabs)) {
      mods |= Operand::kAbsolute;
      *v = m.source(*absolute, 0);
    } else {
      return mods;
    }
  }
}

Operand FloatSource(const Emission& e, mir::ValueId v) {
  const uint8_t mods = TakeModifiers(e, &v);
  Operand o = e.Src(v);
  if (!IsImm(o)) {
    o.mods = mods;
    return o;
  }
  const uint32_t sign = e.BitsOf(v) == 16 ? 0x8000u : 0x80000000u;
  if ((mods & Operand::kAbsolute) != 0) o.id &= ~sign;
  if ((mods & Operand::kNegate) != 0) o.id ^= sign;
  return o;
}

Operand WithoutModifiers(Emission& e, Operand o) {
  constexpr uint32_t kSign = 0x80000000;
  const uint8_t mods = std::exchange(o.mods, uint8_t{0});
  switch (mods) {
    case 0: return o;
    case Operand::kNegate: return e.Valu(Opcode::kVXorB32, {Imm(kSign), o});
    case Operand::kAbsolute: return e.Valu(Opcode::kVAndB32, {Imm(kSign - 1), o});
    default: return e.Valu(Opcode::kVOrB32, {Imm(kSign), o});
  }
}

bool SelectTakesModifiers(const Emission& e, mir::InstId select) {
  const mir::ValueId result = e.module().result(select);
  return e.module().value(result).type == mir::Type::kF32 && !e.IsUniform(result);
}

bool IsOnlyModifier(Emission& e, mir::InstId id) {
  const absl::Span<const mir::Use> uses = e.uses().Of(e.module().result(id));
  return std::all_of(uses.begin(), uses.end(), [&](const mir::Use& use) {
    const mir::Op op = e.module().inst(use.inst).op;
    return op == mir::Op::kSelect ? SelectTakesModifiers(e, use.inst) : TakesModifiers(op);
  });
}

}  // namespace kiln::amd
