// Selects division of integers of 32 bits; by constants it has been lowered before
// (mid/lower/lower_division).
#include "core/amd/select/arithmetic.h"

namespace kiln::amd {

// Divides unsigned numbers. A reciprocal in single precision, scaled by 2^32 - 512 so that it is
// never too large, is refined by one Newton step; the quotient it gives is then up to two too small
// (LLVM 19, AMDGPUCodeGenPrepare.cpp; T. Rodeheffer, "Software Integer Division", 2008).
Arithmetic::Quotient Arithmetic::Divide(Operand a, Operand b) {
  const auto op = [&](Opcode o, Operand x, Operand y) { return e_.Valu(o, {x, y}); };
  a = e_.ToV(a);
  b = e_.ToV(b);
  const Operand reciprocal = e_.Valu(Opcode::kVRcpIflagF32, {e_.Valu(Opcode::kVCvtF32U32, {b})});
  Operand r = e_.Valu(Opcode::kVCvtU32F32, {op(Opcode::kVMulF32, Imm(0x4f7ffffe), reciprocal)});
  const Operand error = op(Opcode::kVMulLoU32, op(Opcode::kVSubNcU32, Imm(0), b), r);
  r = op(Opcode::kVAddNcU32, r, op(Opcode::kVMulHiU32, r, error));
  Operand q = op(Opcode::kVMulHiU32, a, r);
  Operand rest = op(Opcode::kVSubNcU32, a, op(Opcode::kVMulLoU32, q, b));
  for (int step = 0; step < 2; ++step) {
    const Operand fits = e_.Compare(Opcode::kVCmpGeU32, rest, b);
    q = e_.Valu(Opcode::kVCndmaskB32, {q, op(Opcode::kVAddNcU32, Imm(1), q), fits});
    rest = e_.Valu(Opcode::kVCndmaskB32, {rest, op(Opcode::kVSubNcU32, rest, b), fits});
  }
  return {q, rest};
}

Operand Arithmetic::Division(mir::InstId id) {
  using mir::Op;
  const Op op = m_.inst(id).op;
  const Operand a = e_.ToV(Source(id, 0)), b = e_.ToV(Source(id, 1));
  // By 0: all ones.
  const auto guarded = [&](Operand result) {
    const mir::ValueId divisor = m_.source(id, 1);
    if (m_.IsConstant(divisor) && m_.value(divisor).bits != 0) return result;
    const Operand by_zero = e_.Compare(Opcode::kVCmpEqU32, Imm(0), b);
    return e_.Valu(Opcode::kVCndmaskB32, {result, Imm(~0u), by_zero});
  };
  if (op == Op::kUdiv) return guarded(Divide(a, b).quotient);
  if (op == Op::kUrem) return guarded(Divide(a, b).remainder);
  const auto sub = [&](Operand x, Operand y) { return e_.Valu(Opcode::kVSubNcU32, {x, y}); };
  const auto with_sign = [&](Operand x, Operand sign) {
    return sub(e_.Valu(Opcode::kVXorB32, {x, sign}), sign);
  };
  const Operand sign_a = e_.Valu(Opcode::kVAshrrevI32, {Imm(31), a});
  const Operand sign_b = e_.Valu(Opcode::kVAshrrevI32, {Imm(31), b});
  const Quotient q = Divide(with_sign(a, sign_a), with_sign(b, sign_b));
  if (op == Op::kSdiv) {
    return guarded(with_sign(q.quotient, e_.Valu(Opcode::kVXorB32, {sign_a, sign_b})));
  }
  const Operand rest = with_sign(q.remainder, sign_a);
  if (op == Op::kSrem) return guarded(rest);
  // smod: a remainder whose sign is not the divisor's is corrected.
  const Operand differ =
      e_.Compare(Opcode::kVCmpGtI32, Imm(0), e_.Valu(Opcode::kVXorB32, {rest, b}));
  const Operand nonzero = e_.Compare(Opcode::kVCmpNeU32, Imm(0), rest);
  const Operand wrong = e_.Pseudo(kMaskAnd, kFileM, 1, {differ, nonzero});
  return guarded(
      e_.Valu(Opcode::kVCndmaskB32, {rest, e_.Valu(Opcode::kVAddNcU32, {rest, b}), wrong}));
}

}  // namespace kiln::amd
