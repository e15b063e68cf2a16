#include "core/mid/lower/wide_int.h"

namespace kiln::mid {

using mir::Op;
using mir::Type;
using mir::ValueId;

Wide WideInt::Add(Wide a, Wide b) {
  const ValueId carry = b_.UaddCarry(a.lo, b.lo);
  return {b_.Iadd(a.lo, b.lo), b_.Iadd(b_.Iadd(a.hi, b.hi), carry)};
}

Wide WideInt::Sub(Wide a, Wide b) {
  const ValueId borrow = b_.UsubBorrow(a.lo, b.lo);
  return {b_.Isub(a.lo, b.lo), b_.Isub(b_.Isub(a.hi, b.hi), borrow)};
}

Wide WideInt::Mul(Wide a, Wide b) {
  const ValueId cross = b_.Iadd(b_.Imul(a.lo, b.hi), b_.Imul(a.hi, b.lo));
  return {b_.Imul(a.lo, b.lo), b_.Iadd(b_.UmulHigh(a.lo, b.lo), cross)};
}

// Adds the four products of halves, column by column.
Wide WideInt::UmulHigh(Wide a, Wide b) {
  const ValueId zero = b_.Int(0);
  const Wide middle = {b_.UmulHigh(a.lo, b.lo), zero};
  const Wide cross1 = {b_.Imul(a.lo, b.hi), b_.UmulHigh(a.lo, b.hi)};
  const Wide cross2 = {b_.Imul(a.hi, b.lo), b_.UmulHigh(a.hi, b.lo)};
  // cross1 + middle cannot overflow: (2^32 - 1)^2 + 2^32 - 1 < 2^64.
  const Wide column = Add(cross1, middle);
  const Wide low = Add({column.lo, zero}, {cross2.lo, zero});
  const Wide high = {b_.Imul(a.hi, b.hi), b_.UmulHigh(a.hi, b.hi)};
  const Wide carried = Add({column.hi, zero}, {low.hi, zero});
  return Add(Add(high, carried), {cross2.hi, zero});
}

// The unsigned product counts 2^64 too much for a negative factor.
Wide WideInt::SmulHigh(Wide a, Wide b) {
  const auto masked = [&](Wide x, ValueId mask) {
    return Wide{b_.And(x.lo, mask), b_.And(x.hi, mask)};
  };
  const Wide high = Sub(UmulHigh(a, b), masked(b, SignMask(a)));
  return Sub(high, masked(a, SignMask(b)));
}

Wide WideInt::NegateIf(ValueId mask, Wide a) {
  return Sub({b_.Xor(a.lo, mask), b_.Xor(a.hi, mask)}, {mask, mask});
}

Wide WideInt::Sign(Wide a) {
  const ValueId mask = SignMask(a);
  const ValueId positive = b_.Select(IsZero(a), b_.Int(0), b_.Int(1));
  return {b_.Or(positive, mask), mask};
}

Wide WideInt::Shl(Wide a, ValueId count) {
  // 32-bit shifts use the low 5 bits of a count. The bits that cross between halves are shifted in
  // two steps, since a shift by 32 - 0 would be one by 0.
  const ValueId rest = b_.Xor(count, b_.Int(31));
  const ValueId low = b_.Shl(a.lo, count);
  const ValueId crossing = b_.Ushr(b_.Ushr(a.lo, b_.Int(1)), rest);
  const ValueId high = b_.Or(b_.Shl(a.hi, count), crossing);
  const ValueId far = b_.Ine(b_.And(count, b_.Int(32)), b_.Int(0));
  return {b_.Select(far, b_.Int(0), low), b_.Select(far, low, high)};
}

Wide WideInt::Shr(Op op, Wide a, ValueId count) {
  const ValueId rest = b_.Xor(count, b_.Int(31));
  const ValueId high = b_.Emit(op, {a.hi, count});
  const ValueId crossing = b_.Shl(b_.Shl(a.hi, b_.Int(1)), rest);
  const ValueId low = b_.Or(b_.Ushr(a.lo, count), crossing);
  const ValueId far = b_.Ine(b_.And(count, b_.Int(32)), b_.Int(0));
  const ValueId fill = op == Op::kAshr ? SignMask(a) : b_.Int(0);
  return {b_.Select(far, high, low), b_.Select(far, fill, high)};
}

ValueId WideInt::Equal(Wide a, Wide b) {
  return b_.Ieq(b_.Or(b_.Xor(a.lo, b.lo), b_.Xor(a.hi, b.hi)), b_.Int(0));
}

ValueId WideInt::Less(Op op, Wide a, Wide b) {
  const ValueId high = b_.Emit(op, {a.hi, b.hi});
  const ValueId low = b_.And(b_.Ieq(a.hi, b.hi), b_.Ult(a.lo, b.lo));
  return b_.Or(high, low);
}

bool WideInt::IsZeroConstant(ValueId v) const {
  return b_.module().IsConstant(v) && b_.module().value(v).bits == 0;
}

WideInt::Quotient WideInt::UnsignedDivide(Wide n, Wide d) {
  const ValueId zero = b_.Int(0);
  const auto narrow = [&] {
    return Quotient{{b_.Udiv(n.lo, d.lo), zero}, {b_.Urem(n.lo, d.lo), zero}};
  };
  if (IsZeroConstant(n.hi) && IsZeroConstant(d.hi)) return narrow();
  mir::Module& m = b_.module();
  const mir::InstId test = b_.If(b_.Ieq(b_.Or(n.hi, d.hi), zero));
  const std::vector<Type> types(4, Type::kI32);
  const mir::Builder::InsertionPoint outer = b_.insertion_point();
  for (int side = 0; side < 2; ++side) {
    b_.SetRegion(m.inst(test).regions[side]);
    const Quotient q = side == 0 ? narrow() : LongDivide(n, d);
    b_.Yield({q.quotient.lo, q.quotient.hi, q.remainder.lo, q.remainder.hi});
  }
  b_.SetInsertionPoint(outer);
  mir::SetResults(m, test, types);
  return {{m.result(test, 0), m.result(test, 1)}, {m.result(test, 2), m.result(test, 3)}};
}

// The dividend is shifted into the remainder bit by bit; the bits of the quotient take its place.
WideInt::Quotient WideInt::LongDivide(Wide n, Wide d) {
  mir::Module& m = b_.module();
  const ValueId zero = b_.Int(0), one = b_.Int(1), top = b_.Int(31);
  const mir::InstId loop = b_.Loop({b_.Int(64), n.lo, n.hi, zero, zero});
  const mir::RegionId body = m.inst(loop).regions[0];
  const auto param = [&](int i) { return m.region(body).params[i]; };
  const mir::Builder::InsertionPoint outer = b_.insertion_point();
  b_.SetRegion(body);
  const mir::InstId test = b_.If(b_.Ieq(param(0), zero));
  b_.SetRegion(m.inst(test).regions[0]);
  b_.Break({param(1), param(2), param(3), param(4)});
  b_.SetRegion(m.inst(test).regions[1]);
  b_.Yield();
  b_.SetRegion(body);
  const Wide dividend = {param(1), param(2)}, remainder = {param(3), param(4)};
  const ValueId overflow = b_.Slt(remainder.hi, zero);  // the bit that the shift loses
  const Wide shifted = {b_.Or(b_.Shl(remainder.lo, one), b_.Ushr(dividend.hi, top)),
                        b_.Or(b_.Shl(remainder.hi, one), b_.Ushr(remainder.lo, top))};
  const ValueId fits = b_.Or(overflow, b_.Not(Less(Op::kUlt, shifted, d)));
  const Wide rest = Select(fits, Sub(shifted, d), shifted);
  const ValueId bit = b_.Select(fits, one, zero);
  b_.Continue({b_.Isub(param(0), one), b_.Or(b_.Shl(dividend.lo, one), bit),
               b_.Or(b_.Shl(dividend.hi, one), b_.Ushr(dividend.lo, top)), rest.lo, rest.hi});
  b_.SetInsertionPoint(outer);
  mir::SetResults(m, loop, std::vector<Type>(4, Type::kI32));
  return {{m.result(loop, 0), m.result(loop, 1)}, {m.result(loop, 2), m.result(loop, 3)}};
}

Wide WideInt::Divide(Op op, Wide a, Wide b) {
  const bool is_signed = op == Op::kSdiv || op == Op::kSrem || op == Op::kSmod;
  const ValueId by_zero = IsZero(b);
  const Quotient q = is_signed ? UnsignedDivide(Abs(a), Abs(b)) : UnsignedDivide(a, b);
  Wide result = op == Op::kUdiv || op == Op::kSdiv ? q.quotient : q.remainder;
  if (op == Op::kSdiv) {
    result = NegateIf(b_.Xor(SignMask(a), SignMask(b)), result);
  } else if (is_signed) {
    result = NegateIf(SignMask(a), result);  // the sign of the dividend
  }
  if (op == Op::kSmod) {
    const ValueId differ = b_.Slt(b_.Xor(result.hi, b.hi), b_.Int(0));
    const ValueId correct = b_.And(differ, b_.Not(IsZero(result)));
    result = Select(correct, Add(result, b), result);
  }
  return Select(by_zero, Constant(~uint64_t{0}), result);
}

// Ones in the low `count` bits; all bits for counts of 64 or more.
Wide WideInt::LowMask(ValueId count) {
  const Wide below = Sub(Shl(Constant(1), count), Constant(1));
  return Select(b_.Uge(count, b_.Int(64)), Constant(~uint64_t{0}), below);
}

Wide WideInt::BitfieldInsert(Wide base, Wide insert, ValueId offset, ValueId count) {
  const Wide mask = Shl(LowMask(count), offset);
  const Wide kept = Bits(Op::kAnd, base, Not(mask));
  return Bits(Op::kOr, kept, Bits(Op::kAnd, Shl(insert, offset), mask));
}

Wide WideInt::BitfieldExtract(bool is_signed, Wide a, ValueId offset, ValueId count) {
  const Wide field = Bits(Op::kAnd, Shr(Op::kUshr, a, offset), LowMask(count));
  if (!is_signed) return field;
  const ValueId unused = b_.Isub(b_.Int(64), count);
  const Wide extended = Shr(Op::kAshr, Shl(field, unused), unused);
  return Select(b_.Uge(count, b_.Int(64)), Shr(Op::kAshr, a, offset), extended);
}

ValueId WideInt::FindLsb(Wide a) {
  const ValueId none = b_.Int(~0u);
  const ValueId high =
      b_.Select(b_.Ieq(a.hi, b_.Int(0)), none, b_.Iadd(b_.FindLsb(a.hi), b_.Int(32)));
  return b_.Select(b_.Ine(a.lo, b_.Int(0)), b_.FindLsb(a.lo), high);
}

ValueId WideInt::FindUmsb(Wide a) {
  return b_.Select(b_.Ine(a.hi, b_.Int(0)), b_.Iadd(b_.FindUmsb(a.hi), b_.Int(32)),
                   b_.FindUmsb(a.lo));
}

ValueId WideInt::FindSmsb(Wide a) {
  const ValueId mask = SignMask(a);
  return FindUmsb({b_.Xor(a.lo, mask), b_.Xor(a.hi, mask)});
}

// The high half is the product with 2^-32, exact but for the bits cut off; the rest has few enough
// bits to be exact too.
Wide WideInt::FromFloat(bool is_signed, ValueId f) {
  const ValueId magnitude = is_signed ? b_.Fabs(f) : f;
  const ValueId high = b_.F2u(b_.Fmul(magnitude, b_.Float(0x1p-32f)));
  const ValueId rest = b_.Fsub(magnitude, b_.Fmul(b_.U2f(high), b_.Float(0x1p32f)));
  const Wide whole = {b_.F2u(rest), high};
  if (!is_signed) {
    return Select(b_.Fge(f, b_.Float(0x1p64f)), Constant(~uint64_t{0}), whole);
  }
  const ValueId negative = b_.Flt(f, b_.Float(0.0f));
  const ValueId mask = b_.Select(negative, b_.Int(~0u), b_.Int(0));
  const Wide limit = Select(negative, Constant(uint64_t{1} << 63), Constant(~uint64_t{0} >> 1));
  return Select(b_.Fge(magnitude, b_.Float(0x1p63f)), limit, NegateIf(mask, whole));
}

// Shifts the highest bit to the top. The upper half then determines the rounding, if its last bit
// is set whenever the lower half is not 0.
ValueId WideInt::UnsignedToFloat(Wide a) {
  const ValueId zeros = b_.Isub(b_.Int(31), b_.FindUmsb(a.hi));
  const Wide top = Shl(a, zeros);
  const ValueId sticky = b_.Select(b_.Ieq(top.lo, b_.Int(0)), b_.Int(0), b_.Int(1));
  const ValueId mantissa = b_.U2f(b_.Or(top.hi, sticky));
  const ValueId exponent = b_.Shl(b_.Isub(b_.Int(127 + 32), zeros), b_.Int(23));
  const ValueId scaled = b_.Fmul(mantissa, b_.Bitcast(exponent));
  return b_.Select(b_.Ieq(a.hi, b_.Int(0)), b_.U2f(a.lo), scaled);
}

ValueId WideInt::ToFloat(bool is_signed, Wide a) {
  if (!is_signed) return UnsignedToFloat(a);
  const ValueId f = UnsignedToFloat(Abs(a));
  return b_.Select(b_.Slt(a.hi, b_.Int(0)), b_.Fneg(f), f);
}

// Both halves are doubles without rounding, and so is the upper one times 2^32: the sum is the only
// operation that rounds.
ValueId WideInt::ToDouble(bool is_signed, Wide a) {
  const ValueId high = b_.Convert(is_signed ? Op::kI2f : Op::kU2f, a.hi, Type::kF64);
  const ValueId low = b_.Convert(Op::kU2f, a.lo, Type::kF64);
  b_.set_flags(mir::kExact);
  const ValueId sum = b_.Ffma(high, b_.Double(0x1p32), low);
  b_.set_flags(0);
  return sum;
}

// Clamps to the doubles that fit the integer; NaN becomes 0. Truncated, such a number is a whole
// multiple of 2^32 and a rest below it, neither of which is rounded. Only the clamp at the top is
// not the integer that saturation gives.
Wide WideInt::FromDouble(bool is_signed, ValueId d) {
  const double end = is_signed ? 0x1p63 : 0x1p64;
  const double most = is_signed ? 0x1.fffffffffffffp62 : 0x1.fffffffffffffp63;
  b_.set_flags(mir::kExact);
  const ValueId number = b_.Select(b_.Feq(d, d), d, b_.Double(0));
  const ValueId least = b_.Double(is_signed ? -0x1p63 : 0.0);
  const ValueId whole = b_.Ftrunc(b_.Fmin(b_.Fmax(number, least), b_.Double(most)));
  const ValueId high = b_.Ffloor(b_.Fmul(whole, b_.Double(0x1p-32)));
  const ValueId low = b_.Ffma(high, b_.Double(-0x1p32), whole);
  const ValueId beyond = b_.Fge(number, b_.Double(end));
  const Wide inside = {b_.F2u(low), is_signed ? b_.F2i(high) : b_.F2u(high)};
  b_.set_flags(0);
  return Select(beyond, Constant(is_signed ? ~uint64_t{0} >> 1 : ~uint64_t{0}), inside);
}

}  // namespace kiln::mid
