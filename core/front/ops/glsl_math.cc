// Builds transcendental functions that hardware lacks from those that it has.
//
// Required accuracy, by Vulkan: atan and atan2 4096 ulp; asin and acos inherited from atan2(x,
// sqrt(1 - x x)); sinh, cosh, tanh, asinh, acosh, atanh inherited from their formulas over exp, log
// and sqrt; exp 3 + 2 |x| ulp and log 3 ulp, which one rounded product before or after the base-2
// function keeps.
//
// Polynomials: minimax by the Remez exchange, computed for this file in 120-bit arithmetic.
//   (asin(s) - s) / s^3 in s^2 on [0, 1/4]: absolute error 6.5e-8
//   atan(u) / u in u^2 on [0, 1]: relative error 6.6e-7 (about 11 ulp)
#include "core/front/ops/glsl_math.h"

namespace kiln::front {
namespace {

constexpr float kPi = 3.14159265358979323846f;
constexpr float kHalfPi = 1.57079632679489661923f;
constexpr float kLog2E = 1.44269504088896340736f;
constexpr float kLn2 = 0.693147180559945309417f;

constexpr float kAsin[] = {0.16666673f, 0.07498761f, 0.045020215f, 0.026433362f, 0.03832831f};
constexpr float kAtan[] = {0.99999934f, -0.33326516f, 0.19881482f,  -0.1348719f,
                           0.08387117f, -0.03701299f, 0.0078633744f};

}  // namespace

// Evaluates a polynomial by Horner's scheme.
ValueId GlslMath::Polynomial(ValueId x, absl::Span<const float> coefficients) const {
  ValueId sum = Float(coefficients.back());
  for (size_t i = coefficients.size() - 1; i > 0; --i) {
    sum = Emit(mir::Op::kFfma, {sum, x, Float(coefficients[i - 1])});
  }
  return sum;
}

// Returns a non-negative magnitude with the sign of another value.
ValueId GlslMath::WithSign(ValueId magnitude, ValueId sign) const {
  using mir::Op;
  if (TypeOf(sign) == mir::Type::kF64) {
    const ValueId top = Emit(Op::kAnd, {Emit(Op::kF64High, {sign}), Int(0x80000000u)});
    return Emit(Op::kPackF64, {Emit(Op::kF64Low, {magnitude}),
                               Emit(Op::kOr, {Emit(Op::kF64High, {magnitude}), top})});
  }
  const ValueId bits = Emit(Op::kBitcast, {sign});
  const uint64_t mask = mir::MaskOf(TypeOf(bits));
  const ValueId bit = Emit(Op::kAnd, {bits, builder().Constant(TypeOf(bits), mask ^ (mask >> 1))});
  return Emit(Op::kBitcast, {Emit(Op::kOr, {Emit(Op::kBitcast, {magnitude}), bit})});
}

ValueId GlslMath::Exp(ValueId x) const {
  return Emit(mir::Op::kFexp2, {Emit(mir::Op::kFmul, {x, Float(kLog2E)})});
}

ValueId GlslMath::Log(ValueId x) const {
  return Emit(mir::Op::kFmul, {Emit(mir::Op::kFlog2, {x}), Float(kLn2)});
}

// Below 1/2 by the polynomial, above by asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)).
ValueId GlslMath::Asin(ValueId x) const {
  using mir::Op;
  const ValueId t = Emit(Op::kFabs, {x});
  const ValueId large = Emit(Op::kFge, {t, Float(0.5f)});
  const ValueId rest = Emit(Op::kFmul, {Emit(Op::kFsub, {Float(1.0f), t}), Float(0.5f)});
  const ValueId z = Emit(Op::kSelect, {large, rest, Emit(Op::kFmul, {t, t})});
  const ValueId s = Emit(Op::kSelect, {large, Emit(Op::kFsqrt, {z}), t});
  const ValueId p = Emit(Op::kFfma, {Emit(Op::kFmul, {s, z}), Polynomial(z, kAsin), s});
  const ValueId folded = Emit(Op::kFfma, {p, Float(-2.0f), Float(kHalfPi)});
  return WithSign(Emit(Op::kSelect, {large, folded, p}), x);
}

ValueId GlslMath::Acos(ValueId x) const {
  using mir::Op;
  const ValueId t = Emit(Op::kFabs, {x});
  const ValueId large = Emit(Op::kFge, {t, Float(0.5f)});
  const ValueId rest = Emit(Op::kFmul, {Emit(Op::kFsub, {Float(1.0f), t}), Float(0.5f)});
  const ValueId z = Emit(Op::kSelect, {large, rest, Emit(Op::kFmul, {t, t})});
  const ValueId s = Emit(Op::kSelect, {large, Emit(Op::kFsqrt, {z}), t});
  const ValueId p = Emit(Op::kFfma, {Emit(Op::kFmul, {s, z}), Polynomial(z, kAsin), s});
  const ValueId twice = Emit(Op::kFadd, {p, p});
  const ValueId negative = Emit(Op::kFlt, {x, Float(0.0f)});
  const ValueId outer = Emit(Op::kSelect, {negative, Emit(Op::kFsub, {Float(kPi), twice}), twice});
  const ValueId inner = Emit(Op::kFsub, {Float(kHalfPi), WithSign(p, x)});
  return Emit(Op::kSelect, {large, outer, inner});
}

// atan of a ratio in [0, 1].
ValueId GlslMath::AtanOfRatio(ValueId ratio) const {
  using mir::Op;
  return Emit(Op::kFmul, {ratio, Polynomial(Emit(Op::kFmul, {ratio, ratio}), kAtan)});
}

ValueId GlslMath::Atan(ValueId x) const {
  using mir::Op;
  const ValueId t = Emit(Op::kFabs, {x});
  const ValueId inverted = Emit(Op::kFlt, {Float(1.0f), t});
  const ValueId p = AtanOfRatio(Emit(Op::kSelect, {inverted, Emit(Op::kFrcp, {t}), t}));
  const ValueId folded = Emit(Op::kFsub, {Float(kHalfPi), p});
  return WithSign(Emit(Op::kSelect, {inverted, folded, p}), x);
}

// Equal magnitudes, including infinite ones, have the ratio 1; atan2(0, 0) is undefined.
ValueId GlslMath::Atan2(ValueId y, ValueId x) const {
  using mir::Op;
  const ValueId ax = Emit(Op::kFabs, {x});
  const ValueId ay = Emit(Op::kFabs, {y});
  const ValueId low = Emit(Op::kFmin, {ax, ay});
  const ValueId high = Emit(Op::kFmax, {ax, ay});
  const ValueId ratio =
      Emit(Op::kSelect, {Emit(Op::kFeq, {ax, ay}), Float(1.0f), Emit(Op::kFdiv, {low, high})});
  const ValueId p = AtanOfRatio(ratio);
  const ValueId steep = Emit(Op::kFlt, {ax, ay});
  const ValueId right = Emit(Op::kSelect, {steep, Emit(Op::kFsub, {Float(kHalfPi), p}), p});
  const ValueId left = Emit(Op::kSlt, {Emit(Op::kBitcast, {x}), Int(0)});  // -0 included
  return WithSign(Emit(Op::kSelect, {left, Emit(Op::kFsub, {Float(kPi), right}), right}), y);
}

ValueId GlslMath::Sinh(ValueId x) const {
  using mir::Op;
  const ValueId difference = Emit(Op::kFsub, {Exp(x), Exp(Emit(Op::kFneg, {x}))});
  return Emit(Op::kFmul, {difference, Float(0.5f)});
}

// Beyond 10 the result is 1 to within rounding; the clamp keeps the exponentials finite.
ValueId GlslMath::Tanh(ValueId x) const {
  using mir::Op;
  const ValueId t = Emit(Op::kFmin, {Emit(Op::kFmax, {x, Float(-10.0f)}), Float(10.0f)});
  const ValueId up = Exp(t);
  const ValueId down = Exp(Emit(Op::kFneg, {t}));
  const ValueId ratio = Emit(Op::kFdiv, {Emit(Op::kFsub, {up, down}), Emit(Op::kFadd, {up, down})});
  return Emit(Op::kSelect, {Emit(Op::kFne, {x, x}), x, ratio});
}

ValueId GlslMath::Asinh(ValueId x) const {
  using mir::Op;
  const ValueId t = Emit(Op::kFabs, {x});
  const ValueId square = Emit(Op::kFmul, {t, t});
  const ValueId root = Emit(Op::kFsqrt, {Emit(Op::kFadd, {square, Float(1.0f)})});
  return WithSign(Log(Emit(Op::kFadd, {t, root})), x);
}

// Returns an exponent of any width in 32 bits. It is clamped before it is narrowed: the low half of
// a large exponent may be any number.
ValueId GlslMath::Clamped(ValueId exponent, int64_t least, int64_t most) const {
  using mir::Op;
  const bool wide = TypeOf(exponent) == mir::Type::kI64;
  const ValueId whole = wide ? exponent : ConvertInt(exponent, mir::Type::kI32, true);
  const auto limit = [&](int64_t n) { return builder().IntOf(TypeOf(whole), n); };
  return ConvertInt(Emit(Op::kImin, {Emit(Op::kImax, {whole, limit(least)}), limit(most)}),
                    mir::Type::kI32, true);
}

// In two steps, since 2^exponent alone may be out of range where the product is not.
ValueId GlslMath::Ldexp(ValueId x, ValueId exponent) const {
  using mir::Op;
  if (TypeOf(x) == mir::Type::kF64) return LdexpDouble(x, exponent);
  const ValueId e = Clamped(exponent, -252, 252);
  const ValueId half = Emit(Op::kAshr, {e, Int(1)});
  const ValueId rest = Emit(Op::kIsub, {e, half});
  const auto power = [this](ValueId n) {
    const ValueId bits = Emit(Op::kShl, {Emit(Op::kIadd, {n, Int(127)}), Int(23)});
    return Emit(Op::kBitcast, {bits});
  };
  return Emit(Op::kFmul, {Emit(Op::kFmul, {x, power(half)}), power(rest)});
}

// As Ldexp. The steps are from 2^-1022 to 2^1023, the powers that are normal numbers.
ValueId GlslMath::LdexpDouble(ValueId x, ValueId exponent) const {
  using mir::Op;
  const ValueId e = Clamped(exponent, -2044, 2046);
  const ValueId half = Emit(Op::kAshr, {e, Int(1)});
  const ValueId rest = Emit(Op::kIsub, {e, half});
  const auto power = [this](ValueId n) {
    const ValueId high = Emit(Op::kShl, {Emit(Op::kIadd, {n, Int(1023)}), Int(20)});
    return Emit(Op::kPackF64, {Int(0), high});
  };
  return Emit(Op::kFmul, {Emit(Op::kFmul, {x, power(half)}), power(rest)});
}

// Subnormals are scaled up first; zeros, infinities and NaNs are their own significand.
void GlslMath::Frexp(ValueId x, ValueId* significand, ValueId* exponent) const {
  using mir::Op;
  if (TypeOf(x) == mir::Type::kF64) return FrexpDouble(x, significand, exponent);
  const ValueId tiny =
      Emit(Op::kFlt, {Emit(Op::kFabs, {x}), builder().Constant(mir::Type::kF32, 0x00800000)});
  const ValueId scaled = Emit(Op::kFmul, {x, Float(16777216.0f)});
  const ValueId y = Emit(Op::kSelect, {tiny, scaled, x});
  const ValueId bits = Emit(Op::kBitcast, {y});
  const ValueId field = Emit(Op::kUbitfieldExtract, {bits, Int(23), Int(8)});
  const ValueId special =
      Emit(Op::kOr, {Emit(Op::kFeq, {y, Float(0.0f)}), Emit(Op::kIeq, {field, Int(255)})});
  const ValueId mantissa =
      Emit(Op::kOr, {Emit(Op::kAnd, {bits, Int(0x807fffffu)}), Int(0x3f000000u)});
  const ValueId bias = Emit(Op::kSelect, {tiny, Int(126 + 24), Int(126)});
  *significand = Emit(Op::kSelect, {special, x, Emit(Op::kBitcast, {mantissa})});
  *exponent = Emit(Op::kSelect, {special, Int(0), Emit(Op::kIsub, {field, bias})});
}

// As Frexp. The exponent, in the high half, has 11 bits from bit 20 on.
void GlslMath::FrexpDouble(ValueId x, ValueId* significand, ValueId* exponent) const {
  using mir::Op;
  const ValueId tiny = Emit(Op::kFlt, {Emit(Op::kFabs, {x}), FloatLike(x, 0x1p-1022)});
  const ValueId y = Emit(Op::kSelect, {tiny, Emit(Op::kFmul, {x, FloatLike(x, 0x1p54)}), x});
  const ValueId high = Emit(Op::kF64High, {y});
  const ValueId field = Emit(Op::kUbitfieldExtract, {high, Int(20), Int(11)});
  const ValueId special =
      Emit(Op::kOr, {Emit(Op::kFeq, {y, FloatLike(y, 0)}), Emit(Op::kIeq, {field, Int(0x7ff)})});
  const ValueId scaled =
      Emit(Op::kOr, {Emit(Op::kAnd, {high, Int(0x800fffffu)}), Int(0x3fe00000u)});
  const ValueId mantissa = Emit(Op::kPackF64, {Emit(Op::kF64Low, {y}), scaled});
  const ValueId bias = Emit(Op::kSelect, {tiny, Int(1022 + 54), Int(1022)});
  *significand = Emit(Op::kSelect, {special, x, mantissa});
  *exponent = Emit(Op::kSelect, {special, Int(0), Emit(Op::kIsub, {field, bias})});
}

}  // namespace kiln::front
