// Selects arithmetic: one short sequence per operation.
//
// Facts about the execution unit used here: the second source of an integer mul is 16 bits wide,
// except where the device has dword_product (mul32, mul_high); integer division only as a math
// function, 8 lanes at a time; no pow and no float division in the math unit; min/max (sel with a
// condition) return the other source if one is NaN; saturation turns NaN into 0; float-to-integer
// moves saturate. Sources: opcode and math tables of core/intel/isa, Mesa's binaries of the corpus.
#include "core/intel/select/arithmetic.h"

#include "core/mid/analysis/known_bits.h"

namespace kiln::intel {

namespace {

Operand Negated(Operand o) {
  if (o.kind == Operand::Kind::kImm) {
    switch (static_cast<Type>(o.type)) {
      case Type::kF: o.id ^= 0x80000000u; break;
      case Type::kHF: o.id ^= 0x8000u; break;
      case Type::kW:
      case Type::kUW: o.id = (0u - o.id) & 0xffff; break;
      default: o.id = 0u - o.id; break;
    }
  } else {
    o.mods ^= Operand::kNegate;
  }
  return o;
}

// Clears the sign. An immediate must be in a register already.
Operand Absolute(Operand o) {
  o.mods = Operand::kAbsolute;
  return o;
}

bool FitsWord(uint32_t bits) {
  const auto x = static_cast<int32_t>(bits);
  return x >= -32768 && x <= 32767;
}

// Returns a factor of `bits` such that neither it nor the other factor needs more than 16 bits; 0
// if none was found. Starts at the root and tries a bounded number of factors: constants of random
// generators, for which this is made, are found in fewer steps.
uint32_t WordFactor(uint32_t bits) {
  constexpr uint32_t kMax = 0xffff, kMaxSteps = 8192;
  const uint32_t least = (bits - 1) / kMax + 1;
  uint32_t f = kMax;
  while (f > bits / f) f = (f + bits / f) / 2;  // Newton: the root, rounded down
  for (uint32_t steps = 0; f >= least && steps < kMaxSteps; --f, ++steps) {
    if (bits % f == 0) return f;
  }
  return 0;
}

}  // namespace

absl::Status Arithmetic::VisitAlu(mir::InstId id) {
  const mir::Inst& inst = m_.inst(id);
  const mir::ValueId result = m_.result(id);
  const Where where = e_.WhereOf(result);
  if (inst.op == mir::Op::kSelect) {
    e_.Set(result, bools_.SelectOp(id));
    return absl::OkStatus();
  }
  if (inst.num_sources == 0) return e_.Unexpected(inst, "operation not selected");
  for (auto group : {&Arithmetic::Float, &Arithmetic::FloatMath, &Arithmetic::Integer,
                     &Arithmetic::IntegerBits}) {
    const Operand o = (this->*group)(id, where);
    if (o.kind == Operand::Kind::kNone) continue;
    e_.Set(result, o);
    return absl::OkStatus();
  }
  const Operand o = conversions_.Conversion(id, where);
  if (o.kind == Operand::Kind::kNone) return e_.Unexpected(inst, "operation not selected");
  e_.Set(result, o);
  return absl::OkStatus();
}

Operand Arithmetic::Float(mir::InstId id, Where where) {
  using mir::Op;
  const Op op = m_.inst(id).op;
  const Type t = e_.FloatType(m_.source(id, 0));
  const auto s = [&](int i) { return e_.Src(m_.source(id, i), t); };
  const auto alu = [&](Opcode eu, std::initializer_list<Operand> sources, const Extra& extra = {}) {
    return e_.Alu(eu, t, where, sources, extra);
  };
  switch (op) {
    case Op::kFadd: return alu(Opcode::kAdd, {s(0), s(1)});
    case Op::kFsub: return alu(Opcode::kAdd, {s(0), Negated(s(1))});
    case Op::kFmul: return alu(Opcode::kMul, {s(0), s(1)});
    case Op::kFfma: return alu(Opcode::kMad, {s(2), s(0), s(1)});
    case Op::kFneg: return alu(Opcode::kMov, {Negated(s(0))});
    case Op::kFabs: return alu(Opcode::kMov, {Absolute(e_.ToRegister(s(0)))});
    case Op::kFsign: return FloatSign(where, t, s(0));
    case Op::kFmin: return e_.MinMax(where, t, false, s(0), s(1));
    case Op::kFmax: return e_.MinMax(where, t, true, s(0), s(1));
    case Op::kFsaturate: {
      Extra extra;
      extra.saturate = true;
      return alu(Opcode::kMov, {s(0)}, extra);
    }
    default: break;
  }
  if (t == Type::kHF) return HalfByFloat(id, where);
  switch (op) {
    case Op::kFfloor: return alu(Opcode::kRndd, {s(0)});
    case Op::kFceil: return alu(Opcode::kRndu, {s(0)});
    case Op::kFtrunc: return alu(Opcode::kRndz, {s(0)});
    case Op::kFroundEven: return alu(Opcode::kRnde, {s(0)});
    case Op::kFfract: return alu(Opcode::kFrc, {s(0)});
    default: return {};
  }
}

// Computes in single precision an operation that has no half form (rounding), or one that overflows
// or loses too much precision (1 / b of a tiny b, logarithms).
Operand Arithmetic::HalfByFloat(mir::InstId id, Where where) {
  using mir::Op;
  const auto s = [&](int i) {
    return e_.Alu(Opcode::kMov, Type::kF, where,
                  {e_.ToRegister(e_.Src(m_.source(id, i), Type::kHF))});
  };
  const auto round = [&](Opcode eu) {
    return conversions_.ToHalf(where, e_.Alu(eu, Type::kF, where, {s(0)}));
  };
  switch (m_.inst(id).op) {
    case Op::kFfloor: return round(Opcode::kRndd);
    case Op::kFceil: return round(Opcode::kRndu);
    case Op::kFtrunc: return round(Opcode::kRndz);
    case Op::kFroundEven: return round(Opcode::kRnde);
    case Op::kFfract: return round(Opcode::kFrc);
    case Op::kFdiv: {
      Extra extra;
      extra.strided = true;
      return e_.Alu(Opcode::kMul, Type::kHF, where,
                    {e_.ToRegister(e_.Src(m_.source(id, 0), Type::kHF)),
                     e_.Math(MathFunction::kInv, Type::kF, where, s(1))},
                    extra);
    }
    case Op::kFrem:
      return conversions_.ToHalf(where, FloatRemainder(where, s(0), s(1), Opcode::kRndz));
    case Op::kFmod:
      return conversions_.ToHalf(where, FloatRemainder(where, s(0), s(1), Opcode::kRndd));
    case Op::kFpow: {
      const Operand log = e_.Math(MathFunction::kLog, Type::kF, where, s(0));
      const Operand product = e_.Alu(Opcode::kMul, Type::kF, where, {log, s(1)});
      return conversions_.ToHalf(where, e_.Math(MathFunction::kExp, Type::kF, where, product));
    }
    default: return {};
  }
}

Operand Arithmetic::FloatMath(mir::InstId id, Where where) {
  using mir::Op;
  const Op op = m_.inst(id).op;
  const Type t = e_.FloatType(m_.source(id, 0));
  const auto s = [&](int i) { return e_.Src(m_.source(id, i), t); };
  const auto math = [&](MathFunction fn, Operand a) { return e_.Math(fn, t, where, a); };
  const auto mul = [&](Operand a, Operand b) {
    return e_.Alu(Opcode::kMul, Type::kF, where, {a, b});
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
    case Op::kFpow: return math(MathFunction::kExp, mul(math(MathFunction::kLog, s(0)), s(1)));
    default: return {};
  }
}

// a - b * round(a / b)
Operand Arithmetic::FloatRemainder(Where where, Operand a, Operand b, Opcode rounding) {
  a = e_.ToRegister(a);
  b = e_.ToRegister(b);
  const Operand quotient =
      e_.Alu(Opcode::kMul, Type::kF, where, {a, e_.Math(MathFunction::kInv, Type::kF, where, b)});
  const Operand whole = e_.Alu(rounding, Type::kF, where, {quotient});
  return e_.Alu(Opcode::kMad, Type::kF, where, {a, Negated(b), whole});
}

// Returns the sign bit, with the bits of 1.0 unless the source is 0.
Operand Arithmetic::FloatSign(Where where, Type t, Operand a) {
  const bool half = t == Type::kHF;
  const Type bits = half ? Type::kUW : Type::kUD;
  a = e_.ToRegister(a);
  const Operand sign =
      e_.Alu(Opcode::kAnd, bits, where, {Retype(a, bits), Imm(half ? 0x8000u : 0x80000000u, bits)});
  const Operand one =
      e_.Alu(Opcode::kOr, bits, where, {sign, Imm(half ? 0x3c00u : 0x3f800000u, bits)});
  const Flag nonzero = e_.CompareFlag(where, CondMod::kNz, a, Imm(0, t));
  return e_.SelectByFlag(where, bits, nonzero, one, sign);
}

bool Arithmetic::OnlyAdded(mir::ValueId v) {
  const absl::Span<const mir::Use> uses = e_.uses().Of(v);
  return std::all_of(uses.begin(), uses.end(), [&](const mir::Use& use) {
    return m_.inst(use.inst).op == mir::Op::kIadd || m_.inst(use.inst).op == mir::Op::kIsub;
  });
}

// Arithmetic on 16 bits is native where the hardware has it; division is computed with 32 bits,
// whose low word is the result.
Operand Arithmetic::Integer(mir::InstId id, Where where) {
  using mir::Op;
  const Op op = m_.inst(id).op;
  const mir::ValueId first = m_.source(id, 0);
  const bool narrow = e_.BitsOf(first) == 16;
  const Type sd = e_.IntType(first, true), ud = e_.IntType(first, false);
  const auto d = [&](int i) { return e_.Src(m_.source(id, i), sd); };
  const auto u = [&](int i) { return e_.Src(m_.source(id, i), ud); };
  const auto wide_d = [&](int i) { return conversions_.Widened(m_.source(id, i), where, true); };
  const auto wide_u = [&](int i) { return conversions_.Widened(m_.source(id, i), where, false); };
  // Sums add the stored -1 with a negation.
  const auto one_if = [&](Operand stored) {
    if (OnlyAdded(m_.result(id))) return Negated(Retype(stored, Type::kD));
    return e_.Alu(Opcode::kAnd, Type::kUD, where, {Retype(stored, Type::kUD), Imm(1, Type::kUD)});
  };
  const auto divide = [&](MathFunction fn, bool is_signed) {
    const Operand a = is_signed ? wide_d(0) : wide_u(0);
    const Operand b = is_signed ? wide_d(1) : wide_u(1);
    return e_.Math(fn, is_signed ? Type::kD : Type::kUD, where, a, b);
  };
  switch (op) {
    case Op::kIadd: return e_.Alu(Opcode::kAdd, sd, where, {d(0), d(1)});
    case Op::kIsub: return e_.Alu(Opcode::kAdd, sd, where, {d(0), Negated(d(1))});
    case Op::kImul:
      if (narrow) return e_.Alu(Opcode::kMul, sd, where, {d(0), d(1)});
      return Multiply(where, first, m_.source(id, 1));
    case Op::kUmulHigh:
      return narrow ? HighWordOfProduct(where, Type::kUD, u(0), u(1))
                    : MultiplyHigh(where, Type::kUD, u(0), u(1));
    case Op::kSmulHigh:
      return narrow ? HighWordOfProduct(where, Type::kD, d(0), d(1))
                    : MultiplyHigh(where, Type::kD, d(0), d(1));
    case Op::kUdiv: return divide(MathFunction::kIntDivQuotient, false);
    case Op::kSdiv: return divide(MathFunction::kIntDivQuotient, true);
    case Op::kUrem: return divide(MathFunction::kIntDivRemainder, false);
    case Op::kSrem: return divide(MathFunction::kIntDivRemainder, true);
    case Op::kSmod: {
      const Operand a = wide_d(0);
      return SignedModulo(where, a, wide_d(1));
    }
    case Op::kIneg: return e_.Alu(Opcode::kMov, sd, where, {Negated(d(0))});
    case Op::kIabs: return e_.Alu(Opcode::kMov, sd, where, {Absolute(e_.ToRegister(d(0)))});
    case Op::kIsign:
      return e_.MinMax(where, sd, false, e_.MinMax(where, sd, true, d(0), Imm(~0u, sd)),
                       Imm(1, sd));
    case Op::kImin: return e_.MinMax(where, sd, false, d(0), d(1));
    case Op::kImax: return e_.MinMax(where, sd, true, d(0), d(1));
    case Op::kUmin: return e_.MinMax(where, ud, false, u(0), u(1));
    case Op::kUmax: return e_.MinMax(where, ud, true, u(0), u(1));
    case Op::kUaddCarry: {
      const Operand a = e_.ToRegister(wide_u(0));
      const Operand sum = e_.Alu(Opcode::kAdd, Type::kUD, where, {a, wide_u(1)});
      if (narrow) return e_.Alu(Opcode::kShr, Type::kUD, where, {sum, Imm(16, Type::kUD)});
      return one_if(e_.CompareStored(where, CondMod::kL, Type::kUD, sum, a));
    }
    case Op::kUsubBorrow: {
      const Operand a = wide_u(0);
      return one_if(e_.CompareStored(where, CondMod::kL, Type::kUD, a, wide_u(1)));
    }
    default: return {};
  }
}

// The product of words has 32 bits.
Operand Arithmetic::HighWordOfProduct(Where where, Type t, Operand a, Operand b) {
  Operand product = e_.Alu(Opcode::kMul, t, where, {a, b});
  product.sub = 2;
  return product;
}

Operand Arithmetic::Multiply(Where where, mir::ValueId a, mir::ValueId b) {
  if (m_.IsConstant(a)) std::swap(a, b);
  Operand x = e_.ToRegister(e_.Src(a, Type::kD)), y = e_.Src(b, Type::kD);
  if (IsImm(y) && FitsWord(y.id)) {
    return e_.Alu(Opcode::kMul, Type::kD, where, {x, Imm(y.id & 0xffff, Type::kW)});
  }
  if (IsImm(y) && y.id <= 0xffff) {
    return e_.Alu(Opcode::kMul, Type::kD, where, {x, Imm(y.id, Type::kUW)});
  }
  // A factor below 2^16 needs only its low word.
  const auto is_word = [&](mir::ValueId v) { return mid::UpperBound(m_, v) <= 0xffff; };
  if (is_word(a) && !is_word(b)) {
    std::swap(a, b);
    std::swap(x, y);
  }
  if (is_word(b)) {
    return e_.Alu(Opcode::kMul, Type::kD, where,
                  {e_.ToRegister(x), Retype(e_.ToRegister(y), Type::kUW)});
  }
  if (e_.device_has().dword_product) return e_.Alu(Opcode::kMul, Type::kD, where, {x, y});
  if (IsImm(y)) {
    if (const uint32_t factor = WordFactor(y.id); factor != 0) {
      const Operand part = e_.Alu(Opcode::kMul, Type::kD, where, {x, Imm(factor, Type::kUW)});
      return e_.Alu(Opcode::kMul, Type::kD, where, {part, Imm(y.id / factor, Type::kUW)});
    }
  }
  const Operand low = Use(e_.New(where), Type::kD);
  e_.EmitRaw(kMul32, e_.Fields(where), {low, Use(e_.New(where), Type::kD)}, {x, y});
  return low;
}

// The accumulator has no lane for a single dword in the middle of a register, so the uniform form
// computes eight equal lanes.
Operand Arithmetic::MultiplyHigh(Where where, Type t, Operand a, Operand b) {
  a = e_.ToRegister(a);
  lir::InstFields fields = e_.Fields(where);
  if (where == Where::kLanes) {
    const Operand high = Use(e_.NewG(), t);
    e_.EmitRaw(kMulHigh, fields, {high}, {a, b});
    return high;
  }
  const lir::ValueId all = e_.NewRegisters(1);
  fields.width = 8;
  e_.EmitRaw(kMulHigh, fields, {e_.Def(all, t)}, {a, b});
  return Use(all, t);
}

// The remainder has the dividend's sign; if that differs from the divisor's, the divisor is added.
Operand Arithmetic::SignedModulo(Where where, Operand a, Operand b) {
  b = e_.ToRegister(b);
  const Operand r = e_.Math(MathFunction::kIntDivRemainder, Type::kD, where, a, b);
  const Operand moved = e_.Alu(Opcode::kAdd, Type::kD, where, {r, b});
  const Operand signs = e_.Alu(Opcode::kXor, Type::kD, where, {r, b});
  const Operand differ = e_.CompareStored(where, CondMod::kL, Type::kD, signs, Imm(0, Type::kD));
  const Operand nonzero = e_.CompareStored(where, CondMod::kNz, Type::kD, r, Imm(0, Type::kD));
  const Operand both = e_.Alu(Opcode::kAnd, Type::kD, where, {differ, nonzero});
  const Flag flag = e_.CompareFlag(where, CondMod::kNz, both, Imm(0, Type::kD));
  return e_.SelectByFlag(where, Type::kD, flag, moved, r);
}

// The accumulator comes first; bytes are signed if the source is.
Operand Arithmetic::DotProduct(mir::InstId id, Where where) {
  using mir::Op;
  const Op op = m_.inst(id).op;
  const bool is_unsigned = op == Op::kUdot4x8 || op == Op::kUdot4x8Sat;
  const bool mixed = op == Op::kSudot4x8 || op == Op::kSudot4x8Sat;
  const Type t = is_unsigned ? Type::kUD : Type::kD;
  Extra extra;
  extra.saturate = op == Op::kSdot4x8Sat || op == Op::kUdot4x8Sat || op == Op::kSudot4x8Sat;
  return e_.Alu(Opcode::kDp4a, t, where,
                {e_.Src(m_.source(id, 2), t), e_.Src(m_.source(id, 0), t),
                 e_.Src(m_.source(id, 1), mixed ? Type::kUD : t)},
                extra);
}

Operand Arithmetic::IntegerBits(mir::InstId id, Where where) {
  using mir::Op;
  const mir::ValueId first = m_.source(id, 0);
  const bool narrow = e_.BitsOf(first) == 16;
  const Type t = e_.IntType(first, false);
  const auto u = [&](int i) { return e_.Src(m_.source(id, i), t); };
  const auto logic = [&](Opcode eu) { return e_.Alu(eu, t, where, {u(0), u(1)}); };
  // Operations on 32 bits.
  const auto alu = [&](Opcode eu, std::initializer_list<Operand> sources) {
    return e_.Alu(eu, Type::kUD, where, sources);
  };
  const auto wide = [&](bool is_signed) { return conversions_.Widened(first, where, is_signed); };
  // 31 - leading zeros; -1 for 0, which has 32.
  const auto msb = [&](Operand x) {
    const Operand zeros = alu(Opcode::kLzd, {x});
    return e_.Alu(Opcode::kAdd, Type::kD, where,
                  {Negated(Retype(zeros, Type::kD)), Imm(31, Type::kD)});
  };
  switch (m_.inst(id).op) {
    case Op::kAnd: {
      // A byte or word taken out of a dword in one move.
      const auto part =
          e_.DefinedBy(first, Op::kUshr) ? conversions_.NarrowPart(m_.result(id)) : std::nullopt;
      if (part && part->sub != 0) return e_.Alu(Opcode::kMov, Type::kUD, where, {*part});
      return logic(Opcode::kAnd);
    }
    case Op::kSdot4x8:
    case Op::kUdot4x8:
    case Op::kSudot4x8:
    case Op::kSdot4x8Sat:
    case Op::kUdot4x8Sat:
    case Op::kSudot4x8Sat: return DotProduct(id, where);
    case Op::kOr: {
      if (narrow) return logic(Opcode::kOr);
      const Operand words = conversions_.PackedWords(id, where);
      if (words.kind != Operand::Kind::kNone) return words;
      const Operand rotation = Rotation(id, where);
      return rotation.kind != Operand::Kind::kNone ? rotation : logic(Opcode::kOr);
    }
    case Op::kXor: return logic(Opcode::kXor);
    case Op::kNot: return e_.Alu(Opcode::kNot, t, where, {u(0)});
    case Op::kShl: return e_.Alu(Opcode::kShl, t, where, {u(0), ShiftCount(id, where)});
    case Op::kUshr: return e_.Alu(Opcode::kShr, t, where, {u(0), ShiftCount(id, where)});
    case Op::kAshr:
      return e_.Alu(Opcode::kAsr, e_.IntType(first, true), where,
                    {Retype(u(0), e_.IntType(first, true)), ShiftCount(id, where)});
    case Op::kBitfieldInsert: return BitfieldInsert(id, where);
    case Op::kUbitfieldExtract: return BitfieldExtract(id, where, Type::kUD);
    case Op::kSbitfieldExtract: return BitfieldExtract(id, where, Type::kD);
    case Op::kBitReverse: {
      Operand reversed = alu(Opcode::kBfrev, {wide(false)});
      if (narrow) reversed.sub = 2;
      return reversed;
    }
    case Op::kBitCount: return alu(Opcode::kCbit, {wide(false)});
    case Op::kFindLsb: return alu(Opcode::kFbl, {wide(false)});
    case Op::kFindUmsb: return msb(e_.ToRegister(wide(false)));
    case Op::kFindSmsb: {
      // Flipping all bits of a negative number keeps the position of its highest 0.
      const Operand x = e_.ToRegister(wide(true));
      const Operand sign =
          e_.Alu(Opcode::kAsr, Type::kD, where, {Retype(x, Type::kD), Imm(31, Type::kUD)});
      return msb(alu(Opcode::kXor, {Retype(x, Type::kUD), Retype(sign, Type::kUD)}));
    }
    default: return {};
  }
}

// The hardware takes 5 bits of the count.
Operand Arithmetic::ShiftCount(mir::InstId id, Where where) {
  const mir::ValueId count = m_.source(id, 1);
  if (e_.BitsOf(m_.source(id, 0)) == 32) return e_.Src(count, Type::kUD);
  const Operand low = e_.Src(count, Type::kUW);
  if (IsImm(low)) return Imm(low.id & 15, Type::kUW);
  return e_.Alu(Opcode::kAnd, Type::kUW, where, {low, Imm(15, Type::kUW)});
}

// Recognises x << c | x >> (32 - c) with a constant c. Without an instruction for it, the shifts
// stay.
Operand Arithmetic::Rotation(mir::InstId id, Where where) {
  if (!e_.device_has().rotate) return {};
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
    return e_.Alu(Opcode::kRol, Type::kUD, where,
                  {e_.ToRegister(e_.Src(m_.source(*up, 0), Type::kUD)), Imm(count, Type::kUD)});
  }
  return {};
}

// bfe and bfi1 use 5 bits of the width, so 32 must be handled separately.
Operand Arithmetic::BitfieldExtract(mir::InstId id, Where where, Type t) {
  const bool narrow = e_.BitsOf(m_.source(id, 0)) == 16;
  const Operand value = conversions_.Widened(m_.source(id, 0), where, t == Type::kD);
  const Operand offset = e_.Src(m_.source(id, 1), t), count = e_.Src(m_.source(id, 2), t);
  if (IsImm(count) && count.id >= (narrow ? 16 : 32)) return e_.ToRegister(value);
  const Operand part = e_.Alu(Opcode::kBfe, t, where, {count, offset, value});
  if (IsImm(count)) return part;
  const Flag partial =
      e_.CompareFlag(where, CondMod::kL, Retype(count, Type::kUD), Imm(32, Type::kUD));
  return e_.SelectByFlag(where, t, partial, part, value);
}

Operand Arithmetic::BitfieldInsert(mir::InstId id, Where where) {
  const bool narrow = e_.BitsOf(m_.source(id, 0)) == 16;
  const auto u = [&](int i) { return conversions_.Widened(m_.source(id, i), where, false); };
  const Operand base = u(0), insert = u(1), offset = u(2), count = u(3);
  if (IsImm(count) && count.id >= (narrow ? 16 : 32)) return e_.ToRegister(insert);
  const Operand mask = e_.Alu(Opcode::kBfi1, Type::kUD, where, {e_.ToRegister(count), offset});
  const Operand part = e_.Alu(Opcode::kBfi2, Type::kUD, where, {mask, insert, base});
  if (IsImm(count)) return part;
  const Flag partial = e_.CompareFlag(where, CondMod::kL, count, Imm(32, Type::kUD));
  return e_.SelectByFlag(where, Type::kUD, partial, part, insert);
}

}  // namespace kiln::intel
