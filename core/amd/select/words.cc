// Selects arithmetic on integers of 16 bits (and logic on bytes). Scalar instructions have 32 bits;
// vector instructions of 16 bits read the low halves of their sources.
#include "core/amd/select/arithmetic.h"

namespace kiln::amd {

Operand Arithmetic::Word(mir::InstId id) {
  using mir::Op;
  const uint32_t bits = e_.BitsOf(m_.source(id, 0));
  if (bits != 16 && bits != 8) return {};
  const bool scalar = IsScalarWork(id);
  const auto s = [&](int i) { return Source(id, i); };
  const auto dwords = [&](Opcode salu, Opcode valu) {  // the low half does not depend on the high
    return scalar ? e_.Salu(salu, {s(0), s(1)}) : e_.Commuted(valu, s(0), s(1));
  };
  const auto widened = [&](Opcode salu, Opcode valu, bool is_signed) {
    if (!scalar) return e_.Commuted(valu, s(0), s(1));
    return e_.Salu(
        salu, {e_.Widened(m_.source(id, 0), is_signed), e_.Widened(m_.source(id, 1), is_signed)});
  };
  const Op op = m_.inst(id).op;
  switch (op) {
    case Op::kAnd: return dwords(Opcode::kSAndB32, Opcode::kVAndB32);
    case Op::kOr: return dwords(Opcode::kSOrB32, Opcode::kVOrB32);
    case Op::kXor: return dwords(Opcode::kSXorB32, Opcode::kVXorB32);
    case Op::kNot:
      return scalar ? e_.Salu(Opcode::kSNotB32, {s(0)}) : e_.Valu(Opcode::kVNotB32, {s(0)});
    default: break;
  }
  if (bits == 8) return {};
  switch (op) {
    case Op::kIadd: return dwords(Opcode::kSAddU32, Opcode::kVAddNcU16);
    case Op::kIsub:
      return scalar ? Subtract(true, s(0), s(1)) : e_.Valu(Opcode::kVSubNcU16, {s(0), s(1)});
    case Op::kIneg:
      return scalar ? Subtract(true, Imm(0), s(0)) : e_.Valu(Opcode::kVSubNcU16, {Imm(0), s(0)});
    case Op::kImul: return dwords(Opcode::kSMulI32, Opcode::kVMulLoU16);
    case Op::kImin: return widened(Opcode::kSMinI32, Opcode::kVMinI16, true);
    case Op::kImax: return widened(Opcode::kSMaxI32, Opcode::kVMaxI16, true);
    case Op::kUmin: return widened(Opcode::kSMinU32, Opcode::kVMinU16, false);
    case Op::kUmax: return widened(Opcode::kSMaxU32, Opcode::kVMaxU16, false);
    case Op::kIabs:
      if (scalar) return e_.Salu(Opcode::kSAbsI32, {e_.Widened(m_.source(id, 0), true)});
      return e_.Valu(Opcode::kVMaxI16, {s(0), e_.Valu(Opcode::kVSubNcU16, {Imm(0), s(0)})});
    case Op::kIsign: {
      if (!scalar) return e_.Valu(Opcode::kVMed3I16, {Imm(0xffff), s(0), Imm(1)});
      const Operand x = e_.Widened(m_.source(id, 0), true);
      return e_.Salu(Opcode::kSMinI32, {e_.Salu(Opcode::kSMaxI32, {x, Imm(~0u)}), Imm(1)});
    }
    case Op::kShl:
    case Op::kUshr:
    case Op::kAshr: return WordShift(id);
    case Op::kUmulHigh:
    case Op::kSmulHigh:
    case Op::kUaddCarry:
    case Op::kUsubBorrow: return WordProduct(id);
    default: return {};
  }
}

// Counts are modulo 16.
Operand Arithmetic::WordShift(mir::InstId id) {
  using mir::Op;
  const Op op = m_.inst(id).op;
  const mir::ValueId v = m_.source(id, 0);
  if (!IsScalarWork(id)) {
    const Opcode valu = op == Op::kShl    ? Opcode::kVLshlrevB16
                        : op == Op::kUshr ? Opcode::kVLshrrevB16
                                          : Opcode::kVAshrrevI16;
    const Operand count = Source(id, 1);
    return e_.Valu(valu, {IsImm(count) ? Imm(count.id & 15) : count, e_.Src(v)});
  }
  Operand count = Source(id, 1);
  count = IsImm(count) ? Imm(count.id & 15) : e_.Salu(Opcode::kSAndB32, {count, Imm(15)});
  switch (op) {
    case Op::kShl: return e_.Salu(Opcode::kSLshlB32, {e_.Src(v), count});
    case Op::kUshr: return e_.Salu(Opcode::kSLshrB32, {e_.Widened(v, false), count});
    default: return e_.Salu(Opcode::kSAshrI32, {e_.Widened(v, true), count});
  }
}

// The products, sums and differences of words have 32 bits: their high halves, and bit 16.
Operand Arithmetic::WordProduct(mir::InstId id) {
  using mir::Op;
  const Op op = m_.inst(id).op;
  const bool is_signed = op == Op::kSmulHigh;
  const Operand a = e_.Widened(m_.source(id, 0), is_signed);
  const Operand b = e_.Widened(m_.source(id, 1), is_signed);
  if (IsScalarWork(id)) {
    switch (op) {
      case Op::kUaddCarry:
        return e_.Salu(Opcode::kSLshrB32, {e_.Salu(Opcode::kSAddU32, {a, b}), Imm(16)});
      case Op::kUsubBorrow:
        return e_.Salu(Opcode::kSLshrB32, {e_.Salu(Opcode::kSSubU32, {a, b}), Imm(31)});
      default: return e_.Salu(Opcode::kSLshrB32, {e_.Salu(Opcode::kSMulI32, {a, b}), Imm(16)});
    }
  }
  const auto high = [&](uint32_t from, Operand o) {
    return e_.Valu(Opcode::kVLshrrevB32, {Imm(from), o});
  };
  switch (op) {
    case Op::kUaddCarry: return high(16, e_.Commuted(Opcode::kVAddNcU32, a, b));
    case Op::kUsubBorrow: return high(31, Subtract(false, a, b));
    case Op::kUmulHigh: return high(16, e_.Commuted(Opcode::kVMulU32U24, a, b));
    default: return high(16, e_.Commuted(Opcode::kVMulI32I24, a, b));
  }
}

}  // namespace kiln::amd
