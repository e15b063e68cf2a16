// Selection of arithmetic and conversions. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_ARITHMETIC_H_
#define KILN_CORE_AMD_SELECT_ARITHMETIC_H_

#include <initializer_list>

#include "absl/status/status.h"
#include "core/amd/select/bools.h"
#include "core/amd/select/carries.h"
#include "core/amd/select/conversions.h"
#include "core/amd/select/doubles.h"
#include "core/amd/select/fusion.h"
#include "core/amd/select/parts.h"

namespace kiln::amd {

class Arithmetic : public Room {
 public:
  Arithmetic(Emission& e, Bools& bools)
      : Room(e),
        bools_(bools),
        parts_(e),
        conversions_(e, parts_),
        doubles_(e),
        fusions_(e, parts_),
        carries_(e, fusions_) {}

  // Selects an instruction whose result is a number computed lane by lane.
  absl::Status VisitAlu(mir::InstId id);

 private:
  Operand Source(mir::InstId id, int i) const { return e_.Src(m_.source(id, i)); }
  bool IsModifierAlone(mir::ValueId v) const;
  bool IsScalarWork(mir::InstId id) const;
  Operand Fused(mir::InstId id, const Fusion& fusion);
  Operand SelectDouble(mir::InstId id);

  using Group = Operand (Arithmetic::*)(mir::InstId);
  Operand FirstOf(mir::InstId id, std::initializer_list<Group> groups);
  // Each returns no operand (kNone) for an operation that it does not handle.
  Operand Integer(mir::InstId id);  // of 32 bits
  Operand Word(mir::InstId id);     // of 16 bits
  Operand WordShift(mir::InstId id);
  Operand WordProduct(mir::InstId id);  // the high half
  Operand Bits(mir::InstId id);
  Operand DotProduct(mir::InstId id);
  Operand OfDoubles(mir::InstId id) { return doubles_.Arithmetic(id); }
  Operand Float(mir::InstId id);
  Operand FloatFunction(mir::InstId id);
  Operand HalfFunction(mir::InstId id);

  // integers.cc
  Operand Subtract(bool scalar, Operand a, Operand b);
  Operand Multiply(mir::InstId id, bool scalar);
  // bits.cc
  Operand FieldExtract(mir::InstId id, bool is_signed);
  Operand FieldInsert(mir::InstId id);
  Operand HighestBit(mir::InstId id, bool is_signed);
  // division.cc
  struct Quotient {
    Operand quotient;
    Operand remainder;
  };
  Operand Reciprocal(const Operand& b);
  Quotient Divide(const Operand& a, const Operand& b);
  Operand GuardedByZero(mir::InstId id, const Operand& b, const Operand& result);
  Operand Division(mir::InstId id);
  // floats.cc
  uint8_t SaturateFlag(mir::InstId id);
  bool TakesSaturation(mir::InstId id);
  bool IsScaled(mir::Op op, mir::Type type) const;
  Operand Scaled(mir::Op op, Operand x);
  Operand ScaledQuotient(Operand a, Operand b);
  Operand Accumulate(mir::InstId id, Operand a, Operand b, const Operand& c);
  Operand BitsOfSign(mir::InstId id);
  Operand FloatSign(mir::InstId id);
  Operand InverseOf(mir::InstId id, Operand b);
  Operand FloatRemainder(mir::InstId id, Operand a, Operand b, Opcode rounding);

  Bools& bools_;
  Parts parts_;
  Conversions conversions_;
  Doubles doubles_;
  Fusions fusions_;
  Carries carries_;
  absl::btree_map<uint32_t, lir::BlockId> made_in_;  // by MIR value, of sums and products of floats
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_ARITHMETIC_H_
