// Arithmetic on 64-bit integers given by their halves, emitted as 32-bit MIR. For lower_int64.
//
// Every function emits code for the MIR op of its name at 64 bits (core/mir/ops.def).
#ifndef KILN_CORE_MID_LOWER_WIDE_INT_H_
#define KILN_CORE_MID_LOWER_WIDE_INT_H_

#include <cstdint>

#include "core/mir/build.h"
#include "core/mir/mir.h"

namespace kiln::mid {

struct Wide {
  mir::ValueId lo;
  mir::ValueId hi;
};

class WideInt {
 public:
  explicit WideInt(mir::Builder& builder) : b_(builder) {}

  Wide Constant(uint64_t x) {
    return {b_.Int(static_cast<uint32_t>(x)), b_.Int(static_cast<uint32_t>(x >> 32))};
  }
  Wide Add(Wide a, Wide b);
  Wide Sub(Wide a, Wide b);
  Wide Mul(Wide a, Wide b);
  Wide UmulHigh(Wide a, Wide b);
  Wide SmulHigh(Wide a, Wide b);
  Wide Neg(Wide a) { return Sub(Constant(0), a); }
  Wide Abs(Wide a) { return NegateIf(SignMask(a), a); }
  Wide Sign(Wide a);
  Wide Not(Wide a) { return {b_.Not(a.lo), b_.Not(a.hi)}; }
  // and, or, xor: half by half.
  Wide Bits(mir::Op op, Wide a, Wide b) {
    return {b_.Emit(op, {a.lo, b.lo}), b_.Emit(op, {a.hi, b.hi})};
  }
  Wide Select(mir::ValueId condition, Wide a, Wide b) {
    return {b_.Select(condition, a.lo, b.lo), b_.Select(condition, a.hi, b.hi)};
  }
  // Shifts by the low 6 bits of a 32-bit count.
  Wide Shl(Wide a, mir::ValueId count);
  Wide Shr(mir::Op op, Wide a, mir::ValueId count);  // kUshr or kAshr

  mir::ValueId Equal(Wide a, Wide b);
  mir::ValueId Less(mir::Op op, Wide a, Wide b);  // kUlt or kSlt
  mir::ValueId IsZero(Wide a) { return b_.Ieq(b_.Or(a.lo, a.hi), b_.Int(0)); }

  // kUdiv, kUrem, kSdiv, kSrem, kSmod. May emit a branch and a loop.
  Wide Divide(mir::Op op, Wide a, Wide b);

  Wide BitfieldInsert(Wide base, Wide insert, mir::ValueId offset, mir::ValueId count);
  Wide BitfieldExtract(bool is_signed, Wide a, mir::ValueId offset, mir::ValueId count);
  mir::ValueId FindLsb(Wide a);
  mir::ValueId FindUmsb(Wide a);
  mir::ValueId FindSmsb(Wide a);

  // From and to single precision.
  Wide FromFloat(bool is_signed, mir::ValueId f);
  mir::ValueId ToFloat(bool is_signed, Wide a);
  // From and to double precision.
  Wide FromDouble(bool is_signed, mir::ValueId d);
  mir::ValueId ToDouble(bool is_signed, Wide a);

 private:
  struct Quotient {
    Wide quotient;
    Wide remainder;
  };
  Quotient UnsignedDivide(Wide n, Wide d);
  Quotient LongDivide(Wide n, Wide d);
  mir::ValueId SignMask(Wide a) { return b_.Ashr(a.hi, b_.Int(31)); }
  // -a where the mask is all ones, a where it is 0.
  Wide NegateIf(mir::ValueId mask, Wide a);
  Wide LowMask(mir::ValueId count);
  bool IsZeroConstant(mir::ValueId v) const;
  mir::ValueId UnsignedToFloat(Wide a);

  mir::Builder& b_;
};

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_LOWER_WIDE_INT_H_
