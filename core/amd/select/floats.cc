// Selects arithmetic on floats, in vector registers also if uniform: there is no scalar arithmetic
// for them. Negation and absolute value are modifiers of the sources (modifiers.h), saturation one
// of the result where its operation has no other reader.
//
// Facts: v_min and v_max give the other source if one is NaN (IEEE mode is off), clamping turns NaN
// into 0 (DX10_CLAMP is on), v_sin and v_cos take turns, v_rcp, v_rsq, v_sqrt, v_exp and v_log of
// single precision err by one ulp and flush denormals (AMD, RDNA2 ISA guide, chapter 12; Mesa
// 25.0.7 relies on the same for Vulkan's precision).
#include "core/amd/select/arithmetic.h"
#include "core/amd/select/modifiers.h"
#include "core/mid/values/fold.h"

namespace kiln::amd {

using mir::Type;

namespace {

// The opcodes of operations that are one instruction, for 32 and 16 bits.
struct Row {
  mir::Op op;
  int sources;
  Opcode single;
  Opcode half;
};
constexpr Row kRows[] = {
    {mir::Op::kFadd, 2, Opcode::kVAddF32, Opcode::kVAddF16},
    {mir::Op::kFsub, 2, Opcode::kVSubF32, Opcode::kVSubF16},
    {mir::Op::kFmul, 2, Opcode::kVMulF32, Opcode::kVMulF16},
    {mir::Op::kFfma, 3, Opcode::kVFmaF32, Opcode::kVFmaF16},
    {mir::Op::kFmin, 2, Opcode::kVMinF32, Opcode::kVMinF16},
    {mir::Op::kFmax, 2, Opcode::kVMaxF32, Opcode::kVMaxF16},
    {mir::Op::kFfloor, 1, Opcode::kVFloorF32, Opcode::kVFloorF16},
    {mir::Op::kFceil, 1, Opcode::kVCeilF32, Opcode::kVCeilF16},
    {mir::Op::kFtrunc, 1, Opcode::kVTruncF32, Opcode::kVTruncF16},
    {mir::Op::kFroundEven, 1, Opcode::kVRndneF32, Opcode::kVRndneF16},
    {mir::Op::kFfract, 1, Opcode::kVFractF32, Opcode::kVFractF16},
    {mir::Op::kFsqrt, 1, Opcode::kVSqrtF32, Opcode::kVSqrtF16},
    {mir::Op::kFrsq, 1, Opcode::kVRsqF32, Opcode::kVRsqF16},
    {mir::Op::kFrcp, 1, Opcode::kVRcpF32, Opcode::kVRcpF16},
    {mir::Op::kFexp2, 1, Opcode::kVExpF32, Opcode::kVExpF16},
    {mir::Op::kFlog2, 1, Opcode::kVLogF32, Opcode::kVLogF16},
};

const Row* RowOf(mir::Op op) {
  for (const Row& row : kRows) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

constexpr uint32_t kOneTurn = 0x3e22f983;  // 1 / 2pi, an inline constant

}  // namespace

// Returns true for functions whose instruction flushes subnormals of single precision whatever the
// mode says, in a module that keeps them.
bool Arithmetic::IsScaled(mir::Op op, Type type) const {
  if (type != Type::kF32 || m_.f32_mode.denorms != mir::DenormMode::kPreserve) return false;
  switch (op) {
    case mir::Op::kFrcp:
    case mir::Op::kFrsq:
    case mir::Op::kFsqrt:
    case mir::Op::kFexp2:
    case mir::Op::kFlog2: return true;
    default: return false;
  }
}

// Multiplies the operand of the instruction by a power of two where it, or the result, would be
// subnormal, and takes that back from the result. Reciprocals are scaled to the range of a
// significand always.
Operand Arithmetic::Scaled(mir::Op op, Operand x) {
  const auto exponent = [&](const Operand& mask, uint32_t n) {
    return e_.Valu(Opcode::kVCndmaskB32, {Imm(0), Imm(n), mask});
  };
  const auto ldexp = [&](Operand number, Operand n) {
    return e_.Valu(Opcode::kVLdexpF32, {number, n});
  };
  if (op == mir::Op::kFrcp) {
    const Operand r = e_.Valu(Opcode::kVRcpF32, {e_.Valu(Opcode::kVFrexpMantF32, {x})});
    const Operand n = e_.Valu(Opcode::kVFrexpExpI32F32, {x});
    return ldexp(r, e_.Valu(Opcode::kVSubNcU32, {Imm(0), n}));
  }
  if (op == mir::Op::kFexp2) {
    constexpr uint32_t kLeast = 0xc2fc0000, kSixtyFour = 0x42800000;  // -126, 64
    const Operand small = e_.Compare(Opcode::kVCmpGtF32, Imm(kLeast), x);
    const Operand moved = e_.Valu(Opcode::kVAddF32, {exponent(small, kSixtyFour), x});
    const Operand power = e_.Valu(Opcode::kVExpF32, {moved});
    return ldexp(power, exponent(small, static_cast<uint32_t>(-64)));
  }
  constexpr uint32_t kLeastNormal = 0x00800000;
  const Operand small = e_.Compare(Opcode::kVCmpGtF32, Imm(kLeastNormal), x);
  const Operand scaled = ldexp(x, exponent(small, 24));
  switch (op) {
    case mir::Op::kFsqrt: {
      const Operand root = e_.Valu(Opcode::kVSqrtF32, {scaled});
      return ldexp(root, exponent(small, static_cast<uint32_t>(-12)));
    }
    case mir::Op::kFrsq: {
      const Operand root = e_.Valu(Opcode::kVRsqF32, {scaled});
      return ldexp(root, exponent(small, 12));
    }
    default: {
      constexpr uint32_t kMinus24 = 0xc1c00000;
      return e_.Valu(Opcode::kVAddF32,
                     {exponent(small, kMinus24), e_.Valu(Opcode::kVLogF32, {scaled})});
    }
  }
}

// a / b with one ulp of v_rcp, also of subnormal numbers: of significands, to whose quotient the
// difference of the exponents is added.
Operand Arithmetic::ScaledQuotient(Operand a, Operand b) {
  const Operand r = e_.Valu(Opcode::kVRcpF32, {e_.Valu(Opcode::kVFrexpMantF32, {b})});
  const Operand q = e_.Valu(Opcode::kVMulF32, {e_.Valu(Opcode::kVFrexpMantF32, {a}), r});
  const Operand n = e_.Valu(Opcode::kVSubNcU32, {e_.Valu(Opcode::kVFrexpExpI32F32, {a}),
                                                 e_.Valu(Opcode::kVFrexpExpI32F32, {b})});
  return e_.Valu(Opcode::kVLdexpF32, {q, n});
}

// Returns true if the operation saturates its result for the fsaturate that alone reads it.
bool Arithmetic::TakesSaturation(mir::InstId id) {
  if (RowOf(m_.inst(id).op) == nullptr || e_.BitsOf(m_.result(id)) == 64) return false;
  if (IsScaled(m_.inst(id).op, m_.value(m_.result(id)).type)) return false;
  if (fusions_.IsFused(id) || fusions_.Of(id)) return false;
  const absl::Span<const mir::Use> uses = e_.uses().Of(m_.result(id));
  return uses.size() == 1 && m_.inst(uses[0].inst).op == mir::Op::kFsaturate;
}

uint8_t Arithmetic::SaturateFlag(mir::InstId id) {
  return TakesSaturation(id) ? uint8_t{lir::kSaturate} : uint8_t{0};
}

Operand Arithmetic::Float(mir::InstId id) {
  const mir::Op op = m_.inst(id).op;
  const bool half = e_.BitsOf(m_.source(id, 0)) == 16;
  const auto s = [&](int i) { return FloatSource(e_, m_.source(id, i)); };
  if (IsScaled(op, m_.value(m_.result(id)).type)) return Scaled(op, s(0));
  // Where x - floor(x) rounds to 1, v_fract gives the largest number below.
  if (op == mir::Op::kFfract && (m_.inst(id).flags & mir::kExact) != 0) {
    const Operand whole = e_.Valu(half ? Opcode::kVFloorF16 : Opcode::kVFloorF32, {s(0)});
    return e_.Valu(half ? Opcode::kVSubF16 : Opcode::kVSubF32, {s(0), whole}, {}, SaturateFlag(id));
  }
  if (const Row* row = RowOf(op)) {
    const Opcode opcode = half ? row->half : row->single;
    const uint8_t flags = SaturateFlag(id);
    switch (row->sources) {
      case 1: return e_.Valu(opcode, {s(0)}, {}, flags);
      case 3: {
        if (opcode == Opcode::kVFmaF32 && flags == 0) {
          if (const Operand sum = Accumulate(id, s(0), s(1), s(2)); Exists(sum)) return sum;
        }
        return e_.Valu(opcode, {s(0), s(1), s(2)}, {}, flags);
      }
      default: break;
    }
    if (op != mir::Op::kFsub) return e_.Commuted(opcode, s(0), s(1), {}, flags);
    if (e_.IsIn(s(1), kFileV)) return e_.Valu(opcode, {s(0), s(1)}, {}, flags);
    return e_.Valu(half ? Opcode::kVSubrevF16 : Opcode::kVSubrevF32, {s(1), s(0)}, {}, flags);
  }
  switch (op) {
    case mir::Op::kFneg:
    case mir::Op::kFabs: return BitsOfSign(id);
    case mir::Op::kFsign: return FloatSign(id);
    case mir::Op::kFsaturate: {
      const mir::ValueId v = m_.source(id, 0);
      if (m_.value(v).kind == mir::Value::Kind::kResult &&
          TakesSaturation(mir::InstId(m_.value(v).owner))) {
        return e_.Src(v);
      }
      return e_.Valu(half ? Opcode::kVMaxF16 : Opcode::kVMaxF32, {s(0), s(0)}, {}, lir::kSaturate);
    }
    default: return {};
  }
}

// Returns a sum in the place of its addend, which is half as long, if that needs no copy: the
// addend is an arithmetic result of the same block with no other reader. None if not.
Operand Arithmetic::Accumulate(mir::InstId id, Operand a, Operand b, const Operand& c) {
  const auto plain = [&](const Operand& o) { return e_.IsIn(o, kFileV) && o.mods == 0; };
  if (!plain(b)) std::swap(a, b);
  if (!plain(b) || !plain(c) || a.mods != 0 || (IsImm(a) && !IsInline(a.id))) return {};
  const mir::ValueId addend = m_.source(id, 2);
  if (m_.value(addend).kind != mir::Value::Kind::kResult || e_.uses().Of(addend).size() != 1) {
    return {};
  }
  const auto made = made_in_.find(addend.index);
  if (made == made_in_.end() || made->second != b_.block()) return {};
  if (f_.value(c.value()).comps != 1) return {};
  return e_.ValuTied(Opcode::kVFmacF32, {a, b}, c);
}

// Returns a negated number or absolute value by its bits, as nothing else may change.
Operand Arithmetic::BitsOfSign(mir::InstId id) {
  const uint32_t sign = e_.BitsOf(m_.source(id, 0)) == 16 ? 0x8000u : 0x80000000u;
  Operand o = FloatSource(e_, m_.source(id, 0));
  if (IsImm(o)) return m_.inst(id).op == mir::Op::kFneg ? Imm(o.id ^ sign) : Imm(o.id & ~sign);
  bool absolute = (o.mods & Operand::kAbsolute) != 0, negative = (o.mods & Operand::kNegate) != 0;
  if (m_.inst(id).op == mir::Op::kFneg) {
    negative = !negative;
  } else {
    absolute = true;
    negative = false;
  }
  o.mods = 0;
  if (!absolute && !negative) return o;
  const bool scalar = e_.IsUniform(m_.result(id)) && e_.IsScalar(o);
  const auto op = [&](Opcode salu, Opcode valu, uint32_t bits) {
    return scalar ? e_.Salu(salu, {o, Imm(bits)}) : e_.Valu(valu, {Imm(bits), o});
  };
  if (!absolute) return op(Opcode::kSXorB32, Opcode::kVXorB32, sign);
  if (negative) return op(Opcode::kSOrB32, Opcode::kVOrB32, sign);
  return op(Opcode::kSAndB32, Opcode::kVAndB32, sign - 1);
}

// Returns 0 or 1 with the sign of the number; 1 for a NaN.
Operand Arithmetic::FloatSign(mir::InstId id) {
  const mir::ValueId v = m_.source(id, 0);
  const bool half = e_.BitsOf(v) == 16;
  const Operand x = e_.Src(v);
  const Operand nonzero = e_.Compare(half ? Opcode::kVCmpNeqF16 : Opcode::kVCmpNeqF32, Imm(0), x);
  const Operand one =
      e_.Valu(Opcode::kVCndmaskB32, {Imm(0), Imm(half ? 0x3c00u : 0x3f800000u), nonzero});
  return e_.Valu(Opcode::kVBfiB32, {Imm(half ? 0x7fffu : 0x7fffffffu), one, x});
}

// Returns 1 / b for singles whose denormals are flushed. The reciprocal of a constant is one: the
// number nearest to it, where v_rcp_f32 may be off by one unit. Not in what may be part of an
// invariant output (mid/values/fold.h), which has the same bits in a program that loads b.
Operand Arithmetic::InverseOf(mir::InstId id, Operand b) {
  if (IsImm(b) && b.mods == 0 &&
      !mid::IsLeftToTarget(m_.stage, mir::Op::kFrcp, m_.inst(id).flags)) {
    const bool to_zero = mir::RoundsToZero(m_, mir::Op::kFrcp, Type::kF32);
    const auto folded =
        mid::FoldOp(mir::Op::kFrcp, Type::kF32, Type::kF32, {uint64_t{b.id}}, to_zero);
    if (folded) return Imm(static_cast<uint32_t>(*folded));
  }
  return e_.Valu(Opcode::kVRcpF32, {b});
}

// a - b * round(a / b)
Operand Arithmetic::FloatRemainder(mir::InstId id, Operand a, Operand b, Opcode rounding) {
  const Operand quotient = m_.f32_mode.denorms == mir::DenormMode::kPreserve
                               ? ScaledQuotient(a, b)
                               : e_.Commuted(Opcode::kVMulF32, a, InverseOf(id, b));
  const Operand whole = e_.Valu(rounding, {quotient});
  return e_.Valu(Opcode::kVFmaF32, {whole, IsImm(b) ? Imm(b.id ^ 0x80000000u) : Negated(b), a});
}

Operand Arithmetic::FloatFunction(mir::InstId id) {
  if (e_.BitsOf(m_.source(id, 0)) != 32) return {};
  const auto s = [&](int i) { return FloatSource(e_, m_.source(id, i)); };
  const auto mul = [&](Operand a, Operand b) { return e_.Commuted(Opcode::kVMulF32, a, b); };
  switch (m_.inst(id).op) {
    case mir::Op::kFdiv:
      if (m_.f32_mode.denorms == mir::DenormMode::kPreserve) return ScaledQuotient(s(0), s(1));
      return mul(s(0), InverseOf(id, s(1)));
    case mir::Op::kFrem: return FloatRemainder(id, s(0), s(1), Opcode::kVTruncF32);
    case mir::Op::kFmod: return FloatRemainder(id, s(0), s(1), Opcode::kVFloorF32);
    case mir::Op::kFsin: return e_.Valu(Opcode::kVSinF32, {mul(Imm(kOneTurn), s(0))});
    case mir::Op::kFcos: return e_.Valu(Opcode::kVCosF32, {mul(Imm(kOneTurn), s(0))});
    // The legacy product makes 0 to the power 0 one: log2(0) * 0 is 0.
    case mir::Op::kFpow: {
      const auto function = [&](mir::Op op, Opcode opcode, Operand x) {
        return IsScaled(op, Type::kF32) ? Scaled(op, x) : e_.Valu(opcode, {x});
      };
      const Operand log = function(mir::Op::kFlog2, Opcode::kVLogF32, s(0));
      return function(mir::Op::kFexp2, Opcode::kVExpF32,
                      e_.Commuted(Opcode::kVMulLegacyF32, s(1), log));
    }
    default: return {};
  }
}

// Operations on halfs that would lose too much precision, or overflow, in half precision.
Operand Arithmetic::HalfFunction(mir::InstId id) {
  if (e_.BitsOf(m_.source(id, 0)) != 16) return {};
  const auto s = [&](int i) { return conversions_.ToSingle(m_.source(id, i)); };
  const auto rounded = [&](Operand single) { return conversions_.ToHalf(single); };
  const auto mul = [&](Operand a, Operand b) { return e_.Commuted(Opcode::kVMulF32, a, b); };
  switch (m_.inst(id).op) {
    case mir::Op::kFdiv: return rounded(mul(s(0), InverseOf(id, s(1))));
    case mir::Op::kFrem: return rounded(FloatRemainder(id, s(0), s(1), Opcode::kVTruncF32));
    case mir::Op::kFmod: return rounded(FloatRemainder(id, s(0), s(1), Opcode::kVFloorF32));
    case mir::Op::kFsin: return rounded(e_.Valu(Opcode::kVSinF32, {mul(Imm(kOneTurn), s(0))}));
    case mir::Op::kFcos: return rounded(e_.Valu(Opcode::kVCosF32, {mul(Imm(kOneTurn), s(0))}));
    case mir::Op::kFpow:
      return rounded(e_.Valu(Opcode::kVExpF32, {e_.Commuted(Opcode::kVMulLegacyF32, s(1),
                                                            e_.Valu(Opcode::kVLogF32, {s(0)}))}));
    default: return {};
  }
}

}  // namespace kiln::amd
