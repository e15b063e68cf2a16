// Selection of arithmetic on numbers. Internal to this folder.
#ifndef KILN_CORE_INTEL_SELECT_ARITHMETIC_H_
#define KILN_CORE_INTEL_SELECT_ARITHMETIC_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/intel/select/bools.h"
#include "core/intel/select/conversions.h"
#include "core/intel/select/room.h"

namespace kiln::intel {

class Arithmetic : public Room {
 public:
  Arithmetic(Emission& e, Conversions& conversions, Bools& bools)
      : Room(e), conversions_(conversions), bools_(bools) {}

  absl::Status VisitAlu(mir::InstId id);

 private:
  Operand HalfByFloat(mir::InstId id, Where where);
  // Each returns no operand (kNone) for an operation that it does not handle.
  Operand Float(mir::InstId id, Where where);
  Operand FloatMath(mir::InstId id, Where where);
  Operand Integer(mir::InstId id, Where where);
  bool OnlyAdded(mir::ValueId v);
  Operand IntegerBits(mir::InstId id, Where where);
  Operand DotProduct(mir::InstId id, Where where);
  Operand Multiply(Where where, mir::ValueId a, mir::ValueId b);
  Operand MultiplyHigh(Where where, Type t, Operand a, Operand b);
  Operand HighWordOfProduct(Where where, Type t, Operand a, Operand b);
  Operand ShiftCount(mir::InstId id, Where where);
  Operand SignedModulo(Where where, Operand a, Operand b);
  Operand FloatRemainder(Where where, Operand a, Operand b, Opcode rounding);
  Operand FloatSign(Where where, Type t, Operand a);
  Operand Rotation(mir::InstId id, Where where);
  Operand BitfieldInsert(mir::InstId id, Where where);
  Operand BitfieldExtract(mir::InstId id, Where where, Type t);

  Conversions& conversions_;
  Bools& bools_;
};

}  // namespace kiln::intel

#endif  // KILN_CORE_INTEL_SELECT_ARITHMETIC_H_
