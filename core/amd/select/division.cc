// Selects division of integers of 32 bits; by constants it has been lowered before
// (mid/lower/lower_division).
#include "core/amd/select/arithmetic.h"

namespace kiln::amd {
namespace {

// The scale of the reciprocal: 2^32 (1 - 2^-22), as f32. Any reciprocal within one ulp does (RDNA2
// ISA guide, V_RCP_F32: "1ULP accuracy"; it need not be the nearest number):
//
// * The conversion of the divisor b and the product are off by at most 2^-24 of their values,
//   v_rcp_f32 by 2^-23, and (1 - 2^-22) (1 + 2^-24) (1 + 2^-23) / (1 - 2^-24) < 1. So r * b < 2^32.
//   Were it larger, 2^32 - r * b would wrap and the Newton step double r: by the scale of LLVM and
//   Mesa, 2^32 - 512, a reciprocal of 3 that is one ulp too large makes wrong quotients.
// * Downwards the errors sum up to 2^-21, and truncation takes up to one: the error e = 2^32 - r *
// b
//   is at most 2^11 + b. The step leaves at most e^2 / 2^32 + b, which is at most 2 b if b < 2^31;
//   otherwise r is 0 or 1, and the error at most 2 b as well. A quotient a * r / 2^32 is then less
//   than 2 below a / b, and one less by truncation: at most 2 below the whole quotient.
constexpr uint32_t kScale = 0x4f7ffffc;

}  // namespace

// Returns the reciprocal of a divisor in single precision, scaled so that it is never too large,
// refined by one Newton step (LLVM 19, AMDGPUCodeGenPrepare.cpp; T. Rodeheffer, "Software Integer
// Division", 2008). That of a scalar is scalar: multiplications of 32 bits take four times as long
// in vector instructions.
Operand Arithmetic::Reciprocal(const Operand& b) {
  const Operand single = e_.Valu(Opcode::kVRcpIflagF32, {e_.Valu(Opcode::kVCvtF32U32, {b})});
  const Operand r =
      e_.Valu(Opcode::kVCvtU32F32, {e_.Valu(Opcode::kVMulF32, {Imm(kScale), single})});
  if (e_.IsIn(b, kFileS)) {
    const Operand s = e_.ToS(r);
    const Operand error = e_.Salu(Opcode::kSMulI32, {e_.Salu(Opcode::kSSubU32, {Imm(0), b}), s});
    return e_.Salu(Opcode::kSAddU32, {s, e_.Salu(Opcode::kSMulHiU32, {s, error})});
  }
  const Operand error = e_.Valu(Opcode::kVMulLoU32, {e_.Valu(Opcode::kVSubNcU32, {Imm(0), b}), r});
  return e_.Valu(Opcode::kVAddNcU32, {r, e_.Valu(Opcode::kVMulHiU32, {r, error})});
}

// Divides unsigned numbers: the quotient that the reciprocal gives is up to two too small. `b` is
// in S or V; the results are in S if both numbers are scalar.
Arithmetic::Quotient Arithmetic::Divide(const Operand& a, const Operand& b) {
  const Operand r = Reciprocal(b);
  const bool scalar = e_.IsScalar(a) && e_.IsScalar(b);
  const auto op = [&](Opcode salu, Opcode valu, const Operand& x, const Operand& y) {
    return scalar ? e_.Salu(salu, {x, y}) : e_.Valu(valu, {x, y});
  };
  Operand q = op(Opcode::kSMulHiU32, Opcode::kVMulHiU32, a, r);
  Operand rest =
      op(Opcode::kSSubU32, Opcode::kVSubNcU32, a, op(Opcode::kSMulI32, Opcode::kVMulLoU32, q, b));
  for (int step = 0; step < 2; ++step) {
    const Operand more = op(Opcode::kSAddU32, Opcode::kVAddNcU32, Imm(1), q);
    const Operand less = op(Opcode::kSSubU32, Opcode::kVSubNcU32, rest, b);
    if (scalar) {
      const Operand fits = e_.SaluScc(Opcode::kSCmpGeU32, {rest, b});
      q = e_.Salu(Opcode::kSCselectB32, {more, q}, fits);
      rest = e_.Salu(Opcode::kSCselectB32, {less, rest}, fits);
    } else {
      const Operand fits = e_.Compare(Opcode::kVCmpLeU32, b, rest);
      q = e_.Valu(Opcode::kVCndmaskB32, {q, more, fits});
      rest = e_.Valu(Opcode::kVCndmaskB32, {rest, less, fits});
    }
  }
  return {q, rest};
}

// Returns all ones where the divisor is 0, else the result.
Operand Arithmetic::GuardedByZero(mir::InstId id, const Operand& b, const Operand& result) {
  const mir::ValueId divisor = m_.source(id, 1);
  if (m_.IsConstant(divisor) && m_.value(divisor).bits != 0) return result;
  if (e_.IsIn(b, kFileS)) {
    // Without SCC as a source, so that those of equal divisors are merged.
    const Operand one = e_.Salu(Opcode::kSMinU32, {b, Imm(1)});
    const Operand ones = e_.Salu(Opcode::kSAddU32, {one, Imm(~0u)});
    if (e_.IsScalar(result)) return e_.Salu(Opcode::kSOrB32, {result, ones});
    return e_.Valu(Opcode::kVOrB32, {ones, result});
  }
  const Operand by_zero = e_.Compare(Opcode::kVCmpEqU32, Imm(0), b);
  return e_.Valu(Opcode::kVCndmaskB32, {result, Imm(~0u), by_zero});
}

Operand Arithmetic::Division(mir::InstId id) {
  using mir::Op;
  const Op op = m_.inst(id).op;
  const bool scalar = IsScalarWork(id) && op != Op::kSmod;
  const Operand a = scalar ? Source(id, 0) : e_.ToV(Source(id, 0));
  const Operand given = Source(id, 1);
  const Operand b = scalar ? e_.ToS(given) : e_.IsIn(given, kFileS) ? given : e_.ToV(given);
  const auto guarded = [&](const Operand& result) { return GuardedByZero(id, b, result); };
  if (op == Op::kUdiv) return guarded(Divide(a, b).quotient);
  if (op == Op::kUrem) return guarded(Divide(a, b).remainder);
  const auto both = [&](Opcode salu, Opcode valu, const Operand& x, const Operand& y) {
    return e_.IsScalar(x) && e_.IsScalar(y) ? e_.Salu(salu, {x, y}) : e_.Valu(valu, {x, y});
  };
  const auto with_sign = [&](const Operand& x, const Operand& sign) {
    return both(Opcode::kSSubU32, Opcode::kVSubNcU32,
                both(Opcode::kSXorB32, Opcode::kVXorB32, x, sign), sign);
  };
  const auto sign_of = [&](const Operand& x) {
    return e_.IsScalar(x) ? e_.Salu(Opcode::kSAshrI32, {x, Imm(31)})
                          : e_.Valu(Opcode::kVAshrrevI32, {Imm(31), x});
  };
  const Operand sign_a = sign_of(a), sign_b = sign_of(b);
  const auto absolute = [&](const Operand& x, const Operand& sign) {
    return e_.IsIn(x, kFileS) ? e_.Salu(Opcode::kSAbsI32, {x}) : with_sign(x, sign);
  };
  const Quotient q = Divide(absolute(a, sign_a), absolute(b, sign_b));
  if (op == Op::kSdiv) {
    return guarded(with_sign(q.quotient, both(Opcode::kSXorB32, Opcode::kVXorB32, sign_b, sign_a)));
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
