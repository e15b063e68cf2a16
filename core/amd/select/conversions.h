// Selection of conversions between numbers of all widths. Internal to this folder.
#ifndef KILN_CORE_AMD_SELECT_CONVERSIONS_H_
#define KILN_CORE_AMD_SELECT_CONVERSIONS_H_

#include "core/amd/select/emission.h"
#include "core/amd/select/parts.h"

namespace kiln::amd {

class Conversions : public Room {
 public:
  Conversions(Emission& e, Parts& parts) : Room(e), parts_(parts) {}

  // Selects a conversion; returns no operand (kNone) for an operation that is none.
  Operand Conversion(mir::InstId id);
  // Returns a float of 16 bits in single precision.
  Operand ToSingle(mir::ValueId v);
  Operand ToHalf(Operand single) { return e_.Valu(Opcode::kVCvtF16F32, {single}); }

 private:
  Operand FloatToFloat(mir::InstId id);
  Operand DoubleToHalf(mir::ValueId v);
  Operand WithinSingles(const Operand& x);
  Operand IntToFloat(mir::InstId id, bool is_signed);
  Operand FloatToInt(mir::InstId id, bool is_signed);
  Operand HalfBitsToSingle(mir::InstId id);
  bool NeedsOnlyLowHalf(mir::InstId id);

  Parts& parts_;
};

}  // namespace kiln::amd

#endif  // KILN_CORE_AMD_SELECT_CONVERSIONS_H_
