// IEEE 754 binary16 conversions and rounding.
//
// All functions are exact in the stated rounding mode and use integer arithmetic only, so that the
// simulator computes the same bits on every host.
#ifndef KILN_CORE_SIM_SCENE_FLOAT16_H_
#define KILN_CORE_SIM_SCENE_FLOAT16_H_

#include <bit>
#include <cstdint>

namespace kiln::sim::scene {

// Rounding modes, numbered as in the control registers of the simulated machines.
enum class Rounding : uint8_t { kNearestEven = 0, kUp = 1, kDown = 2, kZero = 3 };

// Converts binary16 bits to the equal float. NaN payloads are kept in the upper bits.
inline float HalfToFloat(uint16_t h) {
  const uint32_t sign = uint32_t{h & 0x8000u} << 16;
  const uint32_t exponent = (h >> 10) & 0x1f;
  const uint32_t mantissa = h & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

// Rounds `mantissa` right by `shift` bits (1..63); `negative` is the sign of the value.
inline uint64_t RoundShift(uint64_t mantissa, int shift, bool negative, Rounding mode) {
  const uint64_t kept = mantissa >> shift;
  const uint64_t rest = mantissa & ((uint64_t{1} << shift) - 1);
  const uint64_t half = uint64_t{1} << (shift - 1);
  bool up = false;
  switch (mode) {
    case Rounding::kNearestEven: up = rest > half || (rest == half && (kept & 1)); break;
    case Rounding::kUp: up = rest != 0 && !negative; break;
    case Rounding::kDown: up = rest != 0 && negative; break;
    case Rounding::kZero: break;
  }
  return kept + (up ? 1 : 0);
}

// Converts double to binary16 bits with one rounding. NaN becomes a quiet NaN.
inline uint16_t DoubleToHalf(double value, Rounding mode) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const bool negative = bits >> 63;
  const uint16_t sign = negative ? 0x8000 : 0;
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  const uint64_t fraction = bits & 0xfffffffffffffull;
  if (exponent == 0x7ff) {
    if (fraction == 0) return sign | 0x7c00;
    return static_cast<uint16_t>(sign | 0x7e00 | (fraction >> 42));
  }
  if (exponent == 0) return sign;  // double zero and subnormals are below half of 2^-24
  const uint64_t mantissa = fraction | (uint64_t{1} << 52);
  const int e = exponent - 1023;
  // Result in units of 2^-24 for subnormals, else of the last place: 42 bits fewer than a double.
  const int shift = e >= -14 ? 42 : 42 + (-14 - e);
  uint64_t rounded;
  if (shift > 62) {
    rounded = (mode == Rounding::kUp && !negative) || (mode == Rounding::kDown && negative) ? 1 : 0;
  } else {
    rounded = RoundShift(mantissa, shift, negative, mode);
  }
  if (e < -14) return static_cast<uint16_t>(sign | rounded);  // carries into the exponent correctly
  const uint64_t result = (static_cast<uint64_t>(e + 14) << 10) + rounded;
  if (result >= 0x7c00) {
    const bool to_infinity = mode == Rounding::kNearestEven ||
                             (mode == Rounding::kUp && !negative) ||
                             (mode == Rounding::kDown && negative);
    return sign | (to_infinity ? 0x7c00 : 0x7bff);
  }
  return static_cast<uint16_t>(sign | result);
}

}  // namespace kiln::sim::scene

#endif  // KILN_CORE_SIM_SCENE_FLOAT16_H_
