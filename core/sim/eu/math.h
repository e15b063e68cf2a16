// Values of the EU's math functions and rounding helpers.
//
// Transcendentals are computed in binary64 by the host's library and rounded once to the
// destination: closer than the hardware, whose error is up to 4 ulp for inv, rsqrt, log, exp and
// absolute 2^-10.6 or so for sin and cos outside [-pi, pi] (PRM, "Extended Math Function").
// Comparisons must allow for that.
#ifndef KILN_CORE_SIM_EU_MATH_H_
#define KILN_CORE_SIM_EU_MATH_H_

#include <cstdint>

#include "core/intel/isa/instruction.h"

namespace kiln::sim::eu {

// Returns the value of a float function of one or two operands, not yet rounded.
double MathValue(intel::isa::MathFunction function, float a, float b);

// Returns the quotient (rounded to zero) or remainder (sign of the dividend) of 32-bit integers.
int64_t IntDivide(int64_t a, int64_t b, bool is_signed, bool quotient);

// Returns the nearest integer, ties to even, independent of the host's rounding mode.
float RoundToEven(float x);

}  // namespace kiln::sim::eu

#endif  // KILN_CORE_SIM_EU_MATH_H_
