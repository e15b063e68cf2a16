// See math.h.
#include "core/sim/eu/math.h"

#include <cmath>

namespace kiln::sim::eu {

using intel::isa::MathFunction;

double MathValue(MathFunction function, float a, float b) {
  const double x = a, y = b;
  switch (function) {
    case MathFunction::kInv: return 1.0 / x;
    case MathFunction::kLog: return std::log2(x);
    case MathFunction::kExp: return std::exp2(x);
    case MathFunction::kSqrt: return std::sqrt(x);
    case MathFunction::kRsqrt: return 1.0 / std::sqrt(x);
    case MathFunction::kSin: return std::sin(x);
    case MathFunction::kCos: return std::cos(x);
    case MathFunction::kFdiv: return x / y;
    case MathFunction::kPow: return std::pow(std::fabs(x), y);
    default: return 0;
  }
}

int64_t IntDivide(int64_t a, int64_t b, bool is_signed, bool quotient) {
  if (b == 0) {
    if (!quotient) return a;
    if (!is_signed) return 0xffffffff;
    return a < 0 ? -int64_t{0x80000000} : 0x7fffffff;
  }
  return quotient ? a / b : a % b;
}

float RoundToEven(float x) {
  if (!(std::fabs(x) < 0x1p23f)) return x;
  const float down = std::floor(x);
  const float rest = x - down;  // exact
  float r = down;
  if (rest > 0.5f || (rest == 0.5f && std::fmod(down, 2.0f) != 0.0f)) r = down + 1.0f;
  return std::copysign(r, x);
}

}  // namespace kiln::sim::eu
