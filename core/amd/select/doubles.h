// Selection of arithmetic on floats of 64 bits. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_DOUBLES_H_
#define KILN_CORE_AMD_SELECT_DOUBLES_H_

#include "core/amd/select/emission.h"

namespace kiln::amd {

// Returns a double as the source of an instruction that takes modifiers: its negations and absolute
// values are modifiers of the operand. A constant whose low half is 0 is an immediate, which stands
// for the high half; others are pairs of scalar registers.
Operand DoubleSource(Emission& e, mir::ValueId v);
// Returns a double as one operand of two dwords, or an immediate as above, without modifiers.
Operand PlainDouble(Emission& e, mir::ValueId v);

class Doubles : public Room {
 public:
  explicit Doubles(Emission& e) : Room(e) {}

  // Selects an operation on doubles, conversions and selects apart; returns no operand (kNone) for
  // an operation that is none.
  Operand Arithmetic(mir::InstId id);
  // Returns a double from its halves, in S where both are scalar.
  Operand Pack(const Operand& low, const Operand& high);

 private:
  Operand Fma(Operand a, Operand b, Operand c) { return e_.Valu(Opcode::kVFmaF64, {a, b, c}); }
  Operand Difference(Operand a, Operand b);
  Operand Quotient(Operand a, Operand b);
  Operand Remainder(mir::InstId id, Opcode rounding);
  Operand SquareRoot(Operand x);
  Operand WithoutModifiers(Operand o);
  Operand BitsOfSign(mir::InstId id);
  Operand Sign(mir::InstId id);
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_DOUBLES_H_
