// Functions of GLSL.std.450 that have no op of their own, as sequences of ops.
#ifndef KILN_CORE_FRONT_OPS_GLSL_MATH_H_
#define KILN_CORE_FRONT_OPS_GLSL_MATH_H_

#include "absl/types/span.h"
#include "core/front/ops/op_emitter.h"

namespace kiln::front {

// Emits functions of scalars; all operands are floats except exponents. Errors: see glsl_math.cc.
class GlslMath : public OpEmitter {
 public:
  using OpEmitter::OpEmitter;

  ValueId WithSign(ValueId magnitude, ValueId sign) const;
  ValueId Exp(ValueId x) const;
  ValueId Log(ValueId x) const;
  ValueId Asin(ValueId x) const;
  ValueId Acos(ValueId x) const;
  ValueId Atan(ValueId x) const;
  ValueId Atan2(ValueId y, ValueId x) const;
  ValueId Sinh(ValueId x) const;
  ValueId Tanh(ValueId x) const;
  ValueId Asinh(ValueId x) const;
  ValueId Ldexp(ValueId x, ValueId exponent) const;
  void Frexp(ValueId x, ValueId* significand, ValueId* exponent) const;

 private:
  ValueId LdexpDouble(ValueId x, ValueId exponent) const;
  void FrexpDouble(ValueId x, ValueId* significand, ValueId* exponent) const;
  ValueId Clamped(ValueId exponent, int64_t least, int64_t most) const;
  ValueId Polynomial(ValueId x, absl::Span<const float> coefficients) const;
  ValueId AtanOfRatio(ValueId ratio) const;
};

}  // namespace kiln::front

#endif  // KILN_CORE_FRONT_OPS_GLSL_MATH_H_
