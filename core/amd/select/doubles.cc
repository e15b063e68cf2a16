// Selects arithmetic on floats of 64 bits: rounded correctly, division and square root included. A
// double is two dwords, the low one first, in vector registers or, where it was loaded or put
// together by scalar instructions, in a pair of scalar registers.
//
// The sequences of division and square root are LLVM 19's (llc, gfx1030), which
// core/sim/rdna2/alu proves to round correctly but for quotients by divisors whose fraction is all
// ones (Quotient).
#include "core/amd/select/doubles.h"

#include "core/amd/select/modifiers.h"

namespace kiln::amd {
namespace {

// The high halves of doubles whose low half is 0.
constexpr uint32_t kHalf = 0x3fe00000, kOne = 0x3ff00000, kSignBit = 0x80000000;

// The opcodes of operations that are one instruction.
struct Row {
  mir::Op op;
  int sources;
  Opcode opcode;
};
constexpr Row kRows[] = {
    {mir::Op::kFadd, 2, Opcode::kVAddF64},         {mir::Op::kFmul, 2, Opcode::kVMulF64},
    {mir::Op::kFfma, 3, Opcode::kVFmaF64},         {mir::Op::kFmin, 2, Opcode::kVMinF64},
    {mir::Op::kFmax, 2, Opcode::kVMaxF64},         {mir::Op::kFfloor, 1, Opcode::kVFloorF64},
    {mir::Op::kFceil, 1, Opcode::kVCeilF64},       {mir::Op::kFtrunc, 1, Opcode::kVTruncF64},
    {mir::Op::kFroundEven, 1, Opcode::kVRndneF64},
};

Operand Opposite(const Operand& o) { return IsImm(o) ? Imm(o.id ^ kSignBit) : Negated(o); }

}  // namespace

Operand PlainDouble(Emission& e, mir::ValueId v) {
  const mir::Value& value = e.module().value(v);
  if (value.kind == mir::Value::Kind::kUndef) return Imm(0);
  if (value.kind != mir::Value::Kind::kConstant) return e.Given(v);
  const auto low = static_cast<uint32_t>(value.bits),
             high = static_cast<uint32_t>(value.bits >> 32);
  return low == 0 ? Imm(high) : e.Vector({Imm(low), Imm(high)}, kFileS);
}

Operand DoubleSource(Emission& e, mir::ValueId v) {
  const uint8_t mods = TakeModifiers(e, &v);
  Operand o = PlainDouble(e, v);
  if (!IsImm(o)) {
    o.mods = mods;
    return o;
  }
  if ((mods & Operand::kAbsolute) != 0) o.id &= ~kSignBit;
  if ((mods & Operand::kNegate) != 0) o.id ^= kSignBit;
  return o;
}

Operand Doubles::Pack(const Operand& low, const Operand& high) {
  return e_.Vector({low, high}, e_.IsScalar(low) && e_.IsScalar(high) ? kFileS : kFileV);
}

Operand Doubles::Difference(Operand a, Operand b) {
  return e_.Valu(Opcode::kVAddF64, {a, Opposite(b)});
}

// Refines the reciprocal of the divisor twice, multiplies, and adds the residual; v_div_scale and
// v_div_fixup look after exponents and after what is no finite number.
//
// A quotient is wrong by its last bit only where the reciprocal is rounded down by nearly half a
// unit, which is where the divisor's fraction is all ones (P. Markstein, "Computation of elementary
// functions on the IBM RISC System/6000", 1990: the case left out). There the exact reciprocal lies
// between a power of two and its successor, a hair above their middle. The last step hence takes
// the error's square along, and the last bit of the factor is set: the sum falls on the upper side
// of the middle. For other divisors both are far below what the rounding sees.
Operand Doubles::Quotient(Operand a, Operand b) {
  const auto scaled = [&](Operand x) { return e_.ValuCarry(Opcode::kVDivScaleF64, x, b, a); };
  const Operand d = scaled(b).result;
  const Emission::WithCarry n = scaled(a);
  Operand r = e_.Valu(Opcode::kVRcpF64, {d});
  r = Fma(Fma(Negated(d), r, Imm(kOne)), r, r);
  const Operand error = Fma(Negated(d), r, Imm(kOne));
  const Operand odd = e_.Valu(Opcode::kVOrB32, {Imm(1), e_.Component(r, 0)});
  const Operand factor = e_.Vector({odd, e_.Component(r, 1)}, kFileV);
  r = Fma(Fma(error, error, error), factor, r);
  const Operand q = e_.Valu(Opcode::kVMulF64, {n.result, r});
  const Operand rest = Fma(Negated(d), q, n.result);
  const Operand sum = e_.Pseudo(kDivFmas, kFileV, 2, {rest, r, q, n.carry});
  return e_.Valu(Opcode::kVDivFixupF64, {sum, b, a});
}

// a - b * round(a / b), each operation rounded.
Operand Doubles::Remainder(mir::InstId id, Opcode rounding) {
  const Operand a = PlainDouble(e_, m_.source(id, 0)), b = PlainDouble(e_, m_.source(id, 1));
  const Operand whole = e_.Valu(rounding, {Quotient(a, b)});
  return Difference(a, e_.Valu(Opcode::kVMulF64, {b, whole}));
}

// Goldschmidt's iteration from v_rsq, and two residuals. Numbers below 2^-767 are scaled by 2^256,
// so that no product is subnormal; zeros and infinity are their own roots.
Operand Doubles::SquareRoot(Operand x) {
  constexpr uint32_t kSmall = 0x10000000, kZeroOrInfinity = 0x260;
  const auto scale = [&](Operand number, const Operand& small, uint32_t exponent) {
    const Operand n = e_.Valu(Opcode::kVCndmaskB32, {Imm(0), Imm(exponent), small});
    return e_.Valu(Opcode::kVLdexpF64, {number, n});
  };
  const Operand small = e_.Compare(Opcode::kVCmpGtF64, Imm(kSmall), x);
  const Operand s = scale(x, small, 256);
  const Operand y = e_.Valu(Opcode::kVRsqF64, {s});
  Operand g = e_.Valu(Opcode::kVMulF64, {s, y});
  Operand h = e_.Valu(Opcode::kVMulF64, {y, Imm(kHalf)});
  const Operand e = Fma(Negated(h), g, Imm(kHalf));
  g = Fma(g, e, g);
  h = Fma(h, e, h);
  for (int i = 0; i < 2; ++i) g = Fma(Fma(Negated(g), g, s), h, g);
  g = scale(g, small, static_cast<uint32_t>(-128));
  const Operand own = e_.Compare(Opcode::kVCmpClassF64, s, Imm(kZeroOrInfinity));
  const auto half = [&](int i) {
    return e_.Valu(Opcode::kVCndmaskB32, {e_.Component(g, i), e_.Component(s, i), own});
  };
  return e_.Vector({half(0), half(1)}, kFileV);
}

// Returns the number that an operand with modifiers means, by its bits, as nothing else may change:
// all is in the high half.
Operand Doubles::WithoutModifiers(Operand o) {
  const bool absolute = (o.mods & Operand::kAbsolute) != 0;
  const bool negative = (o.mods & Operand::kNegate) != 0;
  o.mods = 0;
  if (!absolute && !negative) return o;
  const Operand low = e_.Component(o, 0), high = e_.Component(o, 1);
  const auto op = [&](Opcode salu, Opcode valu, uint32_t bits) {
    return Pack(low, e_.IsScalar(high) ? e_.Salu(salu, {high, Imm(bits)})
                                       : e_.Valu(valu, {Imm(bits), high}));
  };
  if (!absolute) return op(Opcode::kSXorB32, Opcode::kVXorB32, kSignBit);
  if (negative) return op(Opcode::kSOrB32, Opcode::kVOrB32, kSignBit);
  return op(Opcode::kSAndB32, Opcode::kVAndB32, kSignBit - 1);
}

Operand Doubles::BitsOfSign(mir::InstId id) {
  Operand o = DoubleSource(e_, m_.source(id, 0));
  const bool negates = m_.inst(id).op == mir::Op::kFneg;
  if (IsImm(o)) return Pack(Imm(0), Imm(negates ? o.id ^ kSignBit : o.id & ~kSignBit));
  o.mods = negates ? o.mods ^ Operand::kNegate : Operand::kAbsolute;
  return WithoutModifiers(o);
}

// Returns 0 or 1 with the sign of the number; 1 for a NaN.
Operand Doubles::Sign(mir::InstId id) {
  const mir::ValueId v = m_.source(id, 0);
  const Operand nonzero = e_.Compare(Opcode::kVCmpNeqF64, Imm(0), PlainDouble(e_, v));
  const Operand one = e_.Valu(Opcode::kVCndmaskB32, {Imm(0), Imm(kOne), nonzero});
  const Operand high = e_.Valu(Opcode::kVBfiB32, {Imm(kSignBit - 1), one, e_.Half(v, 1)});
  return Pack(Imm(0), high);
}

Operand Doubles::Arithmetic(mir::InstId id) {
  const mir::Op op = m_.inst(id).op;
  const auto s = [&](int i) { return DoubleSource(e_, m_.source(id, i)); };
  for (const Row& row : kRows) {
    if (row.op != op) continue;
    if (row.sources == 1) return e_.Valu(row.opcode, {s(0)});
    if (row.sources == 2) return e_.Valu(row.opcode, {s(0), s(1)});
    return e_.Valu(row.opcode, {s(0), s(1), s(2)});
  }
  switch (op) {
    case mir::Op::kFsub: {
      const Operand a = s(0);
      return Difference(a, s(1));
    }
    case mir::Op::kFdiv: {
      const Operand a = WithoutModifiers(s(0));
      return Quotient(a, WithoutModifiers(s(1)));
    }
    case mir::Op::kFrem: return Remainder(id, Opcode::kVTruncF64);
    case mir::Op::kFmod: return Remainder(id, Opcode::kVFloorF64);
    case mir::Op::kFsqrt: return SquareRoot(s(0));
    case mir::Op::kFneg:
    case mir::Op::kFabs: return BitsOfSign(id);
    case mir::Op::kFsign: return Sign(id);
    case mir::Op::kFsaturate: return e_.Valu(Opcode::kVMaxF64, {s(0), s(0)}, {}, lir::kSaturate);
    // v_fract never gives 1, which the difference of a small negative number rounds to.
    case mir::Op::kFfract: {
      const Operand x = s(0);
      return Difference(x, e_.Valu(Opcode::kVFloorF64, {x}));
    }
    case mir::Op::kPackF64: return Pack(e_.Src(m_.source(id, 0)), e_.Src(m_.source(id, 1)));
    case mir::Op::kF64Low: return e_.Half(m_.source(id, 0), 0);
    case mir::Op::kF64High: return e_.Half(m_.source(id, 0), 1);
    default: return {};
  }
}

}  // namespace kiln::amd
