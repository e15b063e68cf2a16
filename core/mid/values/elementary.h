// Elementary functions of finite numbers in double precision, for folding constants.
//
// Problem: results must be the same bits on every machine, and those of the host's libm are not.
// Invariants: only the four operations that IEEE 754 rounds correctly and changes of the exponent
// are used, without contraction (.bazelrc).
// Algorithm: reduction to a small argument, then the power series. The relative error is below
// 1e-14, of sine and cosine the absolute one. Rounded to single precision, all but about one result
// in a million are the nearest number; near zeros of sine and cosine results are within that error.
// Cost: some twenty operations each.
// Limits: the ranges that each function states.
#ifndef KILN_CORE_MID_VALUES_ELEMENTARY_H_
#define KILN_CORE_MID_VALUES_ELEMENTARY_H_

namespace kiln::mid {

// 2^x for |x| <= 1000.
double Exp2(double x);

// log2 x, for normal positive x.
double Log2(double x);

// For |x| <= kMaxAngle radians.
inline constexpr double kMaxAngle = 65536;
double Sin(double x);
double Cos(double x);

}  // namespace kiln::mid

#endif  // KILN_CORE_MID_VALUES_ELEMENTARY_H_
