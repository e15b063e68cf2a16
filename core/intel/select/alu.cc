// Arithmetic: one short sequence an op.
//
// Facts about Gen12 used here: no 32x32-bit multiply (the second source of an integer mul is 16
// bits wide: mul32, mul_high); integer division only as a math function, 8 lanes at a time; no
// pow and no float division in the math unit; min/max (sel with a condition) return the other
// source if one is NaN; saturation turns NaN into 0; float-to-integer moves saturate. Sources:
// opcode and math tables of core/intel/isa, Mesa's binaries of the corpus.
#include "core/intel/select/selector.h"

namespace kiln::intel {
namespace {

Operand Negated(Operand o) {
  if (o.kind == Operand::Kind::kImm) {
    o.id = static_cast<Type>(o.type) == Type::kF ? o.id ^ 0x80000000u : 0u - o.id;
  } else {
    o.mods ^= Operand::kNegate;
  }
  return o;
}

// Clears the sign; an immediate must have been put into a register.
Operand Absolute(Operand o) {
  o.mods = Operand::kAbsolute;
  return o;
}

bool FitsWord(uint32_t bits) {
  const auto x = static_cast<int32_t>(bits);
  return x >= -32768 && x <= 32767;
}

}  // namespace

absl::Status Selector::VisitAlu(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId result = m_.result(id);
  const Where where = WhereOf(result);
  if (inst.op == mir::Op::kSelect) {
    Set(result, SelectOp(id));
    return absl::OkStatus();
  }
  for (auto group : {&Selector::Float, &Selector::FloatMath, &Selector::Integer,
                     &Selector::IntegerBits, &Selector::Conversion}) {
    const Operand o = (this->*group)(id, where);
    if (o.kind == Operand::Kind::kNone) continue;
    Set(result, o);
    return absl::OkStatus();
  }
  return Refuse(inst, "operation not selected");
}

Operand Selector::MinMax(Where where, Type t, bool max, Operand a, Operand b) {
  Extra extra;
  extra.cmod = max ? CondMod::kGe : CondMod::kL;
  return Alu(Opcode::kSel, t, where, {a, b}, extra);
}

Operand Selector::Float(mir::InstId id, Where where) {
  using mir::Op;
  const Op op = m_.inst(id).op;
  const auto s = [&](int i) { return Src(m_.source(id, i), Type::kF); };
  const auto alu = [&](Opcode eu, std::initializer_list<Operand> sources, const Extra& extra = {}) {
    return Alu(eu, Type::kF, where, sources, extra);
  };
  switch (op) {
    case Op::kFadd: return alu(Opcode::kAdd, {s(0), s(1)});
    case Op::kFsub: return alu(Opcode::kAdd, {s(0), Negated(s(1))});
    case Op::kFmul: return alu(Opcode::kMul, {s(0), s(1)});
    case Op::kFfma: return alu(Opcode::kMad, {s(2), s(0), s(1)});
    case Op::kFneg: return alu(Opcode::kMov, {Negated(s(0))});
    case Op::kFabs: return alu(Opcode::kMov, {Absolute(ToRegister(s(0)))});
    case Op::kFsign: return FloatSign(where, s(0));
    case Op::kFmin: return MinMax(where, Type::kF, false, s(0), s(1));
    case Op::kFmax: return MinMax(where, Type::kF, true, s(0), s(1));
    case Op::kFsaturate: {
      Extra extra;
      extra.saturate = true;
      return alu(Opcode::kMov, {s(0)}, extra);
    }
    case Op::kFfloor: return alu(Opcode::kRndd, {s(0)});
    case Op::kFceil: return alu(Opcode::kRndu, {s(0)});
    case Op::kFtrunc: return alu(Opcode::kRndz, {s(0)});
    case Op::kFroundEven: return alu(Opcode::kRnde, {s(0)});
    case Op::kFfract: return alu(Opcode::kFrc, {s(0)});
    default: return {};
  }
}

Operand Selector::FloatMath(mir::InstId id, Where where) {
  using mir::Op;
  const Op op = m_.inst(id).op;
  const auto s = [&](int i) { return Src(m_.source(id, i), Type::kF); };
  const auto math = [&](MathFunction fn, Operand a) { return Math(fn, Type::kF, where, a); };
  const auto mul = [&](Operand a, Operand b) {
    return Alu(Opcode::kMul, Type::kF, where, {a, b});
  };
  switch (op) {
    case Op::kFdiv: return mul(s(0), math(MathFunction::kInv, s(1)));
    case Op::kFrem: return FloatRemainder(where, s(0), s(1), Opcode::kRndz);
    case Op::kFmod: return FloatRemainder(where, s(0), s(1), Opcode::kRndd);
    case Op::kFsqrt: return math(MathFunction::kSqrt, s(0));
    case Op::kFrsq: return math(MathFunction::kRsqrt, s(0));
    case Op::kFrcp: return math(MathFunction::kInv, s(0));
    case Op::kFexp2: return math(MathFunction::kExp, s(0));
    case Op::kFlog2: return math(MathFunction::kLog, s(0));
    case Op::kFsin: return math(MathFunction::kSin, s(0));
    case Op::kFcos: return math(MathFunction::kCos, s(0));
    case Op::kFpow:
      return math(MathFunction::kExp, mul(math(MathFunction::kLog, s(0)), s(1)));
    default: return {};
  }
}

// a - b * round(a / b)
Operand Selector::FloatRemainder(Where where, Operand a, Operand b, Opcode rounding) {
  a = ToRegister(a);
  b = ToRegister(b);
  const Operand quotient =
      Alu(Opcode::kMul, Type::kF, where, {a, Math(MathFunction::kInv, Type::kF, where, b)});
  const Operand whole = Alu(rounding, Type::kF, where, {quotient});
  return Alu(Opcode::kMad, Type::kF, where, {a, Negated(b), whole});
}

// The sign bit, with the bits of 1.0 unless the source is 0.
Operand Selector::FloatSign(Where where, Operand a) {
  a = ToRegister(a);
  const Operand sign =
      Alu(Opcode::kAnd, Type::kUD, where, {Retype(a, Type::kUD), Imm(0x80000000u, Type::kUD)});
  const Operand one = Alu(Opcode::kOr, Type::kUD, where, {sign, Imm(0x3f800000u, Type::kUD)});
  const Flag nonzero = CompareFlag(where, CondMod::kNz, a, Imm(0, Type::kF));
  return Retype(SelectByFlag(where, Type::kUD, nonzero, one, sign), Type::kF);
}

Operand Selector::Integer(mir::InstId id, Where where) {
  using mir::Op;
  const Op op = m_.inst(id).op;
  const auto d = [&](int i) { return Src(m_.source(id, i), Type::kD); };
  const auto u = [&](int i) { return Src(m_.source(id, i), Type::kUD); };
  const auto one_if = [&](Operand stored) {
    return Alu(Opcode::kAnd, Type::kUD, where, {Retype(stored, Type::kUD), Imm(1, Type::kUD)});
  };
  switch (op) {
    case Op::kIadd: return Alu(Opcode::kAdd, Type::kD, where, {d(0), d(1)});
    case Op::kIsub: return Alu(Opcode::kAdd, Type::kD, where, {d(0), Negated(d(1))});
    case Op::kImul: return Multiply(where, m_.source(id, 0), m_.source(id, 1));
    case Op::kUmulHigh: return MultiplyHigh(where, Type::kUD, u(0), u(1));
    case Op::kSmulHigh: return MultiplyHigh(where, Type::kD, d(0), d(1));
    case Op::kUdiv: return Math(MathFunction::kIntDivQuotient, Type::kUD, where, u(0), u(1));
    case Op::kSdiv: return Math(MathFunction::kIntDivQuotient, Type::kD, where, d(0), d(1));
    case Op::kUrem: return Math(MathFunction::kIntDivRemainder, Type::kUD, where, u(0), u(1));
    case Op::kSrem: return Math(MathFunction::kIntDivRemainder, Type::kD, where, d(0), d(1));
    case Op::kSmod: return SignedModulo(where, d(0), d(1));
    case Op::kIneg: return Alu(Opcode::kMov, Type::kD, where, {Negated(d(0))});
    case Op::kIabs: return Alu(Opcode::kMov, Type::kD, where, {Absolute(ToRegister(d(0)))});
    case Op::kIsign:
      return MinMax(where, Type::kD, false,
                    MinMax(where, Type::kD, true, d(0), Imm(~0u, Type::kD)), Imm(1, Type::kD));
    case Op::kImin: return MinMax(where, Type::kD, false, d(0), d(1));
    case Op::kImax: return MinMax(where, Type::kD, true, d(0), d(1));
    case Op::kUmin: return MinMax(where, Type::kUD, false, u(0), u(1));
    case Op::kUmax: return MinMax(where, Type::kUD, true, u(0), u(1));
    case Op::kUaddCarry: {
      const Operand a = ToRegister(u(0));
      const Operand sum = Alu(Opcode::kAdd, Type::kUD, where, {a, u(1)});
      return one_if(CompareStored(where, CondMod::kL, Type::kUD, sum, a));
    }
    case Op::kUsubBorrow:
      return one_if(CompareStored(where, CondMod::kL, Type::kUD, u(0), u(1)));
    default: return {};
  }
}

Operand Selector::Multiply(Where where, mir::ValueId a, mir::ValueId b) {
  if (m_.IsConstant(a)) std::swap(a, b);
  Operand x = ToRegister(Src(a, Type::kD)), y = Src(b, Type::kD);
  if (IsImm(y) && FitsWord(y.id)) {
    return Alu(Opcode::kMul, Type::kD, where, {x, Imm(y.id & 0xffff, Type::kW)});
  }
  if (IsImm(y) && y.id <= 0xffff) {
    return Alu(Opcode::kMul, Type::kD, where, {x, Imm(y.id, Type::kUW)});
  }
  const Operand low = Use(New(where), Type::kD);
  EmitRaw(kMul32, Fields(where), {low, Use(New(where), Type::kD)}, {x, y});
  return low;
}

// The accumulator has no lane of its own for a single dword in the middle of a register, so the
// uniform form computes eight equal lanes.
Operand Selector::MultiplyHigh(Where where, Type t, Operand a, Operand b) {
  a = ToRegister(a);
  lir::InstFields fields = Fields(where);
  if (where == Where::kLanes) {
    const Operand high = Use(NewG(), t);
    EmitRaw(kMulHigh, fields, {high}, {a, b});
    return high;
  }
  const lir::ValueId all = NewRegisters(1);
  fields.width = 8;
  EmitRaw(kMulHigh, fields, {Def(all, t)}, {a, b});
  return Use(all, t);
}

// The remainder has the dividend's sign; where that differs from the divisor's, add the divisor.
Operand Selector::SignedModulo(Where where, Operand a, Operand b) {
  b = ToRegister(b);
  const Operand r = Math(MathFunction::kIntDivRemainder, Type::kD, where, a, b);
  const Operand moved = Alu(Opcode::kAdd, Type::kD, where, {r, b});
  const Operand signs = Alu(Opcode::kXor, Type::kD, where, {r, b});
  const Operand differ = CompareStored(where, CondMod::kL, Type::kD, signs, Imm(0, Type::kD));
  const Operand nonzero = CompareStored(where, CondMod::kNz, Type::kD, r, Imm(0, Type::kD));
  const Operand both = Alu(Opcode::kAnd, Type::kD, where, {differ, nonzero});
  const Flag flag = CompareFlag(where, CondMod::kNz, both, Imm(0, Type::kD));
  return SelectByFlag(where, Type::kD, flag, moved, r);
}

Operand Selector::IntegerBits(mir::InstId id, Where where) {
  using mir::Op;
  const auto u = [&](int i) { return Src(m_.source(id, i), Type::kUD); };
  const auto alu = [&](Opcode eu, std::initializer_list<Operand> sources) {
    return Alu(eu, Type::kUD, where, sources);
  };
  // 31 - leading zeros; -1 for 0, which has 32.
  const auto msb = [&](Operand x) {
    const Operand zeros = alu(Opcode::kLzd, {x});
    return Alu(Opcode::kAdd, Type::kD, where,
               {Negated(Retype(zeros, Type::kD)), Imm(31, Type::kD)});
  };
  switch (m_.inst(id).op) {
    case Op::kAnd: return alu(Opcode::kAnd, {u(0), u(1)});
    case Op::kOr: {
      const Operand rotated = Rotation(id, where);
      return rotated.kind != Operand::Kind::kNone ? rotated : alu(Opcode::kOr, {u(0), u(1)});
    }
    case Op::kXor: return alu(Opcode::kXor, {u(0), u(1)});
    case Op::kNot: return alu(Opcode::kNot, {u(0)});
    case Op::kShl: return alu(Opcode::kShl, {u(0), u(1)});
    case Op::kUshr: return alu(Opcode::kShr, {u(0), u(1)});
    case Op::kAshr:
      return Alu(Opcode::kAsr, Type::kD, where, {Retype(u(0), Type::kD), u(1)});
    case Op::kBitfieldInsert: return BitfieldInsert(id, where);
    case Op::kUbitfieldExtract: return BitfieldExtract(id, where, Type::kUD);
    case Op::kSbitfieldExtract: return BitfieldExtract(id, where, Type::kD);
    case Op::kBitReverse: return alu(Opcode::kBfrev, {u(0)});
    case Op::kBitCount: return alu(Opcode::kCbit, {u(0)});
    case Op::kFindLsb: return alu(Opcode::kFbl, {u(0)});
    case Op::kFindUmsb: return msb(ToRegister(u(0)));
    case Op::kFindSmsb: {
      // Flipping all bits of a negative number leaves the place of its highest 0.
      const Operand x = ToRegister(u(0));
      const Operand sign = Alu(Opcode::kAsr, Type::kD, where,
                               {Retype(x, Type::kD), Imm(31, Type::kUD)});
      return msb(alu(Opcode::kXor, {x, Retype(sign, Type::kUD)}));
    }
    default: return {};
  }
}

// x << c | x >> (32 - c) with a constant c.
Operand Selector::Rotation(mir::InstId id, Where where) {
  const auto shift = [&](mir::ValueId v, mir::Op op) -> std::optional<mir::InstId> {
    if (m_.value(v).kind != mir::Value::Kind::kResult) return std::nullopt;
    const mir::InstId def{m_.value(v).owner};
    if (m_.inst(def).op != op || !m_.IsConstant(m_.source(def, 1))) return std::nullopt;
    return def;
  };
  for (int left = 0; left < 2; ++left) {
    const auto up = shift(m_.source(id, left), mir::Op::kShl);
    const auto down = shift(m_.source(id, 1 - left), mir::Op::kUshr);
    if (!up || !down || m_.source(*up, 0) != m_.source(*down, 0)) continue;
    const uint32_t count = m_.value(m_.source(*up, 1)).bits & 31;
    if (count == 0 || count + (m_.value(m_.source(*down, 1)).bits & 31) != 32) continue;
    return Alu(Opcode::kRol, Type::kUD, where,
               {ToRegister(Src(m_.source(*up, 0), Type::kUD)), Imm(count, Type::kUD)});
  }
  return {};
}

// bfe and bfi1 look at 5 bits of the width: 32 must be handled apart.
Operand Selector::BitfieldExtract(mir::InstId id, Where where, Type t) {
  const Operand value = Src(m_.source(id, 0), t);
  const Operand offset = Src(m_.source(id, 1), t), count = Src(m_.source(id, 2), t);
  if (IsImm(count) && count.id >= 32) return ToRegister(value);
  const Operand part = Alu(Opcode::kBfe, t, where, {count, offset, value});
  if (IsImm(count)) return part;
  const Flag partial = CompareFlag(where, CondMod::kL, Retype(count, Type::kUD),
                                   Imm(32, Type::kUD));
  return SelectByFlag(where, t, partial, part, value);
}

Operand Selector::BitfieldInsert(mir::InstId id, Where where) {
  const auto u = [&](int i) { return Src(m_.source(id, i), Type::kUD); };
  const Operand base = u(0), insert = u(1), offset = u(2), count = u(3);
  if (IsImm(count) && count.id >= 32) return ToRegister(insert);
  const Operand mask = Alu(Opcode::kBfi1, Type::kUD, where, {ToRegister(count), offset});
  const Operand part = Alu(Opcode::kBfi2, Type::kUD, where, {mask, insert, base});
  if (IsImm(count)) return part;
  const Flag partial = CompareFlag(where, CondMod::kL, count, Imm(32, Type::kUD));
  return SelectByFlag(where, Type::kUD, partial, part, insert);
}

Operand Selector::Conversion(mir::InstId id, Where where) {
  using mir::Op;
  const mir::ValueId v = m_.source(id, 0);
  switch (m_.inst(id).op) {
    case Op::kBitcast: return Src(v, Type::kUD);
    case Op::kF2i: return Alu(Opcode::kMov, Type::kD, where, {ToRegister(Src(v, Type::kF))});
    case Op::kF2u: return Alu(Opcode::kMov, Type::kUD, where, {ToRegister(Src(v, Type::kF))});
    case Op::kI2f: return Alu(Opcode::kMov, Type::kF, where, {ToRegister(Src(v, Type::kD))});
    case Op::kU2f: return Alu(Opcode::kMov, Type::kF, where, {ToRegister(Src(v, Type::kUD))});
    case Op::kF16f:
      return Alu(Opcode::kMov, Type::kF, where,
                 {Retype(ToRegister(Src(v, Type::kUD)), Type::kHF)});
    case Op::kF2f16: {
      const Operand half = Use(New(where), Type::kUD);
      EmitRaw(kF2f16, Fields(where), {half}, {ToRegister(Src(v, Type::kF))});
      return half;
    }
    default: return {};
  }
}

}  // namespace kiln::intel
