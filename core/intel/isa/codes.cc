// See codes.h.
#include "core/intel/isa/codes.h"

namespace kiln::intel::isa {

bool IsIntegerDivision(MathFunction function) {
  return function == MathFunction::kIntDivBoth || function == MathFunction::kIntDivQuotient ||
         function == MathFunction::kIntDivRemainder;
}

bool MathIsBinary(MathFunction function) {
  return IsIntegerDivision(function) || function == MathFunction::kFdiv ||
         function == MathFunction::kPow || function == MathFunction::kInvm;
}

}  // namespace kiln::intel::isa
