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

namespace kiln::amd {
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

// Returns true if the operation saturates its result for the fsaturate that alone reads it.
bool Arithmetic::TakesSaturation(mir::InstId id) {
  if (RowOf(m_.inst(id).op) == nullptr) return false;
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
      case 3: return e_.Valu(opcode, {s(0), s(1), s(2)}, {}, flags);
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

// a - b * round(a / b)
Operand Arithmetic::FloatRemainder(Operand a, Operand b, Opcode rounding) {
  const Operand quotient = e_.Commuted(Opcode::kVMulF32, a, e_.Valu(Opcode::kVRcpF32, {b}));
  const Operand whole = e_.Valu(rounding, {quotient});
  return e_.Valu(Opcode::kVFmaF32, {whole, IsImm(b) ? Imm(b.id ^ 0x80000000u) : Negated(b), a});
}

Operand Arithmetic::FloatFunction(mir::InstId id) {
  if (e_.BitsOf(m_.source(id, 0)) != 32) return {};
  const auto s = [&](int i) { return FloatSource(e_, m_.source(id, i)); };
  const auto mul = [&](Operand a, Operand b) { return e_.Commuted(Opcode::kVMulF32, a, b); };
  switch (m_.inst(id).op) {
    case mir::Op::kFdiv: return mul(s(0), e_.Valu(Opcode::kVRcpF32, {s(1)}));
    case mir::Op::kFrem: return FloatRemainder(s(0), s(1), Opcode::kVTruncF32);
    case mir::Op::kFmod: return FloatRemainder(s(0), s(1), Opcode::kVFloorF32);
    case mir::Op::kFsin: return e_.Valu(Opcode::kVSinF32, {mul(Imm(kOneTurn), s(0))});
    case mir::Op::kFcos: return e_.Valu(Opcode::kVCosF32, {mul(Imm(kOneTurn), s(0))});
    // The legacy product makes 0 to the power 0 one: log2(0) * 0 is 0.
    case mir::Op::kFpow:
      return e_.Valu(Opcode::kVExpF32, {e_.Commuted(Opcode::kVMulLegacyF32, s(1),
                                                    e_.Valu(Opcode::kVLogF32, {s(0)}))});
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
    case mir::Op::kFdiv: return rounded(mul(s(0), e_.Valu(Opcode::kVRcpF32, {s(1)})));
    case mir::Op::kFrem: return rounded(FloatRemainder(s(0), s(1), Opcode::kVTruncF32));
    case mir::Op::kFmod: return rounded(FloatRemainder(s(0), s(1), Opcode::kVFloorF32));
    case mir::Op::kFsin: return rounded(e_.Valu(Opcode::kVSinF32, {mul(Imm(kOneTurn), s(0))}));
    case mir::Op::kFcos: return rounded(e_.Valu(Opcode::kVCosF32, {mul(Imm(kOneTurn), s(0))}));
    case mir::Op::kFpow:
      return rounded(e_.Valu(Opcode::kVExpF32, {e_.Commuted(Opcode::kVMulLegacyF32, s(1),
                                                            e_.Valu(Opcode::kVLogF32, {s(0)}))}));
    default: return {};
  }
}

}  // namespace kiln::amd
