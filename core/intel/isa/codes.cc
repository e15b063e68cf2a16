// See codes.h.
#include "core/intel/isa/codes.h"

namespace kiln::intel::isa {

bool MathIsBinary(MathFunction function) {
  switch (function) {
    case MathFunction::kFdiv:
    case MathFunction::kPow:
    case MathFunction::kIntDivBoth:
    case MathFunction::kIntDivQuotient:
    case MathFunction::kIntDivRemainder:
    case MathFunction::kInvm:
      return true;
    default:
      return false;
  }
}

}  // namespace kiln::intel::isa
