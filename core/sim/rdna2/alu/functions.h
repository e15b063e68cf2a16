// The functions of the transcendental unit, on exact numbers.
//
// Each returns the true value with a relative error below 2^-55, its last bit set ("rounded to
// odd", number.h), so that rounding to binary32 gives the correctly rounded result but for about
// one argument in 2^31. The ISA guide promises 1 ulp for most; README.md has the table.
#ifndef KILN_CORE_SIM_RDNA2_ALU_FUNCTIONS_H_
#define KILN_CORE_SIM_RDNA2_ALU_FUNCTIONS_H_

#include "core/sim/rdna2/alu/number.h"

namespace kiln::sim::rdna2::alu {

// 2^x.
Number Exp2(const Number& x);

// The logarithm to base 2; negative numbers give a negative NaN, zeros -infinity.
Number Log2(const Number& x);

// The sine and cosine of 2 pi x. Infinities give a negative NaN. Beyond 256 in magnitude the
// hardware gives 0 and 1 (ISA guide, v_sin_f32 and v_cos_f32: "valid input domain").
Number Sin2Pi(const Number& x);
Number Cos2Pi(const Number& x);

// 1 / sqrt(x); -0 gives -infinity, other negative numbers a negative NaN.
Number ReciprocalSquareRoot(const Number& x);

// Returns the 53 bits of 2 / pi that v_trig_preop_f64 selects: segment `segment` (0 to 31), moved
// on for an argument with biased exponent `exponent` (ISA guide, v_trig_preop_f64). Exact.
Number TwoOverPiSegment(int exponent, int segment);

}  // namespace kiln::sim::rdna2::alu

#endif  // KILN_CORE_SIM_RDNA2_ALU_FUNCTIONS_H_
