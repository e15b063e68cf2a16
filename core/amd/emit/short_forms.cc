#include "core/amd/emit/short_forms.h"

#include <utility>

#include "core/amd/emit/twins.h"
#include "core/amd/isa/fields.h"

namespace kiln::amd {
namespace {

using isa::Encoding;
using isa::Form;
using isa::Instruction;
using isa::Opcode;
using isa::OpcodeInfo;
namespace flag = isa::opcode_flag;

bool IsVcc(isa::Operand o) { return o.code == isa::kVccLo; }

bool HasModifiers(const Instruction& inst) {
  return (inst.neg | inst.abs | inst.neg_hi | inst.op_sel | inst.op_sel_hi | inst.omod) != 0 ||
         inst.clamp;
}

bool IsShortEncoding(Encoding e) {
  return e == Encoding::kVop1 || e == Encoding::kVop2 || e == Encoding::kVopc;
}

// Lane masks that the short form takes from vcc are there.
bool MasksAreInVcc(const Instruction& inst, const OpcodeInfo& info) {
  if (info.encoding == Encoding::kVopc && !isa::IsCmpx(info) && !IsVcc(inst.dst)) return false;
  if (info.Has(flag::kCarryOut) && !IsVcc(inst.sdst)) return false;
  return !info.Has(flag::kMaskIn) || IsVcc(inst.src[2]);
}

void DropImplied(Instruction& inst, const OpcodeInfo& info) {
  if (info.encoding == Encoding::kVopc) inst.dst = {};
  if (info.Has(flag::kCarryOut)) inst.sdst = {};
  if (info.Has(flag::kMaskIn)) inst.src[2] = {};
}

void ExchangeBits(uint8_t& bits) {
  bits = static_cast<uint8_t>((bits & ~3u) | (bits & 1u) << 1 | (bits >> 1 & 1u));
}

// Exchanges sources 0 and 1 and their modifiers.
void Exchange(Instruction& inst) {
  std::swap(inst.src[0], inst.src[1]);
  ExchangeBits(inst.neg);
  ExchangeBits(inst.abs);
}

// Returns true if source 1 is a VGPR, or could be made one by exchanging the sources, which it
// then does.
bool PutVgprSecond(Instruction& inst) {
  if (!inst.src[1].exists() || inst.src[1].is_vgpr()) return true;
  if (!inst.src[0].is_vgpr()) return false;
  const auto twin = TwinOf(inst.op);
  if (!twin) return false;
  inst.op = *twin;
  Exchange(inst);
  return true;
}

Instruction VectorForm(Instruction inst, const OpcodeInfo& info) {
  if (inst.form != Form::kPlain) {
    if (info.encoding == Encoding::kVopc && inst.form == Form::kSdwa) {
      if (!IsVcc(inst.dst)) inst.sdst = inst.dst;
      inst.dst = {};
    } else if (isa::HasForm(info, inst.form) && inst.form != Form::kVop3) {
      DropImplied(inst, info);
    }
    return inst;
  }
  if (!IsShortEncoding(info.encoding)) return inst;
  const bool only_short = !info.Has(flag::kVop3);
  const bool fits = !HasModifiers(inst) && MasksAreInVcc(inst, info);
  if ((fits || only_short) && (PutVgprSecond(inst) || only_short)) {
    DropImplied(inst, isa::Info(inst.op));
    return inst;
  }
  inst.form = Form::kVop3;
  return inst;
}

// ---- v_fma.

struct FmaForms {
  Opcode fmac, fmaak, fmamk;
};

bool FindForms(Opcode op, FmaForms* forms) {
  switch (op) {
    case Opcode::kVFmaF32:
      *forms = {Opcode::kVFmacF32, Opcode::kVFmaakF32, Opcode::kVFmamkF32};
      return true;
    case Opcode::kVFmaF16:
      *forms = {Opcode::kVFmacF16, Opcode::kVFmaakF16, Opcode::kVFmamkF16};
      return true;
    default: return false;
  }
}

// Packed, both halves from where they go, into the addend's register.
Instruction PackedFmaForm(Instruction inst) {
  constexpr uint8_t kHighFromHigh = 7;
  const bool plain = inst.op_sel_hi == kHighFromHigh && inst.op_sel == 0 && !inst.clamp &&
                     (inst.neg | inst.neg_hi) == 0;
  if (!plain || !(inst.src[2] == inst.dst)) return inst;
  Instruction shorter = inst;
  // Which halves of a constant VOP2 reads is written nowhere.
  if (!shorter.src[0].is_vgpr() || !shorter.src[1].is_vgpr()) return inst;
  shorter.op = Opcode::kVPkFmacF16;
  shorter.src[2] = {};
  shorter.op_sel_hi = 0;
  return shorter;
}

// a * b + literal, a * literal + c.
bool WithLiteral(Instruction& inst, const FmaForms& forms) {
  auto& src = inst.src;
  const int literals = src[0].is_literal() + src[1].is_literal() + src[2].is_literal();
  if (literals != 1) return false;
  if (src[2].is_literal()) {
    if (!src[1].is_vgpr()) std::swap(src[0], src[1]);
    if (!src[1].is_vgpr()) return false;
    inst.op = forms.fmaak;
    src[2] = {};
    return true;
  }
  if (!src[2].is_vgpr()) return false;
  if (src[0].is_literal()) std::swap(src[0], src[1]);
  inst.op = forms.fmamk;
  src[1] = src[2];
  src[2] = {};
  return true;
}

Instruction FmaForm(Instruction inst) {
  if (inst.op == Opcode::kVPkFmaF16) return PackedFmaForm(inst);
  FmaForms forms;
  if (inst.form != Form::kPlain || HasModifiers(inst) || !FindForms(inst.op, &forms)) return inst;
  if (inst.src[2] == inst.dst) {
    Instruction shorter = inst;
    if (!shorter.src[1].is_vgpr()) std::swap(shorter.src[0], shorter.src[1]);
    if (shorter.src[1].is_vgpr()) {
      shorter.op = forms.fmac;
      shorter.src[2] = {};
      return shorter;
    }
  }
  Instruction shorter = inst;
  return WithLiteral(shorter, forms) ? shorter : inst;
}

// ---- Scalar instructions with a literal of 16 bits.

bool FitsSigned(uint32_t bits) {
  const auto value = static_cast<int32_t>(bits);
  return value == static_cast<int16_t>(value);
}

Instruction CompareForm(Instruction inst) {
  if (inst.src[0].is_literal()) {
    const auto twin = TwinOf(inst.op);
    if (!twin || !inst.src[1].is_scalar_register()) return inst;
    inst.op = *twin;
    std::swap(inst.src[0], inst.src[1]);
  }
  if (!inst.src[1].is_literal() || !inst.src[0].is_scalar_register()) return inst;
  // Equality does not care for signs, and may take the extension that fits.
  Opcode op = inst.op;
  if (inst.literal > 0xffff || FitsSigned(inst.literal)) {
    if (op == Opcode::kSCmpEqU32) op = Opcode::kSCmpEqI32;
    if (op == Opcode::kSCmpLgU32) op = Opcode::kSCmpLgI32;
  } else {
    if (op == Opcode::kSCmpEqI32) op = Opcode::kSCmpEqU32;
    if (op == Opcode::kSCmpLgI32) op = Opcode::kSCmpLgU32;
  }
  const auto with_simm = CompareWithSimm(op);
  if (!with_simm) return inst;
  const bool is_signed = isa::Info(op).src[0] == isa::Type::kI32;
  if (is_signed ? !FitsSigned(inst.literal) : inst.literal > 0xffff) return inst;
  inst.op = *with_simm;
  inst.simm = static_cast<uint16_t>(inst.literal);
  inst.src[1] = {};
  inst.literal = 0;
  return inst;
}

Instruction ScalarForm(Instruction inst, bool scc_used) {
  if (!isa::HasLiteral(inst)) return inst;
  if (isa::Info(inst.op).encoding == Encoding::kSopc) return CompareForm(inst);
  if (!FitsSigned(inst.literal)) return inst;
  Opcode op = Opcode::kSMovkI32;
  switch (inst.op) {
    case Opcode::kSMovB32: break;
    case Opcode::kSAddU32:
      if (scc_used) return inst;  // a carry, s_addk says overflow
      op = Opcode::kSAddkI32;
      break;
    case Opcode::kSAddI32: op = Opcode::kSAddkI32; break;
    case Opcode::kSMulI32: op = Opcode::kSMulkI32; break;
    default: return inst;
  }
  if (op != Opcode::kSMovkI32) {
    if (inst.src[0].is_literal()) std::swap(inst.src[0], inst.src[1]);
    if (!(inst.src[0] == inst.dst)) return inst;
  }
  inst.op = op;
  inst.simm = static_cast<uint16_t>(inst.literal);
  inst.src[0] = inst.src[1] = {};
  inst.literal = 0;
  return inst;
}

}  // namespace

Instruction Shortest(const Instruction& inst, bool scc_used) {
  const OpcodeInfo& info = isa::Info(inst.op);
  if (isa::IsScalarAlu(info.encoding)) return ScalarForm(inst, scc_used);
  if (!isa::IsVectorAlu(info.encoding)) return inst;
  const Instruction fma = FmaForm(inst);
  return VectorForm(fma, isa::Info(fma.op));
}

}  // namespace kiln::amd
