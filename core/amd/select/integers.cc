// Selects arithmetic on integers of 32 bits.
#include "core/amd/select/arithmetic.h"
#include "core/mid/analysis/known_bits.h"

namespace kiln::amd {

Operand Arithmetic::Integer(mir::InstId id) {
  using mir::Op;
  if (e_.BitsOf(m_.source(id, 0)) != 32) return {};
  const bool scalar = IsScalarWork(id);
  const auto s = [&](int i) { return Source(id, i); };
  const auto both = [&](Opcode salu, Opcode valu) {
    return scalar ? e_.Salu(salu, {s(0), s(1)}) : e_.Commuted(valu, s(0), s(1));
  };
  // Counts of shifts are modulo 32, as in MIR.
  const auto shift = [&](Opcode salu, Opcode valu) {
    return scalar ? e_.Salu(salu, {s(0), s(1)}) : e_.Valu(valu, {s(1), s(0)});
  };
  switch (m_.inst(id).op) {
    case Op::kIadd: return both(Opcode::kSAddU32, Opcode::kVAddNcU32);
    case Op::kIsub: return Subtract(scalar, s(0), s(1));
    case Op::kImul: return Multiply(id, scalar);
    case Op::kUmulHigh: return both(Opcode::kSMulHiU32, Opcode::kVMulHiU32);
    case Op::kSmulHigh: return both(Opcode::kSMulHiI32, Opcode::kVMulHiI32);
    case Op::kUdiv:
    case Op::kSdiv:
    case Op::kUrem:
    case Op::kSrem:
    case Op::kSmod: return Division(id);
    case Op::kIneg: return Subtract(scalar, Imm(0), s(0));
    case Op::kIabs:
      if (scalar) return e_.Salu(Opcode::kSAbsI32, {s(0)});
      return e_.Valu(Opcode::kVMaxI32, {s(0), e_.ToV(Subtract(false, Imm(0), s(0)))});
    case Op::kIsign:
      if (!scalar) return e_.Valu(Opcode::kVMed3I32, {Imm(~0u), s(0), Imm(1)});
      return e_.Salu(Opcode::kSMinI32, {e_.Salu(Opcode::kSMaxI32, {s(0), Imm(~0u)}), Imm(1)});
    case Op::kImin: return both(Opcode::kSMinI32, Opcode::kVMinI32);
    case Op::kImax: return both(Opcode::kSMaxI32, Opcode::kVMaxI32);
    case Op::kUmin: return both(Opcode::kSMinU32, Opcode::kVMinU32);
    case Op::kUmax: return both(Opcode::kSMaxU32, Opcode::kVMaxU32);
    case Op::kAnd: return both(Opcode::kSAndB32, Opcode::kVAndB32);
    case Op::kOr: return both(Opcode::kSOrB32, Opcode::kVOrB32);
    case Op::kXor: return both(Opcode::kSXorB32, Opcode::kVXorB32);
    case Op::kNot:
      return scalar ? e_.Salu(Opcode::kSNotB32, {s(0)}) : e_.Valu(Opcode::kVNotB32, {s(0)});
    case Op::kShl: return shift(Opcode::kSLshlB32, Opcode::kVLshlrevB32);
    case Op::kUshr: return shift(Opcode::kSLshrB32, Opcode::kVLshrrevB32);
    case Op::kAshr: return shift(Opcode::kSAshrI32, Opcode::kVAshrrevI32);
    default: return {};
  }
}

// v_subrev subtracts source 0 from source 1, which is a VGPR in the short form.
Operand Arithmetic::Subtract(bool scalar, Operand a, Operand b) {
  if (scalar) return e_.Salu(Opcode::kSSubU32, {a, b});
  if (e_.IsIn(b, kFileV)) return e_.Valu(Opcode::kVSubNcU32, {a, b});
  return e_.Valu(Opcode::kVSubrevNcU32, {b, a});
}

// Factors below 2^24 are multiplied four times as fast.
Operand Arithmetic::Multiply(mir::InstId id, bool scalar) {
  const Operand a = Source(id, 0), b = Source(id, 1);
  if (scalar) return e_.Salu(Opcode::kSMulI32, {a, b});
  constexpr uint32_t kLimit = 1u << 24;
  const bool small = mid::UpperBound(m_, m_.source(id, 0)) < kLimit &&
                     mid::UpperBound(m_, m_.source(id, 1)) < kLimit;
  return e_.Commuted(small ? Opcode::kVMulU32U24 : Opcode::kVMulLoU32, a, b);
}

Extra WholeDotProduct() {
  Extra whole;
  whole.op_sel_hi = 7;
  return whole;
}

// Sums of four products of bytes. There is no instruction for signed times unsigned bytes: an
// unsigned byte is 128 more than the signed one with its highest bit inverted, so that twice 64
// times the signed bytes is added.
Operand Arithmetic::DotProduct(mir::InstId id) {
  using mir::Op;
  const Extra whole = WholeDotProduct();
  const auto dot = [&](Opcode op, Operand a, Operand b, Operand c, bool saturate = false) {
    return e_.Valu(op, {a, b, c}, whole, saturate ? uint8_t{lir::kSaturate} : uint8_t{0});
  };
  const auto s = [&](int i) { return Source(id, i); };
  const Op op = m_.inst(id).op;
  switch (op) {
    case Op::kSdot4x8:
    case Op::kSdot4x8Sat: return dot(Opcode::kVDot4I32I8, s(0), s(1), s(2), op == Op::kSdot4x8Sat);
    case Op::kUdot4x8:
    case Op::kUdot4x8Sat: return dot(Opcode::kVDot4U32U8, s(0), s(1), s(2), op == Op::kUdot4x8Sat);
    case Op::kSudot4x8:
    case Op::kSudot4x8Sat: break;
    default: return {};
  }
  const bool saturate = op == Op::kSudot4x8Sat;
  const Operand a = e_.ToV(s(0)), sixty_fours = e_.ToV(Imm(0x40404040));
  const Operand b = e_.Commuted(Opcode::kVXorB32, Imm(0x80808080), s(1));
  const Operand once = dot(Opcode::kVDot4I32I8, a, sixty_fours, saturate ? Imm(0) : s(2));
  const Operand twice = dot(Opcode::kVDot4I32I8, a, sixty_fours, once);
  const Operand sum = dot(Opcode::kVDot4I32I8, a, b, twice);
  return saturate ? e_.Valu(Opcode::kVAddNcI32, {sum, s(2)}, {}, lir::kSaturate) : sum;
}

}  // namespace kiln::amd
